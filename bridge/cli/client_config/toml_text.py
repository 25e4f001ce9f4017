"""A few plain values as TOML: strings, and arrays and inline tables of strings.

Enough for an entry in somebody's configuration; a document with tables of its own is put together
by whoever writes one. Contract: TOML 1.0, basic strings and bare keys.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

__all__ = ["toml_array", "toml_key", "toml_string", "toml_table"]

_LAST_SHORT: Final = 0xFFFF
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")


def toml_string(text: str) -> str:
    """Return a basic string. Lone surrogates cannot be written: whoever calls leaves them out."""
    # The escapes of JSON are among those of TOML, which wants one for the delete character too.
    # What poses as other text, or moves a terminal's cursor, is written out as well.
    quoted = json.dumps(text, ensure_ascii=False)
    return quoted if quoted.isprintable() else "".join(map(_escape, quoted))


def _escape(character: str) -> str:
    if character.isprintable():
        return character
    # Two halves of UTF-16, as JSON has them, are no character in TOML.
    code = ord(character)
    return f"\\u{code:04x}" if code <= _LAST_SHORT else f"\\U{code:08x}"


def toml_key(name: str) -> str:
    """Return a key, bare where it can be."""
    return name if _BARE_KEY.fullmatch(name) else toml_string(name)


def toml_array(values: Sequence[str]) -> str:
    """Return an array on one line."""
    return f"[{', '.join(map(toml_string, values))}]"


def toml_table(members: Mapping[str, str]) -> str:
    """Return an inline table."""
    pairs = (f"{toml_key(name)} = {toml_string(value)}" for name, value in members.items())
    return f"{{ {', '.join(pairs)} }}"
