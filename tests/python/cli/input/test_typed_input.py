"""Values of input get the type that the action's schema asks for; mistakes are explained."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.cli.input.action_schema import ActionSchema
from bridge.cli.input.input_words import read_words
from bridge.cli.input.typed_input import typed_input
from bridge.cli.output.json_text import compact, read
from bridge.cli.usage_error import UsageError
from bridge.contract.limits import JSON_LIMITS

Schema = Any


def of(**properties: Schema) -> dict[str, Schema]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def given_words(schema: Schema, *words: str, base: Schema = None) -> str:
    """Return the input as JSON text, by a schema that is read as a command reads it."""
    known = None if base is None else read(json.dumps(base))
    return compact(typed_input(read_words(words), read(json.dumps(schema)), known))


def refused(schema: Schema, *words: str) -> str:
    with pytest.raises(UsageError) as caught:
        given_words(schema, *words)
    return str(caught.value)


@pytest.mark.parametrize(
    ("schema", "words", "written"),
    [
        ({"type": "string"}, ["k=123"], '"123"'),
        ({"type": "string"}, ["k=true"], '"true"'),
        ({"type": "string"}, ["k="], '""'),
        ({"type": "string"}, ["k={}"], '"{}"'),
        ({"type": "integer"}, ["k=-5"], "-5"),
        ({"type": "integer"}, ["k=" + "9" * 60], "9" * 60),
        ({"type": "integer"}, ["k=1e3"], "1e3"),
        ({"type": "integer"}, ["k=10.0"], "10.0"),
        ({"type": "integer"}, ["k=-0.00"], "-0.00"),
        ({"type": "integer"}, ["k=1.50e1"], "1.50e1"),
        ({"type": "integer"}, ["k=300e-2"], "300e-2"),
        ({"type": "number"}, ["k=0.10"], "0.10"),
        ({"type": "number"}, ["k=1e400"], "1e400"),
        ({"type": "boolean"}, ["k=false"], "false"),
        ({"type": "null"}, ["k=null"], "null"),
        ({"type": ["string", "null"]}, ["k=null"], "null"),
        ({"type": ["string", "integer"]}, ["k=7"], "7"),
        ({"type": ["string", "integer"]}, ["k=7a"], '"7a"'),
        ({"type": ["string", "integer"]}, ['k:="7"'], '"7"'),
        ({"enum": ["a", 1, None, True]}, ["k=1"], "1"),
        ({"enum": ["a", 1, None, True]}, ["k=null"], "null"),
        ({"enum": ["a", "1"]}, ["k=1"], '"1"'),
        ({"const": 3}, ["k=3"], "3"),
        ({"type": "array", "items": {"type": "integer"}}, ["k=1", "k=2"], "[1,2]"),
        ({"type": "array", "items": {"type": "string"}}, ["k=1"], '["1"]'),
        ({"type": "array", "items": {"type": "string"}}, ['k=["a","b"]'], '["a","b"]'),
        ({"type": "array", "items": {"type": "string"}}, ["k=[a"], '["[a"]'),
        ({"type": "array"}, ["k:=[]"], "[]"),
        ({"type": "array", "items": {"type": "object"}}, ['k={"a":1}', 'k:={"b":2}'],
         '[{"a":1},{"b":2}]'),
        ({"type": "object"}, ['k={"a":1e1}'], '{"a":1e1}'),
        (of(a={"type": "integer"}), ["k.a=1"], '{"a":1}'),
        ({}, ["k=5"], "5"),
        ({}, ["k=five"], '"five"'),
        ({}, ["k=[1"], '"[1"'),
        (True, ["k=true"], "true"),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, ["k=x"], '"x"'),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, ["k=4"], "4"),
        ({"allOf": [{"type": "integer"}, {"minimum": 1}]}, ["k=4"], "4"),
    ],
)  # fmt: skip
def test_a_value_gets_the_type_of_its_key(schema: Schema, words: list[str], written: str) -> None:
    assert given_words(of(k=schema), *words) == f'{{"k":{written}}}'


def test_members_are_set_inside_one_another() -> None:
    schema = of(a={"type": "object", "properties": {"b": of(c={"type": "integer"})}})
    assert given_words(schema, "a.b.c=1", "a.x=y") == '{"a":{"b":{"c":1},"x":"y"}}'


def test_a_property_may_have_a_dot_in_its_name() -> None:
    schema = of(**{"a.b": {"type": "integer"}, "a": {"type": "string"}})
    assert given_words(schema, "a.b=1") == '{"a.b":1}'
    assert given_words(schema, r"a\.b=1") == '{"a.b":1}'


def test_words_are_put_over_what_was_given_as_json() -> None:
    schema = of(a={"type": "integer"}, o={"type": "object"})
    base = {"a": 1, "o": {"x": 1, "y": 2}}
    assert given_words(schema, "a=2", "o.x=3", base=base) == '{"a":2,"o":{"x":3,"y":2}}'


def test_references_are_followed_and_recursion_is_no_trap() -> None:
    schema = of(tree={"$ref": "#/$defs/node"}) | {
        "$defs": {
            "node": of(value={"type": "integer"}, next={"$ref": "#/$defs/node"}),
            "loop": {"$ref": "#/$defs/loop"},
        }
    }
    assert given_words(schema, "tree.next.next.value=3") == '{"tree":{"next":{"next":{"value":3}}}}'
    schema["properties"]["l"] = {"$ref": "#/$defs/loop"}
    assert given_words(schema, "l=3") == '{"l":3}'


def test_the_alternative_that_fits_is_taken() -> None:
    circle = of(kind={"const": "circle"}, r={"type": "number"}) | {"required": ["kind", "r"]}
    label = of(kind={"const": "label"}, r={"type": "string"}) | {"required": ["kind"]}
    schema = {"oneOf": [circle, label]}
    assert given_words(schema, "kind=circle", "r=5") == '{"kind":"circle","r":5}'
    assert given_words(schema, "kind=label", "r=5") == '{"kind":"label","r":"5"}'
    message = refused(schema, "kind=circle", "r=x")
    assert "none of its 2 forms" in message
    assert "'r' takes a number, such as r=1.5; 'x' is not." in message


@pytest.mark.parametrize(
    ("schema", "word", "message"),
    [
        ({"type": "integer", "minimum": 3}, "k=x",
         "'k' takes an integer, such as k=3; 'x' is not."),
        ({"type": "integer"}, "k=1.5", "'k' takes an integer, such as k=1; '1.5' is not."),
        ({"type": "integer"}, "k=1.55e1", "'k' takes an integer, such as k=1; '1.55e1' is not."),
        ({"type": "integer"}, "k=30e-2", "'k' takes an integer, such as k=1; '30e-2' is not."),
        ({"type": "integer"}, "k=007", "'k' takes an integer, such as k=1; '007' is not."),
        ({"type": "integer"}, "k=", "'k' takes an integer, such as k=1; '' is not."),
        ({"type": "boolean"}, "k=yes", "'k' takes true or false, such as k=true; 'yes' is not."),
        ({"type": "object"}, "k=x", "'k' takes an object, such as k='{}'; 'x' is not."),
        ({"enum": ["left", "right"]}, "k=rihgt",
         "'k' takes one of left, right; 'rihgt' is not. Did you mean right?"),
        ({"enum": ["a b", "c"]}, "k=zzzz",
         "'k' takes one of a b, c, such as k='a b'; 'zzzz' is not."),
        ({"type": ["integer", "null"]}, "k=x",
         "'k' takes an integer or null, such as k=1; 'x' is not."),
        ({"type": "integer", "examples": [42]}, "k=x",
         "'k' takes an integer, such as k=42; 'x' is not."),
    ],
)  # fmt: skip
def test_a_wrong_value_is_explained(schema: Schema, word: str, message: str) -> None:
    assert refused(of(k=schema), word) == message


def test_a_wrong_key_is_explained() -> None:
    schema = of(title={"type": "string"}, at={"type": "integer"})
    assert refused(schema, "titel=x") == (
        "there is no key 'titel' here. Did you mean title? The keys are title, at."
    )
    assert refused(of(), "a=1") == "there is no key 'a' here. It takes no keys."
    nested = of(o=of(page={"type": "integer"}))
    assert "Did you mean o.page?" in refused(nested, "o.pgae=1")


def test_a_missing_key_is_explained() -> None:
    schema = of(a={"type": "string"}, b={"type": "array", "items": {"enum": ["x"]}})
    schema["required"] = ["a", "b"]
    assert refused(schema, "a=1") == ("the key 'b' is missing: it takes a list, such as b=x b=x")
    assert given_words(schema, "a=1", base={"b": []}) == '{"b":[],"a":"1"}'


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["s=a", "s=b"], "'s' is given 2 times, and takes text"),
        (["o=1", "o.x=1"], "given both as a whole and by its members"),
        (["o.x=1", "o={}"], "given both as a whole and by its members"),
        (["s.x=1"], "'s' takes text, and no members"),
        (["s:={"], "'s' cannot be read as JSON"),
        (['s:={"a":1,"a":2}'], "given twice"),
    ],
)
def test_words_that_contradict_each_other_are_explained(words: list[str], message: str) -> None:
    assert message in refused(of(s={"type": "string"}, o={"type": "object"}), *words)


def test_a_long_value_is_not_repeated_whole() -> None:
    message = refused(of(k={"type": "integer"}), "k=" + "x" * 500)
    assert "x" * 30 in message
    assert len(message) < 150


def test_a_schema_that_grows_without_end_is_read_in_bounds() -> None:
    definitions: dict[str, Schema] = {"d0": {"type": "integer"}}
    for n in range(1, 40):
        ref = {"$ref": f"#/$defs/d{n - 1}"}
        definitions[f"d{n}"] = {"anyOf": [ref, ref], "allOf": [ref, ref]}
    schema = of(k={"$ref": "#/$defs/d39"}) | {"$defs": definitions}
    assert given_words(schema, "k=1") == '{"k":1}'
    assert len(ActionSchema(schema).forms(schema["properties"]["k"])) <= 64


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(schema=JSON, words=st.lists(st.from_regex(r"[a-c](\.[a-c])?:?=[ -~]{0,6}", fullmatch=True)))
def test_no_schema_and_no_words_are_a_crash(schema: Schema, words: list[str]) -> None:
    for around in (schema, of(a=schema), {"properties": schema}, {"anyOf": [schema, of(b=schema)]}):
        with suppress(UsageError):
            assert isinstance(json.loads(given_words(around, *words)), dict)


BASE64: Schema = {"type": "string", "contentEncoding": "base64"}
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


def test_a_file_is_sent_as_base64_where_the_schema_takes_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"\x00\xffbytes")
    text = b64encode(b"\x00\xffbytes").decode()
    schema = of(attachment=ATTACHMENT, plain=BASE64, name={"type": "string"})
    assert json.loads(given_words(schema, f"attachment=@{path}")) == {"attachment": {"data": text}}
    assert json.loads(given_words(schema, f"plain=@{path}")) == {"plain": text}
    assert json.loads(given_words(schema, f"attachment.data=@{path}")) == {
        "attachment": {"data": text}
    }
    # Elsewhere it is a text like any other, and a file is never read.
    assert json.loads(given_words(schema, f"name=@{path}")) == {"name": f"@{path}"}


def test_a_long_file_goes_in_parts_that_are_whole_by_themselves(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    data = bytes(range(256)) * 2_800
    path.write_bytes(data)
    written = given_words(of(attachment=ATTACHMENT), f"attachment=@{path}")
    assert len(written) < JSON_LIMITS.max_encoded_bytes
    parts = json.loads(written)["attachment"]["data"]
    assert len(parts) == 4
    assert all(len(part) <= JSON_LIMITS.max_string_bytes for part in parts)
    assert b"".join(b64decode(part, validate=True) for part in parts) == data
    assert "takes at most 196,608" in refused(of(k=BASE64), f"k=@{path}")


def test_a_file_that_cannot_be_sent_is_named(tmp_path: Path) -> None:
    schema = of(attachment=ATTACHMENT)
    missing = tmp_path / "none"
    assert refused(schema, f"attachment=@{missing}").endswith(
        f"{missing}: No such file or directory"
    )
    assert "Is a directory" in refused(schema, f"attachment=@{tmp_path}")
    path = tmp_path / "long"
    with path.open("wb") as file:
        file.truncate(1_048_576)
    assert "more than 774,144 bytes" in refused(schema, f"attachment=@{path}")
