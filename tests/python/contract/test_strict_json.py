"""Strict JSON by the vectors, by the public suite, and against its twin."""

from __future__ import annotations

import base64
import copy
import json
import math
import pickle
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.contract.json_numbers import FloatToken, IntToken, NumberToken, read_number
from bridge.contract.limits import JSON_LIMITS, JsonLimits
from bridge.contract.strict_json import StrictJsonError, dumps, loads, number_token
from tests.python.support.json_documents import JSON_VALUES, documents
from tests.python.support.vectors import ROOT, document, load_vectors, shared_suite

VECTORS = load_vectors("strict_json.json")

DUPLICATES_REFUSED = {"y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"}
"""The suite accepts these; a duplicate key means different things to different readers."""

UNDEFINED_ACCEPTED = {
    "i_number_double_huge_neg_exp.json",
    "i_number_huge_exp.json",
    "i_number_neg_int_huge_exp.json",
    "i_number_pos_double_huge_exp.json",
    "i_number_real_neg_overflow.json",
    "i_number_real_pos_overflow.json",
    "i_number_real_underflow.json",
    "i_number_too_big_neg_int.json",
    "i_number_too_big_pos_int.json",
    "i_number_very_big_negative_int.json",
}
"""Where the suite leaves it open: numbers of any size are accepted, as their token is kept.
Bytes that are no valid UTF-8, lone surrogates, a byte order mark and 500 levels are refused."""


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case["name"])
def test_a_document_gets_the_verdict_of_its_vector(case: dict[str, Any]) -> None:
    data = document(case)
    if case["valid"]:
        rewritten = case.get("rewritten", data.decode())
        assert dumps(loads(data)).decode() in (
            [rewritten] if isinstance(rewritten, str) else rewritten
        )
        return
    with pytest.raises(StrictJsonError) as caught:
        loads(data)
    assert (caught.value.kind, caught.value.limit) == (case["kind"], case.get("limit"))


def test_the_public_suite_gets_its_verdicts() -> None:
    files = sorted((shared_suite("JSONTestSuite") / "test_parsing").glob("*.json"))
    assert len(files) > 250
    wrong = []
    for path in files:
        expected = {"y": True, "n": False}.get(path.name[0], path.name in UNDEFINED_ACCEPTED)
        if path.name in DUPLICATES_REFUSED:
            expected = False
        if accepts(path.read_bytes()) is not expected:
            wrong.append(path.name)
    assert wrong == []


def accepts(data: bytes) -> bool:
    try:
        loads(data)
    except StrictJsonError:
        return False
    return True


@pytest.mark.parametrize(
    ("token", "value"),
    [("1e3", 1000), ("10.0", 10), ("-0", 0), ("1E2", 100), ("120e-1", 12), ("1.50e2", 150)],
)
def test_an_integral_number_is_an_int_that_remembers_its_token(token: str, value: int) -> None:
    number = loads(token.encode())
    assert isinstance(number, int)
    assert number == value
    assert number_token(number) == token


def test_a_fraction_is_a_float_that_remembers_its_token() -> None:
    number = loads(b"0.10")
    assert isinstance(number, float)
    assert number == 0.1
    assert number_token(number) == "0.10"
    assert type(loads(b"0.1")) is float


@pytest.mark.parametrize("token", ["1e400", "-1e400", "1e-400", "1e99999999999"])
def test_what_no_number_can_hold_stays_a_token(token: str) -> None:
    number = loads(token.encode())
    assert number == NumberToken(token)
    assert isinstance(number, NumberToken)
    if len(token) < 8:
        assert number.to_decimal() == Decimal(token)
    else:
        with pytest.raises(OverflowError):
            number.to_decimal()


@pytest.mark.parametrize("number", [IntToken(1000, "1e3"), FloatToken("0.10")])
def test_numbers_with_tokens_survive_copies(number: Any) -> None:
    for other in (copy.deepcopy(number), pickle.loads(pickle.dumps(number))):
        assert (other, other.token) == (number, number.token)


def test_a_token_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="01x"):
        read_number("01x")


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        math.inf,
        -math.inf,
        "\ud800",
        {"\udc00": 1},
        {1: 2},
        {None: 1},
        b"bytes",
        object(),
        {1, 2},
        Decimal(1),
        10**1100,
        [[math.nan]],
    ],
    ids=repr,
)
def test_what_is_not_json_is_not_written(value: object) -> None:
    with pytest.raises(StrictJsonError):
        dumps(value)


def test_tuples_mappings_and_subclasses_are_written_as_what_they_are() -> None:
    class Name(str):
        __slots__ = ()

        def __str__(self) -> str:
            return "lie"

    assert dumps((1, OrderedDict(a=Name("x")), True)) == b'[1,{"a":"x"},true]'


def test_big_integers_are_written_exactly() -> None:
    assert (
        dumps([2**63, -(2**63) - 1, 10**100])
        == json.dumps([2**63, -(2**63) - 1, 10**100], separators=(",", ":")).encode()
    )


def test_a_cycle_ends_at_the_depth_limit() -> None:
    cycle: list[object] = []
    cycle.append(cycle)
    with pytest.raises(StrictJsonError) as caught:
        dumps(cycle)
    assert caught.value.limit == "depth"


SMALL = JsonLimits(
    max_encoded_bytes=40,
    max_depth=2,
    max_values=6,
    max_members=3,
    max_string_bytes=8,
    max_number_chars=5,
)


