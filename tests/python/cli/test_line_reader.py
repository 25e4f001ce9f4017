"""Lines, wherever the reads end."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.cli.line_reader import LineReader

MAX = 8
STREAM = "é1\r\n\n[€]\n\U0001f600\rx\r\n123456789\nlast".encode()
LINES = ["é1".encode(), b"", "[€]".encode(), "\U0001f600\rx".encode(), None, b"last"]


def read(pieces: list[bytes], max_bytes: int = MAX) -> list[bytes | None]:
    reader = LineReader(max_bytes)
    lines = [line for piece in pieces for line in reader.feed(piece)]
    return [*lines, *reader.finish()]


@pytest.mark.parametrize("at", range(len(STREAM) + 1))
def test_a_read_may_end_at_any_byte(at: int) -> None:
    assert read([STREAM[:at], STREAM[at:]]) == LINES


def test_bytes_may_come_one_by_one() -> None:
    assert read([bytes([byte]) for byte in STREAM]) == LINES


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_a_line_at_the_limit_is_kept_and_one_over_is_not(end: bytes) -> None:
    assert read([b"x" * MAX + end]) == [b"x" * MAX]
    assert read([b"x" * (MAX + 1) + end]) == [None]


def test_after_a_line_that_is_too_long_the_next_one_works() -> None:
    assert read([b"x" * 5, b"x" * 50, b"x\nnext\n"]) == [None, b"next"]


def test_only_what_is_kept_takes_memory() -> None:
    reader = LineReader(MAX)
    for _ in range(1_000):
        assert list(reader.feed(b"x" * 1_000)) == []
    assert len(reader._line) <= MAX + 1


def test_a_stream_without_a_last_line_break_has_no_more_lines() -> None:
    assert read([b"a\n"]) == [b"a"]
    assert read([]) == []


@given(
    st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"")), max_size=6),
    st.data(),
)
def test_lines_do_not_depend_on_the_reads(lines: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(line + b"\n" for line in lines)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=5)))
    edges = [0, *cuts, len(stream)]
    pieces = [stream[a:b] for a, b in pairwise(edges)]
    expected = [line.removesuffix(b"\r") for line in lines]
    assert read(pieces) == [line if len(line) <= MAX else None for line in expected]
