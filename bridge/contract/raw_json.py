"""A message's body, read strictly, with some members kept as the bytes that they came in.

The bridge passes `request` and `response` on byte for byte, so it needs to know where they
stand in a body that it has checked. Limits are counted inside those members; the body around
them has a size of its own. This is not a parser: the body is parsed first, and then a scan of
its strings and brackets finds where each member of the outermost object begins and ends.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from bridge.contract.limits import BRIDGE_LIMITS, JSON_LIMITS, JsonLimits
from bridge.contract.strict_json import (
    JsonValue,
    StrictJsonError,
    check_size,
    check_structure,
    check_syntax,
    loads,
    loads_outline,
)

__all__ = ["RawObject", "read_object", "read_objects"]

_TOKEN: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{},]', re.DOTALL)
_LINE_BREAKS: Final = bytes.maketrans(b"\r\n", b"  ")
_WHITE_SPACE: Final = b" \t\r\n"
_ENVELOPE_VALUES: Final = 64
"""Values that a body may hold around the members whose values are counted on their own."""
_FULL_OBJECTS: Final = 8
"""Objects with as many values as there may be that one array may hold; smaller ones, more."""


@dataclass(frozen=True, slots=True)
class RawObject:
    """A body's members, and for some of them the bytes that they came in.

    Of a member that is a container its own members are read, and what is inside those is only
    checked: numbers there are not of the contract's types.
    """

    values: Mapping[str, JsonValue]
    _raw: Mapping[str, bytes]

    def raw(self, name: str) -> bytes:
        """Return a member's bytes, raw line breaks (white space, then) replaced by spaces."""
        return self._raw[name]


def read_object(
    body: bytes,
    *,
    raw: Collection[str],
    limits: JsonLimits = JSON_LIMITS,
    max_body_bytes: int = BRIDGE_LIMITS.max_body_bytes,
) -> RawObject:
    """Read a body whose outermost value is an object.

    `raw` names the members that are kept as bytes and inside which `limits` are counted. Raises
    `StrictJsonError`, with `member` set where the trouble is inside one of those.
    """
    check_size(body, max_body_bytes)
    # More than this cannot be within the limits, however the values are spread.
    check_structure(body, limits.max_values * max(1, len(raw)) + _ENVELOPE_VALUES)
    check_syntax(body, limits)
    return _read(body, raw, limits)


def read_objects(  # noqa: PLR0913 - what to read, and its bounds
    body: bytes,
    *,
    member: str,
    raw: Collection[str],
    limits: JsonLimits = JSON_LIMITS,
    max_body_bytes: int = BRIDGE_LIMITS.max_body_bytes,
    max_objects: int = BRIDGE_LIMITS.max_outstanding,
) -> tuple[RawObject, list[RawObject | StrictJsonError]]:
    """Read a body with a member that is an array of objects, each with `raw` members of its own.

    Returns the body's other members and the objects. One that is over a limit inside a raw member
    is returned as its error, which leaves the others good; its other members are in the error's
    `values`. Raises `StrictJsonError` for everything else.
    """
    check_size(body, max_body_bytes)
    check_structure(body, limits.max_values * _FULL_OBJECTS + max_objects * _ENVELOPE_VALUES)
    check_syntax(body, limits)
    outer = _read(body, (), limits, unread=member)
    span = outer.raw(member) if member in outer.values else b"[]"
    if not span.startswith(b"["):
        raise StrictJsonError(f"{member} is not an array")
    found: list[RawObject | StrictJsonError] = []
    for element in _elements(span):
        if len(found) >= max_objects:
            raise StrictJsonError("too many", kind="limit", limit="members", maximum=max_objects)
        try:
            found.append(_read(element, raw, limits))
        except StrictJsonError as error:
            if error.kind != "limit" or error.member not in raw:
                raise
            found.append(error)
    return outer, found


def _read(
    body: bytes, raw: Collection[str], limits: JsonLimits, unread: str | None = None
) -> RawObject:
    """Read an object whose syntax has been checked; of `unread` only its bytes are taken."""
    if not body.lstrip(_WHITE_SPACE).startswith(b"{"):
        raise StrictJsonError("not an object")
    values: dict[str, JsonValue] = {}
    kept: dict[str, bytes] = {}
    over: StrictJsonError | None = None
    for name, span in _members(body):
        if name == unread:
            values[name], kept[name] = None, span
            continue
        try:
            values[name] = loads_outline(span, limits)
        except StrictJsonError as error:
            error.member = name
            over = over or error
            continue
        if name in raw:
            kept[name] = span.translate(_LINE_BREAKS)
    if over is not None:
        over.values = values
        raise over
    return RawObject(values, kept)


def _elements(array: bytes) -> Iterator[bytes]:
    """Yield the bytes of each element of an array whose syntax has been checked."""
    depth = 0
    start = 1
    for match in _TOKEN.finditer(array):
        mark = match[0]
        if mark in (b"{", b"["):
            depth += 1
        elif mark in (b"}", b"]"):
            depth -= 1
        if (depth == 1 and mark == b",") or depth == 0:
            element = array[start : match.start()].strip(_WHITE_SPACE)
            if element:
                yield element
            start = match.end()


def _members(body: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of each member of the outermost object of a body that is valid."""
    depth = 0
    key: str | None = None
    start = 0
    for match in _TOKEN.finditer(body):
        mark = match[0]
        if mark in (b"{", b"["):
            depth += 1
        elif mark in (b"}", b"]"):
            depth -= 1
        if depth == 1 and key is None and mark.startswith(b'"'):
            name = loads(mark)
            key = name if isinstance(name, str) else ""
            start = body.index(b":", match.end()) + 1
        elif key is not None and ((depth == 1 and mark == b",") or depth == 0):
            yield key, body[start : match.start()].strip(_WHITE_SPACE)
            key = None
