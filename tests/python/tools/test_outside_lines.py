"""Lines of another server: what of them is passed on to the official client."""

from __future__ import annotations

import codecs
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.tools import outside_lines
from bridge.tools.outside_lines import ENCODING, MAX_LINE_CHARS, BoundedLines


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b'{"a": 1}\n{"b": 2}\n', '{"a": 1}\n{"b": 2}\n'),
        (b' \t{"a": 1}\r\n', '{"a": 1}\r\n'),
        ('{"a": "é\u2028"}\n'.encode(), '{"a": "é\u2028"}\n'),
        (b"\n\r\n  \n", ""),
        (b'Listening on 80\n{"a": 1}\n[1]\n', '{"a": 1}\n'),
        (b'\xff\xfe\n{"a": "\xff"}\n', '{"a": "\ufffd"}\n'),
        (b'{"a": 1}', '{"a": 1}'),
    ],
)
def test_messages_are_passed_on_and_nothing_else(data: bytes, text: str) -> None:
    assert BoundedLines().decode(data, final=True) == text
    pieces = BoundedLines()
    assert "".join(pieces.decode(bytes([each])) for each in data) == text


@given(st.binary(), st.lists(st.integers(0, 40)))
def test_pieces_may_end_anywhere(data: bytes, ends: list[int]) -> None:
    decoder = BoundedLines()
    parts = [0, *sorted(ends), len(data)]
    pieces = [data[start:end] for start, end in pairwise(parts)]
    text = "".join(map(decoder.decode, pieces)) + decoder.decode(b"", final=True)
    assert text == BoundedLines().decode(b"".join(pieces), final=True)


def test_a_line_at_the_limit_is_whole_and_of_one_that_does_not_end_no_more_is_held(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outside_lines, "MAX_LINE_CHARS", 9)
    assert BoundedLines().decode(b'{"a": 12}\n{"a": 123}\n{}\n') == '{"a": 12}\n{"a": 123\n{}\n'
    endless = BoundedLines()
    assert "".join(endless.decode(b'{"a": 123') for _ in range(99)) == '{"a": 123'
    assert endless.decode(b"\n{}\n") == "\n{}\n"
    chatter = BoundedLines()
    assert "".join(chatter.decode(b"x" * 9) for _ in range(99)) == ""


def test_it_is_an_encoding_by_its_name() -> None:
    assert isinstance(codecs.getincrementaldecoder(ENCODING)(), BoundedLines)
    assert '{"é": 1}\n'.encode(ENCODING) == '{"é": 1}\n'.encode()
    assert MAX_LINE_CHARS > 3_000_000
