"""Lines of another server: what of them is passed on to the official client."""

from __future__ import annotations

import codecs
import json
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
    parts = [pieces.decode(bytes([each])) for each in data]
    assert "".join([*parts, pieces.decode(b"", final=True)]) == text


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
    assert BoundedLines().decode(b'{"a": 12}\n{"a": 123}\n{}\n') == '{"a": 12}\n\n{}\n'
    endless = BoundedLines()
    assert "".join(endless.decode(b'{"a": 123') for _ in range(999)) == ""
    assert len(str(vars(endless))) < 2_000
    assert endless.decode(b"\n{}\n") == "\n{}\n"
    chatter = BoundedLines()
    assert "".join(chatter.decode(b"x" * 9) for _ in range(99)) == ""


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"jsonrpc":"2.0","id":7,"result":{"x":"%s"}}', "7"),
        ('{ "id" : "a-7" , "jsonrpc" : "2.0", "result": {"x":"%s"}}\r', '"a-7"'),
        ('{"result":{"x":"%s"},"id":-7,"jsonrpc":"2.0"}', "-7"),
        ('{"jsonrpc":"2.0","error":{"x":"%s"},"id":7}', "7"),
        # The id of something inside, and of a request of the server's own.
        ('{"jsonrpc":"2.0","result":{"x":"%s","id":7}}', None),
        ('{"jsonrpc":"2.0","id":7,"method":"m","params":{"x":"%s"}}', None),
        ('{"jsonrpc":"2.0","method":"m","params":{"x":"%s"},"id":7}', None),
        ('{"jsonrpc":"2.0","method":"m","params":{"x":"%s"}}', None),
    ],
)
@pytest.mark.parametrize("size", [1, 100, 1_000])
def test_whoever_waits_for_an_answer_that_is_too_long_is_told_so(
    monkeypatch: pytest.MonkeyPatch, line: str, told: str | None, size: int
) -> None:
    data = f"{line % ('x' * 600)}\n".encode()
    assert BoundedLines().decode(data) == data.decode(), "as it comes where it is not too long"
    monkeypatch.setattr(outside_lines, "MAX_LINE_CHARS", 300)
    decoder = BoundedLines()
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    passed = "".join(map(decoder.decode, pieces))
    if told is None:
        assert passed == "\n"
        return
    answer = json.loads(passed)
    assert answer["id"] == json.loads(told)
    assert answer["error"]["message"] == "its answer is longer than 300 characters, and was dropped"


def test_it_is_an_encoding_by_its_name() -> None:
    assert isinstance(codecs.getincrementaldecoder(ENCODING)(), BoundedLines)
    assert '{"é": 1}\n'.encode(ENCODING) == '{"é": 1}\n'.encode()
    assert MAX_LINE_CHARS > 3_000_000
