"""The page's channel: what is sent in which frame, between one WebSocket and the service.

Writes what it is given in order, and closes with the contract's code. Knows neither broker nor
items. Contract: channel.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import Final

from aiohttp import web

from bridge.broker.effects import ChannelEnd, SendItems, SendRefusal
from bridge.contract.limits import BridgeLimits
from bridge.servers.channel_frames import CLOSE_CODES, next_frame, render
from bridge.servers.channel_handshake import CHANNEL_PROTOCOL
from bridge.servers.shapes import ShapeError
from bridge.servers.web_socket import ServerWebSocket

__all__ = ["ChannelSocket"]

_LOG: Final = logging.getLogger(__name__)


class ChannelSocket:
    """One channel, from its handshake to its end. `on_frame` raises `ShapeError` to end it."""

    def __init__(self, limits: BridgeLimits, on_frame: Callable[[bytes], None]) -> None:
        self._on_frame = on_frame
        self._socket = ServerWebSocket(
            self._take,
            protocol=CHANNEL_PROTOCOL,
            peer="page",
            max_message_bytes=limits.max_body_bytes,
            # As often again as the items that are sent ahead: calls that end make room for others.
            max_unread_bytes=2 * limits.max_poll_items * limits.max_body_bytes,
        )
        self._waiting: deque[SendItems | SendRefusal] = deque()
        self._flushes = True
        """Whether what waits will leave: after the handshake, or when this turn ends."""
        self._end: ChannelEnd | None = None

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
            self._end = reason
            if self._socket.is_open:
                self._flush()

    async def run(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer the handshake and carry frames until the channel ends, whoever ends it."""
        return await self._socket.run(request, self._flush)

    def _take(self, data: bytes) -> None:
        try:
            self._on_frame(data)
        except ShapeError as error:
            _LOG.warning("the page sent a malformed frame: %s", error.message)
            self._socket.close(CLOSE_CODES[ChannelEnd.MALFORMED])

    def _flush(self) -> None:
        """Give what waits to the socket, without waiting until the peer has read."""
        self._flushes = False
        while self._waiting:
            self._socket.send(render(next_frame(self._waiting)))
        if self._end is not None:
            self._socket.close(CLOSE_CODES[self._end])
