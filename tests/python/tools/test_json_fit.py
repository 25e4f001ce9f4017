"""JSON that is made small enough: it stays what it was, and there is less of it."""

from __future__ import annotations

from collections import UserDict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.contract.json_numbers import NumberToken
from bridge.contract.limits import JSON_LIMITS
from bridge.contract.schema import compile as compile_schema
from bridge.contract.strict_json import dumps
from bridge.tools.json_cost import VALUE_COST, FitLimits, NotJsonError
from bridge.tools.json_fit import fit
from tests.python.support.calm import calm

LIMITS = FitLimits(max_bytes=4_096, max_string_chars=512, max_members=64, max_depth=6)
WRITE = JSON_LIMITS._replace(max_encoded_bytes=1 << 28, max_values=1 << 22, max_members=1 << 20)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
    | st.text("ab\0\u2028ä", min_size=300, max_size=900)
)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=20)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), inner)
        | st.lists(inner, min_size=1, max_size=2).map(lambda items: items * 50)
    ),
    max_leaves=60,
)


def size_of(value: object) -> int:
    return len(dumps(value, WRITE))


def height_of(value: object) -> int:
    if isinstance(value, dict | list):
        members = list(value.values()) if isinstance(value, dict) else value
        return 1 + max(map(height_of, members), default=-1)
    return 0


def values_in(value: object) -> int:
    if isinstance(value, dict | list):
        members = list(value.values()) if isinstance(value, dict) else value
        return 1 + sum(map(values_in, members))
    return 1


def is_less_of(small: Any, large: Any) -> bool:
    """Say whether one is the other with less at the ends of lists, texts and objects."""
    if isinstance(small, str) and isinstance(large, str):
        return small == large or large.startswith(small[: small.rindex("… [cut: ")])
    if isinstance(small, list) and isinstance(large, list):
        return len(small) <= len(large) and all(map(is_less_of, small, large))
    if isinstance(small, dict) and isinstance(large, dict):
        names = [name for name in large if name in small]
        return list(small) == names and all(is_less_of(small[name], large[name]) for name in small)
    return type(small) is type(large) and small == large


def test_what_fits_comes_back_as_it_was_and_is_a_copy() -> None:
    value = {"a": [1, 2.5, None, True, "x"], "b": {"c": {}}}
    fitted = fit(value, LIMITS)
    assert fitted.value == value
    assert fitted.cuts == ()
    assert fitted.value["a"] is not value["a"]


def test_lists_shrink_from_the_tail_and_plain_values_stay() -> None:
    value = {"ok": True, "rows": list(range(1_000)), "total": 1_000, "note": "short"}
    fitted = fit(value, LIMITS).value
    assert fitted["rows"] == list(range(len(fitted["rows"])))
    assert 32 < len(fitted["rows"]) <= 64
    assert (fitted["ok"], fitted["total"], fitted["note"]) == (True, 1_000, "short")
    assert list(fitted) == ["ok", "rows", "total", "note"]


def test_plain_values_after_something_huge_stay() -> None:
    fitted = fit({"huge": ["x" * 400] * 10_000, "count": 10_000}, LIMITS).value
    assert fitted["count"] == 10_000
    assert set(fitted["huge"]) == {"x" * 400}


def test_an_element_stays_whole_or_goes_but_for_the_first() -> None:
    rows = [{"id": n, "text": "x" * 300} for n in range(100)]
    kept = fit(rows, LIMITS).value
    assert 5 < len(kept) < 100
    assert kept == rows[: len(kept)]
    only = fit([{"id": 1, "rows": ["x" * 300] * 60}, 2], LIMITS).value
    assert len(only) == 1
    assert only[0]["id"] == 1
    assert len(only[0]["rows"]) > 8


def test_long_texts_say_that_they_were_cut() -> None:
    fitted = fit({"text": "x" * 600, "short": "x" * 512}, LIMITS)
    assert fitted.value["text"].endswith("kept]")
    assert len(fitted.value["text"]) == 512
    assert fitted.value["short"] == "x" * 512
    assert [tuple(cut) for cut in fitted.cuts] == [("/text", 600, 512)]


def test_a_small_neighbour_of_something_large_stays_whole() -> None:
    value = {"large": list(range(1_000)), "small": [1, 2, 3], "nested": {"deep": [[[4]]]}}
    fitted = fit(value, LIMITS).value
    assert fitted["small"] == [1, 2, 3]
    assert fitted["nested"] == {"deep": [[[4]]]}


def test_too_many_members_lose_the_last_ones() -> None:
    fitted = fit({f"k{n}": n for n in range(100)}, LIMITS)
    assert fitted.value == {f"k{n}": n for n in range(64)}
    assert [tuple(cut) for cut in fitted.cuts] == [("", 100, 64)]


def test_a_list_at_the_limit_of_elements_stays_and_one_longer_is_cut() -> None:
    assert fit([0] * 64, LIMITS).cuts == ()
    assert [tuple(cut) for cut in fit([0] * 65, LIMITS).cuts] == [("", 65, 64)]


def test_containers_at_the_limit_of_depth_stay_and_deeper_ones_are_empty() -> None:
    deep: Any = 1
    for _ in range(6):
        deep = [deep]
    assert fit(deep, LIMITS).value == deep
    assert fit([deep], LIMITS).value == [[[[[[[]]]]]]]


def test_a_name_is_never_cut() -> None:
    fitted = fit({"x" * 513: 1, "y": 2}, LIMITS)
    assert fitted.value == {"y": 2}


