"""How problems are told."""

from __future__ import annotations

import pytest

from bridge.tools.problems import PackageError, Problem, pointer_to, told


@pytest.mark.parametrize(
    ("parts", "pointer"),
    [((), ""), (("a",), "/a"), (("a/b", "c~d", 0), "/a~1b/c~0d/0"), (("~1", ""), "/~01/")],
)
def test_a_place_is_a_json_pointer(parts: tuple[str | int, ...], pointer: str) -> None:
    assert pointer_to(parts) == pointer


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", '"a"'),
        ("\x1b[2J", '"\\u001b[2J"'),
        ("é\n", '"\\u00e9\\n"'),
        ("a" * 80, '"' + "a" * 80 + '"'),
        ("a" * 90, '"' + "a" * 79 + "..."),
        (None, "null"),
        (True, "true"),
        (7, "7"),
        (-(10**90), "-1" + "0" * 78 + "..."),
        (0.5, "0.5"),
        ([1, 2], "a list of 2"),
        ([], "an empty list"),
        ({"a": 1}, "an object"),
    ],
)
def test_a_value_is_told_shortly_and_safely(value: object, text: str) -> None:
    assert told(value) == text


def test_a_number_that_python_would_not_write_is_told_of_all_the_same() -> None:
    assert told(2**1_024 - 1).endswith("...")
    assert told(2**1_024) == told(-(16**5_000)) == "a very large number"


def test_an_error_tells_its_problems_line_by_line_up_to_a_hundred() -> None:
    one = Problem("tools/a.json", "/type", "root-type", "write it")
    whole = Problem("package.toml", "", "missing-file", "is not there")
    assert str(PackageError([one, whole])) == (
        "tools/a.json:/type root-type write it\npackage.toml missing-file is not there"
    )
    assert str(PackageError([one] * 101)).endswith("\nand 1 more")
    assert len(PackageError([one] * 101).problems) == 101
