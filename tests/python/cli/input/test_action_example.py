"""Calls to start from are calls that the action's own schema allows."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from bridge.cli.describe_action import description_lines, example_call, key_lines
from bridge.cli.input.action_example import example_words
from bridge.cli.input.input_words import read_words
from bridge.cli.input.typed_input import typed_input
from bridge.cli.output.json_text import compact, read
from bridge.cli.output.styles import Style
from bridge.cli.usage_error import UsageError
from bridge.contract.schema import compile  # noqa: A004 - the room's own word
from bridge.contract.strict_json import loads

Schema = Any
BASE64: Schema = {"type": "string", "contentEncoding": "base64"}
POINT: Schema = {
    "$id": "bascule:arguments",
    "type": "object",
    "properties": {"x": {"type": "integer", "minimum": 3}, "y": {"type": "number"}},
    "required": ["x", "y"],
    "additionalProperties": False,
}
ATTACHMENT: Schema = {
    "type": "object",
    "properties": {
        "data": {"anyOf": [BASE64, {"type": "array", "items": BASE64}]},
        "resource": {"type": "string"},
    },
    "minProperties": 1,
    "maxProperties": 1,
    "additionalProperties": False,
}
NOTES: Schema = {
    "type": "array",
    "minItems": 2,
    "items": {
        "type": "object",
        "properties": {"title": {"type": "string", "minLength": 2}},
        "required": ["title"],
    },
}


def of(*required: str, **properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (True, []),
        (of(), []),
        (of("a", a={"type": "string"}, b={"type": "string"}), ["a=text"]),
        (of("a", a={"type": "string", "minLength": 6}), ["a=aaaaaa"]),
        (of("a", a={"type": "array", "items": {"type": "string"}}), ["a=text"]),
        (of("a", a={"type": "array", "items": {"type": "integer"}, "minItems": 2}), ["a=1", "a=1"]),
        (of("notes", notes=NOTES), ['notes:=[{"title":"aa"},{"title":"aa"}]']),
        (of("a", a={"type": "object"}), ["a:={}"]),
        (
            of("a", a={"type": "object", "minProperties": 1, "properties": {"b": {"const": 1}}}),
            None,
        ),
        (
            of("arguments", "attachment", arguments=POINT, attachment=ATTACHMENT),
            ["arguments.x=3", "arguments.y=1.5", "attachment=@FILE"],
        ),
        (
            {"oneOf": [of("a", a={"type": "string", "pattern": "^z"}), of("b", b={"const": 2})]},
            ["b=2"],
        ),
    ],
)
def test_what_is_shown_can_be_typed_and_passes_the_schema(
    schema: Schema, words: list[str] | None, tmp_path: Path
) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"a")
    made = example_words(read(json.dumps(schema)))
    assert words is None or made == words
    typed = [word.replace("@FILE", f"@{file}") for word in made]
    given = compact(typed_input(read_words(typed), read(json.dumps(schema))))
    assert compile(schema).errors(loads(given.encode())) == []


def test_where_nothing_is_found_the_keys_are_a_start() -> None:
    schema = of("a", a={"type": "string", "pattern": "^z"})
    assert example_words(read(json.dumps(schema))) == ["a=text"]


def test_the_members_of_a_tool_s_arguments_and_of_its_attachment_are_shown() -> None:
    schema = of("arguments", "attachment", arguments=POINT, attachment=ATTACHMENT)
    action = {"name": "a.b", "kind": "read", "inputSchema": read(json.dumps(schema))}
    shown = "\n".join(description_lines(action, "app", Style(on=False), numbered=True))
    for key in ("arguments.x", "arguments.y", "attachment.data", "attachment.resource"):
        assert f"  {key} " in shown
    assert "bascule call app a.b arguments.x=3 arguments.y=1.5 attachment=@FILE" in shown


def test_schemas_that_mean_themselves_have_an_end() -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}
    action = {"name": "a", "kind": "read", "inputSchema": schema}
    assert len(list(description_lines(action, "app", Style(on=False), numbered=True))) < 40


@pytest.mark.parametrize(
    ("numbered", "ending"), [(True, " --expected-revision latest"), (False, "")]
)
def test_a_write_names_a_revision_where_the_app_has_one(numbered: bool, ending: str) -> None:
    action = {"name": "a.b", "kind": "write", "inputSchema": of()}
    assert example_call(action, "app", numbered=numbered) == f"bascule call app a.b{ending}"


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"type": "string", "minLength": 1, "maxLength": 9}, "string, 1 to 9 characters"),
        ({"type": "string", "maxLength": 9}, "string, at most 9 characters"),
        ({"type": "integer", "minimum": 2}, "integer, at least 2"),
        (
            {"type": "array", "items": {"type": "string"}, "maxItems": 3},
            "string[], at most 3 elements",
        ),
        ({"type": "object", "additionalProperties": True}, "object, any keys"),
        ({"type": "object", "additionalProperties": False}, "object"),
        ({"type": ["string", "null"], "maxLength": 9}, "string or null"),
        ({"enum": ["a"], "maxLength": 9}, "a"),
    ],
)
def test_how_long_or_large_a_key_may_be_is_shown(schema: object, told: str) -> None:
    shown = key_lines("input", read(json.dumps(of("k", k=schema))), Style(on=False))
    assert f"  k  {told}, required" in list(shown)


def test_an_open_object_with_keys_of_its_own_says_that_it_takes_others() -> None:
    inner = {"type": "object", "properties": {"a": {}}, "additionalProperties": {"type": "string"}}
    shown = key_lines("input", read(json.dumps(of(k=inner))), Style(on=False))
    assert "  k    object, other keys too" in list(shown)


GRAMS: Schema = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "grams": {"type": "integer", "minimum": 5}},
        "required": ["name", "grams"],
        "additionalProperties": False,
    },
}


def test_the_keys_of_the_objects_of_a_list_are_told_and_in_its_example() -> None:
    schema = of("parts", parts={**GRAMS, "description": "What goes in"})
    lines = [line.split() for line in key_lines("input", read(json.dumps(schema)), Style(on=False))]
    assert lines[1:4] == [
        ["parts", "object[],", "required", "What", "goes", "in"],
        ["parts[].name", "string,", "required"],
        ["parts[].grams", "integer,", "at", "least", "5,", "required"],
    ]
    (word,) = example_words(read(json.dumps(schema)))
    assert word == 'parts:=[{"name":"a","grams":5}]'


@pytest.mark.parametrize("words", [[], ["parts=rice"], ["parts=rice", "parts=oil"]])
def test_what_a_mistake_names_as_an_example_is_taken(words: list[str]) -> None:
    schema = read(json.dumps(of("parts", parts=GRAMS)))
    with pytest.raises(UsageError) as caught:
        typed_input(read_words(words), schema)
    message = str(caught.value)
    assert ("each 'parts' takes an object" in message) == bool(words)
    advised = message.partition("such as ")[2].partition("; ")[0]
    made = typed_input(read_words(shlex.split(advised)), schema)
    assert compile(loads(compact(schema).encode())).errors(loads(compact(made).encode())) == []
