"""Strict JSON: one reader and one writer with one set of bounds (Contract: strict JSON).

Reads valid UTF-8 only, without a BOM, duplicate keys, lone surrogates, NaN or Infinity, and
numbers by RFC 8259's grammar with their tokens kept. Everything is bounded by `JsonLimits`,
and the bounds are checked before the costly step, so that no hostile document takes long.
Any bytes give a value or a `StrictJsonError`. Its twin is `browser_worker/contract/strict_json.js`.
Verdicts differ from the public suite's on duplicate keys only (refused); of what that leaves open,
numbers of any size are read, as their tokens are kept, and all else is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sized
from decimal import Decimal
from math import isfinite
from typing import Any, Final, Literal, TypeAlias

import jiter
import orjson

from bridge.contract.json_numbers import (
    FloatToken,
    IntToken,
    JsonNumber,
    NumberToken,
    number_token,
    read_number,
)
from bridge.contract.limits import JSON_LIMITS, JsonLimits

__all__ = [
    "JsonValue",
    "NumberToken",
    "ParsedDocument",
    "StrictJsonError",
    "check_size",
    "check_structure",
    "check_syntax",
    "dumps",
    "loads",
    "number_token",
]

JsonValue: TypeAlias = "bool | JsonNumber | str | list[JsonValue] | dict[str, JsonValue] | None"

_STRING: Final = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
"""A string, or all that follows a quote that none closes: nothing is looked at a second time."""
STRING: Final = re.compile(_STRING, re.DOTALL)
_EMPTY: Final = re.compile(rb"\[[ \t\r\n]*\]|\{[ \t\r\n]*\}")
_MINUS_ZERO: Final = re.compile(_STRING + rb"|(?<![eE])-0(?:e(0++))?+(?![0-9.eE])", re.DOTALL)
_PERHAPS_MINUS_ZERO: Final = re.compile(rb"(?<![0-9])-0")
"""After a digit it can only stand in a text: in a date, say, as in every message of MCP."""
_MARKED_ZERO: Final = re.compile(r"-0e0+")
_MAX_SLOW_DOCUMENTS: Final = 16
_SMALL: Final = 1e-6
"""From here on fractions are written without an exponent."""
_MAX_FAST_INT_BITS: Final = 3_300
"""An integer below 2**3300 has fewer than 1,000 digits."""


class StrictJsonError(ValueError):
    """A document that is not strict JSON, or a value that cannot be written as such.

    `kind` is "syntax" or "limit"; a limit has a name and a maximum. `member` names the member
    of a message's body inside which it was found, where that is known.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: Literal["syntax", "limit"] = "syntax",
        limit: str | None = None,
        maximum: int | None = None,
        member: str | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.limit = limit
        self.maximum = maximum
        self.member = member
        self.values: dict[str, JsonValue] = {}
        """What could be read beside that member, by whoever reads members one by one."""


def loads(data: bytes, limits: JsonLimits = JSON_LIMITS) -> JsonValue:
    """Read one document. Raises `StrictJsonError` for whatever is not strict JSON in bounds."""
    found = _QUICK.read(data, limits)
    if found is not None:
        return found[0]
    return _parse(data, limits, limits.max_depth)


class _QuickReader:
    """Loads the quick reader when it pays: a command reads a few documents and ends."""

    def __init__(self) -> None:
        self._documents = 0

        self.read: Callable[[bytes, JsonLimits], tuple[JsonValue] | None] = self._count

    def _count(self, _data: bytes, _limits: JsonLimits) -> None:
        self._documents += 1
        if self._documents == _MAX_SLOW_DOCUMENTS:
            from bridge.contract.quick_json import read_quickly  # noqa: PLC0415 - takes 30 ms

            self.read = read_quickly


_QUICK: Final = _QuickReader()


def check_size(data: Sized, maximum: int) -> None:
    """Refuse a document by its encoded size alone."""
    if len(data) > maximum:
        raise _over("encodedBytes", maximum)


def check_structure(data: bytes, max_values: int) -> None:
    """Refuse a document of too many values before it is parsed, at the speed of counting.

    A document has at most one value more than it has commas and opening brackets. Only where
    that bound is passed, perhaps by punctuation inside strings, are the strings taken out and
    the values counted exactly.
    """
    if data.count(b",") + data.count(b"[") + data.count(b"{") < max_values:
        return
    # Each value and each member name is at most one string: more strings need no further look.
    strings = 0
    for strings, _ in enumerate(STRING.finditer(data), 1):
        if strings > 2 * max_values:
            raise _over("values", max_values)
    bare = STRING.sub(b'""', data)
    marks = bare.count(b",") + bare.count(b"[") + bare.count(b"{")
    if marks >= max_values and 1 + marks - _count_empty(bare, marks - max_values) > max_values:
        raise _over("values", max_values)


