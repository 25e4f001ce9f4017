"""Numbers that remember how they were written.

A JSON number is native where the native number writes back to the very same token. Otherwise
it is an `int` or a `float` that carries its token, so that handlers compute with it as ever
and an answer gives it back unchanged. What no native number can hold (`1e400`, `1e-400`) is a
`NumberToken`: never Infinity, never a silent zero.
"""

from __future__ import annotations

import re
from decimal import Decimal
from math import isinf
from typing import Final, Self, TypeAlias

__all__ = ["FloatToken", "IntToken", "JsonNumber", "NumberToken", "number_token", "read_number"]

_PARTS: Final = re.compile(r"-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?")
_MAX_EXPONENT_DIGITS: Final = 6
_MAX_QUICK_CHARS: Final = 20
_MAX_SPELLED_DIGITS: Final = 308
"""Integral values written with an exponent or a fraction are integers up to a float's range."""


class IntToken(int):
    """An integral number that was written in another way than its digits: `1e3`, `10.0`, `-0`."""

    token: str

    def __new__(cls, value: int, token: str) -> Self:
        """Make an integer of `value` that is written as `token`."""
        number = super().__new__(cls, value)
        number.token = token
        return number

    def __getnewargs__(self) -> tuple[int, str]:  # type: ignore[override]
        return int(self), self.token


class FloatToken(float):
    """A number that was written in another way than Python would write it: `0.10`, `1.5e0`."""

    token: str

    def __new__(cls, token: str) -> Self:
        """Make the nearest float, written as `token`."""
        number = super().__new__(cls, token)
        number.token = token
        return number

    def __getnewargs__(self) -> tuple[str]:  # type: ignore[override]
        return (self.token,)


class NumberToken:
    """A number that neither `int` nor `float` can hold, by its token."""

    __slots__ = ("token",)

    def __init__(self, token: str) -> None:
        self.token = token

    def to_decimal(self) -> Decimal:
        """Return the exact value. Raises `OverflowError` where even a decimal cannot hold it."""
        digits = _PARTS.fullmatch(self.token)
        exponent = digits[3] if digits else None
        if digits is None or (exponent and len(exponent.lstrip("+-0")) > _MAX_EXPONENT_DIGITS):
            raise OverflowError(self.token)
        return Decimal(self.token)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NumberToken) and self.token == other.token

    def __hash__(self) -> int:
        return hash(self.token)

    def __repr__(self) -> str:
        return f"NumberToken({self.token!r})"


JsonNumber: TypeAlias = int | float | NumberToken


def number_token(value: JsonNumber) -> str:
    """Return how a number is written. Contract: numbers keep their token."""
    if isinstance(value, IntToken | FloatToken | NumberToken):
        return value.token
    return repr(value)


def read_number(token: str) -> JsonNumber:
    """Make a number of a token that follows RFC 8259's grammar."""
    if len(token) < _MAX_QUICK_CHARS and "." in token and "e" not in token:
        # The usual fraction: what Python writes back as it was is that very number.
        value = float(token)
        if repr(value) == token and not value.is_integer():
            return value
    parts = _PARTS.fullmatch(token)
    if parts is None:
        raise ValueError(token)
    whole, fraction, exponent_text = parts[1], parts[2] or "", parts[3] or "0"
    if not (whole + fraction).strip("0"):
        return 0 if len(token) == 1 else IntToken(0, token)
    if len(exponent_text.lstrip("+-0")) > _MAX_EXPONENT_DIGITS:
        return NumberToken(token)
    exponent = int(exponent_text)
    digits = (whole + fraction).lstrip("0")
    trailing = len(digits) - len(digits.rstrip("0"))
    scale = exponent - len(fraction)
    if scale + trailing >= 0:
        return _integer(token, digits, scale)
    value = float(token)
    if isinf(value) or value == 0:
        return NumberToken(token)
    return value if repr(value) == token and "e" not in token else FloatToken(token)


def _integer(token: str, digits: str, scale: int) -> JsonNumber:
    plain = "." not in token and "e" not in token and "E" not in token
    if plain:
        return int(token)
    if len(digits) + scale > _MAX_SPELLED_DIGITS:
        return NumberToken(token)
    value = int(digits) * 10**scale if scale >= 0 else int(digits[:scale])
    return IntToken(-value if token.startswith("-") else value, token)
