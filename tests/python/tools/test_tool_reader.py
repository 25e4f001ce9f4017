"""A tool's file as bytes: strict JSON in bounds, and what no file may hold."""

from __future__ import annotations

import json

import pytest

from bridge.contract.schema import SchemaError
from bridge.contract.strict_json import dumps
from bridge.tools import tool_reader
from bridge.tools.loading_limits import LOADING_LIMITS, SENT_SCHEMA_LIMITS
from tests.python.support.tool_packages import block, defined, found, read, tool, with_property

WHOLE = json.dumps(tool()).encode()
LARGEST = LOADING_LIMITS.max_tool_file_bytes


def nested(depth: int) -> bytes:
    """A tool whose containers are nested so deeply, in data that nobody walks."""
    return json.dumps(with_property({"const": 0})).encode().replace(
        b'"const": 0', b'"const": ' + b"[" * (depth - 3) + b"]" * (depth - 3)
    )  # fmt: skip


def long(size: int) -> bytes:
    schema = tool(description="")
    empty = len(json.dumps(schema).encode())
    return json.dumps({**schema, "description": "a" * (size - empty)}).encode()


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        (b"", WHOLE),
        (WHOLE[:-1], WHOLE),
        (WHOLE + b"{}", WHOLE + b" \n"),
        (b"\xef\xbb\xbf" + WHOLE, WHOLE),
        (WHOLE.decode().encode("utf-16"), WHOLE),
        (WHOLE.replace(b"Add a note", b"Add a \xff"), WHOLE.replace(b"Add a", "Füge an".encode())),
        (WHOLE.replace(b"Add a note", rb"\ud800"), WHOLE.replace(b"Add a note", rb"\ud83d\ude00")),
        (WHOLE.replace(b"{", b'{"type": "object", ', 1), WHOLE),
        (WHOLE.replace(b"{", rb'{"typ\u0065": "object", ', 1), WHOLE),
        (b"// a comment\n" + WHOLE, WHOLE),
        (WHOLE[:-1] + b",}", WHOLE),
        (WHOLE.replace(b'"type": "string"', b'"maximum": NaN'),
         WHOLE.replace(b'"type": "string"', b'"maximum": 1e3')),
        (WHOLE.replace(b'"type": "string"', b'"maximum": Infinity'), WHOLE),
        (nested(LOADING_LIMITS.max_schema_depth + 1), nested(LOADING_LIMITS.max_schema_depth)),
        (b"[" * 100_000, WHOLE),
        (b'{"a":' * 50_000, WHOLE),
        (long(LARGEST + 1), long(LARGEST)),
        (b'{"enum":[' + b"1," * 60_000 + b"1]}", WHOLE),
    ],
)  # fmt: skip
def test_a_file_is_strict_json_in_bounds(broken: bytes, whole: bytes) -> None:
    definition, problems = read(broken)
    assert definition is None
    assert [(problem.rule, problem.pointer) for problem in problems] == [("strict-json", "")]
    assert problems[0].message.isascii()
    assert found(whole) == set()


@pytest.mark.parametrize("value", [[], "a", 7, None, True])
def test_a_file_holds_an_object(value: object) -> None:
    assert found(value) == {("root-object", "")}
    assert found(tool()) == set()


def test_a_byte_order_mark_is_told_by_its_name() -> None:
    assert "byte order mark" in read(b"\xef\xbb\xbf" + WHOLE)[1][0].message


@pytest.mark.parametrize(
    ("number", "rules"),
    [(b"1e400", 1), (b"-1e-400", 1), (b"1e307", 0), (b"0.10", 0), (b"9" * 400, 0), (b"-0", 0)],
)
def test_a_number_is_one_that_programs_can_hold(number: bytes, rules: int) -> None:
    data = WHOLE.replace(b'"string"', b'["string", "number"], "const": ' + number)
    assert len(found(data)) == rules
    assert found(data) <= {("number-range", "/properties/text/const")}


def test_numbers_keep_how_they_were_written() -> None:
    data = WHOLE.replace(b'"type": "string"', b'"multipleOf": 0.10, "maximum": 1e2')
    definition = defined(data)
    assert b'"multipleOf":0.10,"maximum":1e2' in dumps(definition.input_schema)
    assert not definition.input.errors({"text": 0.3})
    assert definition.input.errors({"text": 0.35})


def test_what_only_compiling_finds_fails_the_tool_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_schema: object) -> None:
        raise SchemaError("something new")

    assert read(tool())[0] is not None
    monkeypatch.setattr(tool_reader, "compile_schema", refuse)
    definition, problems = read(tool())
    assert definition is None
    assert [(each.rule, each.message) for each in problems] == [
        ("schema", "cannot be used: something new")
    ]


def bags(count: int) -> dict[str, object]:
    """A tool with so many open objects, no two of whose names differ in length."""
    return tool(
        properties={f"p{index:05}": {"additionalProperties": True} for index in range(count)}
    )


def test_a_schema_can_be_sent_with_what_loading_adds() -> None:
    one, two = (len(dumps(defined(bags(count)).input_schema)) for count in (1_000, 1_001))
    most = 1_000 + (SENT_SCHEMA_LIMITS.max_encoded_bytes - one) // (two - one)
    assert found(bags(most)) == set()
    assert found(bags(most + 1)) == {("schema-size", "")}


def test_so_many_problems_are_told_and_how_many_more_there_are() -> None:
    most = LOADING_LIMITS.max_problems_per_file
    wrong = {f"p{index}": {"type": 7} for index in range(most + 5)}
    problems = read(tool(properties=wrong))[1]
    assert len(problems) == most + 1
    assert problems[-1].rule == "more-problems"
    assert problems[-1].message.startswith("5 more")
    assert problems[-1].severity == "error"
    exactly = {f"p{index}": {"type": 7} for index in range(most)}
    assert len(read(tool(properties=exactly))[1]) == most


def test_warnings_do_not_push_an_error_out_of_sight() -> None:
    noise = {f"k{index}": 1 for index in range(LOADING_LIMITS.max_problems_per_file + 5)}
    definition, problems = read(tool({"recovery": 1, **block()}, **noise))
    assert definition is None
    assert any(problem.severity == "error" for problem in problems)
    assert read(tool(**noise))[0] is not None


def test_the_same_bytes_give_the_same_problems_in_the_same_order() -> None:
    broken = json.dumps(
        tool({"recovery": 1, "zeta": 2, "alpha": 3}, type="array", required=["a", "b"])
    ).encode()
    assert read(broken)[1] == read(broken)[1]
    assert len(read(broken)[1]) == 7
