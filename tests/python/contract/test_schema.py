"""JSON Schema by the vectors, by the public suite, and at its own bounds."""

from __future__ import annotations

import json
import math
from collections import OrderedDict
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from bridge.contract import schema as schema_module
from bridge.contract.json_numbers import NumberToken
from bridge.contract.schema import SchemaError, SchemaViolation, Validator
from bridge.contract.strict_json import loads
from tests.python.support.json_schemas import SCHEMAS, VALUES
from tests.python.support.vectors import ROOT, load_vectors, member, shared_suite

TOO_MUCH = [SchemaViolation("", "the schema takes too much work for this value")]


def read(schema: object) -> Validator:
    return schema_module.compile(schema)


def is_valid(schema: object, value: object) -> bool:
    return read(schema).errors(value) == []


@pytest.mark.parametrize("case", load_vectors("schema.json"), ids=lambda case: case["name"])
def test_a_schema_gets_the_problems_of_its_vector(case: dict[str, Any]) -> None:
    schema = loads(member(case, "schema"))
    if case.get("refused"):
        with pytest.raises(SchemaError):
            read(schema)
        return
    validator = read(schema)
    for check in case["checks"]:
        problems = validator.errors(loads(member(check, "value")))
        assert [list(problem) for problem in problems] == check["problems"]


@pytest.mark.parametrize(
    ("draft", "uri"),
    [("draft2020-12", None), ("draft7", "http://json-schema.org/draft-07/schema#")],
)
@pytest.mark.parametrize("way", ["carefully", "quickly"])
def test_the_public_suite_gets_its_verdicts_but_where_it_is_listed(
    draft: str, uri: str | None, way: str
) -> None:
    listed = json.loads((ROOT / "tests" / "suites" / "json_schema.json").read_bytes())[draft]
    folder = shared_suite("JSON-Schema-Test-Suite") / "tests" / draft
    checked, other, refused = 0, set(), set()
    for path in folder.rglob("*.json"):
        file = path.relative_to(folder).as_posix()
        accepted = any(file.startswith(each) for each in listed["accepted_by_folder"])
        groups: Any = loads(path.read_bytes())
        for group in groups:
            name = f"{file}: {group['description']}"
            schema = group["schema"]
            if uri and isinstance(schema, dict):
                schema = {"$schema": uri, **schema}
            try:
                validator = read(schema)
            except SchemaError:
                refused.add(name)
                continue
            if way == "quickly":
                use_often(validator)
            for case in group["tests"]:
                checked += 1
                if (validator.errors(case["data"]) == []) is not (case["valid"] or accepted):
                    other.add(f"{name}: {case['description']}")
    assert checked > 1_000
    assert other == {name for names in listed["other"].values() for name in names}
    assert refused == {name for names in listed["refused"].values() for name in names}


def use_often(validator: Validator) -> None:
    for _ in range(schema_module._MAX_SLOW_CHECKS):
        validator.errors(None)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, Decimal(1), 10**2000])
def test_what_json_has_no_number_for_is_no_number(value: object) -> None:
    for kinds in ("number", ["integer", "object", "string", "array", "null", "boolean"]):
        assert not is_valid({"type": kinds}, value)


def test_values_of_handlers_are_what_they_are_written_as() -> None:
    assert is_valid({"type": "array", "items": {"type": "integer"}}, (1, 2.0, True - 1))
    assert is_valid({"type": "object", "required": ["a"]}, MappingProxyType({"a": 1}))
    assert is_valid({"type": ("object", "null"), "required": ("a",)}, OrderedDict(a=1))
    assert is_valid({"const": (1, 2)}, [1.0, 2])
    assert not is_valid({"type": "object"}, object())
    assert not is_valid({"type": ["string", "array"]}, b"bytes")


def test_a_native_number_of_a_schema_is_told_as_javascript_writes_it() -> None:
    messages = [
        read({"maximum": bound}).errors(NumberToken("1e400"))[0].message.rpartition(" ")[2]
        for bound in (1.0, 0.5, 1e-6, 1e-7, 1.5e-7, 1e16, 1e21, 1.5e300, -0.0, 2**70)
    ]
    assert messages == [
        *("1", "0.5", "0.000001", "1e-7", "1.5e-7", "10000000000000000", "1e+21", "1.5e+300"),
        *("0", "1180591620717411303424"),
    ]