def _count_empty(bare: bytes, enough: int) -> int:
    count = 0
    for count, _ in enumerate(_EMPTY.finditer(bare), 1):
        if count > enough:
            break
    return count


def _parse(data: bytes, limits: JsonLimits, convert_depth: int) -> JsonValue:
    check_size(data, limits.max_encoded_bytes)
    check_structure(data, limits.max_values)
    parsed = ParsedDocument(data, limits)
    return parsed.read(parsed.tree, len(data), convert_depth)


class ParsedDocument:
    """A document whose grammar has been checked and whose bounds have not, part by part.

    For bodies that only carry a message: each part of the tree is read within limits of its own.
    """

    def __init__(self, data: bytes, limits: JsonLimits) -> None:
        self._limits = limits
        self._marked = b"-0" in data and _PERHAPS_MINUS_ZERO.search(data) is not None
        self.tree = check_syntax(_mark_minus_zeros(data) if self._marked else data, limits)
        """The parser's own values: look at types only."""

    def read(self, part: object, encoded_bytes: int, convert_depth: int) -> JsonValue:
        """Check a part of the tree against the limits, and return it.

        `encoded_bytes` is at least its size in the document. Numbers further inside than
        `convert_depth` are left as the parser made them, for whoever only passes them on: it is
        their conversion that takes most of the time. Raises `StrictJsonError`.
        """
        # Escapes only ever make a string shorter: a short document holds no long string.
        long_strings = encoded_bytes > self._limits.max_string_bytes
        reading = _Reading(
            self._limits, convert_depth, marked=self._marked, long_strings=long_strings
        )
        value: JsonValue = reading.walk(part)
        return value


def check_syntax(data: bytes, limits: JsonLimits) -> object:
    """Refuse what breaks the grammar. The result is the parser's own and only half checked."""
    try:
        return jiter.from_json(
            data,
            allow_inf_nan=False,
            cache_mode="keys",
            partial_mode=False,
            catch_duplicate_keys=True,
            float_mode="lossless-float",
        )
    except ValueError as error:
        raise _parse_error(str(error), limits) from None


def _mark_minus_zeros(data: bytes) -> bytes:
    """Write `-0`, which the parser reads as 0, as `-0e0`, and what begins so with one 0 more."""
    return _MINUS_ZERO.sub(lambda m: m[0] if m[0][0] == 0x22 else b"-0e0" + (m[1] or b""), data)


def _unmark(token: str) -> str:
    """Return the number's own token from a document whose minus zeros were marked."""
    return token[:-1].removesuffix("e") if _MARKED_ZERO.fullmatch(token) else token


def _parse_error(message: str, limits: JsonLimits) -> StrictJsonError:
    if message.startswith("recursion limit"):
        return _over("depth", limits.max_depth)
    if message.startswith("number out of range"):
        return _over("numberChars", limits.max_number_chars)
    if message.startswith("Detected duplicate key"):
        # The parser quotes the key; what a message says must not carry what a document holds.
        message = "a duplicate key" + message[message.rfind(" at line") :]
    return StrictJsonError(f"not strict JSON: {message}")


def _over(limit: str, maximum: int) -> StrictJsonError:
    return StrictJsonError(
        f"over the limit {limit} of {maximum}", kind="limit", limit=limit, maximum=maximum
    )


class _Reading:
    """One walk over a parsed tree: bounds are checked and numbers get their final form."""

    def __init__(
        self, limits: JsonLimits, convert_depth: int, *, marked: bool, long_strings: bool
    ) -> None:
        self._limits = limits
        self._convert_depth = convert_depth
        self._marked = marked
        self._long_strings = long_strings
        """Whether the document is long enough to hold a string over the limit at all."""
        self._values = 0

    def walk(self, value: Any) -> Any:  # noqa: ANN401 - a parsed tree is untyped
        """Return the value in its final form; containers are changed in place."""
        around = [value]
        self._values -= 1
        self._container(around, enumerate(around), 0)
        return around[0]

    def _container(  # noqa: C901 - one case for each kind
        self,
        container: Any,  # noqa: ANN401
        members: Iterable[tuple[Any, Any]],
        depth: int,
    ) -> None:
        """Walk the members, which stand at `depth`. Scalars are looked at without a call each."""
        self._enter(len(container), depth)
        for key, member in members:
            kind = type(member)
            if kind is str:
                if self._long_strings:
                    self._check_string(member)
            elif kind is dict:
                if self._long_strings:
                    for name in member:
                        self._check_string(name)
                self._container(member, member.items(), depth + 1)
            elif kind is list:
                self._container(member, enumerate(member), depth + 1)
            elif kind is int:
                if member.bit_length() > _MAX_FAST_INT_BITS:
                    self._check_number(str(member))
            elif member is not None and kind is not bool:
                container[key] = self._number(member, depth)

    def _number(self, number: Any, depth: int) -> Any:  # noqa: ANN401 - the parser's own number
        token = _unmark(str(number)) if self._marked else str(number)
        self._check_number(token)
        return read_number(token) if depth <= self._convert_depth else number

    def _enter(self, members: int, depth: int) -> None:
        # The value itself stands in a list of our own, at depth 0.
        if depth > self._limits.max_depth:
            raise _over("depth", self._limits.max_depth)
        if members > self._limits.max_members:
            raise _over("members", self._limits.max_members)
        self._values += members
        if self._values >= self._limits.max_values:
            raise _over("values", self._limits.max_values)

    def _check_string(self, text: str) -> None:
        _check_string(text, self._limits.max_string_bytes)

    def _check_number(self, token: str) -> None:
        if len(token) > self._limits.max_number_chars:
            raise _over("numberChars", self._limits.max_number_chars)


