"""A text cut to what a line of JSON has room for: whole characters, and a mark where it was cut."""

from __future__ import annotations

from typing import Final

__all__ = ["clipped"]

_MARK: Final = "…"
_MARK_BYTES: Final = 3
_SHORT_ESCAPES: Final = frozenset('"\\\b\t\n\f\r')
_LONG_ESCAPES: Final = frozenset("\u2028\u2029")
_FIRST_UNESCAPED: Final = " "


def clipped(text: str, max_chars: int, max_bytes: int) -> str:
    """Return a well-formed text, or its beginning with a mark after it, the mark included.

    `max_chars` are Unicode's; `max_bytes` are those of JSON on the wire, without quotes. Where not
    even a character and the mark fit, nothing is left.
    """
    used = kept = 0
    for index, char in enumerate(text):
        if used + _MARK_BYTES <= max_bytes and index < max_chars:
            kept = index
        used += _json_bytes(char)
        if used > max_bytes or index >= max_chars:
            return f"{text[:kept]}{_MARK}" if kept else ""
    return text


def _json_bytes(char: str) -> int:
    """Return what a character takes in a string of JSON, as ours is written."""
    if char in _SHORT_ESCAPES:
        return 2
    if char < _FIRST_UNESCAPED or char in _LONG_ESCAPES:
        return 6
    return len(char.encode())
