"""Names of package tools: one pattern, and nothing that it depends on.

A name is a file's name, a handler's name and a name on the wire, so it is short ASCII in lower
case: no file system and no client can take two of them for one. The twin of
`browser_worker/contract/tool_names.js`. Contract: package tools, names.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["TOOL_NAME_PATTERN", "is_wire_safe_tool_name"]

TOOL_NAME_PATTERN: Final = r"^[a-z][a-z0-9_]{0,63}$"
"""As JSON Schema and JavaScript write it. In Python `$` also matches before a last line break:
check names by `is_wire_safe_tool_name`."""

_NAME: Final = re.compile(TOOL_NAME_PATTERN[1:-1])


def is_wire_safe_tool_name(value: object) -> bool:
    """Say whether any value is the name of a package tool. Contract: package tools, names."""
    return isinstance(value, str) and _NAME.fullmatch(value) is not None
