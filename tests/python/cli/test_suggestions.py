"""What may have been meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.cli.main import main
from bridge.cli.suggestions import did_you_mean, nearest
from bridge.contract.error_codes import ExitCode

NAMES = ["document.text.insert", "document.text.delete", "document.read", "document.undo"]


@pytest.mark.parametrize(
    ("word", "first"),
    [
        ("document.text.insret", "document.text.insert"),
        ("Document.Read", "document.read"),
        ("text.insert", "document.text.insert"),
        ("undo", "document.undo"),
    ],
)
def test_the_nearest_name_comes_first(word: str, first: str) -> None:
    assert nearest(word, NAMES)[0] == first


def test_nothing_is_guessed_where_nothing_is_near() -> None:
    assert nearest("zzz", NAMES) == []
    assert did_you_mean("zzz", NAMES) == ""
    assert nearest("d", NAMES) == []


def test_a_guess_is_a_question() -> None:
    assert did_you_mean("colour", ["color", "colours", "x"]) == " Did you mean colours or color?"
    assert did_you_mean("x1", ["x2"]) == ""
    assert did_you_mean("status", ["state", "status"]) == " Did you mean status or state?"


@given(st.text(), st.lists(st.text()))
def test_whatever_is_asked_only_known_names_are_given(word: str, names: list[str]) -> None:
    assert set(nearest(word, names)) <= set(names)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["cal", "app"], "Did you mean call?"),
        (["browser_call"], "Did you mean browser-call"),
        (["stat"], "Did you mean status?"),
        (["list", "--jsn"], "Did you mean --json?"),
        (["watch", "--al"], "Did you mean --all"),
    ],
)
def test_a_mistyped_command_or_option_is_guessed(
    words: list[str], meant: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == ExitCode.USAGE
    assert meant in capfd.readouterr().err
