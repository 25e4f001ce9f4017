"""The bridge's end of a WebSocket: texts in and out, and its end, whoever ends it.

Reads in the step of the event loop in which something comes, on the socket that carried the
handshake. Knows nothing of what the texts say. Contract: channel; RFC 6455.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final, cast

from aiohttp import web

from bridge.contract.web_socket import (
    BINARY,
    CLOSE,
    PING,
    TEXT,
    FrameReader,
    WebSocketError,
    accept_of,
    close_frame,
    frame,
    text_frame,
)

__all__ = ["ServerWebSocket"]

_LOG = logging.getLogger(__name__)
_BINARY_REFUSED: Final = 1003
_NORMAL: Final = 1000
_PONG: Final = 10
_GOODBYE_SECONDS: Final = 0.5
"""How long a peer is waited for that was told that its WebSocket closes."""
_CUT_OFF_SECONDS: Final = 2 * _GOODBYE_SECONDS
"""After this long its socket is gone, read or not: a peer that reads nothing hears no goodbye."""


class _Upgraded(web.StreamResponse):
    """Stands for the handshake's answer, which has been written, and ends the connection."""

    async def prepare(self, request: web.BaseRequest) -> None:
        """Do nothing."""

    async def write_eof(self, data: bytes = b"") -> None:
        """Do nothing."""

    @property
    def keep_alive(self) -> bool | None:
        """Say that no other request can follow."""
        return False


class ServerWebSocket:
    """One WebSocket, from its handshake to its end. `take` gets its texts.

    What `take` raises ends it, and is raised by `run`. A peer that has not read `max_unread_bytes`
    of what was sent is cut off, as is one that has read nothing of it for `stall_seconds`.
    """

    def __init__(  # noqa: PLR0913 - its bounds
        self,
        take: Callable[[bytes], None],
        *,
        protocol: str,
        peer: str,
        max_message_bytes: int,
        max_unread_bytes: int,
        stall_seconds: float | None = None,
    ) -> None:
        self._take = take
        self._protocol = protocol
        self._peer = peer
        self._max_unread = max_unread_bytes
        self._stall_seconds = stall_seconds
        self._reader = FrameReader(max_message_bytes, masked=True)
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._written = 0
        self._watch: asyncio.TimerHandle | None = None
        self._said_goodbye = False
        self._deaf = False

    async def run(self, request: web.BaseRequest, opened: Callable[[], None]) -> web.StreamResponse:
        """Answer the handshake, call `opened`, and carry texts until the end.

        The handshake has been checked. Raises `ConnectionError` when the peer is gone.
        """
        transport = request.transport
        key = request.headers.get("Sec-WebSocket-Key", "")
        if transport is None:
            raise ConnectionResetError("the peer is gone")
        transport.write(_handshake(key.encode(), self._protocol))
        self._transport = transport
        request.protocol.keep_alive(False)
        opened()
        # Whatever has come behind the handshake is given at once.
        request.protocol.set_parser(cast("Any", self))
        try:
            await self._ended
        finally:
            self._deaf = True
            if self._watch is not None:
                self._watch.cancel()
            self._cut_off_later()
        return _Upgraded()

    @property
    def is_open(self) -> bool:
        """Whether something that is sent may still be read."""
        transport = self._transport
        return transport is not None and not self._said_goodbye and not transport.is_closing()

    def send(self, text: bytes) -> None:
        """Send a text. Nothing is waited for; where nobody can read it, nothing is sent."""
        if self.is_open:
            self._write(text_frame(text))

    def close(self, code: int) -> None:
        """Say goodbye after what was sent. Of what still comes nothing is looked at."""
        if not self.is_open:
            return
        self._write(close_frame(code))
        self._said_goodbye = True
        self._cut_off_later()
        self._loop.call_later(_GOODBYE_SECONDS, self._end)

    # ---- what the connection calls

    def feed_data(self, data: bytes) -> tuple[bool, bytes]:
        """Take what came. Raises nothing."""
        if self._deaf or self._ended.done():
            return False, b""
        try:
            for opcode, payload in self._reader.feed(data):
                if not self._ended.done():
                    self._message(opcode, payload)
        except WebSocketError as error:
            self.close(error.code)
            self._deaf = True
        except Exception as error:  # noqa: BLE001 - `run` raises it
            self._deaf = True
            if not self._ended.done():
                self._ended.set_exception(error)
        return False, b""

    def feed_eof(self) -> None:
        """Note that nothing more comes."""
        self._deaf = True
        self._end()

    def _message(self, opcode: int, payload: bytes) -> None:
        if opcode == TEXT:
            if not self._said_goodbye:
                self._take(payload)
        elif opcode == BINARY:
            self.close(_BINARY_REFUSED)
        elif opcode == PING:
            if self.is_open:
                self._write(frame(_PONG, payload))
        elif opcode == CLOSE:
            # Never the peer's own code: a page that goes away says 1001, which would come back to
            # it as the word that the bridge is ending.
            self.close(_NORMAL)
            self._end()

    def _end(self) -> None:
        if not self._ended.done():
            self._ended.set_result(None)

    def _write(self, data: bytes) -> None:
        transport = self._transport
        if transport is None:
            return
        transport.write(data)
        self._written += len(data)
        unread = transport.get_write_buffer_size()
        if unread > self._max_unread:
            self._cut_off("does not read what it is sent")
        elif unread and self._watch is None and self._stall_seconds is not None:
            self._watch_from(self._written - unread)

    def _watch_from(self, read: int) -> None:
        self._watch = self._loop.call_later(self._stall_seconds or 0, self._look, read)

    def _look(self, read: int) -> None:
        """Cut a peer off that has read no more than the last time."""
        self._watch = None
        transport = self._transport
        unread = 0 if transport is None else transport.get_write_buffer_size()
        if unread and self._written - unread == read:
            self._cut_off("has stopped reading")
        elif unread:
            self._watch_from(self._written - unread)

    def _cut_off(self, why: str) -> None:
        _LOG.warning("the %s %s", self._peer, why)
        if self._transport is not None:
            self._transport.abort()

    def _cut_off_later(self) -> None:
        if self._transport is not None:
            # Of a socket that has closed by then it does nothing.
            self._loop.call_later(_CUT_OFF_SECONDS, self._transport.abort)


def _handshake(key: bytes, protocol: str) -> bytes:
    """Return the answer to a handshake, which says no more than it must."""
    return (
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: %b\r\nSec-WebSocket-Protocol: %b\r\n"
        b"Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\r\n"
        % (accept_of(key), protocol.encode())
    )
