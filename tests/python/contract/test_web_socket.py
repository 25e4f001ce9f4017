"""WebSocket frames, written and read at every length and in every split (RFC 6455, 5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.contract.web_socket import (
    BINARY,
    CLOSE,
    PING,
    PONG,
    TEXT,
    FrameReader,
    WebSocketError,
    accept_of,
    close_frame,
    frame,
    text_frame,
)

EDGES = [0, 1, 125, 126, 127, 65_535, 65_536]
MESSAGES = st.lists(
    st.tuples(st.sampled_from([TEXT, BINARY, PING, PONG]), st.binary(max_size=125)), max_size=6
)


def masked_with(mask: bytes, opcode: int, data: bytes) -> bytes:
    """Return a short frame with a mask, by the standard's own rule, byte for byte."""
    hidden = bytes(byte ^ mask[n % 4] for n, byte in enumerate(data))
    return bytes((0x80 | opcode, 0x80 | len(data))) + mask + hidden


def code_of(data: bytes, *, masked: bool = False, maximum: int = 1_000) -> int:
    reader = FrameReader(maximum, masked=masked)
    with pytest.raises(WebSocketError) as caught:
        list(reader.feed(data))
    return caught.value.code


@pytest.mark.parametrize("size", EDGES)
@pytest.mark.parametrize("masked", [False, True])
def test_what_is_written_is_read_in_one_piece_and_in_many(size: int, *, masked: bool) -> None:
    data = bytes(n % 256 for n in range(size))
    written = text_frame(data, masked=masked) + frame(PING, b"", masked=masked)
    reader = FrameReader(size, masked=masked)
    assert list(reader.feed(written)) == [(TEXT, data), (PING, b"")]
    step = max(1, size // 100)
    pieces = [written[n : n + step] for n in range(0, len(written), step)]
    found = [message for piece in pieces for message in reader.feed(piece)]
    assert found == [(TEXT, data), (PING, b"")]


@given(MESSAGES, st.binary(min_size=4, max_size=4), st.lists(st.integers(0, 900), max_size=8))
def test_masks_and_splits_change_nothing(
    messages: list[tuple[int, bytes]], mask: bytes, cuts: list[int]
) -> None:
    written = b"".join(masked_with(mask, opcode, data) for opcode, data in messages)
    reader = FrameReader(125, masked=True)
    ends = [*sorted(min(cut, len(written)) for cut in cuts), len(written)]
    found = []
    for begin, end in zip([0, *ends], ends, strict=False):
        found += list(reader.feed(written[begin:end]))
    assert found == messages


def test_a_large_message_is_unmasked_whole() -> None:
    data, mask = bytes(range(256)) * 4_099 + b"xyz", b"\x81\x00\xff\x10"
    hidden = bytes(byte ^ mask[n % 4] for n, byte in enumerate(data))
    written = b"\x81\xff" + len(data).to_bytes(8) + mask + hidden
    assert list(FrameReader(len(data), masked=True).feed(written)) == [(TEXT, data)]


def test_pieces_of_a_message_are_joined_with_others_between_them() -> None:
    written = b"\x01\x02ab" + frame(PING, b"p") + b"\x00\x00" + b"\x80\x01c" + close_frame(1000)
    found = list(FrameReader(3, masked=False).feed(written))
    assert found == [(PING, b"p"), (TEXT, b"abc"), (CLOSE, b"\x03\xe8")]


def test_a_message_of_the_largest_size_is_read_and_one_more_byte_is_refused_by_its_head() -> None:
    assert list(FrameReader(1_000, masked=False).feed(text_frame(b"x" * 1_000)))
    assert code_of(text_frame(b"x" * 1_001)[:4]) == 1009
    assert code_of(b"\x01\x05abcde\x00\x05abcde", maximum=9) == 1009
    assert code_of(b"\x81\x7f" + b"\xff" * 8) == 1009


@pytest.mark.parametrize(
    ("data", "masked"),
    [
        (frame(TEXT, b""), True),
        (frame(TEXT, b"", masked=True), False),
        (b"\xc1\x00", False),
        (b"\xa1\x00", False),
        (b"\x91\x00", False),
        (b"\x83\x00", False),
        (b"\x87\x00", False),
        (b"\x8b\x00", False),
        (b"\x8f\x00", False),
        (b"\x09\x00", False),
        (b"\x08\x00", False),
        (b"\x89\x7e\x00\x7e", False),
        (b"\x80\x00", False),
        (b"\x00\x00", False),
        (b"\x01\x00\x81\x00", False),
        (b"\x88\x01\x03", False),
        (close_frame(999), False),
        (close_frame(1004), False),
        (close_frame(1005), False),
        (close_frame(1006), False),
        (close_frame(1015), False),
        (close_frame(2999), False),
        (close_frame(5000), False),
    ],
)
def test_what_is_against_the_protocol_is_refused(data: bytes, *, masked: bool) -> None:
    assert code_of(data, masked=masked) == 1002


@pytest.mark.parametrize("code", [1000, 1001, 1003, 1007, 1014, 3000, 4400, 4999])
def test_good_codes_of_a_close_are_read(code: int) -> None:
    assert list(FrameReader(9, masked=False).feed(close_frame(code))) == [(CLOSE, code.to_bytes(2))]


def test_what_came_before_the_fault_is_still_given() -> None:
    messages = FrameReader(9, masked=False).feed(text_frame(b"good") + b"\x83\x00")
    assert next(messages) == (TEXT, b"good")
    with pytest.raises(WebSocketError):
        next(messages)


def test_a_key_is_answered_as_the_standard_s_example_is() -> None:
    assert accept_of(b"dGhlIHNhbXBsZSBub25jZQ==") == b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
