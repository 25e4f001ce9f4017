"""The nearest name by the pattern of tools' names to one that is not by it."""

from __future__ import annotations

import re
from typing import Final

from bridge.contract.tool_names import is_wire_safe_tool_name

__all__ = ["mapped_name"]

_MAX_NAME_CHARS: Final = 64


def mapped_name(name: str) -> str | None:
    """Return the name under which a tool is offered or is to be saved; None where there is none.

    A name by the pattern stays. Of others capitals become small, what is between letters and
    digits one underscore, and the rest after 64 characters is cut. The same name always gives the
    same.
    """
    if is_wire_safe_tool_name(name):
        return name
    # Between a small letter and a capital: `readFile` is two words.
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name[:1_024])
    plain = re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")[:_MAX_NAME_CHARS].rstrip("_")
    return plain if is_wire_safe_tool_name(plain) else None
