"""The short way for what most answers are: a few plain values, copied and written at once.

Whatever is not certain here to be within every limit (`None` is returned) goes the long way
through `bridge.contract.strict_json`, which decides. Both ways give the same bytes.
"""

from __future__ import annotations

from math import isfinite
from typing import Any, Final

import orjson

from bridge.contract.limits import JSON_LIMITS

__all__ = ["quick_copy", "quick_dumps"]

_BUDGET: Final = 50_000
"""Characters, and a share for each value: far below a megabyte and 16,384 values."""
_VALUE_SHARE: Final = 32
_MAX_DEPTH: Final = 12
_MAX_QUICK_BYTES: Final = 8_192
_MAX_QUICK_BRACKETS: Final = JSON_LIMITS.max_depth
_AS_THEY_ARE: Final = frozenset({bool, type(None)})
_LARGE: Final = 2**63


class _UnsureError(Exception):
    """It may be too much, or it is of a kind that the long way knows."""


def quick_copy(value: object) -> Any:  # noqa: ANN401 - any JSON
    """Copy plain data, or return None where that is not certain to be all it is.

    None itself is not certain: there is nothing to copy.
    """
    try:
        return _Copy().copy(value, _MAX_DEPTH)
    except (_UnsureError, UnicodeEncodeError):
        return None


def quick_dumps(plain: object) -> bytes | None:
    """Write plain data on one line, or return None where it may be too much."""
    try:
        data = orjson.dumps(plain, None, orjson.OPT_PASSTHROUGH_SUBCLASS)
    except orjson.JSONEncodeError:  # an integer past 64 bits, a lone surrogate, a token
        return None
    if b"e-6" in data:  # a small fraction, which is written in another way
        return None
    # So short, only its depth could pass a limit, and no container is without a bracket.
    if len(data) > _MAX_QUICK_BYTES or data.count(b"{") + data.count(b"[") > _MAX_QUICK_BRACKETS:
        return None
    if b"\xe2\x80" in data:
        data = data.replace(b"\xe2\x80\xa8", rb"\u2028").replace(b"\xe2\x80\xa9", rb"\u2029")
    return data


class _Copy:
    """One walk over one value."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = _BUDGET

    def copy(self, value: Any, depth: int) -> Any:  # noqa: ANN401 - any JSON
        kind = type(value)
        if kind is dict:
            return self._dict(value, depth)
        if kind is list or kind is tuple:
            self._spend(_VALUE_SHARE * len(value), depth)
            return [self.copy(member, depth - 1) for member in value]
        if kind is str:
            self._text(value)
        elif not (
            kind in _AS_THEY_ARE
            or (kind is int and -_LARGE < value < _LARGE)
            or (kind is float and isfinite(value))
        ):
            raise _UnsureError
        return value

    def _dict(self, value: dict[Any, Any], depth: int) -> dict[str, Any]:
        self._spend(_VALUE_SHARE * len(value), depth)
        copied: dict[str, Any] = {}
        for key, member in value.items():
            if type(key) is not str:
                raise _UnsureError
            self._text(key)
            copied[key] = self.copy(member, depth - 1)
        return copied

    def _text(self, text: str) -> None:
        self._left -= len(text)
        if self._left < 0:
            raise _UnsureError
        if not text.isascii():
            text.encode()  # refuses lone surrogates

    def _spend(self, cost: int, depth: int) -> None:
        self._left -= cost
        if self._left < 0 or depth == 0:
            raise _UnsureError
