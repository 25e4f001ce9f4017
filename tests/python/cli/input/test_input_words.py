"""Words of input, taken apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.cli.input.input_words import InputWord, read_word, read_words, split_key, written_key
from bridge.cli.usage_error import UsageError


@pytest.mark.parametrize(
    ("word", "read"),
    [
        ("a=b", ("a", "b", False)),
        ("a=", ("a", "", False)),
        ("a=b=c:=d", ("a", "b=c:=d", False)),
        ("a:=1", ("a", "1", True)),
        ("a.b:=[]", ("a.b", "[]", True)),
        ("a:b=c", ("a:b", "c", False)),
        ("é=😀", ("é", "😀", False)),
    ],
)
def test_a_word_is_a_key_and_a_value(word: str, read: tuple[str, str, bool]) -> None:
    assert read_word(word) == InputWord(*read)


@pytest.mark.parametrize("word", ["a", "", "=", "=a", ":=a", ".=a", "a.=b", ".a=b", "a..b=c"])
def test_a_word_without_a_key_or_a_value_is_wrong_usage(word: str) -> None:
    with pytest.raises(UsageError, match="key=value"):
        read_word(word)


def test_a_value_that_is_no_text_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="not valid text"):
        read_word("a=\udcff")


def test_too_many_words_are_wrong_usage() -> None:
    assert len(read_words(["a=1"] * 4_096)) == 4_096
    with pytest.raises(UsageError, match="--input-file"):
        read_words(["a=1"] * 4_097)


@pytest.mark.parametrize(
    ("key", "path"),
    [("a", ("a",)), ("a.b", ("a", "b")), (r"a\.b.c", ("a.b", "c")), (r"a\\.b", ("a\\", "b")),
     (r"a\n", (r"a\n",)), ("a\\", ("a\\",))],
)  # fmt: skip
def test_a_key_is_split_at_its_dots(key: str, path: tuple[str, ...]) -> None:
    assert split_key(key) == path


@given(st.lists(st.text(min_size=1), min_size=1))
def test_a_written_key_is_split_into_its_path_again(path: list[str]) -> None:
    assert split_key(written_key(path)) == tuple(path)
