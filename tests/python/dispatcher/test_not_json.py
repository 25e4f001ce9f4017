"""The place where a value of an app's is no JSON."""

from __future__ import annotations

from collections import OrderedDict
from datetime import date
from decimal import Decimal
from enum import IntEnum, StrEnum
from typing import Any

import pytest

from bridge.contract.json_numbers import NumberToken
from bridge.dispatcher.json_copy import to_plain
from bridge.dispatcher.not_json import first_not_json


class Colour(StrEnum):
    RED = "red"


class Size(IntEnum):
    BIG = 5


class Point:
    pass


@pytest.mark.parametrize(
    ("value", "path", "message"),
    [
        ({"a": [1, {2}]}, "/a/1", "is a set"),
        ({"a": {"b": date(2026, 1, 1)}}, "/a/b", "isoformat"),
        ({"a/b~c": b"x"}, "/a~1b~0c", "is bytes"),
        ({"a": Decimal(1)}, "/a", "Decimal"),
        ({"a": Point()}, "/a", "an instance of Point"),
        ({"a": float("nan")}, "/a", "nan"),
        ({"a": float("-inf")}, "/a", "-inf"),
        ({"a": "\ud800"}, "/a", "half a character"),
        ({"\ud800": 1}, "", "half a character"),
        ({1: "a"}, "", "int"),
        (first_not_json, "", "is a function"),
        (1j, "", "complex"),
    ],
)
def test_a_place_is_named_with_its_kind(value: object, path: str, message: str) -> None:
    found = first_not_json(value)
    assert found is not None
    assert found.path == path
    assert message in found.message


@pytest.mark.parametrize(
    "value", [{"a": (1, None, True, 1.5, "x")}, OrderedDict(a=1), Colour.RED, Size.BIG, 10**30]
)
def test_what_json_can_tell_is_not_found(value: object) -> None:
    assert first_not_json(value) is None


def test_a_value_within_itself_is_found_and_one_that_cannot_be_looked_at_is_left() -> None:
    loop: dict[str, Any] = {}
    loop["self"] = loop
    found = first_not_json(loop)
    assert found is not None
    assert "within itself" in found.message

    class Raising(dict[str, int]):
        def items(self) -> Any:
            raise RuntimeError("x")

    assert first_not_json(Raising(a=1)) is None


def test_long_paths_are_cut() -> None:
    found = first_not_json({"x" * 500: {1}})
    assert found is not None
    assert len(found.path) == 201


def test_a_plain_copy_has_plain_kinds_only() -> None:
    value = {Colour.RED: (Colour.RED, Size.BIG, OrderedDict(a=True)), "n": NumberToken("1e400")}
    plain = to_plain(value)
    assert plain == {"red": ["red", 5, {"a": True}], "n": NumberToken("1e400")}
    assert [type(key) for key in plain] == [str, str]
    assert [type(member) for member in plain["red"]] == [str, int, dict]
