"""Open bags: which get names that are safe, where, and what stays as it was."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.contract.schema import compile  # noqa: A004
from bridge.tools.open_bags import SAFE_NAMES, Change, normalise
from bridge.tools.root_rules import DRAFT_07
from bridge.tools.schema_places import subschemas
from tests.python.support.tool_packages import block, defined, found, tool, with_property

BAG: dict[str, Any] = {"type": "object", "additionalProperties": True}
SAFE = {**BAG, "propertyNames": SAFE_NAMES}

PLACES = [
    *({key: BAG} for key in ("additionalProperties", "propertyNames", "items", "contains")),
    *({key: BAG} for key in ("not", "if", "then", "else")),
    {"items": [{}], "additionalItems": BAG},
    {"items": [True, BAG]},
    *({key: [True, BAG]} for key in ("allOf", "anyOf", "oneOf")),
    *({key: {"a": BAG}} for key in ("properties", "patternProperties", "definitions")),
    {"dependencies": {"a": ["b"], "c": BAG}},
    {"properties": {"propertyNames": BAG}},
    {"properties": {"a/b~c": BAG}},
    {"properties": {"a": {"items": {"anyOf": [{"properties": {"b": BAG}}]}}}},
]


def replaced(value: Any) -> Any:
    """Return a copy with every bag made safe."""
    if value == BAG:
        return SAFE
    if isinstance(value, dict):
        return {key: replaced(each) for key, each in value.items()}
    return [replaced(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("schema", PLACES, ids=json.dumps)
def test_a_bag_is_made_safe_wherever_a_schema_stands(schema: dict[str, Any]) -> None:
    before = copy.deepcopy(schema)
    result, changes = normalise(schema)
    assert result == replaced(schema)
    assert schema == before
    assert len(changes) == 1
    assert resolve(result, changes[0].pointer) == SAFE_NAMES == changes[0].value


def resolve(value: Any, pointer: str) -> Any:
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


@pytest.mark.parametrize(
    "schema",
    [
        BAG,
        {"properties": {"a": {**BAG, "propertyNames": {"pattern": "^[a-z]$"}}}},
        {"properties": {"a": {**BAG, "propertyNames": True}}},
        {"properties": {"a": {**BAG, "propertyNames": {}}}},
        {"properties": {"a": {"type": "object"}}},
        {"properties": {"a": {"additionalProperties": False}}},
        {"properties": {"a": {"additionalProperties": {}}}},
        {"properties": {"a": {"additionalProperties": {"type": "string"}}}},
        {"properties": {"a": {"additionalProperties": 1}}},
        {"default": BAG, "const": BAG, "enum": [BAG], "examples": [BAG]},
        {"properties": {"a": {"default": BAG}}},
        {"$defs": {"a": BAG}, "x-more": {"properties": {"a": BAG}}},
        {"dependencies": {"a": ["b"]}},
    ],
    ids=json.dumps,
)
def test_nothing_else_is_touched(schema: dict[str, Any]) -> None:
    assert normalise(schema) == (schema, ())


def test_a_new_member_comes_last_and_the_others_keep_their_order() -> None:
    schema = {"b": 1, "properties": {"z": {"additionalProperties": True, "title": "t"}, "a": {}}}
    result, changes = normalise(schema)
    assert json.dumps(result) == json.dumps(
        {
            "b": 1,
            "properties": {
                "z": {"additionalProperties": True, "title": "t", "propertyNames": SAFE_NAMES},
                "a": {},
            },
        }
    )
    assert isinstance(changes[0], Change)
    assert changes[0].pointer == "/properties/z/propertyNames"
    assert "prototype" in changes[0].reason


@pytest.mark.parametrize(
    "name",
    [
        *("__proto__", "constructor", "prototype", "__defineGetter__", "__", "__x", "$", "$ref"),
        "$where",
    ],
)
def test_a_bag_does_not_take_a_name_that_is_not_safe(name: str) -> None:
    definition = defined(with_property(BAG))
    assert definition.input.errors({"extra": {name: 1}})
    own = defined(with_property({**BAG, "propertyNames": {"minLength": 1}}))
    assert not own.input.errors({"extra": {name: 1}})


@pytest.mark.parametrize(
    "name",
    ["a", "", "_id", "_", "proto__", "a__b", "a$", "constructors", "Constructor", "prototype2",
     "myconstructor", "constructor\n", "日本", "🙂"],
)  # fmt: skip
def test_a_bag_takes_every_other_name(name: str) -> None:
    assert not defined(with_property(BAG)).input.errors({"extra": {name: 1}})


@pytest.mark.parametrize("keyword", ["not", "if", "oneOf"])
def test_where_a_change_may_let_more_in_the_author_is_warned(keyword: str) -> None:
    bag = {"type": "object", "required": ["force"], "additionalProperties": True}
    inner = [bag, {"type": "string"}] if keyword == "oneOf" else bag

    def warned(schema: dict[str, Any]) -> list[tuple[str, str]]:
        assert defined(with_property(schema)) is not None
        return sorted(each for each in found(with_property(schema)) if "open-bag" in each[0])

    where = f"/properties/extra/{keyword}{'/0' if keyword == 'oneOf' else ''}/propertyNames"
    assert warned({keyword: inner}) == [("open-bag-turned", where)]
    bag["propertyNames"] = {"maxLength": 9}
    assert warned({keyword: inner}) == [], "an author's own is kept"
    assert warned(BAG) == [], "no more is let in"
    assert warned({"properties": {keyword: BAG}}) == [], "a name is no keyword"


def test_what_is_referred_to_is_made_safe_too() -> None:
    schema = with_property(
        {"$ref": "#/definitions/bag"}, definitions={"bag": {"anyOf": [{"type": "null"}, BAG]}}
    )
    assert defined(schema).input.errors({"extra": {"__proto__": 1}})
    assert not defined(schema).input.errors({"extra": {"proto": 1}})


def test_what_a_tool_gives_may_have_any_name() -> None:
    promised = {"type": "object", "properties": {"counts": BAG}}
    definition = defined(with_property(BAG, **{"x-bascule": block(outputSchema=promised)}))
    assert definition.output is not None
    assert definition.output.errors({"counts": {"$total": 1, "constructor": 2}}) == []
    assert definition.output_schema == {"$schema": DRAFT_07, **promised}
    # What a call sends is held to the rule all the same.
    assert definition.input.errors({"extra": {"$total": 1}})
    assert [change.pointer for change in definition.changes] == [
        "/$schema",
        "/properties/extra/propertyNames",
        "/x-bascule/outputSchema/$schema",
    ]


def test_a_tool_tells_what_was_changed() -> None:
    changes = defined(with_property(BAG)).changes
    assert [change.pointer for change in changes] == [
        "/$schema",
        "/properties/extra/propertyNames",
    ]


def test_a_name_that_reaches_the_prototype_is_refused_anywhere_in_a_file() -> None:
    for schema, pointer in [
        (tool(properties={"__proto__": {}}), "/properties/__proto__"),
        (
            with_property({"properties": {"__proto__": {}}}),
            "/properties/extra/properties/__proto__",
        ),
        (with_property({"default": [{"__proto__": 1}]}), "/properties/extra/default/0/__proto__"),
        (tool(definitions={"__proto__": {}}), "/definitions/__proto__"),
    ]:
        assert ("prototype-key", pointer) in found(schema)
    assert found(with_property({"const": "__proto__", "properties": {"proto": {}}})) == set()


NAMES = st.sampled_from(["a", "b", "__proto__", "constructor", "$x", "items", "a/b", "~"])


def schemas() -> st.SearchStrategy[Any]:
    leaves = st.one_of(
        st.booleans(),
        st.fixed_dictionaries(
            {},
            optional={
                "additionalProperties": st.booleans(),
                "type": st.sampled_from(["object", "array", "string"]),
                "propertyNames": st.just({"maxLength": 3}),
                "default": st.just(BAG),
                "x-note": st.just(BAG),
            },
        ),
    )

    def extend(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        named = st.dictionaries(NAMES, inner, max_size=3)
        some = st.lists(inner, min_size=1, max_size=3)
        return st.fixed_dictionaries(
            {},
            optional={
                "properties": named,
                "patternProperties": st.dictionaries(st.just("a"), inner),
                "definitions": named,
                "dependencies": st.dictionaries(NAMES, st.one_of(inner, st.just(["a"]))),
                "additionalProperties": inner,
                "propertyNames": inner,
                "items": st.one_of(inner, some),
                "additionalItems": inner,
                "contains": inner,
                "not": inner,
                "if": inner,
                "then": inner,
                "anyOf": some,
                "allOf": some,
                "oneOf": some,
            },
        )

    return st.recursive(leaves, extend, max_leaves=12).filter(lambda each: isinstance(each, dict))


@given(schemas())
@settings(deadline=None)
def test_normalising_is_deterministic_and_idempotent(schema: dict[str, Any]) -> None:
    before = json.dumps(schema)
    once, changes = normalise(schema)
    assert json.dumps(schema) == before
    assert json.dumps(normalise(json.loads(before))[0]) == json.dumps(once)
    assert normalise(once) == (once, ())
    for place, node in subschemas(once):
        if place and node.get("additionalProperties") is True:
            assert "propertyNames" in node
    # Taking the new members out again gives the very same text: nothing else was changed.
    for change in reversed(changes):
        parent, _, member = change.pointer.rpartition("/")
        assert list(resolve(once, parent))[-1] == member
        del resolve(once, parent)[member]
    assert json.dumps(once) == before


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.text("ab", max_size=3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["a", "b", "items", "name", "a/b", "~"]), inner, max_size=3
        ),
    ),
    max_leaves=8,
)


@given(schemas(), VALUES)
@settings(deadline=None)
def test_a_harmless_value_gets_the_verdict_that_it_got_before(
    schema: dict[str, Any], value: Any
) -> None:
    before = compile({"$schema": DRAFT_07, **schema})
    after = compile({"$schema": DRAFT_07, **normalise(schema)[0]})
    assert bool(before.errors(value)) == bool(after.errors(value))


def test_parts_without_a_change_are_shared_and_not_copied() -> None:
    schema = {"properties": {"a": {"items": {}}, "b": BAG}, "definitions": {"c": {"not": {}}}}
    result, _ = normalise(schema)
    assert result["definitions"] is schema["definitions"]
    assert result["properties"]["a"] is schema["properties"]["a"]
    assert result["properties"]["b"] is not schema["properties"]["b"]
