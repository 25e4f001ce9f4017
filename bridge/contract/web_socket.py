"""WebSocket frames as bytes, for either end of a connection (RFC 6455, 5). Pure.

Whole messages come out of whatever pieces went in. No extension is spoken. That a text is UTF-8 is
left to whoever reads it as JSON.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from typing import Final

__all__ = [
    "BINARY",
    "CLOSE",
    "PING",
    "PONG",
    "TEXT",
    "FrameReader",
    "WebSocketError",
    "accept_of",
    "close_frame",
    "frame",
    "text_frame",
]

TEXT: Final = 1
BINARY: Final = 2
CLOSE: Final = 8
PING: Final = 9
PONG: Final = 10

_CONTINUED: Final = 0
_FINAL: Final = 0x80
_MASKED: Final = 0x80
_SHORT_BYTES: Final = 125
_MEDIUM_BYTES: Final = 0xFFFF
_NO_MASK: Final = bytes(4)
_GUID: Final = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_PROTOCOL_ERROR: Final = 1002
_TOO_LARGE: Final = 1009


class WebSocketError(Exception):
    """What came is against the protocol, or too large. `code` is that of the close."""

    def __init__(self, code: int) -> None:
        super().__init__(f"a WebSocket peer is closed with {code}")
        self.code = code


def accept_of(key: bytes) -> bytes:
    """Return what a server answers to a handshake's key."""
    digest = hashlib.sha1(key + _GUID, usedforsecurity=False).digest()
    return base64.b64encode(digest)


def frame(opcode: int, data: bytes, *, masked: bool = False) -> bytes:
    """Return a message as the one frame in which it is sent, its length in the shortest way.

    What a client sends has a mask. A mask of zeros is one, and leaves the bytes as they are: a mask
    is for the sake of proxies between, which loopback has none of.
    """
    size, mark = len(data), _MASKED if masked else 0
    if size <= _SHORT_BYTES:
        head = bytes((_FINAL | opcode, mark | size))
    elif size <= _MEDIUM_BYTES:
        head = bytes((_FINAL | opcode, mark | 126)) + size.to_bytes(2)
    else:
        head = bytes((_FINAL | opcode, mark | 127)) + size.to_bytes(8)
    return head + _NO_MASK + data if masked else head + data


def text_frame(text: bytes, *, masked: bool = False) -> bytes:
    """Return a text as one frame."""
    return frame(TEXT, text, masked=masked)


def close_frame(code: int, *, masked: bool = False) -> bytes:
    """Return the frame that says goodbye."""
    return frame(CLOSE, code.to_bytes(2), masked=masked)


class FrameReader:
    """Reads what one peer sends, each message of at most so many bytes.

    `masked` is how its frames have to be: a client's are, a server's are not.
    """

    __slots__ = ("_buffer", "_masked", "_maximum", "_need", "_opcode", "_pieces", "_pieces_bytes")

    def __init__(self, max_message_bytes: int, *, masked: bool) -> None:
        self._maximum = max_message_bytes
        self._masked = masked
        self._buffer = bytearray()
        self._need = 0
        self._opcode = 0
        """Of the message whose pieces come; 0 between messages."""
        self._pieces: list[bytes] = []
        self._pieces_bytes = 0

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Take what came next, and give the messages that it makes whole: opcode and payload.

        Consume it to its end, or feed no more. Raises `WebSocketError`, after which nothing can be
        read.
        """
        buffer = self._buffer
        if buffer:
            buffer += data
            if len(buffer) < self._need:
                return
            data = bytes(buffer)
            buffer.clear()
        at, end = 0, len(data)
        while at < end:
            head, size = self._read_head(data, at, end - at)
            self._need = head + size
            start, following = at + head, at + head + size
            if end < following or not head:
                buffer += data[at:]
                return
            payload = data[start:following]
            if self._masked:
                payload = _unmasked(payload, data[start - 4 : start])
            message = self._message(data[at], payload)
            at = following
            if message is not None:
                yield message

    def _read_head(self, data: bytes, at: int, have: int) -> tuple[int, int]:
        """Return the bytes of a head and of its payload; no head where it is not whole yet."""
        if have < 2:
            return 0, 2
        first, second = data[at], data[at + 1]
        size, head = second & 0x7F, 2
        if size > _SHORT_BYTES:
            more = 2 if size == 126 else 8
            head += more
            if have < head:
                return 0, head
            size = int.from_bytes(data[at + 2 : at + head])
        self._check_head(first, second, size)
        return head + (4 if self._masked else 0), size

    def _check_head(self, first: int, second: int, size: int) -> None:
        opcode = first & 0x0F
        if bool(second & _MASKED) is not self._masked or first & 0x70:
            raise WebSocketError(_PROTOCOL_ERROR)
        if opcode >= CLOSE:
            good = opcode <= PONG and first >= _FINAL and second & 0x7F <= _SHORT_BYTES
        elif opcode == _CONTINUED:
            good = self._opcode != 0
        else:
            good = opcode <= BINARY and not self._opcode
        if not good:
            raise WebSocketError(_PROTOCOL_ERROR)
        if size + self._pieces_bytes > self._maximum:
            raise WebSocketError(_TOO_LARGE)

    def _message(self, first: int, payload: bytes) -> tuple[int, bytes] | None:
        opcode = first & 0x0F
        if opcode == CLOSE:
            _check_close(payload)
        if opcode >= CLOSE or (first & _FINAL and opcode != _CONTINUED):
            return opcode, payload
        self._opcode = opcode or self._opcode
        if payload:
            self._pieces.append(payload)
            self._pieces_bytes += len(payload)
        if not first & _FINAL:
            return None
        whole = self._opcode, b"".join(self._pieces)
        self._opcode = self._pieces_bytes = 0
        self._pieces.clear()
        return whole


def _check_close(payload: bytes) -> None:
    if not payload:
        return
    code = int.from_bytes(payload[:2])
    told = 1000 <= code <= 1014 and code not in {1004, 1005, 1006}
    if len(payload) < 2 or not (told or 3000 <= code <= 4999):
        raise WebSocketError(_PROTOCOL_ERROR)


def _unmasked(data: bytes, mask: bytes) -> bytes:
    if mask == _NO_MASK:
        return data
    size = len(data)
    repeated = (mask * (size // 4 + 1))[:size]
    return (int.from_bytes(data) ^ int.from_bytes(repeated)).to_bytes(size)
