"""Writes answers to sockets: the headers of every answer, and what no answer may say.

No answer carries a version banner, may be cached or sniffed. A peer that stops reading is cut off
instead of waited for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from http import HTTPStatus
from typing import Final

from aiohttp import web

from bridge.servers.bridge_answers import HttpAnswer

__all__ = [
    "BridgeResponse",
    "Headers",
    "PlainResponse",
    "all_headers",
    "cut_off",
    "raw_response",
]

_PIECE_BYTES: Final = 65_536

Headers = Sequence[tuple[str, str]]


def all_headers(answer: HttpAnswer, cors: Headers) -> list[tuple[str, str]]:
    """Return an answer's headers, framing excluded."""
    headers = [("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")]
    if answer.content_type and answer.status != HTTPStatus.NO_CONTENT:
        headers.append(("Content-Type", answer.content_type))
    return [*headers, *cors, *answer.headers]


def raw_response(answer: HttpAnswer, cors: Headers) -> bytes:
    """Return a whole response after which the connection closes."""
    headers = [
        *all_headers(answer, cors),
        ("Content-Length", str(len(answer.body))),
        ("Connection", "close"),
    ]
    lines = [f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}"]
    lines += [f"{name}: {value}" for name, value in headers]
    return "\r\n".join([*lines, "", ""]).encode() + answer.body


class PlainResponse(web.StreamResponse):
    """A response that says no more than it was told to."""

    _send_headers_immediately = False

    async def _prepare_headers(self) -> None:
        typed = "Content-Type" in self.headers
        await super()._prepare_headers()
        # aiohttp names itself and Python, with their versions, on every response.
        self.headers.popall("Server", None)
        if not typed:
            # It also gives a type to what has no body.
            self.headers.popall("Content-Type", None)


def cut_off(request: web.BaseRequest) -> ConnectionError:
    """End the connection of a peer that reads nothing, and return what to raise."""
    if request.transport is not None:
        request.transport.abort()
    return ConnectionResetError("the peer does not read its answer")


class BridgeResponse(PlainResponse):
    """One answer, written in pieces, so that a stall is seen."""

    def __init__(self, answer: HttpAnswer, cors: Headers) -> None:
        super().__init__(status=answer.status, headers=all_headers(answer, cors))
        self._answer = answer
        if answer.status != HTTPStatus.NO_CONTENT:
            self.content_length = len(answer.body)

    async def send(self, request: web.BaseRequest, stall_seconds: float) -> None:
        """Write everything. Raises `ConnectionError` when the peer is gone or reads nothing."""
        empty = request.method == "HEAD" or self.status == HTTPStatus.NO_CONTENT
        body = memoryview(b"" if empty else self._answer.body)
        transport = request.transport
        idle = transport is not None and not transport.get_write_buffer_size()
        if idle and len(body) <= _PIECE_BYTES:
            # It fits into what a socket takes unread: there is no stall to watch for.
            await self.prepare(request)
            await self.write_eof(bytes(body))
            return
        try:
            await self.prepare(request)
            while len(body) > _PIECE_BYTES:
                async with asyncio.timeout(stall_seconds):
                    await self.write(body[:_PIECE_BYTES])
                body = body[_PIECE_BYTES:]
            async with asyncio.timeout(stall_seconds):
                await self.write_eof(bytes(body))
        except TimeoutError:
            raise cut_off(request) from None