@pytest.mark.parametrize(("depth", "accepted"), [(64, True), (65, False)])
def test_a_schema_is_nested_so_deeply_and_no_deeper(depth: int, accepted: bool) -> None:
    schema: object = {}
    for _ in range(depth):
        schema = {"items": schema}
    if accepted:
        assert is_valid(schema, [])
        return
    with pytest.raises(SchemaError, match="nested too deeply"):
        read(schema)


@pytest.mark.parametrize(("parts", "accepted"), [(16_383, True), (16_384, False)])
def test_a_schema_has_so_many_parts_and_no_more(parts: int, accepted: bool) -> None:
    schema: dict[str, Any] = {"prefixItems": [{} for _ in range(parts)]}
    if accepted:
        assert is_valid(schema, [1])
        return
    with pytest.raises(SchemaError, match="too large"):
        read(schema)


@pytest.mark.parametrize(("arrays", "problems"), [(64, []), (65, TOO_MUCH)])
def test_a_check_goes_so_deep_and_no_deeper(arrays: int, problems: list[SchemaViolation]) -> None:
    value: list[object] = []
    for _ in range(arrays - 1):
        value = [value]
    # Each array but the first is checked by the reference and by what it points to.
    assert read({"items": {"$ref": "#"}}).errors(value) == problems


def test_a_value_that_holds_itself_ends_with_a_refusal() -> None:
    value: list[object] = []
    value.append(value)
    assert read({"items": {"$ref": "#"}}).errors(value) == TOO_MUCH
    assert read({"uniqueItems": True}).errors(value) == TOO_MUCH


def test_a_schema_that_holds_itself_is_read() -> None:
    schema: dict[str, Any] = {"type": "array"}
    schema["items"] = schema
    validator = read(schema)
    assert validator.errors([[], [[]]]) == []
    assert validator.errors([[], [1]]) == [SchemaViolation("/1/0", "must be array")]


def test_a_text_of_ever_new_characters_fills_no_memory() -> None:
    validator = read({"pattern": "^[^!]*$"})
    text = "".join(chr(0x4E00 + n % 20_000) for n in range(70_000))
    assert validator.errors(text) == []
    assert validator.errors(text + "!") != []
    (pattern,) = validator._patterns.values()
    assert pattern._remembered <= 65_536 + 2


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(SCHEMAS, VALUES)
def test_a_value_is_accepted_exactly_when_no_problem_is_named(schema: Any, value: Any) -> None:
    try:
        plain = read(schema)
        inner = {key: schema[key] for key in ("$schema", "$defs") if key in schema}
        negated = read({**inner, "not": {k: v for k, v in schema.items() if k not in inner}})
    except SchemaError:
        return
    if "#" in str(schema) or "$id" in schema:
        return
    assert (plain.errors(value) == []) is not (negated.errors(value) == [])


NAMES = [f"name{n}" for n in range(20_000)]
MEMBERS = dict.fromkeys(NAMES, 1)
LARGE: dict[str, tuple[dict[str, Any], object]] = {
    "members": ({"additionalProperties": True}, MEMBERS),
    "counted members": ({"minProperties": 1}, MEMBERS),
    "required": ({"required": NAMES}, MEMBERS),
    "dependencies": ({"dependentRequired": {"name1": NAMES}}, MEMBERS),
    "evaluated members": ({"unevaluatedProperties": True}, MEMBERS),
    "an equal value": ({"const": MEMBERS}, dict(MEMBERS)),
    "a long text": ({"minLength": 1}, "x" * 500_000),
    "a long name": ({"properties": {"none": True}}, {"x" * 500_000: 1}),
}


@pytest.mark.parametrize("what", LARGE)
def test_a_bomb_that_meets_something_large_at_each_of_its_schemas_ends_with_a_refusal(
    what: str,
) -> None:
    schema, value = LARGE[what]
    assert read({"allOf": [schema]}).errors(value) == []
    defs: dict[str, Any] = {"d0": schema}
    for n in range(1, 40):
        defs[f"d{n}"] = {"allOf": [{"$ref": f"#/$defs/d{n - 1}"}, {"$ref": f"#/$defs/d{n - 1}"}]}
    assert read({"$defs": defs, "$ref": "#/$defs/d39"}).errors(value) == TOO_MUCH
