"""JSON that is passed on: every number keeps its characters."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.cli.output.json_text import (
    JsonTextError,
    NumberText,
    compact,
    members,
    read,
    read_object,
)

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_what_is_read_is_written_with_the_same_meaning(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)
    assert json.loads(compact(read(text))) == value


@pytest.mark.parametrize("number", ["0", "-0", "1e3", "10.0", "0.10", "1e400", "9" * 40, "-1.5E-7"])
def test_a_number_keeps_its_characters(number: str) -> None:
    value = read(f'{{"n": [{number}]}}')
    assert compact(value) == f'{{"n":[{number}]}}'
    assert isinstance(value["n"][0], NumberText)


@pytest.mark.parametrize(
    "text", ["", "{", "[1,]", "NaN", "-Infinity", '{"a":1,"a":2}', "'a'", "[" * 100_000, "1 2"]
)
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(JsonTextError):
        read(text)


def test_only_an_object_is_an_object() -> None:
    assert read_object(b'{"\xc3\xa9": 1}') == {"é": "1"}
    for text in ("[]", "1", b"\xff"):
        with pytest.raises(JsonTextError):
            read_object(text)


@given(st.dictionaries(st.text(), VALUES, max_size=5), st.sampled_from(["", " ", "\n\t"]))
def test_members_are_cut_out_as_they_are_written(value: dict[str, object], gap: str) -> None:
    written = {name: json.dumps(member) for name, member in value.items()}
    body = f",{gap}".join(
        f"{json.dumps(name)}{gap}:{gap}{text}{gap}" for name, text in written.items()
    )
    assert members(f"{gap}{{{gap}{body}}}{gap}") == written


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"a"', '{"a":', '{"a":1', '{"a":1,}', '{"a":1 "b":2}', '{1:2}', '{"a":1}x',
     '{"a":1,"a":2}', '{"a":NaN}', "{,}", '{"a"=1}'],
)  # fmt: skip
def test_members_of_what_is_no_object_are_refused(text: str) -> None:
    with pytest.raises(JsonTextError):
        members(text)
