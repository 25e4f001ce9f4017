"""How much of a list goes into one answer: a count of entries, and no more than fit a line.

Which entries there are, and what a cursor means, is for who lists. Contract: size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from bridge.contract.limits import MAX_LIST_BYTES
from bridge.contract.strict_json import StrictJsonError, dumps
from bridge.dispatcher.plain_json import quick_dumps

__all__ = ["page_end"]


def page_end(listed: Sequence[Mapping[str, Any]], start: int, most: int) -> int:
    """Return where the page that begins at `start` ends: after `most` entries, or where it is full.

    The first entry is on its page whatever its size. Raises nothing.
    """
    end, left = start, MAX_LIST_BYTES
    for entry in islice(listed, start, start + most):
        try:
            left -= len(quick_dumps(entry) or dumps(entry))
        except (StrictJsonError, UnicodeEncodeError):
            # It cannot be written: its own page tells so, and no other.
            left = -1
        if left < 0 and end > start:
            break
        end += 1
    return end
