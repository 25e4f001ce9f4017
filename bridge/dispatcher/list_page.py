"""How much of a list goes into one answer: a count of entries, and no more than fit a line.

Which entries there are, and what a cursor means, is for who lists. Contract: size.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from bridge.contract.limits import MAX_LIST_BYTES
from bridge.contract.strict_json import StrictJsonError, dumps
from bridge.dispatcher.plain_json import quick_dumps

__all__ = ["fitting"]

_Entry = TypeVar("_Entry", bound=Mapping[str, Any])


def fitting(entries: Iterable[_Entry]) -> list[_Entry]:
    """Return those that fit a page together, from the first on; that one whatever its size.

    Asks for one more than it returns at most. Raises nothing of its own.
    """
    page: list[_Entry] = []
    left = MAX_LIST_BYTES
    for entry in entries:
        try:
            left -= len(quick_dumps(entry) or dumps(entry))
        except (StrictJsonError, UnicodeEncodeError):
            # It cannot be written: its own page tells so, and no other.
            left = -1
        if left < 0 and page:
            break
        page.append(entry)
    return page
