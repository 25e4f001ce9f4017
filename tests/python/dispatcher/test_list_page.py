"""Where a page of a list ends."""

from __future__ import annotations

from bridge.contract.limits import MAX_LIST_BYTES
from bridge.dispatcher.list_page import fitting

AROUND = len('{"a":""}')
ODD = "\u2028\x01é😀"
WRITTEN_ODD = 6 + 6 + 2 + 4


def entries(*texts: str) -> list[dict[str, str]]:
    return [{"a": text} for text in texts]


def test_a_page_ends_with_the_last_entry_that_fits_to_the_byte() -> None:
    left = MAX_LIST_BYTES - 2 * AROUND - 200_000 - WRITTEN_ODD
    full = entries("x" * 200_000, ODD + "x" * left, "")
    assert fitting(full) == full[:2]
    full[1]["a"] += "x"
    assert fitting(full) == full[:1]
    assert fitting(full[1:]) == full[1:]


def test_a_page_holds_what_there_is_and_looks_no_further_than_it_has_to() -> None:
    few = entries(*"abcde")
    assert fitting(few) == few
    assert fitting([]) == []
    rest = iter(entries("x" * 200_000, "x" * 200_000, "left"))
    assert len(fitting(rest)) == 1
    assert list(rest) == entries("left")


def test_the_first_entry_is_on_its_page_whatever_its_size_and_alone() -> None:
    for wrong in ("x" * 262_145, "\ud800"):
        listed = entries("a", wrong, "b")
        assert [fitting(listed[start:]) for start in range(3)] == [[each] for each in listed]
