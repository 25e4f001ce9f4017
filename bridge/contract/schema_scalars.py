"""The keywords that look at one value and at nothing inside of it.

The twin of `browser_worker/contract/schema_scalars.js`. Each function reads one schema and
returns the checks that it asks for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from bridge.contract.json_numbers import JsonNumber
from bridge.contract.schema_marks import Marks
from bridge.contract.schema_numbers import (
    compare,
    equal,
    is_array,
    is_integer,
    is_multiple_of,
    is_number,
    is_object,
    number_text,
)
from bridge.contract.schema_pattern import Pattern
from bridge.contract.schema_resources import SchemaObject
from bridge.contract.schema_run import Check, Run, Scope

__all__ = ["count", "general", "number", "text"]

_KINDS: Final[dict[str, Callable[[Any], bool]]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": is_array,
    "object": is_object,
    "number": is_number,
    "integer": lambda value: is_number(value) and is_integer(value),
}
_BOUNDS: Final[tuple[tuple[str, Callable[[int], bool], str], ...]] = (
    ("maximum", lambda order: order <= 0, "must be at most"),
    ("minimum", lambda order: order >= 0, "must be at least"),
    ("exclusiveMaximum", lambda order: order < 0, "must be less than"),
    ("exclusiveMinimum", lambda order: order > 0, "must be more than"),
)


def general(node: SchemaObject) -> list[Check]:
    """Return the checks for values of every kind."""
    checks: list[Check] = []
    if "type" in node:
        checks.append(_type(list(node["type"]) if is_array(node["type"]) else [node["type"]]))
    if "enum" in node:
        checks.append(_enum(list(node["enum"])))
    if "const" in node:
        checks.append(_const(node["const"]))
    return checks


def _type(types: list[str]) -> Check:
    message = f"must be {' or '.join(types)}"
    kinds = [_KINDS[each] for each in types]
    if len(kinds) == 1:
        kind = kinds[0]

        def check_one(run: Run, value: Any, path: str, _m: Marks | None, _s: Scope) -> bool:  # noqa: ANN401
            return kind(value) or run.fail(path, message)

        return check_one

    def check(run: Run, value: Any, path: str, _m: Marks | None, _s: Scope) -> bool:  # noqa: ANN401
        run.look(len(kinds))
        return any(kind(value) for kind in kinds) or run.fail(path, message)

    return check


def _enum(allowed: list[Any]) -> Check:
    def check(run: Run, value: Any, path: str, _m: Marks | None, _s: Scope) -> bool:  # noqa: ANN401
        run.work(len(allowed))
        for each in allowed:
            if equal(each, value, run.look):
                return True
        return run.fail(path, "must be one of the listed values")

    return check


def _const(given: object) -> Check:
    def check(run: Run, value: Any, path: str, _m: Marks | None, _s: Scope) -> bool:  # noqa: ANN401
        return equal(given, value, run.look) or run.fail(path, "must be the one given value")

    return check


def text(node: SchemaObject, pattern: Pattern | None) -> list[Check]:
    """Return the checks for texts. Characters are code points."""
    checks: list[Check] = []
    least, most = node.get("minLength"), node.get("maxLength")
    if least is not None or most is not None:
        checks.append(_measure)
    if least is not None:
        checks.append(_length(least, lambda order: order >= 0, "must have at least"))
    if most is not None:
        checks.append(_length(most, lambda order: order <= 0, "must have at most"))
    if pattern is not None:
        checks.append(_pattern(pattern))
    return checks


def _measure(run: Run, value: str, _p: str, _m: Marks | None, _s: Scope) -> bool:
    run.look(len(value) >> 3)
    return True


def _length(bound: JsonNumber, fits: Callable[[int], bool], must: str) -> Check:
    message = f"{must} {number_text(bound)} characters"

    def check(run: Run, value: str, path: str, _m: Marks | None, _s: Scope) -> bool:
        return fits(compare(len(value), bound)) or run.fail(path, message)

    return check


def _pattern(pattern: Pattern) -> Check:
    message = f"must match the pattern {pattern.source}"

    def check(run: Run, value: str, path: str, _m: Marks | None, _s: Scope) -> bool:
        return pattern.occurs(value, run.work) or run.fail(path, message)

    return check


def number(node: SchemaObject) -> list[Check]:
    """Return the checks for numbers."""
    checks = [
        _bound(node[keyword], fits, must) for keyword, fits, must in _BOUNDS if keyword in node
    ]
    if "multipleOf" in node:
        checks.append(_multiple_of(node["multipleOf"]))
    return checks


def _bound(bound: JsonNumber, fits: Callable[[int], bool], must: str) -> Check:
    message = f"{must} {number_text(bound)}"

    def check(run: Run, value: JsonNumber, path: str, _m: Marks | None, _s: Scope) -> bool:
        return fits(compare(value, bound)) or run.fail(path, message)

    return check


def _multiple_of(divisor: JsonNumber) -> Check:
    message = f"must be a multiple of {number_text(divisor)}"

    def check(run: Run, value: JsonNumber, path: str, _m: Marks | None, _s: Scope) -> bool:
        return is_multiple_of(value, divisor) or run.fail(path, message)

    return check


def count(node: SchemaObject, suffix: str, what: str) -> list[Check]:
    """Return the checks for how many `Items` or `Properties` there are."""
    least, most = node.get(f"min{suffix}"), node.get(f"max{suffix}")
    checks: list[Check] = []
    if least is not None:
        checks.append(_counted(least, lambda order: order >= 0, "must have at least", what))
    if most is not None:
        checks.append(_counted(most, lambda order: order <= 0, "must have at most", what))
    return checks


def _counted(bound: JsonNumber, fits: Callable[[int], bool], must: str, what: str) -> Check:
    message = f"{must} {number_text(bound)} {what}"

    def check(run: Run, value: Any, path: str, _m: Marks | None, _s: Scope) -> bool:  # noqa: ANN401
        return fits(compare(len(value), bound)) or run.fail(path, message)

    return check
