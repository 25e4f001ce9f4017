"""Responses in whatever pieces they come, and everything that is not a bridge's response."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.client.http_response import MAX_HEAD_BYTES, HttpError, HttpResponse, ResponseReader

RESPONSE = (
    b"HTTP/1.1 504 Gateway Timeout\r\nCache-Control: no-store\r\n"
    b"content-LENGTH:  14 \r\nX:\r\n\r\n" + b'{"a":"\r\n\r\n"}  '
)
WHOLE = HttpResponse(504, b'{"a":"\r\n\r\n"}  ', keeps=True)


def read(data: bytes, maximum: int = 1_000) -> HttpResponse | None:
    return ResponseReader(maximum).feed(data)


@given(st.lists(st.integers(1, len(RESPONSE) - 1), max_size=8))
def test_a_response_is_the_same_however_it_is_split(cuts: list[int]) -> None:
    reader = ResponseReader(14)
    edges = [0, *sorted(set(cuts)), len(RESPONSE)]
    pieces = [RESPONSE[a:b] for a, b in pairwise(edges)]
    assert [reader.feed(piece) for piece in pieces[:-1]] == [None] * (len(pieces) - 1)
    assert reader.feed(pieces[-1]) == WHOLE


def test_a_response_may_come_byte_by_byte() -> None:
    reader = ResponseReader(14)
    assert not reader.has_begun
    got = [reader.feed(RESPONSE[i : i + 1]) for i in range(len(RESPONSE))]
    assert got == [None] * (len(RESPONSE) - 1) + [WHOLE]
    assert reader.has_begun


@pytest.mark.parametrize(
    ("header", "keeps"),
    [
        (b"", True),
        (b"Connection: keep-alive\r\n", True),
        (b"Connection: Keep-Alive\r\n", True),
        (b"Connection: close\r\n", False),
        (b"Connection: close, x\r\n", False),
        (b"connection: upgrade\r\n", False),
    ],
)
def test_a_connection_is_kept_unless_the_peer_ends_it(header: bytes, *, keeps: bool) -> None:
    answer = read(b"HTTP/1.1 200 OK\r\n" + header + b"Content-Length: 0\r\n\r\n")
    assert answer == HttpResponse(200, b"", keeps)


def test_a_connection_on_which_more_comes_than_was_announced_is_not_kept() -> None:
    assert read(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab") == (200, b"a", False)


BAD = {
    "HTTP/1.0": b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/2": b"HTTP/2 200\r\nContent-Length: 0\r\n\r\n",
    "an interim response": b"HTTP/1.1 100 Continue\r\nContent-Length: 0\r\n\r\n",
    "a switch of protocols": b"HTTP/1.1 101 Switching\r\nContent-Length: 0\r\n\r\n",
    "a status of two digits": b"HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n",
    "a status beyond": b"HTTP/1.1 600 X\r\nContent-Length: 0\r\n\r\n",
    "no length": b"HTTP/1.1 200 OK\r\n\r\n",
    "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n",
    "a negative length": b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    "a signed length": b"HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n",
    "a list of lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\n",
    "an endless length": b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 5_000 + b"\r\n\r\n",
    "chunks": b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n",
    "a folded header": b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n folded\r\n\r\n",
    "a blank in a name": b"HTTP/1.1 200 OK\r\nContent-Length : 0\r\n\r\n",
    "no colon": b"HTTP/1.1 200 OK\r\nContent-Length 0\r\n\r\n",
    "a bare line feed": b"HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n",
    "a bare line feed in a header": b"HTTP/1.1 200 OK\r\nX: a\nContent-Length: 0\r\n\r\n",
    "a NUL": b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: \0\r\n\r\n",
    "another protocol": b"SSH-2.0-OpenSSH_9.2\r\n",
    "another protocol's first byte": b"\x16",
}


@pytest.mark.parametrize("data", BAD.values(), ids=BAD.keys())
def test_what_no_bridge_says_is_refused(data: bytes) -> None:
    with pytest.raises(HttpError):
        read(data)


def test_a_body_is_read_up_to_the_limit_and_not_beyond() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
    assert read(head % 10 + b"x" * 10, 10) == (200, b"x" * 10, True)
    with pytest.raises(HttpError, match="too large"):
        read(head % 11, 10)


def test_a_head_is_read_up_to_the_limit_and_not_beyond() -> None:
    begin, end = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: ", b"\r\n\r\n"
    fill = MAX_HEAD_BYTES - len(begin)
    assert read(begin + b"x" * fill + end) == (200, b"", True)
    with pytest.raises(HttpError, match="too large"):
        read(begin + b"x" * (fill + 1) + end)
    # One that never ends is not collected.
    with pytest.raises(HttpError, match="too large"):
        read(begin + b"x" * (fill + 1))


def test_headers_are_counted() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"
    assert read(head + b"A: b\r\n" * 63 + b"\r\n") is not None
    with pytest.raises(HttpError, match="too many"):
        read(head + b"A: b\r\n" * 64 + b"\r\n")


@given(st.binary(max_size=200))
def test_no_bytes_do_anything_else_than_to_be_read_or_refused(data: bytes) -> None:
    try:
        answer = read(data)
    except HttpError:
        return
    assert answer is None or 200 <= answer.status < 600
