"""Where the references of a schema lead, and how much they make of it.

A `$ref` leads to a schema of the same file: nothing is fetched, and nothing that normalisation
does not walk can be reached. Rings and bombs are found when the schema is read, in time linear
in its size. Contract: package tools, references.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from bridge.tools.loading_limits import LOADING_LIMITS, LoadingLimits
from bridge.tools.problem_report import Report
from bridge.tools.problems import parts_of, told
from bridge.tools.schema_places import Place, child_places, subschemas

__all__ = ["check_references"]

_SAME_VALUE: Final = frozenset(
    {"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependencies"}
)
"""Keywords whose schemas meet the same value as the schema around them, as `$ref` does."""

_Edges = Callable[["_Node"], Sequence["_Node"]]


class _Node:
    """One schema, what it applies to its own value, and what to other values."""

    __slots__ = ("others", "place", "same")

    def __init__(self, place: Place) -> None:
        self.place = place
        self.same: list[_Node] = []
        self.others: list[_Node] = []


class _Measure(NamedTuple):
    size: int
    """Schemas that are met, each reference written out; no more than the limit and one."""
    height: int
    """The longest way down."""


def check_references(
    schema: Mapping[str, Any],
    report: Report,
    base: Place = (),
    limits: LoadingLimits = LOADING_LIMITS,
) -> None:
    """Check every `$ref` of a schema. `base` is the place of the schema in its file."""
    root = _graph(schema, report, base)
    nodes = list(root.values())
    ring = _Walk(lambda node: node.same, limits.max_expansion)
    for node in nodes:
        if node not in ring.known:
            ring.measure(node)
    for node in ring.rings:
        words = "leads back to itself without going into a member: no value could be checked"
        report.error((*base, *node.place), "ref-ring", words)
    if any(each.height > limits.max_ref_chain for each in ring.known.values()):
        words = f"a chain of more than {limits.max_ref_chain} schemas meets one value: shorten it"
        report.error(base, "ref-chain", words)
    whole = _Walk(lambda node: [*node.same, *node.others], limits.max_expansion)
    if nodes and whole.measure(nodes[0]).size > limits.max_expansion:
        words = (
            f"becomes more than {limits.max_expansion:,} schemas where references are written out"
        )
        report.error(base, "ref-bomb", f"{words}: refer less often")


def _graph(schema: Mapping[str, Any], report: Report, base: Place) -> dict[Place, _Node]:
    """Make nodes of all schemas, by their places, and connect them."""
    found = [(place, each, child_places(each)) for place, each in subschemas(schema)]
    nodes = {place: _Node(place) for place, *_ in found}
    # A schema can also be true or false: a reference may lead there, and ends there.
    leaves: set[Place] = set()
    for place, _, children in found:
        leaves.update((*place, *inner) for inner in children)
    by_pointer = {_key(place): place for place in leaves | nodes.keys()}
    for place, each, children in found:
        node = nodes[place]
        if "$ref" in each:
            # In draft-07 whatever stands beside a reference is ignored.
            target = _target(each["$ref"], by_pointer, (*base, *place, "$ref"), report)
            if target in nodes:
                node.same.append(nodes[target])
            continue
        for inner in children:
            child = nodes.get((*place, *inner))
            if child is not None and inner[0] != "definitions":
                (node.same if inner[0] in _SAME_VALUE else node.others).append(child)
    return nodes


def _key(place: Place) -> tuple[str, ...]:
    return tuple(map(str, place))


def _target(
    reference: object,
    by_pointer: Mapping[tuple[str, ...], Place],
    place: Place,
    report: Report,
) -> Place | None:
    if not isinstance(reference, str):
        return None
    if reference != "#" and not reference.startswith("#/"):
        words = (
            f"{told(reference)} leads out of the file, and nothing is fetched: put the schema "
            "under definitions and write #/definitions/NAME"
        )
        report.error(place, "ref-remote", words)
        return None
    if "%" in reference:
        words = f"{told(reference)} has a percent sign: give the definition a name without escapes"
        report.error(place, "ref-form", words)
        return None
    target = by_pointer.get(tuple(parts_of(reference)))
    if target is None:
        words = f"{told(reference)} leads to no schema of this file: put it under definitions"
        report.error(place, "ref-target", words)
    return target


class _Walk:
    """Measures what can be reached, each node once, without a stack of its own depth."""

    def __init__(self, edges: _Edges, limit: int) -> None:
        self._edges = edges
        self._limit = limit
        self.known: dict[_Node, _Measure] = {}
        self.rings: list[_Node] = []
        """Nodes from which an edge leads back to one that is on the way."""

    def measure(self, start: _Node) -> _Measure:
        """Measure a node. An edge that leads back counts as one schema."""
        on_the_way = {start}
        stack = [(start, self._edges(start), iter(self._edges(start)))]
        while stack:
            node, edges, left = stack[-1]
            for target in left:
                if target in on_the_way:
                    self.rings.append(node)
                elif target not in self.known:
                    on_the_way.add(target)
                    following = self._edges(target)
                    stack.append((target, following, iter(following)))
                    break
            else:
                inner = [self.known.get(each, _Measure(1, 0)) for each in edges]
                size = min(1 + sum(each.size for each in inner), self._limit + 1)
                height = 1 + max((each.height for each in inner), default=0)
                self.known[node] = _Measure(size, height)
                on_the_way.remove(node)
                stack.pop()
        return self.known[start]
