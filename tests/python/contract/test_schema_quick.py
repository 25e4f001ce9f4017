"""The quick check says yes to nothing that the interpreter refuses."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridge.contract.json_numbers import FloatToken, NumberToken
from bridge.contract.schema import SchemaError, Validator, compile  # noqa: A004
from bridge.contract.schema_quick import QuickCheck, quick_check
from tests.python.support.json_schemas import SCHEMAS, VALUES


def quick(schema: Any) -> QuickCheck | None:
    validator = compile(schema)
    resources = validator._resources
    return quick_check(
        resources.root, resources.nodes, validator._refs, old=resources.dialect == "draft-07"
    )


def old(schema: Any) -> Any:
    """Return the same as a schema of draft-07."""
    if not isinstance(schema, dict):
        return schema
    return {**schema, "$schema": "http://json-schema.org/draft-07/schema#"}


FORM = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "minLength": 1},
        "size": {"type": "integer", "minimum": 1, "maximum": 400},
        "style": {"enum": ["plain", "bold", None]},
        "marks": {"type": "array", "items": {"$ref": "#/$defs/mark"}, "maxItems": 3},
    },
    "required": ["text"],
    "additionalProperties": False,
    "$defs": {"mark": {"oneOf": [{"type": "string"}, {"type": "null"}]}},
}


def test_it_knows_the_schemas_of_ordinary_actions() -> None:
    check = quick(FORM)
    assert check is not None
    assert check({"text": "a", "size": 5, "style": None, "marks": ["x", None]})
    assert not check({"text": "", "size": 5})


OLD_FORM = {
    **{key: value for key, value in FORM.items() if key != "$defs"},
    "properties": {"text": {"type": "string", "minLength": 1}, "mark": {"$ref": "#/definitions/m"}},
    "definitions": {"m": {"type": ["string", "null"]}},
}


def test_it_knows_those_of_draft_07_as_well() -> None:
    check = quick(old(OLD_FORM))
    assert check is not None
    assert check({"text": "a", "mark": None})
    assert not check({"text": "a", "mark": 5})
    assert not check({"text": ""})


@pytest.mark.parametrize(
    "schema",
    [
        {"items": [True, False]},
        {"$ref": "#/definitions/a", "type": "string", "definitions": {"a": True}},
        {"properties": {"a": {"$ref": "#/definitions/a", "maximum": 1}}, "definitions": {"a": {}}},
        {"contains": True, "minContains": 2},
        {"contains": True, "maxContains": 2},
        {"prefixItems": [{"type": "string"}]},
        {"dependencies": {"a": ["b"]}},
        {"dependentRequired": {"a": ["b"]}},
        {"dependentSchemas": {"a": False}},
        {"additionalItems": False},
        {"$defs": {"a": True}},
    ],
)
def test_it_leaves_the_differences_of_draft_07_to_the_interpreter(schema: object) -> None:
    assert quick(old(schema)) is None


@pytest.mark.parametrize(
    "schema",
    [
        {"pattern": "a"},
        {"patternProperties": {"a": True}},
        {"uniqueItems": True},
        {"multipleOf": 2},
        {"maximum": 2**53 + 2},
        {"maximum": 1e300},
        {"const": {"a": 1}},
        {"enum": [2**60]},
        {"enum": [FloatToken("0.10")]},
        {"maximum": NumberToken("1e400")},
        {"enum": list(range(25))},
        {"allOf": [{"type": "string"}] * 24},
        {"items": {"$ref": "#"}},
        {"unevaluatedProperties": False},
        {"$id": "https://example.com/a.json"},
        {"$dynamicRef": "#a", "$dynamicAnchor": "a"},
        {"x-mine": 1},
        {"$defs": {"a": {"x-mine": 1}}},
        {"title": 5},
        {
            "$defs": {f"d{n}": {"items": {"$ref": f"#/$defs/d{n + 1}"}} for n in range(60)}
            | {"d60": {}},
            "$ref": "#/$defs/d0",
        },
    ],
)
def test_it_leaves_every_other_schema_to_the_interpreter(schema: object) -> None:
    assert quick(schema) is None


def test_numbers_with_tokens_are_left_to_the_interpreter() -> None:
    check = quick({"maximum": 10})
    assert check is not None
    assert check(10)
    token = FloatToken("10.00000000000000000001")
    assert not check(token)
    assert compile({"maximum": 10}).errors(token) != []


def test_a_validator_that_is_used_often_says_the_same_as_before() -> None:
    validator: Validator = compile(FORM)
    values: list[Any] = [{"text": "a"}, {"text": ""}, {}, {"text": "a", "size": 1.5}, 5]
    first = [validator.errors(value) for value in values]
    for _ in range(5):
        assert [validator.errors(value) for value in values] == first
    assert validator._quick is not None


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(SCHEMAS, st.lists(VALUES, max_size=6), st.booleans())
def test_it_says_yes_to_nothing_that_the_interpreter_refuses(
    schema: object, values: list[object], is_old: bool
) -> None:
    schema = old(schema) if is_old else schema
    try:
        validator = compile(schema)
    except SchemaError:
        return
    check = quick(schema)
    if check is not None:
        for value in values:
            assert check(value) is False or validator.errors(value) == []


def test_it_is_loaded_by_those_who_check_often_only() -> None:
    script = """
import sys
from bridge.contract.schema import compile
validator = compile({"type": "string"})
for _ in range(7):
    validator.errors("a")
print("jsonschema_rs" in sys.modules)
validator.errors("a")
print("jsonschema_rs" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=20, check=True
    )
    assert done.stdout.split() == ["False", "True"]
