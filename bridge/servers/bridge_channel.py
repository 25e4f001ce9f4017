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
from bridge.servers.channel_frames import CLOSE_CODES, next_frame, render, text_frame
from bridge.servers.channel_handshake import CHANNEL_PROTOCOL
from bridge.servers.shapes import ShapeError

__all__ = ["ChannelSocket"]

_LOG = logging.getLogger(__name__)
_BINARY: Final = 1003
_GOODBYE_SECONDS: Final = 0.5
"""How long a peer is waited for that was told that the channel closes."""
_CUT_OFF_SECONDS: Final = 2 * _GOODBYE_SECONDS
"""After this long its socket is gone, read or not: a peer that reads nothing hears no goodbye."""


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
        # As often again as the items that are sent ahead: calls that end make room for others.
        self._most_unread = 2 * limits.max_poll_items * limits.max_body_bytes
        self._transport: asyncio.Transport | None = None
        self._waiting: deque[SendItems | SendRefusal] = deque()
        self._flushes = True
        """Whether what waits will leave: after the handshake, or when this turn ends."""
        self._end: int | None = None
        self._closing: asyncio.Task[None] | None = None

    def send(self, effect: SendItems | SendRefusal) -> None:
        """Send a frame, after all that were given before.

        What is given in one turn of the loop leaves together: it costs the page one frame. Only a
        call that is the only one has nothing to wait for.
        """
        self._waiting.append(effect)
        if self._flushes:
            return
        if isinstance(effect, SendItems) and effect.alone:
            self._flush()
        else:
            self._flushes = True
            asyncio.get_running_loop().call_soon(self._flush)

    def end(self, reason: ChannelEnd) -> None:
        """Close, after what was given before."""
        if self._end is None:
            self._end = CLOSE_CODES[reason]
            if self._socket.prepared:
                self._close_soon()

    async def run(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer the handshake and carry frames until the channel ends, whoever ends it."""
        self._transport = request.transport
        await self._socket.prepare(request)
        self._flush()
        if self._end is not None:
            self._close_soon()
        try:
            await self._read()
        finally:
            if self._closing is not None:
                await asyncio.wait({self._closing})
            self._cut_off_later()
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
                    await self._say_goodbye(CLOSE_CODES[ChannelEnd.MALFORMED])
            elif message.type is WSMsgType.BINARY:
                await self._say_goodbye(_BINARY)
            else:
                return

    def _flush(self) -> None:
        """Give what waits to the socket, without waiting until the peer has read."""
        self._flushes = False
        while self._waiting:
            frame = text_frame(render(next_frame(self._waiting)))
            transport = self._transport
            if transport is None or transport.is_closing() or self._socket.closed:
                continue
            transport.write(frame)
            if transport.get_write_buffer_size() > self._most_unread:
                _LOG.warning("the page reads nothing of its channel")
                transport.abort()

    def _close_soon(self) -> None:
        self._flush()
        code = self._end or CLOSE_CODES[ChannelEnd.CLOSING]
        self._closing = asyncio.create_task(self._say_goodbye(code))

    async def _say_goodbye(self, code: int) -> None:
        self._cut_off_later()
        try:
            await self._socket.close(code=code)
        except ConnectionError as error:
            _LOG.debug("the channel broke off: %s", type(error).__name__)

    def _cut_off_later(self) -> None:
        if self._transport is not None:
            # Of a socket that has closed by then it does nothing.
            asyncio.get_running_loop().call_later(_CUT_OFF_SECONDS, self._transport.abort)