def _check_string(text: str, maximum: int) -> None:
    # A character takes at most four bytes: short strings need no encoding to be measured.
    if len(text) * 4 > maximum and (
        len(text) > maximum or len(text.encode("utf-8", "surrogatepass")) > maximum
    ):
        raise _over("stringBytes", maximum)


def dumps(value: object, limits: JsonLimits = JSON_LIMITS) -> bytes:
    """Write one value on one line, within the same bounds.

    Takes what `loads` gives, tuples and other mappings with string keys. Raises
    `StrictJsonError` for anything else: NaN, Infinity, lone surrogates, bytes, objects.
    """
    prepared = _Writing(limits).walk(value, 0)
    try:
        data = orjson.dumps(prepared)
    except orjson.JSONEncodeError as error:
        raise StrictJsonError(f"cannot be written: {error}") from None
    if b"\xe2\x80" in data:
        data = data.replace(b"\xe2\x80\xa8", rb"\u2028").replace(b"\xe2\x80\xa9", rb"\u2029")
    check_size(data, limits.max_encoded_bytes)
    return data


class _Writing:
    """One walk over a value that is to be written: checks everything, copies what it must."""

    def __init__(self, limits: JsonLimits) -> None:
        self._limits = limits
        self._values = 0

    def walk(self, value: object, depth: int) -> object:
        """Return what orjson writes as the contract wants it."""
        self._values += 1
        if self._values > self._limits.max_values:
            raise _over("values", self._limits.max_values)
        if value is None or value is True or value is False:
            return value
        if isinstance(value, str):
            return self._string(value)
        if isinstance(value, int | float | NumberToken):
            return self._number(value)
        if isinstance(value, Mapping):
            self._enter(len(value), depth)
            return {self._key(key): self.walk(member, depth + 1) for key, member in value.items()}
        if isinstance(value, list | tuple):
            self._enter(len(value), depth)
            return [self.walk(member, depth + 1) for member in value]
        raise StrictJsonError(f"cannot be written: a value of type {type(value).__name__}")

    def _enter(self, members: int, depth: int) -> None:
        if depth >= self._limits.max_depth:
            raise _over("depth", self._limits.max_depth)
        if members > self._limits.max_members:
            raise _over("members", self._limits.max_members)

    def _key(self, key: object) -> str:
        if not isinstance(key, str):
            raise StrictJsonError(f"cannot be written: a key of type {type(key).__name__}")
        return self._string(key)

    def _string(self, text: str) -> str:
        _check_string(text, self._limits.max_string_bytes)
        return text if type(text) is str else str.__str__(text)

    def _number(self, value: JsonNumber) -> object:
        if isinstance(value, IntToken | FloatToken | NumberToken):
            return self._token(value.token)
        if isinstance(value, float):
            if not isfinite(value):
                raise StrictJsonError("cannot be written: a number that is not finite")
            if _SMALL <= abs(value) < 10 * _SMALL:
                # Without an exponent, as the other language writes it.
                return self._token(f"{Decimal(repr(float(value))):f}")
            return float(value)
        if -(2**63) <= value < 2**63:
            return int(value)
        if value.bit_length() > 4 * self._limits.max_number_chars:
            raise _over("numberChars", self._limits.max_number_chars)
        return self._token(str(int(value)))

    def _token(self, token: str) -> orjson.Fragment:
        if len(token) > self._limits.max_number_chars:
            raise _over("numberChars", self._limits.max_number_chars)
        return orjson.Fragment(token.encode("ascii"))
