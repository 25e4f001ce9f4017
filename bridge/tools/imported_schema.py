"""A stranger's schema, read so that checking by it is bounded.

Takes less than JSON Schema allows: references are pointers into the schema itself, and no names
for them are declared. What becomes too much where references are written out, and what leads back
to itself on one value, is refused before it is ever checked by. Contract: package tools,
importing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final
from urllib.parse import unquote

from bridge.contract.schema import SchemaError, Validator
from bridge.contract.schema import compile as compile_schema
from bridge.contract.schema_pattern import PatternError
from bridge.contract.strict_json import StrictJsonError, dumps, loads
from bridge.tools.loading_limits import LOADING_LIMITS, TOOL_JSON_LIMITS
from bridge.tools.pattern_budget import PatternBudget

__all__ = ["ImportedSchemaError", "read_imported_schema"]

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
"""What MCP takes a schema for that does not say."""
_DATA: Final = frozenset({"const", "enum", "default", "examples"})
"""Keywords whose values are no schemas."""
_SAME_VALUE: Final = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else"})
"""Keywords whose schemas meet the same value as the schema around them."""
_BY_MEMBER: Final = frozenset({"dependencies", "dependentSchemas"})
"""The same, with a schema for each member."""
_OF_MEMBERS: Final = frozenset({"properties", "patternProperties"})
_KEPT: Final = frozenset({"$defs", "definitions"})
_NAMES: Final = ("$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef")

_Node = Mapping[str, Any]
_Edges = Callable[[_Node], Iterator[_Node]]


class ImportedSchemaError(ValueError):
    """The schema is not used. The message says why, in words that a terminal may show."""


def read_imported_schema(
    schema: object, patterns: PatternBudget | None = None
) -> tuple[Mapping[str, Any], Validator]:
    """Return a copy of the schema of an object, and what checks by it.

    `patterns` is what its server may still have read. Raises `ImportedSchemaError`.
    """
    try:
        # A copy within the bounds of a package's own files: what a client read has none.
        copy: Any = loads(dumps(schema, TOOL_JSON_LIMITS), TOOL_JSON_LIMITS)
    except StrictJsonError as error:
        raise ImportedSchemaError(str(error)) from None
    if not isinstance(copy, dict) or copy.get("type") != "object":
        raise ImportedSchemaError("it is not of an object")
    # Of the whole it names nothing that a pointer needs.
    copy.pop("$id", None)
    whole: dict[str, Any] = {"$schema": copy.get("$schema", _DIALECT), **copy}
    nodes = _all(whole)
    _check_references(whole, nodes)
    _check_patterns(nodes, PatternBudget() if patterns is None else patterns)
    try:
        return whole, compile_schema(whole)
    except SchemaError as error:
        raise ImportedSchemaError(str(error)) from None


def _check_patterns(nodes: Sequence[_Node], patterns: PatternBudget) -> None:
    budget = patterns.of_schema()
    for node in nodes:
        named = node.get("patternProperties")
        for source in (node.get("pattern"), *(named if isinstance(named, Mapping) else ())):
            if not isinstance(source, str):
                continue
            try:
                enough = budget.read(source)
            except PatternError as error:
                raise ImportedSchemaError(str(error)) from None
            if not enough:
                raise ImportedSchemaError("its patterns together are too large")


def _check_references(root: _Node, nodes: Sequence[_Node]) -> None:
    if any(isinstance(node.get(name), str) for node in nodes for name in _NAMES):
        raise ImportedSchemaError("it names its parts, where only pointers are followed")
    most = LOADING_LIMITS.max_expansion
    if _expansion(root, partial(_applied, root), rings=True) > most:
        raise ImportedSchemaError(f"written out it is more than {most:,} schemas")
    known: dict[int, int] = {}
    for node in nodes:
        _expansion(node, partial(_same, root), rings=False, sizes=known)


def _same(root: _Node, node: _Node) -> Iterator[_Node]:
    """Yield the schemas that meet the value which a schema meets."""
    yield from _referred(root, node)
    for name in _SAME_VALUE & node.keys():
        yield from _containers(node[name])
    for name in _BY_MEMBER & node.keys():
        yield from _parts(node[name])


def _applied(root: _Node, node: _Node) -> Iterator[_Node]:
    """Yield the schemas that meet a value which a schema meets, or any part of that value.

    What is only kept to be referred to is none of them.
    """
    yield from _referred(root, node)
    for name, value in node.items():
        if name in _OF_MEMBERS or name in _BY_MEMBER:
            yield from _parts(value)
        elif name not in _DATA and name not in _KEPT:
            yield from _containers(value)


def _parts(value: object) -> Iterator[_Node]:
    for each in _containers(value):
        yield from _containers(list(each.values()))


def _referred(root: _Node, node: _Node) -> Iterator[_Node]:
    if "$ref" in node:
        yield from _containers(_target(root, node["$ref"]))


def _containers(value: object) -> Iterator[_Node]:
    """Yield the objects that a value is or lists."""
    if isinstance(value, Mapping):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _containers(each)


def _all(root: _Node) -> list[_Node]:
    """Return all schemas, those that are kept or only referred to as well, each once."""
    found: dict[int, _Node] = {}
    waiting: list[_Node] = [root]
    while waiting:
        node = waiting.pop()
        if id(node) in found:
            continue
        found[id(node)] = node
        waiting += _applied(root, node)
        for name in _KEPT & node.keys():
            waiting += _parts(node[name])
    return list(found.values())


def _expansion(
    root: _Node, edges: _Edges, *, rings: bool, sizes: dict[int, int] | None = None
) -> int:
    """Count the nodes that are met where each reference is written out.

    A way back counts as one; where no `rings` may be it is refused. Stops counting at the limit.
    `sizes` are what was counted before.
    """
    sizes = {} if sizes is None else sizes
    if id(root) in sizes:
        return sizes[id(root)]
    open_nodes: set[int] = set()
    # No recursion: a chain of references may be as long as the schema.
    stack: list[tuple[_Node, Iterator[_Node], list[int]]] = [(root, edges(root), [1])]
    open_nodes.add(id(root))
    while stack:
        node, rest, count = stack[-1]
        child = next(rest, None)
        if child is None:
            stack.pop()
            open_nodes.discard(id(node))
            sizes[id(node)] = min(count[0], LOADING_LIMITS.max_expansion + 1)
            if stack:
                stack[-1][2][0] += sizes[id(node)]
        elif id(child) in open_nodes:
            if not rings:
                raise ImportedSchemaError("it leads back to itself")
            count[0] += 1
        elif id(child) in sizes:
            count[0] += sizes[id(child)]
        else:
            open_nodes.add(id(child))
            stack.append((child, edges(child), [1]))
    return sizes[id(root)]


def _target(root: _Node, reference: object) -> object:
    if isinstance(reference, Mapping):
        # A member of that name: its schema.
        return reference
    if not isinstance(reference, str) or (reference != "#" and not reference.startswith("#/")):
        raise ImportedSchemaError("it refers to what is not in it")
    place: object = root
    for part in reference[2:].split("/") if reference != "#" else ():
        name = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(place, Mapping) and name in place:
            place = place[name]
        elif _is_index(place, name):
            place = place[int(name)]  # type: ignore[index]
        else:
            raise ImportedSchemaError("it refers to what is not in it")
    return place


def _is_index(place: object, name: str) -> bool:
    return (
        isinstance(place, Sequence)
        and not isinstance(place, str)
        and name.isascii()
        and name.isdecimal()
        and len(name) < 6
        and int(name) < len(place)
    )
