"""A stream of server-sent events that belongs to one request and ends with its answer.

No event has an id: a stream that broke off is not gone on with. Contract: MCP.
"""

from __future__ import annotations

import asyncio
from typing import Final

from aiohttp import web

from bridge.servers.bridge_answers import HttpAnswer
from bridge.servers.bridge_responses import Headers, PlainResponse, all_headers, cut_off
from bridge.servers.mcp_headers import EVENT_STREAM

__all__ = ["EventStream"]

# What buffers a stream makes of progress what it is not.
_UNBUFFERED: Final = (("X-Accel-Buffering", "no"),)


class EventStream(PlainResponse):
    """Writes messages as they come. Every method raises `ConnectionError` when nobody reads."""

    def __init__(self, request: web.BaseRequest, cors: Headers, stall_seconds: float) -> None:
        head = HttpAnswer(200, b"", EVENT_STREAM, _UNBUFFERED)
        super().__init__(status=head.status, headers=all_headers(head, cors))
        self._request = request
        self._stall_seconds = stall_seconds

    async def send(self, message: bytes) -> None:
        """Write a message, which is one line."""
        try:
            async with asyncio.timeout(self._stall_seconds):
                await self.prepare(self._request)
                await self.write(b"data: %b\n\n" % message)
        except TimeoutError:
            raise cut_off(self._request) from None

    async def end(self, message: bytes) -> None:
        """Write the last message and end the stream."""
        await self.send(message)
        try:
            async with asyncio.timeout(self._stall_seconds):
                await self.write_eof()
        except TimeoutError:
            raise cut_off(self._request) from None
