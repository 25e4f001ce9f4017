"""Draft-07 place by place: what is refused, what is warned of, and what is taken."""

from __future__ import annotations

from typing import Any

import pytest

from bridge.contract.schema import compile  # noqa: A004
from bridge.tools.root_rules import DRAFT_07
from tests.python.support.tool_packages import defined, found, read, tool, with_property

EXTRA = "/properties/extra"

SHAPES = [
    ("/type", {"type": "objekt"}, {"type": ["string", "null"]}),
    ("/type", {"type": []}, {"type": "null"}),
    ("/type", {"type": ["string", "string"]}, {"type": ["string"]}),
    ("/enum", {"enum": "a"}, {"enum": ["a"]}),
    ("/required", {"required": True}, {"required": []}),
    ("/required", {"required": ["a", "a"]}, {"required": ["a"]}),
    ("/minLength", {"minLength": -1}, {"minLength": 0}),
    ("/maxItems", {"maxItems": 1.5}, {"maxItems": 1.0}),
    ("/exclusiveMinimum", {"exclusiveMinimum": True}, {"exclusiveMinimum": 1e-3}),
    ("/multipleOf", {"multipleOf": 0}, {"multipleOf": 0.01}),
    ("/uniqueItems", {"uniqueItems": 1}, {"uniqueItems": True}),
    ("/items", {"items": 7}, {"items": [True, {}]}),
    ("/items/1", {"items": [{}, 7]}, {"items": {}}),
    ("/items", {"items": []}, {"items": [{}]}),
    ("/items/type", {"items": {"type": 7}}, {"items": {"type": "null"}}),
    ("/items/1/items/not", {"items": [{}, {"items": {"not": 7}}]}, {"items": [{"items": {}}]}),
    ("/dependencies/a/not", {"dependencies": {"a": {"not": 7}}}, {"dependencies": {"a": {}}}),
    ("/dependencies/items", {"dependencies": {"items": ["b", "b"]}},
     {"dependencies": {"items": ["b"]}}),
    ("/properties/items", {"properties": {"items": [7]}}, {"properties": {"items": {}}}),
    ("/additionalItems", {"additionalItems": []}, {"additionalItems": False}),
    ("/contains", {"contains": "a"}, {"contains": {}}),
    ("/properties", {"properties": []}, {"properties": {}}),
    ("/properties/a", {"properties": {"a": None}}, {"properties": {"a": True}}),
    ("/patternProperties/a", {"patternProperties": {"a": 1}}, {"patternProperties": {"a": {}}}),
    ("/additionalProperties", {"additionalProperties": "no"}, {"additionalProperties": {}}),
    ("/propertyNames", {"propertyNames": "a"}, {"propertyNames": {"pattern": "a"}}),
    ("/dependencies/a", {"dependencies": {"a": "b"}}, {"dependencies": {"a": ["b"]}}),
    ("/dependencies/a", {"dependencies": {"a": ["b", "b"]}}, {"dependencies": {"a": {}}}),
    ("/definitions/a", {"definitions": {"a": 7}}, {"definitions": {"a": False}}),
    ("/not", {"not": []}, {"not": {}}),
    ("/if", {"if": 1}, {"if": True, "then": {}, "else": {}}),
    ("/allOf", {"allOf": []}, {"allOf": [True]}),
    ("/anyOf/1", {"anyOf": [True, 1]}, {"anyOf": [True, False]}),
    ("/oneOf", {"oneOf": {}}, {"oneOf": [{}]}),
    ("/title", {"title": 7}, {"title": "a"}),
    ("/description", {"description": []}, {"description": ""}),
    ("/examples", {"examples": "a"}, {"examples": ["a"]}),
    ("/readOnly", {"readOnly": "yes"}, {"readOnly": True, "writeOnly": False}),
    ("/$comment", {"$comment": 7}, {"$comment": "a"}),
]  # fmt: skip


@pytest.mark.parametrize(("pointer", "broken", "whole"), SHAPES)
def test_each_keyword_has_its_shape(
    pointer: str, broken: dict[str, Any], whole: dict[str, Any]
) -> None:
    assert found(with_property(broken)) == {("draft-07", EXTRA + pointer)}
    assert found(with_property(whole)) == set()


@pytest.mark.parametrize(
    ("keyword", "value", "instead"),
    [
        ("$defs", {"a": {}}, "definitions"),
        ("prefixItems", [{}], "items"),
        ("unevaluatedProperties", False, "additionalProperties"),
        ("unevaluatedItems", False, "additionalItems"),
        ("dependentRequired", {"a": ["b"]}, "dependencies"),
        ("dependentSchemas", {"a": {}}, "dependencies"),
        ("minContains", 2, "contains"),
        ("maxContains", 2, "contains"),
        ("$anchor", "a", "pointer"),
        ("$dynamicRef", "#a", "$ref"),
        ("$dynamicAnchor", "a", "definitions"),
        ("$recursiveRef", "#", "$ref"),
        ("$recursiveAnchor", True, "definitions"),
        ("$vocabulary", {}, "nothing"),
    ],
)
def test_a_keyword_that_came_later_is_refused_with_what_does_it_here(
    keyword: str, value: object, instead: str
) -> None:
    definition, problems = read(with_property({keyword: value}))
    assert definition is None
    assert [(each.rule, each.pointer) for each in problems] == [
        ("later-keyword", f"{EXTRA}/{keyword}")
    ]
    assert instead in problems[0].message.partition("write ")[2]
    # As an argument's name, or as data, it is none.
    assert found(with_property({"properties": {keyword: {}}, "const": {keyword: value}})) == set()


