"""Where a page of a list ends."""

from __future__ import annotations

from bridge.contract.limits import MAX_LIST_BYTES
from bridge.dispatcher.list_page import page_end

AROUND = len('{"a":""}')
ODD = "\u2028\x01é😀"
WRITTEN_ODD = 6 + 6 + 2 + 4


def entries(*texts: str) -> list[dict[str, str]]:
    return [{"a": text} for text in texts]


def test_a_page_ends_with_the_last_entry_that_fits_to_the_byte() -> None:
    left = MAX_LIST_BYTES - 2 * AROUND - 200_000 - WRITTEN_ODD
    full = entries("x" * 200_000, ODD + "x" * left, "")
    assert page_end(full, 0, 100) == 2
    full[1]["a"] += "x"
    assert page_end(full, 0, 100) == 1
    assert page_end(full, 1, 100) == 3


def test_a_page_holds_so_many_entries_and_no_more_than_there_are() -> None:
    few = entries(*"abcde")
    assert [page_end(few, start, 2) for start in (0, 3, 4, 5)] == [2, 5, 5, 5]
    assert page_end([], 0, 2) == 0


def test_the_first_entry_is_on_its_page_whatever_its_size_and_alone() -> None:
    for wrong in ("x" * 262_145, "\ud800"):
        listed = entries("a", wrong, "b")
        assert [page_end(listed, start, 100) for start in range(3)] == [1, 2, 3]
