"""A quick way through ordinary documents: strict JSON without looking at each of its values.

Says yes only to what `strict_json` accepts, and gives the very value that it gives. To all else
it says that it does not know, and `strict_json` judges. Not for documents long enough to hold a
text over the limit.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

import msgspec
import orjson

from bridge.contract.json_numbers import JsonNumber, read_number
from bridge.contract.limits import JsonLimits

__all__ = ["read_quickly"]

_MAX_NUMBER_CHARS: Final = 32
"""Of a number that is read here. Integers are of 64 bits, which have no more than 20 digits."""
_MAX_REMEMBERED: Final = 2_048
_MINUS_ZERO: Final = re.compile(rb"(?<![0-9])-0(?!\.)")
"""After a digit it can only stand in a text: in a date, say, as in every message of MCP."""
_NO_MARKS: Final = bytes(each for each in range(256) if each not in b",:[{-\\")
_CONTAINERS: Final = frozenset({dict, list})


@lru_cache(maxsize=_MAX_REMEMBERED)
def _number(token: str) -> JsonNumber:
    """Read a fraction or a power. Documents often hold the same few of them again and again."""
    if len(token) > _MAX_NUMBER_CHARS:
        raise ValueError("too long to be read quickly")
    return read_number(token)


_DECODER: Final = msgspec.json.Decoder(float_hook=_number)


def read_quickly(data: bytes, limits: JsonLimits) -> tuple[Any] | None:
    """Return the document's value alone in a tuple, or None where it is not known."""
    marks = data.translate(None, _NO_MARKS)
    if not _within(data, marks, limits):
        return None
    try:
        value = _DECODER.decode(data)
        written = orjson.dumps(value, default=_no_colon)
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError):
        return None
    # Of members with one name the last was kept: where one was lost, its colon was lost, too.
    if written.count(b":") != marks.count(b":") or _is_deeper(value, marks, limits.max_depth):
        return None
    return (value,)


def _within(data: bytes, marks: bytes, limits: JsonLimits) -> bool:
    """Say whether the document can break no limit but that of depth, nor mislead the decoder.

    What it counts may stand inside of strings: the bounds hold all the more.
    """
    commas = marks.count(b",")
    return (
        len(data) <= limits.max_string_bytes
        and limits.max_number_chars >= _MAX_NUMBER_CHARS
        and commas < limits.max_members
        and commas + marks.count(b"[") + marks.count(b"{") < limits.max_values
        # The decoder reads `-0` as 0.
        and not (b"-" in marks and _MINUS_ZERO.search(data))
        # Read, an escaped colon is one more colon.
        and not (b"\\" in marks and b"\\u003" in data)
    )


def _no_colon(_number: object) -> None:
    """Write a number that the writer does not know as anything without a colon."""


def _is_deeper(value: object, marks: bytes, max_depth: int) -> bool:
    if marks.count(b"[") + marks.count(b"{") <= max_depth:
        return False
    level: list[Any] = [value] if type(value) in _CONTAINERS else []
    for _ in range(max_depth):
        level = [
            member
            for container in level
            for member in (container.values() if type(container) is dict else container)
            if type(member) in _CONTAINERS
        ]
        if not level:
            return False
    return True
