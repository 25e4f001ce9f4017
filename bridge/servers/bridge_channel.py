"""The channel's WebSocket: bytes between one socket and the service (Contract: channel).

Reads frames until the socket ends, writes what it is given in order, and closes with the
contract's code. Knows neither broker nor items.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import Final

from aiohttp import WSMsgType, web

from bridge.broker.effects import ChannelEnd, SendItems, SendRefusal
from bridge.contract.limits import BridgeLimits
from bridge.servers.channel_frames import CLOSE_CODES, next_frame, render
from bridge.servers.channel_handshake import CHANNEL_PROTOCOL
from bridge.servers.shapes import ShapeError

__all__ = ["ChannelSocket"]

_LOG = logging.getLogger(__name__)
_BINARY: Final = 1003
_GOODBYE_SECONDS: Final = 0.5
"""How long a peer is waited for that was told that the channel closes."""


class _Response(web.WebSocketResponse[bool]):
    """A handshake's answer that says no more than it must."""

    async def _prepare_headers(self) -> None:
        await super()._prepare_headers()
        self.headers.popall("Server", None)
        self.headers["Cache-Control"] = "no-store"
        self.headers["X-Content-Type-Options"] = "nosniff"


class ChannelSocket:
    """One channel, from its handshake to its end. `on_frame` raises `ShapeError` to end it."""

    def __init__(self, limits: BridgeLimits, on_frame: Callable[[bytes], None]) -> None:
        self._on_frame = on_frame
        self._socket = _Response(
            protocols=(CHANNEL_PROTOCOL,),
            compress=False,
            # aiohttp's limit is the first size that is too large.
            max_msg_size=limits.max_body_bytes + 1,
            timeout=_GOODBYE_SECONDS,
            decode_text=False,
        )
        self._effects: deque[SendItems | SendRefusal] = deque()
        self._end: int | None = None
        self._something = asyncio.Event()

    def send(self, effect: SendItems | SendRefusal) -> None:
        """Send a frame, after all that were given before."""
        self._effects.append(effect)
        self._something.set()

    def end(self, reason: ChannelEnd) -> None:
        """Close, after what was given before."""
        self._end_with(CLOSE_CODES[reason])

    async def run(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer the handshake and carry frames until the channel ends, whoever ends it."""
        await self._socket.prepare(request)
        writing = asyncio.create_task(self._write())
        try:
            await self._read()
        finally:
            writing.cancel()
            await asyncio.wait({writing})
        if not writing.cancelled() and writing.exception() is not None:
            _LOG.debug("the channel broke off: %s", type(writing.exception()).__name__)
        return self._socket

    async def _read(self) -> None:
        while True:
            message = await self._socket.receive()
            if message.type is WSMsgType.TEXT:
                try:
                    # Text is kept as the bytes that it came in.
                    self._on_frame(message.data)
                except ShapeError as error:
                    _LOG.warning("the page sent a malformed frame: %s", error.message)
                    await self._close(CLOSE_CODES[ChannelEnd.MALFORMED])
            elif message.type is WSMsgType.BINARY:
                await self._close(_BINARY)
            else:
                return

    async def _write(self) -> None:
        while True:
            await self._something.wait()
            self._something.clear()
            while self._effects:
                frame = render(next_frame(self._effects))
                await self._socket.send_frame(frame, WSMsgType.TEXT)
            if self._end is not None:
                await self._close(self._end)
                return

    def _end_with(self, code: int) -> None:
        if self._end is None:
            self._end = code
            self._something.set()

    async def _close(self, code: int) -> None:
        await self._socket.close(code=code)
