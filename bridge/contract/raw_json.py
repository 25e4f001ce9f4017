"""A message's body, read strictly, with some members kept as the bytes that they came in.

The bridge passes `request` and `response` on byte for byte, so it needs to know where they
stand in a body that it has checked. Limits are counted inside those members; the body around
them has a size of its own. The body is parsed once; a second reader that only skips says where
each member begins and ends.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

import msgspec

from bridge.contract.limits import BRIDGE_LIMITS, JSON_LIMITS, JsonLimits
from bridge.contract.strict_json import (
    JsonValue,
    ParsedDocument,
    StrictJsonError,
    check_size,
    check_structure,
)

__all__ = ["RawObject", "read_object", "read_objects"]

_Spans = dict[str, msgspec.Raw]
_OBJECT: Final = msgspec.json.Decoder(_Spans)
_OBJECTS: Final = msgspec.json.Decoder(list[_Spans])
_LINE_BREAKS: Final = bytes.maketrans(b"\r\n", b"  ")
_ENVELOPE_VALUES: Final = 64
"""Values that a body may hold around the members whose values are counted on their own."""
_FULL_OBJECTS: Final = 8
"""Objects with as many values as there may be that one array may hold; smaller ones, more."""
_T = TypeVar("_T")


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
    parsed = ParsedDocument(body, limits)
    if not isinstance(parsed.tree, dict):
        raise StrictJsonError("the body is not an object")
    return _read(parsed, parsed.tree, _split(_OBJECT, body), raw, limits)


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
    parsed = ParsedDocument(body, limits)
    if not isinstance(parsed.tree, dict):
        raise StrictJsonError("the body is not an object")
    spans = _split(_OBJECT, body)
    elements: object = parsed.tree.pop(member, [])
    array = bytes(spans.pop(member, b"[]"))
    outer = _read(parsed, parsed.tree, spans, (), limits)
    if not isinstance(elements, list):
        raise StrictJsonError(f"{member} is not an array")
    if len(elements) > max_objects:
        raise StrictJsonError("too many", kind="limit", limit="members", maximum=max_objects)
    if not all(isinstance(element, dict) for element in elements):
        raise StrictJsonError(f"{member} has elements that are not objects")
    found: list[RawObject | StrictJsonError] = []
    all_parts = _split(_OBJECTS, array)
    for element, parts in zip(elements, all_parts, strict=True):
        try:
            found.append(_read(parsed, element, parts, raw, limits))
        except StrictJsonError as error:
            if error.kind != "limit" or error.member not in raw:
                raise
            found.append(error)
    return outer, found


def _split(decoder: msgspec.json.Decoder[_T], document: bytes) -> _T:
    """Return the members' bytes of a document whose grammar has been checked."""
    try:
        return decoder.decode(document)
    except (msgspec.MsgspecError, RecursionError):
        raise StrictJsonError("not strict JSON") from None


def _read(
    parsed: ParsedDocument,
    tree: Mapping[str, object],
    spans: _Spans,
    raw: Collection[str],
    limits: JsonLimits,
) -> RawObject:
    """Read an object member by member. Of several that are over a limit the first is told."""
    values: dict[str, JsonValue] = {}
    kept: dict[str, bytes] = {}
    over: StrictJsonError | None = None
    for name, span in spans.items():
        try:
            check_size(span, limits.max_encoded_bytes)
            values[name] = parsed.read(tree[name], len(span), 1)
        except StrictJsonError as error:
            error.member = name
            over = over or error
            continue
        if name in raw:
            kept[name] = bytes(span).translate(_LINE_BREAKS)
    if over is not None:
        over.values = values
        raise over
    return RawObject(values, kept)
