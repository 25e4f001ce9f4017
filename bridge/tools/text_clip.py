"""Cuts a text, and says at its end how long it was and how much of it is left.

Characters are Unicode's: none is cut in two. Cutting what was cut before tells the first length.
"""

from __future__ import annotations

import re
from typing import Final

import orjson

__all__ = ["MIN_CLIPPED_BYTES", "clip", "clip_to_bytes", "json_bytes"]

_MARK: Final = re.compile(r"… \[cut: ([0-9]{1,15}) characters, [0-9]{1,15} kept\]\Z")
_MAX_MARK_CHARS: Final = 80
MIN_CLIPPED_BYTES: Final = 96
"""Room for a mark and a few characters."""


def clip(text: str, max_chars: int) -> str:
    """Return a text of at most `max_chars` characters, its mark included.

    A text that fits is returned as it is. Raises `ValueError` for less room than a mark takes.
    Contract: package tools, bounds.
    """
    if len(text) <= max_chars:
        return text
    if max_chars < _MAX_MARK_CHARS:
        raise ValueError("less room than a mark takes")
    body, original = _unmarked(text)
    kept = max_chars - len(_mark(original, max_chars))
    # With fewer digits in the mark there may be room for one character more.
    more = max_chars - len(_mark(original, kept))
    fuller = _marked(body, more, original)
    return fuller if len(fuller) <= max_chars else _marked(body, kept, original)


def clip_to_bytes(text: str, max_chars: int, max_bytes: int) -> str:
    """Return the same, of at most `max_bytes` as JSON text too, quotes included.

    Raises `ValueError` for less than `MIN_CLIPPED_BYTES`.
    """
    if max_bytes < MIN_CLIPPED_BYTES:
        raise ValueError("less room than a mark takes")
    # A character takes a byte at least: nothing longer has to be written to be measured.
    room = max(_MAX_MARK_CHARS, min(max_chars, max_bytes))
    text = clip(text, room)
    if json_bytes(text) <= max_bytes:
        return text
    body, original = _unmarked(text)
    low, high = 0, len(body) - 1
    while low < high:
        middle = (low + high + 1) // 2
        fuller = _marked(body, middle, original)
        # A text within the characters alone has no room for a mark yet.
        if len(fuller) <= room and json_bytes(fuller) <= max_bytes:
            low = middle
        else:
            high = middle - 1
    return _marked(body, low, original)


def json_bytes(text: str) -> int:
    """Return how long a text is as JSON on the wire. Raises `ValueError` for half characters."""
    try:
        size = len(orjson.dumps(text if type(text) is str else str.__str__(text)))
    except orjson.JSONEncodeError:
        raise ValueError("has half a character (a lone surrogate)") from None
    if text.isascii():
        return size
    # Line ends of Unicode are written as escapes: six bytes, not three.
    return size + 3 * (text.count("\u2028") + text.count("\u2029"))


def _unmarked(text: str) -> tuple[str, int]:
    found = _MARK.search(text, max(0, len(text) - _MAX_MARK_CHARS))
    if found is None:
        return text, len(text)
    return text[: found.start()], max(int(found[1]), found.start())


def _marked(body: str, kept: int, original: int) -> str:
    return f"{body[:kept]}{_mark(original, kept)}"


def _mark(original: int, kept: int) -> str:
    return f"… [cut: {original} characters, {kept} kept]"
