"""What an app may say of an action."""

from __future__ import annotations

from typing import Any

import pytest

from bridge.contract.schema import SchemaError
from bridge.dispatcher.action_spec import ActionSpec
from tests.python.support.dispatchers import ask, dispatcher_of


@pytest.mark.parametrize("name", ["", "a b", "é", "x" * 129, "a/b", "a\n", "٣", 5, None])
def test_what_is_no_name_is_refused(name: Any) -> None:
    with pytest.raises(ValueError, match="not an action name"):
        ActionSpec.read(name, "d")


@pytest.mark.parametrize("name", ["x" * 128, "A.b_c-9", "a", "constructor", "__proto__"])
def test_a_name_is_1_to_128_letters_digits_points_underscores_and_dashes(name: str) -> None:
    assert ActionSpec.read(name, "d").kind == "read"
    assert ActionSpec.write(name, "d").kind == "write"


@pytest.mark.parametrize(
    "options",
    [
        {"command_id": 1.5},
        {"command_id": True},
        {"command_id": "1"},
        {"capabilities": -1},
        {"capabilities": 1.0},
        {"capabilities": True},
        {"transaction": ""},
        {"transaction": 5},
        {"input_schema": {"default": float("nan")}},
        {"output_schema": {"default": b"x"}},
    ],
)
def test_options_out_of_bounds_are_refused(options: Any) -> None:
    with pytest.raises(ValueError, match=r"^a: "):
        ActionSpec.read("a", "d", **options)


@pytest.mark.parametrize("description", ["", None, 5])
def test_an_action_needs_a_description(description: Any) -> None:
    with pytest.raises(ValueError, match="description"):
        ActionSpec.read("a", description)


def test_a_schema_that_is_none_is_refused() -> None:
    for schema in ({"type": "nothing"}, {"$ref": "http://example.org/"}, {"pattern": "("}):
        with pytest.raises(SchemaError):
            ActionSpec.read("a", "d", input_schema=schema)


def test_a_spec_does_not_change_and_its_schema_is_what_it_was() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}}
    spec = ActionSpec.read("a", "A", input_schema=schema)
    schema["properties"]["n"]["type"] = "string"
    assert spec.input.errors({"n": 1}) == []
    assert spec.input_schema == {"type": "object", "properties": {"n": {"type": "integer"}}}
    with pytest.raises(AttributeError):
        spec.name = "b"
    assert repr(spec) == "ActionSpec.read('a')"


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(depth - 1):
        schema = {"not": schema}
    return schema


def test_the_deepest_schema_that_is_taken_can_be_described() -> None:
    spec = ActionSpec.read("a", "A", input_schema=nested(29))
    answer = ask(dispatcher_of(actions=(spec,)), "actions/describe", {"action": "a"})
    assert answer["result"]["action"]["inputSchema"] == nested(29)
    with pytest.raises(ValueError, match="depth"):
        ActionSpec.read("a", "A", input_schema=nested(30))


def test_without_schemas_an_action_takes_no_members_and_gives_any_object() -> None:
    spec = ActionSpec.read("a", "A")
    assert spec.input.errors({}) == []
    assert spec.input.errors({"x": 1})
    assert spec.output.errors({"x": 1}) == []
    assert spec.output.errors([])