def test_cuts_name_their_places_as_json_pointers() -> None:
    cuts = fit({"a/b": {"~": list(range(200))}}, LIMITS).cuts
    assert [cut.path for cut in cuts] == ["/a~1b/~0"]


def test_other_kinds_of_objects_and_lists_are_copied_as_json() -> None:
    assert fit(UserDict({"a": (1, 2)}), LIMITS).value == {"a": [1, 2]}
    assert fit(NumberToken("1e400"), LIMITS).value == NumberToken("1e400")


@pytest.mark.parametrize(
    ("value", "path", "words"),
    [
        ({"a": [1, float("nan")]}, "/a/1", "nan"),
        ({"a": float("inf")}, "/a", "inf"),
        ({"a": {1, 2}}, "/a", "type set"),
        ({"a": object()}, "/a", "type object"),
        ({1: 2}, "", "key that is no text but int"),
        ({"a": {"\ud800": 1}}, "/a", "half a character"),
        (["\ud800"], "/0", "half a character"),
        (["\ud800" * 600], "/0", "half a character"),
        ([10**1_000], "/0", "thousand digits"),
    ],
)
def test_what_is_no_json_is_named_with_its_place(value: object, path: str, words: str) -> None:
    with pytest.raises(NotJsonError, match=words) as raised:
        fit(value, LIMITS)
    assert raised.value.path == path


def test_what_holds_itself_is_no_json() -> None:
    ring: list[object] = []
    ring.append({"again": ring})
    with pytest.raises(NotJsonError, match="within itself"):
        fit(ring, LIMITS)


def test_what_stands_twice_is_no_ring() -> None:
    shared = [1]
    assert fit([shared, shared], LIMITS).value == [[1], [1]]


class Counted(list[Any]):
    """A list that counts how many of its elements are looked at."""

    looked_at = 0

    def __iter__(self) -> Any:
        for item in super().__iter__():
            self.looked_at += 1
            yield item


def test_the_work_depends_on_the_limits_and_not_on_the_value() -> None:
    items = Counted(range(1_000_000))
    fit({"items": items}, LIMITS._replace(max_members=1 << 30))
    assert items.looked_at <= 4 * LIMITS.max_bytes // VALUE_COST
    control = Counted(range(100))
    fit({"items": control}, LIMITS._replace(max_members=1 << 30))
    assert control.looked_at >= 100


def test_many_large_neighbours_take_no_more_work_than_one() -> None:
    neighbours = {f"k{n}": Counted(range(100_000)) for n in range(64)}
    fit(neighbours, LIMITS._replace(max_members=1 << 30))
    looked_at = sum(each.looked_at for each in neighbours.values())
    assert looked_at <= 4 * LIMITS.max_bytes // VALUE_COST


def test_what_fits_together_stays_whole_whatever_comes_first() -> None:
    large, small = ["x" * 300] * 9, [0] * 20
    for value in ({"large": large, "small": small}, {"small": small, "large": large}):
        assert fit(value, LIMITS).value == value


def test_a_value_that_is_small_and_would_be_huge_when_written_is_stopped() -> None:
    bomb: Any = ["x"]
    for _ in range(5):
        bomb = [bomb] * 64
    fitted = fit(bomb, LIMITS).value
    assert size_of(fitted) <= LIMITS.max_bytes


@given(JSON)
@calm(max_examples=60)
def test_a_fitted_value_is_within_every_limit(value: Any) -> None:
    fitted = fit(value, LIMITS).value
    assert size_of(fitted) <= LIMITS.max_bytes
    assert values_in(fitted) <= LIMITS.max_bytes // VALUE_COST
    assert height_of(fitted) <= LIMITS.max_depth


@given(JSON)
@calm(max_examples=60)
def test_fitting_twice_is_fitting_once(value: Any) -> None:
    once = fit(value, LIMITS).value
    again = fit(once, LIMITS)
    assert again.value == once
    assert again.cuts == ()


@given(JSON)
@calm(max_examples=60)
def test_a_fitted_value_is_the_same_with_less_at_its_ends(value: Any) -> None:
    fitted = fit(value, LIMITS)
    assert is_less_of(fitted.value, value)
    if not fitted.cuts:
        assert fitted.value == value


SCHEMA = {
    "type": "object",
    "required": ["ok", "rows"],
    "additionalProperties": False,
    "properties": {
        "ok": {"type": "boolean"},
        "total": {"type": "integer"},
        "note": {"type": "string", "maxLength": 5_000},
        "rows": {
            "type": "array",
            "maxItems": 500,
            "items": {
                "type": "object",
                "required": ["id"],
                "additionalProperties": False,
                "properties": {
                    "id": {"type": "integer"},
                    "text": {"type": "string", "maxLength": 900},
                    "tags": {"type": "array", "items": {"enum": ["a", "b"]}},
                },
            },
        },
    },
}
ROWS = st.fixed_dictionaries(
    {"id": st.integers(0, 9)},
    optional={
        "text": st.text("xyä", max_size=900),
        "tags": st.lists(st.sampled_from("ab"), max_size=90),
    },
)
OUTPUTS = st.fixed_dictionaries(
    {"ok": st.booleans(), "rows": st.lists(ROWS, max_size=12).map(lambda rows: rows * 20)},
    optional={"total": st.integers(), "note": st.text("xy", max_size=3_000)},
)


@given(OUTPUTS)
@calm(max_examples=30)
def test_what_was_valid_stays_valid(value: Any) -> None:
    validator = compile_schema(SCHEMA)
    assert validator.errors(value) == []
    assert validator.errors(fit(value, LIMITS).value) == []
