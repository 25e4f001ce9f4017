"""What a value costs of a limit: its bytes as JSON, and at least 32 for each value in it.

So a limit of bytes bounds the number of values as well. Looking ends as soon as a value is over
the limit, however large it is. Changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, Final, NamedTuple

from bridge.contract.json_numbers import NumberToken, number_token
from bridge.tools.text_clip import json_bytes

__all__ = [
    "SMALL_STRING_CHARS",
    "VALUE_COST",
    "Costs",
    "FitLimits",
    "NotJsonError",
    "is_within",
    "key_cost",
    "scalar_cost",
]

VALUE_COST: Final = 32
SMALL_STRING_CHARS: Final = 256
"""A text up to here is a plain value: it stays as it is."""
OVER: Final = 1 << 62
_MAX_INT_BITS: Final = 3_300
"""Below a thousand digits, as in every line."""
_LOOKS_PER_BUDGET: Final = 2
"""All of what fits is looked at, and no more than that once again."""
_CHARS_PER_LOOK: Final = 8
"""As a power of two."""


class FitLimits(NamedTuple):
    """Bounds of one value."""

    max_bytes: int
    max_string_chars: int
    max_members: int
    max_depth: int


class NotJsonError(ValueError):
    """A place of a value that JSON cannot tell."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path or 'all of it'} {message}")
        self.path = path


class Costs:
    """Looks at the parts of one value, which must not change meanwhile."""

    def __init__(self, limits: FitLimits) -> None:
        self._limits = limits
        self._known: dict[int, tuple[int, int]] = {}
        self._looks = _LOOKS_PER_BUDGET * limits.max_bytes // VALUE_COST

    def of(self, value: object, depth: int) -> int:
        """Return the cost of a value at a depth, or `OVER` where not all of it may stay."""
        try:
            cost, height = self._look(value, self._limits.max_depth - depth)
        except NotJsonError:
            # Whoever copies it comes to the place, if that is to stay at all.
            return OVER
        return cost if depth + height <= self._limits.max_depth else OVER

    def _look(self, value: Any, levels: int) -> tuple[int, int]:  # noqa: ANN401 - any JSON
        """Return cost and height. Looks no further than where the value is over a limit."""
        if isinstance(value, str):
            self._looks -= len(value) >> _CHARS_PER_LOOK
            if len(value) > self._limits.max_string_chars or self._looks < 0:
                return OVER, 0
            return scalar_cost(value, ""), 0
        if not isinstance(value, Mapping | list | tuple):
            return scalar_cost(value, ""), 0
        known = self._known.get(id(value))
        if known is None:
            known = self._inside(value, levels) if levels > 0 else self._flat(value)
            self._known[id(value)] = known
        return known

    def _flat(self, value: Any) -> tuple[int, int]:  # noqa: ANN401 - any container
        return (OVER, 1) if value else (VALUE_COST, 0)

    def _inside(self, value: Any, levels: int) -> tuple[int, int]:  # noqa: ANN401 - any container
        if len(value) > self._limits.max_members:
            return OVER, 1
        cost, height = VALUE_COST, 0
        is_object = isinstance(value, Mapping)
        for each in value.items() if is_object else value:
            self._looks -= 1
            if self._looks < 0:
                return OVER, height
            member = each
            if is_object:
                key, member = each
                if not isinstance(key, str) or len(key) > self._limits.max_string_chars:
                    return OVER, height
                cost += key_cost(key, "")
            added, inner = self._look(member, levels - 1)
            cost += added
            if isinstance(member, Mapping | list | tuple):
                height = max(height, inner + 1)
            if cost > self._limits.max_bytes:
                return OVER, height
        return cost, height


def is_within(text: str, budget: int) -> bool:
    """Say whether a text costs no more than the budget."""
    return len(text) < budget and max(VALUE_COST, json_bytes(text) + 1) <= budget


def key_cost(name: str, path: str) -> int:
    """Return what a member's name takes, its colon included. Raises `NotJsonError`."""
    try:
        return json_bytes(name) + 1
    except ValueError as error:
        raise NotJsonError(path, f"has a name that {error}") from None


def scalar_cost(value: Any, path: str) -> int:  # noqa: ANN401 - one case for each kind
    """Return what a plain value takes, its comma included. Raises `NotJsonError`."""
    if value is None or isinstance(value, bool):
        return VALUE_COST
    if isinstance(value, str):
        try:
            return max(VALUE_COST, json_bytes(value) + 1)
        except ValueError as error:
            raise NotJsonError(path, str(error)) from None
    if isinstance(value, int):
        if -(10**30) < value < 10**30:
            return VALUE_COST
        if value.bit_length() > _MAX_INT_BITS:
            raise NotJsonError(path, "is a number of more than a thousand digits")
        return len(str(int(value))) + 1
    if isinstance(value, float):
        if not isfinite(value):
            raise NotJsonError(path, f"is {float(value)}")
        return VALUE_COST
    if isinstance(value, NumberToken):
        return max(VALUE_COST, len(number_token(value)) + 1)
    raise NotJsonError(path, f"is a value of type {type(value).__name__[:60]}")
