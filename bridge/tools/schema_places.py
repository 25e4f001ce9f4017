"""Where draft-07 has schemas inside of a schema.

One table for everything that walks a tool's schema: rules, normalisation, references. Data
(`default`, `const`, `enum`, `examples`) and keywords that draft-07 does not have hold none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

__all__ = ["NAMED_SUBSCHEMAS", "Place", "child_places", "standing_at", "subschemas"]

Place = tuple[str | int, ...]
"""The way to a schema: names of members and indices of elements."""

_ONE: Final = (
    *("additionalProperties", "propertyNames", "items", "additionalItems", "contains"),
    *("not", "if", "then", "else"),
)
_MANY: Final = ("items", "allOf", "anyOf", "oneOf")
NAMED_SUBSCHEMAS: Final = ("properties", "patternProperties", "definitions", "dependencies")
"""Keywords whose members' names are not keywords."""
_ALL: Final = frozenset({*_ONE, *_MANY, *NAMED_SUBSCHEMAS})


def child_places(node: Mapping[str, Any]) -> list[Place]:
    """Return where schemas stand directly inside of one, in its own order of members.

    What is of another kind than a schema, a list or an object of them is left out: whoever
    checks shapes finds it.
    """
    places: list[Place] = []
    for keyword, value in node.items():
        if keyword not in _ALL:
            continue
        if keyword in NAMED_SUBSCHEMAS:
            if isinstance(value, Mapping):
                places.extend((keyword, name) for name, each in value.items() if _is_schema(each))
        elif keyword in _MANY and isinstance(value, list):
            places.extend((keyword, index) for index, each in enumerate(value) if _is_schema(each))
        elif keyword in _ONE and _is_schema(value):
            places.append((keyword,))
    return places


def standing_at(value: Any, place: Place) -> Any:  # noqa: ANN401 - any JSON
    """Return what stands at a place of a value, which has it."""
    for part in place:
        value = value[part]
    return value


def subschemas(root: Mapping[str, Any]) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    """Yield all schemas that are objects, the root first, each with the way to it."""
    waiting: list[tuple[Place, Mapping[str, Any]]] = [((), root)]
    while waiting:
        path, node = waiting.pop()
        yield path, node
        inner = []
        for place in child_places(node):
            child = standing_at(node, place)
            if isinstance(child, Mapping):
                inner.append(((*path, *place), child))
        waiting.extend(reversed(inner))


def _is_schema(value: object) -> bool:
    return isinstance(value, bool | Mapping)
