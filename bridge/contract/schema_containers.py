"""The keywords that look into arrays and objects.

The twin of `browser_worker/contract/schema_containers.js`. Each function reads one schema and
returns the checks that it asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from json.encoder import encode_basestring
from typing import Any, Final, TypeAlias

from bridge.contract.json_numbers import JsonNumber
from bridge.contract.schema_marks import Marks
from bridge.contract.schema_numbers import canonical, compare, is_array, number_text
from bridge.contract.schema_pattern import Pattern
from bridge.contract.schema_resources import Node, SchemaObject, own_names
from bridge.contract.schema_run import Check, Part, Run, Scope
from bridge.contract.schema_scalars import count

__all__ = ["array", "escape_pointer", "object_"]

PlanOf: TypeAlias = Callable[[Node], Part]
_MAX_TOLD_CHARS: Final = 80
_OF_MEMBERS: Final = ("properties", "patternProperties", "additionalProperties", "propertyNames")
"""The keywords for which all members of an object are looked at."""
_OF_COUNT: Final = ("minProperties", "maxProperties")


def array(node: SchemaObject, plan_of: PlanOf, *, old: bool) -> list[Check]:
    """Return the checks for arrays. `old` is draft-07."""
    checks = count(node, "Items", "items")
    items = node.get("items")
    if not old:
        tuple_, rest = node.get("prefixItems", ()), items
    elif is_array(items):
        tuple_, rest = items, node.get("additionalItems")
    else:
        tuple_, rest = (), items
    if tuple_ or rest is not None:
        checks.append(
            _items([plan_of(each) for each in tuple_], None if rest is None else plan_of(rest))
        )
    if "contains" in node:
        least = 1 if old else node.get("minContains", 1)
        most = None if old else node.get("maxContains")
        checks.append(_contains(plan_of(node["contains"]), least, most))
    if node.get("uniqueItems") is True:
        checks.append(_unique)
    return checks


def _items(tuple_: Sequence[Part], rest: Part | None) -> Check:
    first = len(tuple_)

    def check(run: Run, items: Sequence[Any], path: str, marks: Marks | None, scope: Scope) -> bool:
        ok = True
        for index, item in enumerate(items):
            if index < first:
                part = tuple_[index]
            elif rest is None:
                break
            else:
                part = rest
            ok = run.check(part, item, f"{path}/{index}", None, scope) and ok
        if marks is not None:
            marks.items_below = max(marks.items_below, first)
            marks.all_items = marks.all_items or rest is not None
        return ok

    return check


def _contains(part: Part, least: JsonNumber, most: JsonNumber | None) -> Check:
    def check(run: Run, items: Sequence[Any], path: str, marks: Marks | None, scope: Scope) -> bool:
        found = 0
        for index, item in enumerate(items):
            if not run.matches(part, item, f"{path}/{index}", None, scope):
                continue
            found += 1
            if marks is not None:
                marks.items.add(index)
        if compare(found, least) < 0:
            return run.fail(path, f"must contain at least {number_text(least)} such items")
        if most is not None and compare(found, most) > 0:
            return run.fail(path, f"must contain at most {number_text(most)} such items")
        return True

    return check


def _unique(run: Run, items: Sequence[Any], path: str, _m: Marks | None, _s: Scope) -> bool:
    seen: set[str] = set()
    for item in items:
        text = canonical(item)
        run.work(1 + (len(text) >> 5))
        if text in seen:
            return run.fail(path, "must not hold an item twice")
        seen.add(text)
    return True


def object_(
    node: SchemaObject, plan_of: PlanOf, pattern_of: Callable[[str], Pattern], *, old: bool
) -> list[Check]:
    """Return the checks for objects. `old` is draft-07."""
    checks: list[Check] = []
    if any(keyword in node for keyword in (*_OF_MEMBERS, *_OF_COUNT)):
        checks.append(_look)
    checks.extend(count(node, "Properties", "members"))
    if node.get("required"):
        checks.append(_required(list(node["required"])))
    if any(keyword in node for keyword in _OF_MEMBERS):
        patterns = node.get("patternProperties", {})
        checks.append(
            _members(
                {name: plan_of(each) for name, each in node.get("properties", {}).items()},
                [(pattern_of(each), plan_of(patterns[each])) for each in own_names(patterns)],
                _part(node, "additionalProperties", plan_of),
                _part(node, "propertyNames", plan_of),
            )
        )
    for keyword in ["dependencies"] if old else ["dependentRequired", "dependentSchemas"]:
        group = node.get(keyword, {})
        if group:
            checks.append(_looks(len(group)))
        for name in own_names(group):
            needs = group[name]
            if is_array(needs):
                checks.append(_needs_names(name, list(needs)))
            else:
                checks.append(_needs_schema(name, plan_of(needs)))
    return checks


def _part(node: SchemaObject, keyword: str, plan_of: PlanOf) -> Part | None:
    return plan_of(node[keyword]) if keyword in node else None


def _look(run: Run, value: Mapping[str, Any], _p: str, _m: Marks | None, _s: Scope) -> bool:
    run.look(len(value))
    return True


def _looks(length: int) -> Check:
    def check(run: Run, _v: Mapping[str, Any], _p: str, _m: Marks | None, _s: Scope) -> bool:
        run.look(length)
        return True

    return check


def _required(names: list[str]) -> Check:
    def check(run: Run, value: Mapping[str, Any], path: str, _m: Marks | None, _s: Scope) -> bool:
        ok = True
        run.look(len(names))
        for name in names:
            if name not in value:
                ok = run.fail(path, f"must have the member {_quoted(name)}")
        return ok

    return check


def _members(
    properties: Mapping[str, Part],
    patterns: Sequence[tuple[Pattern, Part]],
    rest: Part | None,
    name_part: Part | None,
) -> Check:
    def check(
        run: Run, value: Mapping[str, Any], path: str, marks: Marks | None, scope: Scope
    ) -> bool:
        ok = True
        for name in own_names(value):
            run.look(len(name) >> 4)
            where = f"{path}/{escape_pointer(name)}"
            part = properties.get(name)
            known = part is not None
            if part is not None:
                ok = run.check(part, value[name], where, None, scope) and ok
            for pattern, each in patterns:
                if pattern.occurs(name, run.work):
                    known = True
                    ok = run.check(each, value[name], where, None, scope) and ok
            if not known and rest is not None:
                known = True
                if rest is False:
                    ok = run.fail(where, "is not a known member")
                else:
                    ok = run.check(rest, value[name], where, None, scope) and ok
            if known and marks is not None:
                marks.names.add(name)
            if name_part is not None and not run.matches(name_part, name, where, None, scope):
                ok = run.fail(where, "does not have an allowed name")
        return ok

    return check


def _needs_names(name: str, needed: list[str]) -> Check:
    def check(run: Run, value: Mapping[str, Any], path: str, _m: Marks | None, _s: Scope) -> bool:
        ok = True
        if name in value:
            run.look(len(needed))
            for each in needed:
                if each not in value:
                    message = f"with {_quoted(name)} must have the member {_quoted(each)}"
                    ok = run.fail(path, message)
        return ok

    return check


def _needs_schema(name: str, part: Part) -> Check:
    def check(
        run: Run, value: Mapping[str, Any], path: str, marks: Marks | None, scope: Scope
    ) -> bool:
        return name not in value or run.check(part, value, path, marks, scope)

    return check


def escape_pointer(name: str) -> str:
    """Return a name as a part of a JSON Pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def _quoted(name: str) -> str:
    short = name if len(name) <= _MAX_TOLD_CHARS else f"{name[:_MAX_TOLD_CHARS]}…"
    return encode_basestring(short)
