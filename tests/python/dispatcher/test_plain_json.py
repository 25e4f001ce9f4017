"""The short way gives what the long way gives, or nothing."""

from __future__ import annotations

from collections import OrderedDict
from enum import IntEnum
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.contract.json_numbers import IntToken, NumberToken
from bridge.contract.strict_json import StrictJsonError, dumps, loads
from bridge.dispatcher.json_copy import json_copy
from bridge.dispatcher.plain_json import quick_copy, quick_dumps

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.floats(1e-8, 1e-4)
    | st.text(st.characters(), max_size=8)
    | st.sampled_from(["\u2028\u2029", "\ud800", b"x", NumberToken("1e400"), IntToken(1, "1.0")]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=8) | st.integers(), inner, max_size=4)
    ),
    max_leaves=20,
)


@settings(max_examples=500, deadline=None)
@given(VALUES)
def test_both_ways_copy_and_write_alike(value: Any) -> None:
    plain = quick_copy(value)
    if plain is None:
        return
    assert plain == json_copy(value)
    written = quick_dumps(plain)
    if written is None:
        return
    assert written == dumps(value)
    assert loads(written) == json_copy(loads(dumps(value)))


class Size(IntEnum):
    BIG = 5


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        None,
        float("nan"),
        [float("inf")],
        "\ud800",
        {"\ud800": 1},
        {1: 2},
        {1, 2},
        2**63,
        -(2**63),
        Size.BIG,
        OrderedDict(a=1),
        UUID(int=0),
        IntToken(1, "1.0"),
        "x" * 50_001,
        ["x"] * 2_000,
        nested(13),
    ],
)
def test_what_is_not_certain_is_left_to_the_long_way(value: object) -> None:
    assert quick_copy(value) is None


def test_a_container_within_itself_and_one_that_grows_by_sharing_end_soon() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert quick_copy(loop) is None
    bomb: list[Any] = ["x"]
    for _ in range(11):
        bomb = [bomb] * 100
    assert quick_copy(bomb) is None


def test_small_fractions_are_written_without_an_exponent_either_way() -> None:
    for value, text in ((1e-6, b"0.000001"), (-1.5e-6, b"-0.0000015"), (9.9e-6, b"0.0000099")):
        assert quick_dumps([value]) is None
        assert dumps([value]) == b"[" + text + b"]"
    for value, text in ((1e-7, b"1e-7"), (1e-5, b"0.00001"), (5e-324, b"5e-324")):
        assert quick_dumps([value]) == dumps([value]) == b"[" + text + b"]"


def test_what_is_long_or_full_of_brackets_is_written_the_long_way() -> None:
    assert quick_dumps({"a": "x" * 8_000}) is not None
    assert quick_dumps({"a": "x" * 8_192}) is None
    assert quick_dumps([[]] * 31) is not None
    assert quick_dumps([[]] * 32) is None
    with pytest.raises(StrictJsonError):
        dumps(nested(33))
    assert quick_dumps(nested(33)) is None
