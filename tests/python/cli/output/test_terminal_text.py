"""What an app may not do to a terminal."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.cli.output.terminal_text import json_for_terminal, printable, table

HOSTILE = ["\x1b[2J", "\r", "\n", "\x07", "\x7f", "\x9b31m", "\u202e", "\u2028", "\ud800", "\u200b"]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_control_characters_are_written_out(text: str) -> None:
    shown = printable(f"a{text}b")
    assert shown.isprintable()
    assert shown.isascii()
    assert shown != f"a{text}b"


def test_ordinary_text_of_any_language_stays() -> None:
    text = "Grüße, 日本語, עברית, \U0001f600 \\n"
    assert printable(text) == text


@given(st.text(alphabet=st.characters(codec=None)))
def test_whatever_a_name_is_it_prints(text: str) -> None:
    assert printable(text).isprintable()
    printable(text).encode()


@given(st.dictionaries(st.text(), st.text() | st.sampled_from(HOSTILE[:-2])))
def test_a_document_for_a_terminal_is_the_same_document(value: dict[str, str]) -> None:
    line = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    shown = json_for_terminal(line)
    assert shown.decode().isprintable()
    assert json.loads(shown) == json.loads(line)


def test_an_astral_format_character_becomes_a_pair_of_escapes() -> None:
    line = json.dumps("\U000e0041", ensure_ascii=False).encode()
    assert json_for_terminal(line) == rb'"\udb40\udc41"'


def test_what_is_not_utf_8_does_not_reach_a_terminal() -> None:
    shown = json_for_terminal(b'"\\ud800 \xed\xa0\x80 \xff"')
    assert shown.decode().isprintable()
    assert shown.startswith(rb'"\ud800 ')


def test_white_space_between_tokens_stays() -> None:
    assert json_for_terminal(b'{\t"a": "\x7f"}') == b'{\t"a": "\\u007f"}'


def test_a_terminal_gets_aligned_columns_under_a_heading() -> None:
    text = table([("a", "1"), ("long name", "2")], ("NAME", "N"), for_terminal=True)
    assert text == "NAME       N\na          1\nlong name  2\n"


def test_a_pipe_gets_tabs_and_no_heading() -> None:
    assert table([("a\tb", "1")], ("NAME", "N"), for_terminal=False) == "a\\tb\t1\n"