@pytest.mark.parametrize(
    ("value", "limit"),
    [
        ([[1]], None),
        ([[[1]]], "depth"),
        ([1, 2, 3], None),
        ([1, 2, 3, 4], "members"),
        ({"a": [1, 2], "b": 3}, None),
        ({"a": [1, 2], "b": [3, 4]}, "values"),
        ("x" * 8, None),
        ("x" * 9, "stringBytes"),
        ({"x" * 9: 1}, "stringBytes"),
        (12345, None),
        (IntToken(1, "1.0000"), "numberChars"),
        (["x" * 8, "y" * 8, "z" * 8], None),
        (["\x00" * 6, "\x00" * 6], "encodedBytes"),
    ],
)
def test_the_writer_obeys_the_same_limits(value: object, limit: str | None) -> None:
    if limit is None:
        assert loads(dumps(value, SMALL), SMALL) == value
        return
    with pytest.raises(StrictJsonError) as caught:
        dumps(value, SMALL)
    assert caught.value.limit == limit


def test_a_message_does_not_repeat_what_a_document_holds() -> None:
    with pytest.raises(StrictJsonError) as caught:
        loads(b'{"secret":1,"secret":2}')
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "[-0,-0e0,-0e00,-0e000,-0e05,-0e01]",
        '{"-0":-0,"-0e0":"-0e0","x":[-0e00]}',
        "[-0e0,-0E0,-0E00,-0.0,-0.0e0,-0e+0,-0e-0,1e-0,0e0]",
        "-0e0000",
        "-0",
    ],
)
def test_spellings_of_minus_zero_are_not_taken_for_one_another(text: str) -> None:
    assert dumps(loads(text.encode())).decode() == text


@pytest.mark.parametrize("limit", [None, "numberChars"])
def test_a_long_minus_zero_is_measured_as_it_is_written(limit: str | None) -> None:
    zeros = JSON_LIMITS.max_number_chars - len("-0e") + (limit is not None)
    data = b"[-0,-0e" + b"0" * zeros + b"]"
    if limit is None:
        assert dumps(loads(data)) == data
        return
    with pytest.raises(StrictJsonError) as caught:
        loads(data)
    assert caught.value.limit == limit


HOSTILE = {
    "zeros of a minus zero": b"[-0,-0e" + b"0" * 1_000_000 + b"]",
    "a minus zero inside a string": b'[-0,"-0e' + b"0" * 270_000 + b'"]',
    "escaped quotes without an end": b'["' + b'\\"' * 500_000 + b"," * 17_000,
    "escaped quotes and commas without an end": b'["' + b',\\"' * 300_000,
    "an escape without an end": b'["' + b',\\"' * 300_000 + b"\\",
    "minus zeros in a string without an end": b'["' + b'-0\\"' * 250_000 + b"\\",
    "escapes without an end": b'["' + b"\\\\" * 450_000 + b"," * 17_000,
    "brackets and blanks": (b"[" + b" " * 50) * 17_000,
}
READ_ALL = """
import sys
from bridge.contract.raw_json import read_object
from bridge.contract.strict_json import StrictJsonError, loads

data = sys.stdin.buffer.read()
for read in (loads, lambda body: read_object(b'{"request":' + body + b"}", raw=("request",))):
    try:
        read(data)
    except StrictJsonError as error:
        print(error.kind)
"""


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_no_document_is_read_again_and_again(data: bytes) -> None:
    # Another process: one that never came back could not be ended here. It takes no second.
    assert len(data) < JSON_LIMITS.max_encoded_bytes
    read = subprocess.run(
        [sys.executable, "-c", READ_ALL], input=data, capture_output=True, timeout=20, check=True
    )
    assert len(read.stdout.split()) == 2, "each is refused"


@given(JSON_VALUES)
def test_reading_what_was_written_gives_the_same(value: object) -> None:
    data = dumps(value)
    assert b"\n" not in data
    assert json.loads(data) == value
    assert dumps(loads(data)) == data


@given(st.binary(max_size=200))
def test_any_bytes_give_a_value_or_the_typed_error(data: bytes) -> None:
    accepts(data)


@pytest.fixture(scope="module")
def twin() -> Iterator[subprocess.Popen[bytes]]:
    """Run the JavaScript reader and writer as one child: a document in, a verdict out."""
    script = ROOT / "tests" / "javascript" / "support" / "strict_json_peer.js"
    process = subprocess.Popen(["node", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    yield process
    assert process.stdin is not None
    process.stdin.close()
    process.wait(10)
    assert process.stdout is not None
    process.stdout.close()


def ask(twin: subprocess.Popen[bytes], data: bytes) -> dict[str, Any]:
    assert twin.stdin is not None
    assert twin.stdout is not None
    twin.stdin.write(base64.b64encode(data) + b"\n")
    twin.stdin.flush()
    answer: dict[str, Any] = json.loads(twin.stdout.readline())
    return answer


def by_token(text: str) -> Any:
    return json.loads(text, parse_int=str, parse_float=str)


def test_both_languages_give_one_verdict(twin: subprocess.Popen[bytes]) -> None:
    @settings(max_examples=1500, deadline=None)
    @given(documents())
    def compare(data: bytes) -> None:
        theirs = ask(twin, data)
        kind, ours = None, ""
        try:
            ours = dumps(loads(data)).decode()
        except StrictJsonError as error:
            kind = error.kind
        assert theirs.get("kind") == kind, data
        if kind is not None:
            return
        # An object's members have no order: JavaScript puts keys that look like numbers first.
        assert by_token(ours) == by_token(theirs["rewritten"]), data

    compare()


def test_the_default_limits_are_the_contracts() -> None:
    assert (
        JSON_LIMITS.max_encoded_bytes,
        JSON_LIMITS.max_depth,
        JSON_LIMITS.max_values,
        JSON_LIMITS.max_members,
        JSON_LIMITS.max_string_bytes,
        JSON_LIMITS.max_number_chars,
    ) == (2**20, 32, 16_384, 4_096, 2**18, 1_024)
