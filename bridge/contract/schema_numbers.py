"""Exact decimal arithmetic for JSON Schema.

The twin of `browser_worker/contract/schema_numbers.js`. Numbers of every kind compare and divide
by the decimal value of how they are written, never by their nearest float.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from json.encoder import encode_basestring
from math import isfinite
from typing import Any, Final, NamedTuple, TypeGuard

from bridge.contract.json_numbers import FloatToken, IntToken, JsonNumber, NumberToken

__all__ = [
    "canonical",
    "compare",
    "equal",
    "is_array",
    "is_integer",
    "is_multiple_of",
    "is_number",
    "is_object",
    "number_text",
]

_PARTS: Final = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")
_MAX_INT_BITS: Final = 4_096
"""What has more has more digits than a number may have that is written."""
_MAX_SAFE: Final = 2**53
_SHORTEST_FIXED: Final = 1e-6
_LONGEST_FIXED: Final = 1e21


class _Exact(NamedTuple):
    """The value digits * 10**scale, without trailing zeros: equal numbers are equal here."""

    digits: int
    scale: int


def is_array(value: object) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    """Say whether the value is written as an array."""
    return isinstance(value, list | tuple)


def is_object(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Say whether the value is written as an object."""
    return isinstance(value, dict | Mapping)


def is_number(value: object) -> TypeGuard[JsonNumber]:
    """Say whether JSON has this number: NaN, Infinity and endless integers are none."""
    kind = type(value)
    if kind is bool:
        return False
    if isinstance(value, int):
        return value.bit_length() <= _MAX_INT_BITS
    if isinstance(value, float):
        return isfinite(value)
    return kind is NumberToken


def is_integer(value: JsonNumber) -> bool:
    """Say whether the number is whole, however it is written."""
    if isinstance(value, int):
        return True
    if isinstance(value, float) and not isinstance(value, FloatToken):
        return value.is_integer()
    return _exact(value).scale >= 0


def compare(left: JsonNumber, right: JsonNumber) -> int:
    """Return -1, 0 or 1."""
    if isinstance(left, int) and isinstance(right, int):
        return (left > right) - (left < right)
    if _orders_natively(left) and _orders_natively(right):
        return (left > right) - (left < right)
    a, b = _exact(left), _exact(right)
    if a.digits == 0 or b.digits == 0 or (a.digits < 0) != (b.digits < 0):
        return (a.digits > b.digits) - (a.digits < b.digits)
    # Of equal magnitude the scales differ by no more than the digits do: safe to write out.
    size_a, size_b = _magnitude(a), _magnitude(b)
    if size_a != size_b:
        larger = 1 if size_a > size_b else -1
        return -larger if a.digits < 0 else larger
    shared = min(a.scale, b.scale)
    whole_a: int = a.digits * 10 ** (a.scale - shared)
    whole_b: int = b.digits * 10 ** (b.scale - shared)
    return (whole_a > whole_b) - (whole_a < whole_b)


def is_multiple_of(value: JsonNumber, divisor: JsonNumber) -> bool:
    """Say whether the value is a whole multiple of the divisor, which is above 0."""
    if isinstance(value, int) and isinstance(divisor, int):
        return value % divisor == 0
    a, b = _exact(value), _exact(divisor)
    if a.digits == 0:
        return True
    shift = a.scale - b.scale
    # Otherwise: the value's last digit is not zero, so that no power of ten divides it.
    return shift >= 0 and a.digits * pow(10, shift, b.digits) % b.digits == 0


def equal(left: object, right: object, look: Callable[[int], None]) -> bool:
    """Compare as JSON Schema does: numbers by value, objects whatever their members' order.

    `look` counts the work.
    """
    if is_number(left):
        return is_number(right) and compare(left, right) == 0
    if isinstance(left, str):
        return isinstance(right, str) and left == right
    if is_array(left):
        return is_array(right) and _equal_lists(left, right, look)
    if is_object(left):
        return is_object(right) and _equal_objects(left, right, look)
    return left is right


def _equal_lists(
    left: Sequence[object], right: Sequence[object], look: Callable[[int], None]
) -> bool:
    if len(left) != len(right):
        return False
    look(len(left))
    return all(equal(a, b, look) for a, b in zip(left, right, strict=True))


def _equal_objects(
    left: Mapping[str, object], right: Mapping[str, object], look: Callable[[int], None]
) -> bool:
    look(len(left) + len(right))
    return len(left) == len(right) and all(
        name in right and equal(each, right[name], look) for name, each in left.items()
    )


def canonical(value: object) -> str:
    """Return a text that two values share exactly when they are equal.

    For finding repeats in linear time.
    """
    if isinstance(value, str):
        return encode_basestring(value)
    if is_number(value):
        exact = _exact(value)
        return f"{exact.digits}e{exact.scale}"
    if is_array(value):
        return f"[{','.join([canonical(each) for each in value])}]"
    if is_object(value):
        members = [f"{encode_basestring(name)}:{canonical(value[name])}" for name in sorted(value)]
        return f"{{{','.join(members)}}}"
    return {None: "null", True: "true", False: "false"}.get(value, "undefined")  # type: ignore[call-overload, no-any-return]


def number_text(value: JsonNumber) -> str:
    """Return how a message tells a number: by its token, else as JavaScript writes it."""
    if isinstance(value, IntToken | FloatToken | NumberToken):
        return value.token
    if isinstance(value, int):
        return int.__repr__(value)
    if value == 0:
        return "0"
    if _SHORTEST_FIXED <= abs(value) < _LONGEST_FIXED:
        text = f"{Decimal(float.__repr__(value)):f}"
        return text.removesuffix(".0")
    return re.sub(r"e([+-])0(?=\d)", r"e\1", float.__repr__(value))


def _orders_natively(value: JsonNumber) -> TypeGuard[float]:
    """Say whether its binary value orders as its decimal does, among others of that kind."""
    return type(value) is float or (isinstance(value, int) and -_MAX_SAFE <= value <= _MAX_SAFE)


def _exact(value: JsonNumber) -> _Exact:
    if isinstance(value, IntToken | FloatToken | NumberToken):
        token = value.token
    else:
        token = int.__repr__(value) if isinstance(value, int) else float.__repr__(value)
    parts = _PARTS.fullmatch(token)
    if parts is None:
        raise ValueError("not a number of JSON")
    fraction = parts[3] or ""
    written = parts[2] + fraction
    digits = written.rstrip("0")
    if not digits:
        return _Exact(0, 0)
    zeros = len(written) - len(digits)
    return _Exact(int(parts[1] + digits), int(parts[4] or "0") + zeros - len(fraction))


def _magnitude(value: _Exact) -> int:
    return len(str(abs(value.digits))) + value.scale
