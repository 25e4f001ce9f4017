"""Finds the parts of a schema: the twin of `browser_worker/contract/schema_resources.js`.

Its resources by `$id`, its anchors, and what each `$ref` points to. Only what stands in the
schema itself can be referred to; nothing is ever fetched.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from bridge.contract.schema_numbers import is_array, is_object

__all__ = ["Dialect", "Node", "Resources", "SchemaError", "SchemaObject", "own_names"]

SchemaObject: TypeAlias = Mapping[str, Any]
Node: TypeAlias = "SchemaObject | bool"
Dialect: TypeAlias = Literal["2020-12", "draft-07"]

_ONE: Final = (
    *("additionalProperties", "propertyNames", "items", "contains"),
    *("not", "if", "then", "else"),
)
_MANY: Final = ("allOf", "anyOf", "oneOf")
_NAMED: Final = ("properties", "patternProperties", "$defs", "definitions")
_KEYWORDS: Final[dict[Dialect, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]]] = {
    "2020-12": (
        (*_ONE, "unevaluatedProperties", "unevaluatedItems"),
        (*_MANY, "prefixItems"),
        (*_NAMED, "dependentSchemas"),
    ),
    "draft-07": ((*_ONE, "additionalItems"), (*_MANY, "items"), (*_NAMED, "dependencies")),
}
"""Where schemas stand inside of a schema: alone, in a list, or under names."""
_DIALECTS: Final[dict[str, Dialect]] = {
    "https://json-schema.org/draft/2020-12/schema": "2020-12",
    "https://json-schema.org/draft-07/schema": "draft-07",
}
_MAX_DEPTH: Final = 64
_MAX_NODES: Final = 16_384
_MAX_TOLD_CHARS: Final = 200
_ABSOLUTE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_URI: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*:)?(//[^/?#]*)?([^?#]*)")
_PERCENT: Final = re.compile(rb"%([0-9a-fA-F]{2})?")
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,9}")
_MAX_INDEX: Final = 2**32 - 2


class SchemaError(ValueError):
    """A schema that is malformed, unsafe or refers outside of itself."""


class Resources:
    """The parts of one schema. Raises `SchemaError`."""

    def __init__(self, root: Node) -> None:
        self.root = root
        self.dialect: Final[Dialect] = _dialect_of(root)
        self.by_uri: dict[str, Node] = {"": root}
        """Schemas by their absolute URI, with `#anchor` where they have one."""
        self.dynamic_anchors: dict[str, Node] = {}
        self.nodes: list[SchemaObject] = []
        """Every schema that is an object, in order of discovery."""
        self._bases: dict[int, str] = {}
        self.index(root, "", 0)

    def base_of(self, node: object, otherwise: str = "") -> str:
        """Return the base URI inside a node."""
        return self._bases.get(id(node), otherwise)

    def index(self, node: object, base: str, depth: int) -> None:
        """Take in a schema and those inside of it."""
        if isinstance(node, bool):
            return
        if not is_object(node):
            raise SchemaError("a schema is an object or a boolean")
        if id(node) in self._bases:
            return
        if depth > _MAX_DEPTH:
            raise SchemaError("the schema is nested too deeply")
        self.nodes.append(node)
        if len(self.nodes) > _MAX_NODES:
            raise SchemaError("the schema is too large")
        inner = self._identify(node, base)
        self._bases[id(node)] = inner
        for child in _children(node, self.dialect):
            self.index(child, inner, depth + 1)

    def _identify(self, node: SchemaObject, base: str) -> str:
        """Note what the node is called. Returns the base URI inside of it."""
        old = self.dialect == "draft-07"
        inner = base
        identity = node.get("$id")
        if isinstance(identity, str) and not (old and "$ref" in node):
            uri = resolve_uri(base, identity)
            if old and "#" in uri and not uri.endswith("#"):
                self.by_uri[uri] = node
            else:
                inner = uri.removesuffix("#")
                self.by_uri[inner] = node
        if old:
            return inner
        anchor = node.get("$anchor")
        if isinstance(anchor, str):
            self.by_uri[f"{inner}#{anchor}"] = node
        dynamic = node.get("$dynamicAnchor")
        if isinstance(dynamic, str):
            self.by_uri[f"{inner}#{dynamic}"] = node
            self.dynamic_anchors[f"{inner}#{dynamic}"] = node
        return inner

    def resolve(self, node: SchemaObject, reference: str) -> Node:
        """Return what a node's reference points to.

        Raises `SchemaError` when that is outside of this schema, or nothing.
        """
        uri = resolve_uri(self.base_of(node), reference)
        known = self.by_uri.get(uri)
        if known is None:
            known = self.by_uri.get(uri.removesuffix("#"))
        if known is not None:
            return known
        resource, _, fragment = uri.partition("#")
        start = self.by_uri.get(resource)
        if start is None or (fragment != "" and not fragment.startswith("/")):
            raise _points_at_nothing(reference)
        return self._walk(start, fragment, reference)

    def _walk(self, start: Node, pointer: str, reference: str) -> Node:
        target: Any = start
        base = self.base_of(start)
        for part in pointer.split("/")[1:]:
            key = _decode_percent(part).replace("~1", "/").replace("~0", "~")
            if is_object(target) and key in target:
                target = target[key]
            elif is_array(target) and _INDEX.fullmatch(key) and int(key) < len(target):
                target = target[int(key)]
            else:
                raise _points_at_nothing(reference)
            base = self.base_of(target, base)
        self.index(target, base, 0)
        node: Node = target
        return node


def _children(node: SchemaObject, dialect: Dialect) -> list[object]:
    """Return what stands where schemas stand. Raises `SchemaError` for what is none of it."""
    one, many, named = _KEYWORDS[dialect]
    found: list[object] = [
        node[key] for key in one if key in node and not (key in many and is_array(node[key]))
    ]
    for key in many:
        if key not in node or (key in one and not is_array(node[key])):
            continue
        if not is_array(node[key]):
            raise SchemaError(f"{key} must be an array of schemas")
        found.extend(node[key])
    for key in named:
        if key not in node:
            continue
        if not is_object(node[key]):
            raise SchemaError(f"{key} must be an object of schemas")
        # The dependencies of draft-07 are schemas or lists of names.
        found.extend(
            child for child in node[key].values() if not (key == "dependencies" and is_array(child))
        )
    return found


def _points_at_nothing(reference: str) -> SchemaError:
    return SchemaError(f"$ref {reference[:_MAX_TOLD_CHARS]} points at nothing in this schema")


def _dialect_of(root: Node) -> Dialect:
    if isinstance(root, bool) or "$schema" not in root:
        return "2020-12"
    declared = root["$schema"]
    if isinstance(declared, str):
        name = re.sub(r"\Ahttp:", "https:", declared.removesuffix("#"))
        if name in _DIALECTS:
            return _DIALECTS[name]
    raise SchemaError("only JSON Schema 2020-12 and draft-07 are understood")


def _decode_percent(text: str) -> str:
    if "%" not in text:
        return text
    try:
        data = _PERCENT.sub(lambda match: bytes.fromhex(match[1].decode()), text.encode())
        return data.decode()
    except (AttributeError, ValueError):
        return text


def resolve_uri(base: str, reference: str) -> str:
    """Resolve a reference against a base, as far as schemas need it."""
    if _ABSOLUTE.match(reference):
        return reference
    bare = base.partition("#")[0]
    if reference == "" or reference.startswith("#"):
        return bare + reference
    parts = _URI.match(bare)
    scheme, authority, path = (part or "" for part in parts.groups()) if parts else ("", "", "")
    if reference.startswith("//"):
        return scheme + reference
    if reference.startswith("/"):
        return scheme + authority + reference
    folder = path[: path.rfind("/") + 1] or ("/" if authority else "")
    return scheme + authority + folder + reference


def own_names(members: Mapping[str, Any]) -> list[str]:
    """Return the names of an object as JavaScript orders them: those that are indices first.

    Problems are told in this order, so that both languages answer with the same line.
    """
    names = list(members)
    if len(names) < 2 or min(names)[:1] > "9":
        return names
    indices = [name for name in names if _INDEX.fullmatch(name) and int(name) <= _MAX_INDEX]
    if not indices:
        return names
    listed = set(indices)
    return [*sorted(indices, key=int), *(name for name in names if name not in listed)]