def test_a_keyword_that_nobody_knows_is_a_warning_and_one_with_x_is_none() -> None:
    definition, problems = read(with_property({"maxLenght": 3, "x-order": 1}))
    assert definition is not None
    assert [(each.rule, each.severity, each.pointer) for each in problems] == [
        ("unknown-keyword", "warning", f"{EXTRA}/maxLenght")
    ]
    assert found(with_property({"maxLength": 3})) == set()


@pytest.mark.parametrize("keyword", ["$id", "$schema"])
def test_names_and_dialects_inside_are_refused_and_at_the_root_are_not(keyword: str) -> None:
    inside = with_property({keyword: DRAFT_07.removesuffix("#")})
    assert found(inside) == {("nested-id", f"{EXTRA}/{keyword}")}
    at_root = {**tool(), keyword: DRAFT_07.removesuffix("#")}
    assert found(at_root) == set()


PATTERNS = [
    ("/pattern", {"pattern": "(?=a)b"}, {"pattern": "ab"}),
    ("/pattern", {"pattern": r"(a)\1"}, {"pattern": "(a)a"}),
    ("/pattern", {"pattern": "("}, {"pattern": "()"}),
    ("/pattern", {"pattern": "a" * 1_025}, {"pattern": "a" * 1_024}),
    ("/pattern", {"pattern": "(a{100}){100}"}, {"pattern": "(a{10}){10}"}),
    ("/patternProperties/(?!a)", {"patternProperties": {"(?!a)": {}}},
     {"patternProperties": {"[^a]": {}}}),
    ("/propertyNames/pattern", {"propertyNames": {"pattern": "(?<=a)b"}},
     {"propertyNames": {"pattern": "ab"}}),
]  # fmt: skip


@pytest.mark.parametrize(("pointer", "broken", "whole"), PATTERNS)
def test_a_pattern_that_may_hang_is_told_where_it_stands(
    pointer: str, broken: dict[str, Any], whole: dict[str, Any]
) -> None:
    assert found(with_property(broken)) == {("pattern", EXTRA + pointer)}
    assert found(with_property(whole)) == set()


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "^([a-z]+)*[0-9]$"])
def test_a_pattern_that_hangs_other_engines_runs_in_linear_time_here(pattern: str) -> None:
    # With an engine that goes back, 200,000 characters would outlast the universe.
    definition = defined(with_property({"type": "string", "pattern": pattern}))
    assert definition.input.errors({"extra": "a" * 200_000 + "!"})
    assert not definition.input.errors({"extra": "aaaa" + ("1" if "0" in pattern else "")})


def test_all_that_is_wrong_is_told_at_once() -> None:
    broken = with_property(
        {"type": "objekt", "pattern": "(?=a)", "$ref": "http://notes.example/a", "$defs": {}},
        type="array",
        required=["none"],
    )
    assert found({**broken, "x-bascule": {"recovery": 1}}) == {
        ("root-type", "/type"),
        ("required-unknown", "/required/0"),
        ("draft-07", f"{EXTRA}/type"),
        ("pattern", f"{EXTRA}/pattern"),
        ("ref-remote", f"{EXTRA}/$ref"),
        ("later-keyword", f"{EXTRA}/$defs"),
        ("recovery", "/x-bascule/recovery"),
        ("category-missing", "/x-bascule"),
    }


@pytest.mark.parametrize("whole", [whole for _, _, whole in SHAPES])
def test_what_is_taken_can_be_compiled(whole: dict[str, Any]) -> None:
    assert compile({"$schema": DRAFT_07, **whole}).errors([]) is not None


def test_a_message_cannot_move_a_cursor_or_fill_a_screen() -> None:
    hostile = "\x1b[2J\u202e" + "a" * 10_000
    schema = tool(
        properties={"text": {"type": hostile, "title": 7, "items": hostile, hostile: 1}},
        required=[hostile],
        **{"x-bascule": {hostile: 1, "annotations": {"category": hostile}, "askOnKeys": [hostile]}},
    )
    problems = read({**schema, "$schema": hostile})[1]
    assert len(problems) >= 8
    for problem in problems:
        assert problem.message.isascii()
        assert problem.message.isprintable()
        assert len(problem.message) < 400


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("^(?=a)", '"^(?=a)" uses look-ahead or look-behind'),
        ("(?<!a)b", '"(?<!a)b" uses look-ahead or look-behind'),
        ("(a", '"(a" is malformed, as JavaScript reads it'),
        (r"(a)\1", '"(a)\\\\1" uses a back-reference'),
    ],
)
def test_a_pattern_that_is_refused_is_named(pattern: str, words: str) -> None:
    (problem,) = read(with_property({"pattern": pattern}))[1]
    assert problem.message.startswith(words)
    assert problem.pointer == "/properties/extra/pattern"
