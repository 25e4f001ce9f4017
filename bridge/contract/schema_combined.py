"""The keywords that put other schemas together, and those that see what these left over.

The twin of `browser_worker/contract/schema_combined.js`. Each function reads one schema and
returns the checks that it asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bridge.contract.schema_containers import PlanOf, escape_pointer
from bridge.contract.schema_marks import Marks
from bridge.contract.schema_numbers import is_array, is_object
from bridge.contract.schema_resources import SchemaObject, own_names
from bridge.contract.schema_run import Check, Part, Run, Scope

__all__ = ["combined", "unevaluated"]


def combined(node: SchemaObject, plan_of: PlanOf) -> list[Check]:
    """Return the checks that ask other schemas about the same value."""
    checks: list[Check] = []
    if "allOf" in node:
        checks.append(_all_of([plan_of(each) for each in node["allOf"]]))
    if "anyOf" in node:
        checks.append(_any_of([plan_of(each) for each in node["anyOf"]]))
    if "oneOf" in node:
        checks.append(_one_of([plan_of(each) for each in node["oneOf"]]))
    if "not" in node:
        checks.append(_not(plan_of(node["not"])))
    if "if" in node:
        then = plan_of(node["then"]) if "then" in node else None
        otherwise = plan_of(node["else"]) if "else" in node else None
        checks.append(_if(plan_of(node["if"]), then, otherwise))
    return checks


def _all_of(parts: Sequence[Part]) -> Check:
    def check(run: Run, value: Any, path: str, marks: Marks | None, scope: Scope) -> bool:  # noqa: ANN401
        ok = True
        for part in parts:
            found = None if marks is None else Marks()
            fits = run.check(part, value, path, found, scope)
            if fits:
                run.merge(marks, found)
            ok = fits and ok
        return ok

    return check


def _any_of(parts: Sequence[Part]) -> Check:
    def check(run: Run, value: Any, path: str, marks: Marks | None, scope: Scope) -> bool:  # noqa: ANN401
        fits = 0
        for part in parts:
            if run.matches(part, value, path, marks, scope):
                fits += 1
                if marks is None:
                    break
        return fits > 0 or run.fail(path, "must match at least one of the alternatives")

    return check


def _one_of(parts: Sequence[Part]) -> Check:
    def check(run: Run, value: Any, path: str, marks: Marks | None, scope: Scope) -> bool:  # noqa: ANN401
        fits = 0
        for part in parts:
            fits += run.matches(part, value, path, marks, scope)
        return fits == 1 or run.fail(
            path, f"must match exactly one of the alternatives, not {fits}"
        )

    return check


def _not(part: Part) -> Check:
    def check(run: Run, value: Any, path: str, _m: Marks | None, scope: Scope) -> bool:  # noqa: ANN401
        return not run.matches(part, value, path, None, scope) or run.fail(path, "must not match")

    return check


def _if(condition: Part, then: Part | None, otherwise: Part | None) -> Check:
    def check(run: Run, value: Any, path: str, marks: Marks | None, scope: Scope) -> bool:  # noqa: ANN401
        branch = then if run.matches(condition, value, path, marks, scope) else otherwise
        return branch is None or run.check(branch, value, path, marks, scope)

    return check


def unevaluated(node: SchemaObject, plan_of: PlanOf) -> Check | None:
    """Return the check of what no other keyword looked at, if the schema asks for one."""
    items = plan_of(node["unevaluatedItems"]) if "unevaluatedItems" in node else None
    members = plan_of(node["unevaluatedProperties"]) if "unevaluatedProperties" in node else None
    if items is None and members is None:
        return None

    def check(run: Run, value: Any, path: str, marks: Marks | None, scope: Scope) -> bool:  # noqa: ANN401
        ok = True
        if marks is None:
            return ok
        if items is not None and is_array(value) and not marks.all_items:
            run.look(len(value))
            for index in range(marks.items_below, len(value)):
                if index not in marks.items:
                    ok = run.check(items, value[index], f"{path}/{index}", None, scope) and ok
            marks.all_items = True
        if members is not None and is_object(value) and not marks.all_names:
            run.look(len(value))
            for name in own_names(value):
                if name not in marks.names:
                    where = f"{path}/{escape_pointer(name)}"
                    ok = run.check(members, value[name], where, None, scope) and ok
            marks.all_names = True
        return ok

    return check
