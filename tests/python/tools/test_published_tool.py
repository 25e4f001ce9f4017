"""Tools as they are told to whoever may call them."""

from __future__ import annotations

from typing import Any

import pytest

from bridge.contract.schema import compile as compile_schema
from bridge.tools.published_tool import TOOL_META_KEY, mcp_tool, published_input
from bridge.tools.tool_definition import ToolAnnotations, ToolDefinition, ToolUi

DRAFT_07 = "http://json-schema.org/draft-07/schema#"


def tool(schema: dict[str, Any] | None = None, **more: Any) -> ToolDefinition:
    whole = {
        "$schema": DRAFT_07,
        "type": "object",
        "additionalProperties": False,
        "properties": {"days": {"type": "integer", "minimum": 1}, "place": {"type": "string"}},
        "required": ["place", "days"],
        **({} if schema is None else schema),
    }
    more.setdefault("annotations", ToolAnnotations(category="read"))
    return ToolDefinition(
        name="forecast",
        title="Forecast",
        description="Tells the weather.",
        input_schema=whole,
        input=compile_schema(whole),
        **more,
    )


def test_without_defaults_the_schema_is_told_as_it_is() -> None:
    assert published_input(tool()) == tool().input_schema


def test_what_has_a_default_may_be_left_out() -> None:
    told = published_input(tool(defaults={"days": 3}))
    assert told["required"] == ["place"]
    assert told["properties"]["days"] == {"type": "integer", "minimum": 1, "default": 3}
    assert told["properties"]["place"] == {"type": "string"}
    accepted, asked = compile_schema(told), tool().input
    assert accepted.errors({"place": "Oslo"}) == []
    assert asked.errors({"place": "Oslo"}) != []
    assert accepted.errors({"days": 1}) != []


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ({"minProperties": 2}, {"minProperties": 1}),
        ({"minProperties": 1}, {}),
        ({"dependencies": {"place": ["days"]}}, {}),
        (
            {"dependencies": {"place": ["days", "hours"]}},
            {"dependencies": {"place": ["hours"]}},
        ),
        ({"dependencies": {"place": {"required": ["days"]}}}, {}),
        ({"const": {"place": "Oslo", "days": 3}}, {}),
        ({"enum": [{"place": "Oslo", "days": 3}]}, {}),
    ],
)
def test_what_an_object_meets_with_its_defaults_only_is_asked_when_it_has_them(
    rule: dict[str, Any], told: dict[str, Any]
) -> None:
    defined = tool(
        {
            "properties": {
                "days": {"type": "integer"},
                "hours": {"type": "integer"},
                "place": {"type": "string"},
            },
            "required": ["place"],
            **rule,
        },
        defaults={"days": 3},
    )
    published = published_input(defined)
    keyword = next(iter(rule))
    assert {name: part for name, part in published.items() if name == keyword} == told
    given = {"place": "Oslo", **({"hours": 1} if told.get("dependencies") else {})}
    assert compile_schema(published).errors(given) == []
    assert defined.input.errors({**given, "days": 3}) == []
    assert published_input(tool(rule))[keyword] == rule[keyword], "none has a default"


def test_what_a_default_depends_on_every_call_has_to_have() -> None:
    rule = {
        "properties": {"days": {"type": "integer"}, "place": {"type": "string"}},
        "required": ["days"],
        "dependencies": {"days": ["place"]},
    }
    defined = tool(rule, defaults={"days": 3})
    published = published_input(defined)
    assert published["required"] == ["place"]
    assert compile_schema(published).errors({}) != []
    assert defined.input.errors({"days": 3}) != []
    assert compile_schema(published).errors({"place": "Oslo"}) == []


def test_the_definition_is_not_changed_by_telling_it() -> None:
    defined = tool(defaults={"days": 3, "place": "Oslo"})
    assert "required" not in published_input(defined)
    assert defined.input_schema["required"] == ["place", "days"]
    assert "default" not in defined.input_schema["properties"]["days"]


def test_a_reference_gets_no_default_beside_it() -> None:
    schema = {
        "definitions": {"count": {"type": "integer"}},
        "properties": {"days": {"$ref": "#/definitions/count"}, "place": {"type": "string"}},
    }
    told = published_input(tool(schema, defaults={"days": 3}))
    assert told["properties"]["days"] == {"$ref": "#/definitions/count"}
    assert told["required"] == ["place"]


def test_mcp_is_told_names_schemas_and_hints_in_its_own_words() -> None:
    output = {"type": "object", "properties": {"ok": {"type": "boolean"}}}
    annotations = ToolAnnotations(
        category="write",
        title="Forecast",
        read_only=False,
        destructive=True,
        idempotent=True,
        open_world=False,
        estimated_duration_ms=50,
        cancellable=True,
    )
    defined = tool(
        annotations=annotations,
        output_schema=output,
        output=compile_schema(output),
        family="weather",
        operation="weather.forecast",
        ask_on_keys=("days",),
        escalations=("weather.write",),
        required_features=frozenset({"weather.read"}),
        ui=ToolUi(card_type="weather.result", icon="cloud"),
    )
    assert mcp_tool(defined) == {
        "name": "forecast",
        "title": "Forecast",
        "description": "Tells the weather.",
        "inputSchema": defined.input_schema,
        "outputSchema": output,
        "annotations": {
            "title": "Forecast",
            "readOnlyHint": False,
            "destructiveHint": True,
            "idempotentHint": True,
            "openWorldHint": False,
        },
        "_meta": {
            TOOL_META_KEY: {
                "category": "write",
                "family": "weather",
                "operation": "weather.forecast",
                "estimatedDurationMs": 50,
                "cancellable": True,
                "askOnKeys": ["days"],
                "features": ["weather.read"],
                "escalations": ["weather.write"],
                "presentation": "card",
                "cardType": "weather.result",
                "icon": "cloud",
            }
        },
    }


def test_a_hint_that_is_not_given_is_not_told() -> None:
    assert mcp_tool(tool())["annotations"] == {"title": "Forecast"}


@pytest.mark.parametrize(
    ("schema", "told"), [({"type": "object"}, True), ({"type": ["object", "null"]}, False)]
)
def test_only_an_output_that_is_plainly_an_object_is_told(schema: Any, told: bool) -> None:
    listed = mcp_tool(tool(output_schema=schema, output=compile_schema(schema)))
    assert ("outputSchema" in listed) is told
