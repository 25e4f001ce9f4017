"""Gives open objects of a schema names that are safe to have.

Wherever draft-07 has a subschema, an object of `additionalProperties: true` that says nothing of
its members' names gets a `propertyNames` which keeps out what reaches an object's prototype or a
reserved namespace. Changes nothing else: a bag without the keyword, or with a schema as its
value, is its author's. Contract: package tools, open bags.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from bridge.tools.problems import pointer_to
from bridge.tools.schema_places import child_places, standing_at

__all__ = ["SAFE_NAMES", "Change", "normalise"]

SAFE_NAMES: Final[Mapping[str, Any]] = {
    "not": {"pattern": r"^(?:__|\$|(?:constructor|prototype)$)"}
}
"""No `__proto__` or anything else that begins with `__` or `$`, no `constructor`, no `prototype`.

Said by what must not match, since patterns here run in linear time and have no look-ahead.
"""

_REASON: Final = (
    "an object that takes any name must not take names that reach a prototype or are reserved"
)


@dataclass(frozen=True, slots=True)
class Change:
    """One member that loading has added to a schema. Contract: package tools, open bags."""

    pointer: str
    """JSON Pointer of the new member in the normalised schema."""
    value: Any
    """What it is."""
    reason: str
    loosens: bool = False
    """Whether it stands where less may be refused for it: under `not`, `if` or `oneOf`."""


_TURNING: Final = frozenset({"not", "if", "oneOf"})


def normalise(schema: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Change, ...]]:
    """Return a schema whose nested open bags have safe names, and what was changed.

    The root is left as it is: it has to be closed. Deterministic, and idempotent: what it gives
    it gives back without a change. Members keep their order and a new one comes last; the given
    schema is not changed, and parts without a change are shared with it. `schema` is valid
    draft-07, nested no deeper than a tool's file may be. Contract: package tools, open bags.
    """
    changes: list[Change] = []
    return _children(schema, (), changes, loosens=False), tuple(changes)


def _children(
    node: Mapping[str, Any], path: tuple[str | int, ...], changes: list[Change], *, loosens: bool
) -> dict[str, Any]:
    result: dict[str, Any] = dict(node)
    for place in child_places(node):
        child = standing_at(node, place)
        turned = loosens or place[0] in _TURNING
        replaced = _node(child, (*path, *place), changes, loosens=turned)
        if replaced is not child:
            _put(result, node, place, replaced)
    return result


def _node(
    node: Any,  # noqa: ANN401 - any JSON
    path: tuple[str | int, ...],
    changes: list[Change],
    *,
    loosens: bool,
) -> Any:  # noqa: ANN401
    if not isinstance(node, Mapping):
        return node
    before = len(changes)
    result = _children(node, path, changes, loosens=loosens)
    if node.get("additionalProperties") is True and "propertyNames" not in node:
        result["propertyNames"] = {key: dict(value) for key, value in SAFE_NAMES.items()}
        pointer = pointer_to((*path, "propertyNames"))
        changes.append(Change(pointer, result["propertyNames"], _REASON, loosens))
    return result if len(changes) > before else node


def _put(
    result: dict[str, Any],
    node: Mapping[str, Any],
    place: tuple[str | int, ...],
    value: object,
) -> None:
    """Put a changed subschema in its place, copying the container that it stands in."""
    keyword, *inner = place
    if not inner:
        result[str(keyword)] = value
        return
    container = result[str(keyword)]
    if container is node[str(keyword)]:
        container = list(container) if isinstance(container, list) else dict(container)
        result[str(keyword)] = container
    container[inner[0]] = value
