"""Keep-alive connections to a native app, for an event loop: the twin of `native_connection`.

Exchanges that follow each other share one connection; those that overlap have one each, a few at
most, since an app takes few, and one is kept when they are over.
Contract: native endpoints, delivery.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Final
from weakref import WeakSet

from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode, DeadlineExceeded
from bridge.client.connection_failures import too_late
from bridge.client.native_connection import RETRY_SECONDS, try_dial
from bridge.client.native_exchange import NativeExchange
from bridge.client.native_failures import app_unreachable, no_bridge_between
from bridge.contract.error_codes import Outcome

__all__ = ["AsyncNativeConnection"]

_MAX_OPEN: Final = 4
"""An app takes sixteen connections, from all programs together."""
_READ_BYTES: Final = 65_536


class AsyncNativeConnection:
    """Exchanges with the app that listens at a path, for one event loop.

    Every method raises `BridgeFailure`; cancelled, an exchange hangs up: it may have been acted on.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._idle: list[socket.socket] = []
        self._had_opening: WeakSet[socket.socket] = WeakSet()
        self._room = asyncio.Semaphore(_MAX_OPEN)
        self._waiting = 0
        """How many exchanges wait for room."""

    async def respond(
        self,
        session: str,
        request: bytes,
        seconds: float | None,
        deadline: float,
        *,
        opening: bytes | None = None,
    ) -> bytes:
        """Send a JSON-RPC request, and return its response by `deadline` in the loop's time.

        `opening` is a request that goes first over a connection that has had none; nobody gets its
        answer.
        """
        del session, seconds
        await self._wait_for_room(deadline)
        try:
            return await self._exchange_in_turn(request, opening, deadline)
        finally:
            self._room.release()
            self._drop_spare()

    async def notify(
        self,
        session: str,
        notification: bytes,
        seconds: float | None,
        deadline: float,
        *,
        opening: bytes | None = None,
    ) -> None:
        """Do nothing: the session that it could be about is a connection that has hung up."""
        del session, notification, seconds, deadline, opening

    async def keep_session(self, session: str, deadline: float) -> bool:
        """Say whether there is a session: a connection is one for as long as it is open."""
        del session, deadline
        return bool(self._idle)

    async def close_session(self, session: str, deadline: float) -> None:
        """Release the sessions, which are the connections."""
        del session, deadline
        self.close()

    async def calls(self, after: int | None, wait_seconds: float, deadline: float) -> bytes:
        """Raise: there is nobody between who sees the calls of others."""
        del after, wait_seconds, deadline
        raise no_bridge_between("no journal of calls")

    async def status(self, deadline: float) -> bytes:
        """Raise: there is nobody between who has a status."""
        del deadline
        raise no_bridge_between("no status")

    def close(self) -> None:
        """Hang up what is idle."""
        for opened in self._idle:
            opened.close()
        self._idle.clear()

    def __del__(self) -> None:
        # A client that was simply dropped, as in a short script, is no leak worth a warning.
        self.close()

    async def _wait_for_room(self, deadline: float) -> None:
        self._waiting += 1
        try:
            async with asyncio.timeout_at(deadline):
                await self._room.acquire()
        except TimeoutError:
            raise too_late(Outcome.NOT_DELIVERED) from None
        finally:
            self._waiting -= 1
            self._drop_spare()

    def _drop_spare(self) -> None:
        """Hang up what is idle, but for the next exchange and for those that wait."""
        while len(self._idle) > 1 + self._waiting:
            self._idle.pop(0).close()

    async def _exchange_in_turn(
        self, request: bytes, opening: bytes | None, deadline: float
    ) -> bytes:
        opened = self._take()
        if opened is not None:
            try:
                return await self._exchange(opened, request, opening, deadline)
            except BridgeFailure as failure:
                if failure.code != ClientErrorCode.UNREACHABLE:
                    raise
                # It broke while nobody looked, and nothing was acted on.
        return await self._exchange(await self._dial(deadline), request, opening, deadline)

    def _take(self) -> socket.socket | None:
        while self._idle:
            opened = self._idle.pop()
            try:
                opened.recv(1, socket.MSG_PEEK)
            except BlockingIOError:
                return opened
            except OSError:
                pass
            opened.close()
        return None

    async def _dial(self, deadline: float) -> socket.socket:
        """Connect, and wait in the queue of an app that is busy."""
        while (left := deadline - asyncio.get_running_loop().time()) > 0:
            dialled = try_dial(self.path)
            if dialled is not None:
                # A loop takes no plainer kind of socket.
                opened = socket.socket(fileno=dialled.detach())
                opened.setblocking(False)
                return opened
            # The system tells nobody when there is room again but who blocks in the call itself.
            await asyncio.sleep(min(left, RETRY_SECONDS))
        raise too_late(Outcome.NOT_DELIVERED)

    async def _exchange(
        self, opened: socket.socket, request: bytes, opening: bytes | None, deadline: float
    ) -> bytes:
        exchange = NativeExchange(request)
        kept = False
        try:
            if opening is not None and opened not in self._had_opening:
                await self._open(opened, opening, deadline)
            answer = await self._answered(opened, exchange, deadline)
            kept = exchange.is_clean
        finally:
            if kept:
                self._idle.append(opened)
            else:
                opened.close()
        return answer

    async def _open(self, opened: socket.socket, opening: bytes, deadline: float) -> None:
        try:
            await self._answered(opened, NativeExchange(opening), deadline)
        except DeadlineExceeded:
            raise too_late(Outcome.NOT_DELIVERED) from None
        except BridgeFailure as failure:
            if failure.outcome is Outcome.NOT_DELIVERED:
                raise
            # Whatever became of this one, the request itself was not sent.
            raise app_unreachable(self.path, failure.message) from None
        self._had_opening.add(opened)

    async def _answered(
        self, opened: socket.socket, exchange: NativeExchange, deadline: float
    ) -> bytes:
        try:
            async with asyncio.timeout_at(deadline):
                return await _send_and_receive(opened, exchange)
        except TimeoutError:
            raise too_late(exchange.outcome) from None
        except OSError as error:
            reason = error.strerror or "the connection broke off"
            raise exchange.broken(self.path, reason) from None


async def _send_and_receive(opened: socket.socket, exchange: NativeExchange) -> bytes:
    loop = asyncio.get_running_loop()
    broken: OSError | None = None
    try:
        while exchange.unsent:
            try:
                exchange.has_sent(opened.send(exchange.unsent))
            except BlockingIOError:
                await _ready(loop.add_writer, loop.remove_writer, opened)
    except ConnectionError as error:
        # Refused, and perhaps there is a reason to read.
        broken = error
    while True:
        data = await loop.sock_recv(opened, _READ_BYTES)
        if not data:
            raise broken or ConnectionResetError(0, "the connection broke off")
        answer = exchange.receive(data)
        if answer is not None:
            if broken is not None and exchange.outcome is Outcome.NOT_DELIVERED:
                # It is about a part of the request, of which nobody makes a message.
                raise broken
            return answer


async def _ready(
    watch: Callable[..., object], unwatch: Callable[[socket.socket], object], opened: socket.socket
) -> None:
    ready = asyncio.Event()
    watch(opened, ready.set)
    try:
        await ready.wait()
    finally:
        with suppress(OSError):
            unwatch(opened)
