"""Refuses a schema whose keywords have values of the wrong kind.

So that a slip of the pen is an error when the schema is read and not a check that passes
everything. The twin of `browser_worker/contract/schema_shapes.js`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from bridge.contract.schema_numbers import compare, is_array, is_integer, is_number, is_object
from bridge.contract.schema_resources import SchemaError, SchemaObject

__all__ = ["check_shapes"]

TYPES: Final = ("null", "boolean", "object", "array", "number", "string", "integer")


def _names(value: object) -> bool:
    return is_array(value) and all(isinstance(name, str) for name in value)


def _types(value: object) -> bool:
    listed = value if is_array(value) else [value]
    return len(listed) > 0 and all(isinstance(each, str) and each in TYPES for each in listed)


def _dependencies(value: object) -> bool:
    return is_object(value) and all(_names(each) for each in value.values() if is_array(each))


def _dependent_required(value: object) -> bool:
    return is_object(value) and all(_names(each) for each in value.values())


def _count(value: object) -> bool:
    return is_number(value) and is_integer(value) and compare(value, 0) >= 0


_RULES: Final[tuple[tuple[Iterable[str], Callable[[Any], bool], str], ...]] = (
    (("type",), _types, "one or more of the seven types"),
    (("enum",), is_array, "an array"),
    (("required",), _names, "an array of names"),
    (("allOf", "anyOf", "oneOf"), lambda v: is_array(v) and len(v) > 0, "a non-empty array"),
    (("$ref", "$dynamicRef", "pattern"), lambda v: isinstance(v, str), "a string"),
    (("uniqueItems",), lambda v: isinstance(v, bool), "true or false"),
    (("dependencies",), _dependencies, "schemas or lists of names"),
    (("dependentRequired",), _dependent_required, "lists of names"),
    (("maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"), is_number, "a number"),
    (("multipleOf",), lambda v: is_number(v) and compare(v, 0) > 0, "a number above 0"),
    (
        (
            *("maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"),
            *("maxContains", "minContains"),
        ),
        _count,
        "a count",
    ),
)


def check_shapes(node: SchemaObject) -> None:
    """Check one schema, without those inside of it. Raises `SchemaError`."""
    for keys, fits, what in _RULES:
        for key in keys:
            if key in node and not fits(node[key]):
                raise SchemaError(f"{key} must be {what}")
