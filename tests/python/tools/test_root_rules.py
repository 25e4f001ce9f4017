"""The root of a tool's schema: each rule with a schema that breaks it and one that does not."""

from __future__ import annotations

from typing import Any

import pytest

from bridge.tools.session_context import RESERVED_INPUT_KEYS
from tests.python.support.tool_packages import defined, found, read, tool, with_property

D7 = "http://json-schema.org/draft-07/schema"

RULES = [
    ("root-type", "", tool(type=None), tool(type="object")),
    ("root-type", "/type", tool(type=["object"]), tool()),
    ("root-type", "/type", tool(type="array"), tool()),
    ("root-closed", "", tool(additionalProperties=None), tool(additionalProperties=False)),
    ("root-closed", "/additionalProperties", tool(additionalProperties=True), tool()),
    ("root-closed", "/additionalProperties", tool(additionalProperties={}), tool()),
    ("root-closed", "/additionalProperties", tool(additionalProperties=0), tool()),
    ("root-description", "", tool(description=None), tool(description="Adds.")),
    ("root-description", "/description", tool(description=""), tool()),
    ("root-description", "/description", tool(description=" \n"), tool()),
    ("root-description", "/description", tool(description=7), tool()),
    ("root-properties", "", tool(properties=None), tool(properties={})),
    ("root-properties", "/properties", tool(properties=[]), tool()),
    ("root-dialect", "/$schema", tool(schema_="https://json-schema.org/draft/2020-12/schema"),
     tool(schema_=D7)),
    ("root-dialect", "/$schema", tool(schema_="http://json-schema.org/draft-06/schema#"),
     tool(schema_=D7 + "#")),
    ("root-dialect", "/$schema", tool(schema_=7), tool(schema_="https" + D7[4:])),
    ("root-id", "/$id", tool(id_="http://notes.example/add#one"),
     tool(id_="http://notes.example/add")),
    *(
        ("root-combiner", f"/{keyword}", {**tool(), keyword: value},
         with_property({keyword: value}))
        for keyword, value in [
            ("anyOf", [True]), ("oneOf", [True]), ("allOf", [True]), ("not", False),
            ("if", True), ("then", True), ("else", True),
        ]
    ),
    ("root-combiner", "/$ref", tool(ref_="#/definitions/a", definitions={"a": {}}),
     with_property({"$ref": "#/definitions/a"}, definitions={"a": {}})),
    ("root-patterns", "/patternProperties", tool(patternProperties={"^user": {}}),
     with_property({"patternProperties": {"^user": {}}})),
    ("required-unknown", "/required/1", tool(required=["text", "title"]), tool(required=["text"])),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "pointer", "broken", "whole"), RULES)
def test_the_root_follows_each_rule(
    rule: str, pointer: str, broken: dict[str, Any], whole: dict[str, Any]
) -> None:
    assert (rule, pointer) in found(broken)
    assert read(broken)[0] is None
    assert found(whole) == set()


@pytest.mark.parametrize("name", sorted(RESERVED_INPUT_KEYS))
def test_a_name_of_the_session_is_refused_at_the_root_alone(name: str) -> None:
    assert found(tool(properties={name: {}})) == {("reserved-key", f"/properties/{name}")}
    assert found(with_property({"properties": {name: {"type": "string"}}})) == set()


def test_the_reserved_names_are_those_of_a_session_and_session_itself() -> None:
    assert {
        *("userId", "projectId", "agentId", "conversationId", "requestId", "toolUseId"),
        *("delegateRunId", "delegateMode", "role", "priority", "grantedFeatures", "spendLimits"),
        *("llmRateLimitRpm", "agentAccess", "agentOwnership", "session"),
    } == RESERVED_INPUT_KEYS


def test_names_that_only_look_like_the_sessions_are_free() -> None:
    assert found(tool(properties={"userid": {}, "user_id": {}, "sessions": {}})) == set()


def test_a_schema_without_a_dialect_is_draft_07_and_says_so_afterwards() -> None:
    definition = defined(with_property({"items": [{"type": "string"}]}))
    assert definition.input_schema["$schema"] == D7 + "#"
    # In 2020-12 a list of schemas under `items` is malformed.
    assert definition.input.errors({"extra": [7]})
    assert not definition.input.errors({"extra": ["a", 7]})
    assert [change.pointer for change in definition.changes] == ["/$schema"]
    assert defined(tool(schema_=D7)).changes == ()
