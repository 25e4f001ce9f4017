"""HTTP/1.1 responses, read strictly and in bounds from whatever pieces they come in.

Knows no sockets. A bridge always says how long its answer is; chunks, interim responses and
answers that end with the connection are nobody's here, and are refused. Contract: HTTP.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

__all__ = ["MAX_HEAD_BYTES", "HttpError", "HttpResponse", "ResponseReader"]

MAX_HEAD_BYTES: Final = 16_384
"""A bridge's answer has a dozen short headers."""
_MAX_HEADERS: Final = 64
_BEGIN: Final = b"HTTP/1.1 "
_STATUS: Final = re.compile(rb"HTTP/1\.1 ([2-5][0-9][0-9])(?: [^\x00-\x08\x0a-\x1f\x7f]*)?")
_HEADER: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)")
_LENGTH: Final = re.compile(rb"[0-9]{1,12}")


class HttpError(Exception):
    """What answers does not speak HTTP as a bridge does. The message is for people."""


class HttpResponse(NamedTuple):
    """One whole response."""

    status: int
    body: bytes
    keeps: bool
    """Whether the connection can carry another exchange."""


class ResponseReader:
    """Reads one response. Feed it what comes; it gives the response once that is whole."""

    __slots__ = ("_buffer", "_head_end", "_keeps", "_length", "_max_body_bytes", "_status")

    def __init__(self, max_body_bytes: int) -> None:
        self._max_body_bytes = max_body_bytes
        self._buffer = bytearray()
        self._head_end = -1
        self._status = 0
        self._length = 0
        self._keeps = True

    @property
    def has_begun(self) -> bool:
        """Say whether anything has come yet."""
        return bool(self._buffer)

    def feed(self, data: bytes) -> HttpResponse | None:
        """Take what came next. Returns None while there is more to come. Raises `HttpError`."""
        buffer = self._buffer
        buffer += data
        if self._head_end < 0:
            end = buffer.find(b"\r\n\r\n")
            if end < 0:
                self._check_begin(buffer)
                return None
            self._read_head(bytes(buffer[:end]))
            self._head_end = end + 4
        have = len(buffer) - self._head_end
        if have < self._length:
            return None
        body = bytes(buffer[self._head_end : self._head_end + self._length])
        # What follows without a request is no answer to anything.
        return HttpResponse(self._status, body, self._keeps and have == self._length)

    def _check_begin(self, buffer: bytearray) -> None:
        if not buffer.startswith(_BEGIN[: len(buffer)]):
            raise HttpError("it does not speak HTTP/1.1")
        if len(buffer) > MAX_HEAD_BYTES:
            raise HttpError("the head of its answer is too large")

    def _read_head(self, head: bytes) -> None:
        if len(head) > MAX_HEAD_BYTES:
            raise HttpError("the head of its answer is too large")
        first, *lines = head.split(b"\r\n")
        status = _STATUS.fullmatch(first)
        if status is None:
            raise HttpError("it does not speak HTTP/1.1")
        if len(lines) > _MAX_HEADERS:
            raise HttpError("its answer has too many headers")
        self._status = int(status[1])
        self._length = -1
        for line in lines:
            header = _HEADER.fullmatch(line)
            if header is None:
                raise HttpError("its answer has a malformed header")
            self._read_header(header[1].lower(), header[2].rstrip(b" \t"))
        if self._length < 0:
            raise HttpError("its answer has no length")
        if self._length > self._max_body_bytes:
            raise HttpError("its answer is too large")

    def _read_header(self, name: bytes, value: bytes) -> None:
        if name == b"content-length":
            if self._length >= 0 or not _LENGTH.fullmatch(value):
                raise HttpError("its answer has no length that can be relied on")
            self._length = int(value)
        elif name == b"transfer-encoding":
            raise HttpError("its answer comes in chunks")
        elif name == b"connection" and value.lower() != b"keep-alive":
            self._keeps = False
