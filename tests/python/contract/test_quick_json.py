"""The quick reader is either silent or says what the careful one says."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bridge.contract import strict_json
from bridge.contract.json_numbers import FloatToken, IntToken, NumberToken
from bridge.contract.limits import JSON_LIMITS, JsonLimits
from bridge.contract.quick_json import read_quickly
from bridge.contract.strict_json import StrictJsonError, loads
from tests.python.support.json_documents import documents
from tests.python.support.vectors import document, load_vectors, shared_suite


def carefully(data: bytes, limits: JsonLimits = JSON_LIMITS) -> object:
    return strict_json._parse(data, limits, limits.max_depth)


def typed(value: Any) -> Any:
    """Return the value with the kind and the token of each number, as `==` knows neither."""
    if isinstance(value, dict):
        return {key: typed(member) for key, member in value.items()}
    if isinstance(value, list):
        return [typed(member) for member in value]
    if isinstance(value, IntToken | FloatToken | NumberToken):
        return (type(value), value.token)
    return (type(value), repr(value))


def assert_agrees(data: bytes, limits: JsonLimits = JSON_LIMITS) -> bool:
    """Return whether the quick reader knew the document."""
    found = read_quickly(data, limits)
    if found is None:
        return False
    assert typed(found[0]) == typed(carefully(data, limits)), data
    return True


@settings(max_examples=2_000, deadline=None)
@given(documents())
@example(b'{"a":1,"a":":"}')
@example(b'{"a":"::","a":1,"b":"\\u003a"}')
@example(b'{"a":{"b":1,"b":2}}')
@example(b"[-0,-0.0,-0e0,1e3,1.0,0.10,1e400,18446744073709551616]")
def test_it_is_silent_or_agrees(data: bytes) -> None:
    assert_agrees(data)


@given(st.binary(max_size=100))
def test_any_bytes_are_no_surprise(data: bytes) -> None:
    assert_agrees(data)


@pytest.mark.parametrize("case", load_vectors("strict_json.json"), ids=lambda case: case["name"])
def test_it_is_silent_or_agrees_on_every_vector(case: dict[str, Any]) -> None:
    assert_agrees(document(case))


def test_it_accepts_nothing_of_the_public_suite_that_the_careful_reader_refuses() -> None:
    for path in sorted((shared_suite("JSONTestSuite") / "test_parsing").glob("*.json")):
        assert_agrees(path.read_bytes())


ORDINARY = [
    b'{"jsonrpc":"2.0","id":1,"method":"actions/list","params":{}}',
    b'{"x":-0.5,"y":1.25e3,"big":9223372036854775807,"text":"a:b\\n\\"{["}',
    b'{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}',
    b"null",
    b"[" + b"[]," * 40 + b"[]]",
    b"[" * 32 + b"]" * 32,
]


@pytest.mark.parametrize("data", ORDINARY)
def test_it_knows_ordinary_documents(data: bytes) -> None:
    assert assert_agrees(data)


SMALL = JsonLimits(
    max_encoded_bytes=200,
    max_depth=3,
    max_values=12,
    max_members=6,
    max_string_bytes=60,
    max_number_chars=40,
)


@pytest.mark.parametrize(
    ("data", "limit"),
    [
        (b"[[[1]]]", None),
        (b"[[[[1]]]]", "depth"),
        (b'["[[[[",[[1]]]', None),
        (b'["[[[[",[[[1]]]]', "depth"),
        (b"[1,2,3,4,5,6]", None),
        (b"[1,2,3,4,5,6,7]", "members"),
        (b"[[1,2,3],[4,5,6]]", None),
        (b"[[1,2,3,4],[5,6,7,8],[9]]", "values"),
        (b"[0." + b"1" * 30 + b"]", None),
        (b"[0." + b"1" * 39 + b"]", "numberChars"),
        (b'["' + b"x" * 61 + b'"]', "stringBytes"),
        (b'[{"a":1,"a":2}]', None),
    ],
)
def test_what_breaks_a_limit_is_left_to_the_careful_reader(data: bytes, limit: str | None) -> None:
    if limit is None and b'"a"' not in data:
        assert assert_agrees(data, SMALL)
        return
    assert read_quickly(data, SMALL) is None
    with pytest.raises(StrictJsonError) as caught:
        carefully(data, SMALL)
    assert caught.value.limit == limit


def test_an_integer_that_is_too_long_is_left_to_the_careful_reader() -> None:
    assert read_quickly(b"1" * (JSON_LIMITS.max_number_chars + 1), JSON_LIMITS) is None


def test_it_gives_way_to_none_of_what_only_one_reader_can_tell() -> None:
    for data in (
        b"-0",
        b"[-0]",
        b'["2026-07-28",-0]',
        b'{"\\u003a":1}',
        b"18446744073709551616",
        b"0." + b"1" * 40,
    ):
        assert read_quickly(data, JSON_LIMITS) is None
        carefully(data)


def test_it_is_loaded_by_those_who_read_many_documents_only() -> None:
    script = """
import sys
from bridge.contract.strict_json import loads
for _ in range(15):
    loads(b"[1]")
print("msgspec" in sys.modules)
loads(b"[1]")
print("msgspec" in sys.modules, loads(b'{"a":[1.50]}'))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=20, check=True
    )
    assert done.stdout.split() == ["False", "True", "{'a':", "[1.5]}"]


def test_both_ways_of_reading_refuse_alike() -> None:
    for _ in range(20):
        loads(b"[]")
    with pytest.raises(StrictJsonError):
        loads(b'{"a":1,"a":2}')
    assert loads(b'{"a":1,"b":2}') == {"a": 1, "b": 2}
