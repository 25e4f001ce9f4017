"""What is told of a file that is no strict JSON."""

from __future__ import annotations

import pytest

from tests.python.support.tool_packages import read


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"// c\n{}", "has a comment, which JSON does not know"),
        (b'{\n  "a": 1 /* c */\n}', "has a comment"),
        (b'{"a": 1} # c', "has a comment"),
        (b'{"a": NaN}', "has NaN or Infinity"),
        (b'{"a": -Infinity}', "has NaN or Infinity"),
        (b'{"a": True}', "has a word of Python"),
        (b"{'a': 1}", "has a text in single quotes"),
        (b'{"a": 1,}', "trailing comma"),
        (b'{"a": 1, "a": 2}', "a duplicate key"),
        (b'{"a": Nothing}', "expected value"),
        (b"", "EOF while parsing"),
        (b"\xff", "expected value"),
    ],
)
def test_what_people_write_that_is_no_json_is_named(text: bytes, words: str) -> None:
    (problem,) = read(text)[1]
    assert words in problem.message
    # The rule's name says it already.
    assert problem.rule == "strict-json"
    assert "not strict JSON" not in problem.message


def test_the_place_is_told_with_it() -> None:
    (problem,) = read(b'{\n  "a": 1, // one\n  "b": 2\n}')[1]
    assert problem.message.endswith("$comment (at line 2 column 11)")
