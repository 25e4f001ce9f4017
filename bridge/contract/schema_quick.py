"""A quick yes for values that match: `jsonschema-rs`, where its verdict is known to be ours.

Only for schemas of ordinary keywords whose check could never pass the limits of work and depth;
with numbers that compare natively as they do by their decimals; without patterns, whose work
depends on the text. What it does not accept is checked again by the interpreter, which alone
says what is wrong and where.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from bridge.contract.schema_resources import Node, SchemaObject

__all__ = ["QuickCheck", "quick_check"]

QuickCheck: TypeAlias = Callable[[object], bool]

_SAME_VALUE: Final = ("not", "if", "then", "else")
_SAME_VALUE_LISTS: Final = ("allOf", "anyOf", "oneOf")
_EVERY_MEMBER: Final = ("contains", "propertyNames")
_OTHER_MEMBERS: Final = ("additionalProperties", "items")
_BOUNDS: Final = ("maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum")
_KNOWN: Final = frozenset(
    [
        *_SAME_VALUE,
        *_SAME_VALUE_LISTS,
        *_EVERY_MEMBER,
        *_OTHER_MEMBERS,
        *_BOUNDS,
        *("$schema", "$ref", "$defs", "$comment", "type", "enum", "const"),
        *("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
        *("minContains", "maxContains", "prefixItems", "properties", "required"),
        *("dependentRequired", "dependentSchemas"),
        *("title", "description", "default", "examples", "format"),
        *("deprecated", "readOnly", "writeOnly"),
    ]
)
_KNOWN_OLD: Final = (
    _KNOWN
    - {
        "$defs",
        "minContains",
        "maxContains",
        "prefixItems",
        "dependentRequired",
        "dependentSchemas",
    }
) | {"definitions"}
"""Of draft-07, which has no more than that in common."""
_BESIDE_OLD_REF: Final = frozenset({"$ref", "$comment", "title", "description"})
"""A `$ref` of draft-07 stands alone: whatever else is beside it is ignored."""
_MAX_STEPS_PER_VALUE: Final = 24
"""Times the values of the largest message, this is within the interpreter's limit of work."""
_MAX_DEPTH: Final = 100
_MAX_NATIVE: Final = 2**53


class _NotQuick(Exception):  # noqa: N818 - says what a schema is, nothing is wrong
    pass


def quick_check(
    root: Node, nodes: Sequence[SchemaObject], refs: Mapping[int, Node], *, old: bool = False
) -> QuickCheck | None:
    """Return a check that says yes to nothing that does not match, where one is to be had.

    `nodes` are all schemas inside of `root`, of 2020-12 or, where they are `old`, of draft-07;
    `refs` tells by identity where the `$ref` of each leads.
    """
    if not isinstance(root, dict | bool):
        return None
    try:
        for node in nodes:
            _look_at(node, old=old)
        _Measure(refs).measure(root)
    except (_NotQuick, RecursionError):
        return None
    import jsonschema_rs  # noqa: PLC0415 - takes 50 ms; a command checks a value or two

    try:
        kind = jsonschema_rs.Draft7Validator if old else jsonschema_rs.Draft202012Validator
        validator = kind(root, validate_formats=False, offline=True)
    except (ValueError, jsonschema_rs.ReferencingError):
        # It asks more of what only describes a schema.
        return None
    is_valid = validator.is_valid

    def check(value: object) -> bool:
        try:
            return is_valid(value)
        except ValueError:
            # A kind that it does not know: a number with its token, or no JSON at all.
            return False

    return check


def _look_at(node: SchemaObject, *, old: bool) -> None:
    if not (_KNOWN_OLD if old else _KNOWN).issuperset(node):
        raise _NotQuick
    if old and (
        isinstance(node.get("items"), list)
        or ("$ref" in node and not _BESIDE_OLD_REF.issuperset(node))
    ):
        raise _NotQuick
    for each in (*node.get("enum", ()), node.get("const"), *(node.get(key) for key in _BOUNDS)):
        if type(each) in (int, float):
            if not abs(each) <= _MAX_NATIVE:
                raise _NotQuick
        elif not (each is None or type(each) in (bool, str)):
            raise _NotQuick


class _Measure:
    """Bounds how many schemas meet at one value, and how deeply checks can be nested."""

    def __init__(self, refs: Mapping[int, Node]) -> None:
        self._refs = refs
        self._known: dict[int, tuple[int, int] | None] = {}

    def measure(self, node: Node) -> tuple[int, int]:
        """Return steps and depth. Raises `_NotQuick` for too many and for recursive schemas."""
        if isinstance(node, bool):
            return 1, 1
        if id(node) not in self._known:
            self._known[id(node)] = None
            self._known[id(node)] = self._measure(node)
        known = self._known[id(node)]
        if known is None:
            raise _NotQuick
        return known

    def _measure(self, node: SchemaObject) -> tuple[int, int]:
        added = [self.measure(each) for each in self._added(node)]
        others = [self.measure(each) for each in _others(node)]
        steps = (
            *(1, len(node.get("enum", ()))),
            *(each for each, _ in added),
            max((each for each, _ in others), default=0),
        )
        depth = 1 + max((each for _, each in (*added, *others)), default=0)
        if sum(steps) > _MAX_STEPS_PER_VALUE or depth > _MAX_DEPTH:
            raise _NotQuick
        return sum(steps), depth

    def _added(self, node: SchemaObject) -> list[Any]:
        """Return the schemas that meet values together with the node or with its others."""
        return [
            *(node[key] for key in (*_SAME_VALUE, *_EVERY_MEMBER) if key in node),
            *(each for key in _SAME_VALUE_LISTS for each in node.get(key, ())),
            *node.get("dependentSchemas", {}).values(),
            *([self._refs[id(node)]] if id(node) in self._refs else []),
        ]


def _others(node: SchemaObject) -> list[Any]:
    """Return the schemas of members, of which each member meets one."""
    return [
        *(node[key] for key in _OTHER_MEMBERS if key in node),
        *node.get("prefixItems", ()),
        *node.get("properties", {}).values(),
    ]
