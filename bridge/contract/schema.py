"""JSON Schema for inputs and outputs: 2020-12, or draft-07 where a schema declares it.

Gives the verdicts, the paths and the words of its twin, `browser_worker/contract/schema.js`, so
that one line gets one answer in both languages. Depth and work are bounded: no schema and no
value can hold the process. Verdicts differ from the public suite's (`tests/suites`) where
a schema refers outside of itself or declares another dialect (refused: nothing is fetched),
and where `format`, `content*` or 2020-12's former `dependencies` would be asserted (they are not).
"""

from __future__ import annotations

from bridge.contract.schema_combined import combined, unevaluated
from bridge.contract.schema_containers import array, object_
from bridge.contract.schema_numbers import is_object
from bridge.contract.schema_pattern import Pattern, PatternError
from bridge.contract.schema_quick import QuickCheck, quick_check
from bridge.contract.schema_resources import Node, Resources, SchemaError, SchemaObject
from bridge.contract.schema_run import Part, Plan, Run, SchemaViolation, TooMuchWork
from bridge.contract.schema_scalars import general, number, text
from bridge.contract.schema_shapes import check_shapes

__all__ = ["SchemaError", "SchemaViolation", "Validator", "compile"]

_MAX_TOLD_CHARS = 80
_MAX_SLOW_CHECKS = 8
"""A validator that is used more often is worth the loading of the quick check."""


def compile(schema: object) -> Validator:  # noqa: A001 - the word for it in both languages
    """Read a schema once, so that many values can be checked.

    The schema must not be changed afterwards. Raises `SchemaError` for one that is malformed,
    unsafe or refers outside of itself. Contract: JSON Schema.
    """
    if not isinstance(schema, bool) and not is_object(schema):
        raise SchemaError("a schema is an object or a boolean")
    return Validator(Resources(schema))


class Validator:
    """A schema that was read. Make one by `compile`; it may be used from any thread."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._old = resources.dialect == "draft-07"
        self._patterns: dict[str, Pattern] = {}
        self._plans: dict[int, Plan] = {}
        self._refs: dict[int, Node] = {}
        self._dynamic_refs: dict[int, Node] = {}
        self._checks = 0
        self._quick: QuickCheck | None = None
        # Indexing goes on while references are resolved: the list may grow under the loop.
        for node in resources.nodes:
            self._prepare(node)
        for node in resources.nodes:
            self._fill(node)
        self._root = self._plan_of(resources.root)
        self._dynamic_anchors: dict[str, Part] = (
            {uri: self._plan_of(node) for uri, node in resources.dynamic_anchors.items()}
            if any(plan.dynamic is not None for plan in self._plans.values())
            else {}
        )

    def errors(self, value: object) -> list[SchemaViolation]:
        """Check a value: what JSON can write, numbers with their tokens or without.

        Returns the problems, at most 64 of them; none where it matches.
        """
        if self._matches_quickly(value):
            return []
        run = Run(self._dynamic_anchors)
        try:
            ok = run.check(self._root, value, "", None, ())
        except (TooMuchWork, RecursionError):
            return [SchemaViolation("", "the schema takes too much work for this value")]
        if not ok and not run.problems:
            run.fail("", "does not match")
        return run.problems

    def _matches_quickly(self, value: object) -> bool:
        if self._quick is not None:
            return self._quick(value)
        self._checks += 1
        if self._checks == _MAX_SLOW_CHECKS:
            resources = self._resources
            self._quick = quick_check(resources.root, resources.nodes, self._refs, old=self._old)
        return False

    def _plan_of(self, node: Node) -> Part:
        return node if isinstance(node, bool) else self._plans[id(node)]

    def _prepare(self, node: SchemaObject) -> None:
        check_shapes(node)
        self._plans[id(node)] = Plan(self._resources.base_of(node))
        # What they point at becomes part of the nodes.
        if "$ref" in node:
            self._refs[id(node)] = self._resources.resolve(node, node["$ref"])
            if self._old:
                return
        if "$dynamicRef" in node and not self._old:
            self._dynamic_refs[id(node)] = self._resources.resolve(node, node["$dynamicRef"])
        patterns = [node["pattern"]] if "pattern" in node else []
        for source in [*patterns, *node.get("patternProperties", {})]:
            try:
                self._patterns[source] = Pattern(source)
            except PatternError as error:
                raise SchemaError(f"{error}: {source[:_MAX_TOLD_CHARS]}") from None

    def _fill(self, node: SchemaObject) -> None:
        plan = self._plans[id(node)]
        if id(node) in self._refs:
            plan.ref = self._plan_of(self._refs[id(node)])
            plan.ref_alone = self._old
            if self._old:
                return
        if id(node) in self._dynamic_refs:
            target = self._dynamic_refs[id(node)]
            plan.dynamic = self._plan_of(target)
            _, mark, anchor = node["$dynamicRef"].rpartition("#")
            if mark and not isinstance(target, bool) and target.get("$dynamicAnchor") == anchor:
                plan.dynamic_anchor = anchor
        plan.general = general(node)
        plan.text = text(node, self._patterns[node["pattern"]] if "pattern" in node else None)
        plan.number = number(node)
        plan.array = array(node, self._plan_of, old=self._old)
        plan.object = object_(node, self._plan_of, self._patterns.__getitem__, old=self._old)
        plan.combined = combined(node, self._plan_of)
        plan.unevaluated = None if self._old else unevaluated(node, self._plan_of)
