"""A stream is the same lines however it is cut, and no line is kept that is too long."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bridge.contract.line_reader import LineReader

LIMIT = 8


def lines_of(pieces: list[bytes]) -> list[bytes | None]:
    reader = LineReader(LIMIT)
    found = [line for piece in pieces for line in reader.feed(piece)]
    return [*found, *reader.finish()]


def expected(stream: bytes) -> list[bytes | None]:
    lines = stream.split(b"\n")
    if not lines[-1]:
        lines.pop()
    whole = [line.removesuffix(b"\r") for line in lines]
    return [line if len(line) <= LIMIT else None for line in whole]


@given(
    st.lists(st.sampled_from([b"\n", b"\r", b"a", "é".encode(), b"abcd", b" "]), max_size=40),
    st.lists(st.integers(0, 90), max_size=12),
)
def test_it_does_not_matter_where_a_stream_is_cut(parts: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(parts)
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    pieces = [stream[a:b] for a, b in pairwise(edges)]
    assert lines_of(pieces) == expected(stream) == lines_of([stream])


def test_every_byte_may_come_alone() -> None:
    stream = '{"é":1}\r\n\nlast'.encode()
    assert lines_of([bytes([byte]) for byte in stream]) == ['{"é":1}'.encode(), b"", b"last"]


def test_a_line_at_the_limit_passes_and_one_over_does_not() -> None:
    assert lines_of([b"12345678\n12345678\r\n123456789\nnext"]) == [
        b"12345678",
        b"12345678",
        None,
        b"next",
    ]


def test_a_line_without_end_is_not_kept() -> None:
    reader = LineReader(LIMIT)
    for _ in range(1_000):
        assert list(reader.feed(b"x" * 1_000)) == []
    assert len(reader._line) <= LIMIT + 1
    assert list(reader.feed(b"\nok\n")) == [None, b"ok"]
