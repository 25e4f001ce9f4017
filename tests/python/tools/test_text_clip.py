"""Texts that are cut: never longer than they may be, never half a character, and they say so."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bridge.contract.strict_json import dumps
from bridge.tools.text_clip import MIN_CLIPPED_BYTES, clip, clip_to_bytes, json_bytes
from tests.python.support.calm import calm

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=400)


def test_a_text_at_the_limit_stays_and_one_longer_is_cut() -> None:
    assert clip("x" * 100, 100) == "x" * 100
    cut = clip("x" * 101, 100)
    assert len(cut) == 100
    assert cut == "x" * 68 + "… [cut: 101 characters, 68 kept]"


def test_the_mark_counts_characters_that_there_were_and_that_are_left() -> None:
    cut = clip("\N{GRINNING FACE}" * 500, 120)
    found = re.fullmatch(r"(\N{GRINNING FACE}*)… \[cut: 500 characters, (\d+) kept\]", cut)
    assert found is not None
    assert len(found[1]) == int(found[2])


def test_what_is_cut_again_tells_the_first_length() -> None:
    once = clip("x" * 10_000, 1_000)
    twice = clip(once, 200)
    assert "[cut: 10000 characters" in twice
    assert twice.count("[cut:") == 1


def test_a_text_that_only_looks_cut_is_not_shortened_by_that() -> None:
    text = "x" * 50 + "… [cut: 1 characters, 0 kept]"
    assert clip(text, 200) == text
    longer = clip("x" * 271 + "… [cut: 1 characters, 0 kept]", 120)
    assert longer.startswith("x" * 80)
    assert "[cut: 271 characters" in longer


def test_less_room_than_a_mark_takes_is_refused() -> None:
    with pytest.raises(ValueError, match="less room"):
        clip("x" * 100, 79)
    with pytest.raises(ValueError, match="less room"):
        clip_to_bytes("x", 100, MIN_CLIPPED_BYTES - 1)


@pytest.mark.parametrize("text", ["plain", '\0\n"\\', "ä€\N{GRINNING FACE}", "\u2028\u2029", ""])
def test_the_size_is_that_of_the_text_on_the_wire(text: str) -> None:
    assert json_bytes(text) == len(dumps(text))


def test_half_a_character_has_no_size() -> None:
    with pytest.raises(ValueError, match="half a character"):
        json_bytes("\ud800")


@given(TEXTS, st.integers(80, 500), st.integers(MIN_CLIPPED_BYTES, 1_000))
@example(text="é" * 500, max_chars=500, max_bytes=1_001)
@calm()
def test_a_cut_text_is_within_both_limits_and_cutting_again_changes_nothing(
    text: str, max_chars: int, max_bytes: int
) -> None:
    cut = clip_to_bytes(text, max_chars, max_bytes)
    assert len(cut) <= max_chars
    assert len(dumps(cut)) <= max_bytes
    assert clip_to_bytes(cut, max_chars, max_bytes) == cut
    if len(text) <= max_chars and json_bytes(text) <= max_bytes:
        assert cut == text
    else:
        body = cut[: cut.rindex("… [cut: ")]
        assert text.startswith(body)
