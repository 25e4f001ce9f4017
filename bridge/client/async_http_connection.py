"""Keep-alive connections to a bridge, for an event loop: the twin of `http_connection`.

Exchanges that follow each other share one connection; those that overlap have one each, as many
as a bridge can spare, and the others wait their turn. Made on
the loop's own transports, since what may be claimed of a broken call depends on whether the
request was written whole. Contract: HTTP, secrets.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, cast

from bridge.client.bridge_address import LOOPBACK, BridgeAddress
from bridge.client.connection_failures import (
    ClosedUnanswered,
    NotSentWhole,
    closed_early,
    connection_lost,
    ended,
    not_a_bridge,
    too_late,
    unreachable,
)
from bridge.client.http_connection import REUSE_SECONDS, always
from bridge.client.http_response import HttpError, HttpResponse, ResponseReader
from bridge.contract.error_codes import Outcome
from bridge.contract.limits import BRIDGE_LIMITS

__all__ = ["AsyncHttpConnection"]

_MAX_IDLE: Final = 8
"""Idle connections that are kept; a bridge has few sockets to give away.

As many as calls that agents usually have in flight: a new one costs as much as a call.
"""
_MAX_OPEN: Final = BRIDGE_LIMITS.max_outstanding // 2
"""Beyond its own limit a bridge refuses calls, or the sockets that they come by."""


class AsyncHttpConnection:
    """Exchanges with one bridge, for one event loop. `runs` as for `HttpConnection`."""

    def __init__(self, address: BridgeAddress, runs: Callable[[], bool] = always) -> None:
        self._address = address
        self._runs = runs
        self._idle: list[_Line] = []
        self._room = asyncio.Semaphore(_MAX_OPEN)

    async def exchange(
        self, request: bytes, deadline: float, *, repeatable: bool = False
    ) -> HttpResponse:
        """Send a request and return its response, by `deadline` in the loop's time.

        Raises `BridgeFailure`. Cancelled, it hangs up: the request may have been acted on then.
        """
        if self._room.locked():
            try:
                async with asyncio.timeout_at(deadline):
                    await self._room.acquire()
            except TimeoutError:
                raise too_late(Outcome.NOT_DELIVERED) from None
        else:
            # What need not wait is not made to cost a timer.
            await self._room.acquire()
        try:
            return await self._exchange_in_turn(request, deadline, repeatable=repeatable)
        finally:
            self._room.release()

    async def _exchange_in_turn(
        self, request: bytes, deadline: float, *, repeatable: bool
    ) -> HttpResponse:
        line = self._take()
        if line is not None:
            try:
                return await self._exchange(line, request, deadline)
            except NotSentWhole:
                pass
            except ClosedUnanswered:
                if not repeatable:
                    raise connection_lost("the connection broke off") from None
        try:
            return await self._exchange(await self._dial(deadline), request, deadline)
        except NotSentWhole:
            raise closed_early() from None
        except ClosedUnanswered:
            raise connection_lost("the connection broke off") from None

    def close(self) -> None:
        """Hang up what is idle."""
        for line in self._idle:
            line.abort()
        self._idle.clear()

    def _take(self) -> _Line | None:
        while self._idle:
            line = self._idle.pop()
            if line.is_usable():
                return line
            line.abort()
        return None

    async def _dial(self, deadline: float) -> _Line:
        loop = asyncio.get_running_loop()
        if deadline <= loop.time():
            raise too_late(Outcome.NOT_DELIVERED)
        try:
            async with asyncio.timeout_at(deadline):
                _, line = await loop.create_connection(
                    lambda: _Line(loop), LOOPBACK, self._address.port
                )
        except TimeoutError:
            raise too_late(Outcome.NOT_DELIVERED) from None
        except OSError as error:
            reason = error.strerror or "it did not answer"
            raise unreachable(f"No bridge answers at {self._address.url}: {reason}.") from None
        if not self._runs():
            line.abort()
            raise ended()
        return line

    async def _exchange(self, line: _Line, request: bytes, deadline: float) -> HttpResponse:
        kept = False
        try:
            if deadline <= asyncio.get_running_loop().time():
                raise too_late(Outcome.NOT_DELIVERED)
            async with asyncio.timeout_at(deadline):
                response = await line.exchange(request)
            kept = response.keeps
        except TimeoutError:
            raise too_late(Outcome.UNKNOWN if line.sent_whole else Outcome.NOT_DELIVERED) from None
        except HttpError as error:
            raise not_a_bridge(str(error)) from None
        except ConnectionError as error:
            raise connection_lost(f"the connection failed ({error.strerror})") from None
        finally:
            if kept and len(self._idle) < _MAX_IDLE:
                self._idle.append(line)
            else:
                line.abort()
        return response


class _Line(asyncio.Protocol):
    """One connection: what was written, and the answer that is waited for."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._transport: asyncio.Transport | None = None
        self._reader: ResponseReader | None = None
        self._answer: asyncio.Future[HttpResponse] | None = None
        self._used_at = loop.time()
        self.sent_whole = False
        """Whether the system has taken the whole request."""

    async def exchange(self, request: bytes) -> HttpResponse:
        transport = self._transport
        if transport is None or transport.is_closing():
            raise NotSentWhole
        self._reader = ResponseReader(BRIDGE_LIMITS.max_body_bytes)
        answer: asyncio.Future[HttpResponse] = self._loop.create_future()
        self._answer = answer
        self.sent_whole = True
        try:
            transport.write(request)
            if transport.is_closing():
                self.sent_whole = False
                raise NotSentWhole
            response = await answer
        finally:
            self._answer = self._reader = None
        self._used_at = self._loop.time()
        if not self.sent_whole:
            # Refused half-way, with the reason; anything else cannot be an answer to it.
            if response.status < 400:
                raise NotSentWhole
            return response._replace(keeps=False)
        return response

    def is_usable(self) -> bool:
        fresh = self._loop.time() - self._used_at <= REUSE_SECONDS
        return fresh and self._transport is not None and not self._transport.is_closing()

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        # Told as soon as anything waits to be written, and again when nothing does.
        self._transport.set_write_buffer_limits(high=0)

    def pause_writing(self) -> None:
        self.sent_whole = False

    def resume_writing(self) -> None:
        self.sent_whole = True

    def data_received(self, data: bytes) -> None:
        if self._reader is None or self._answer is None or self._answer.done():
            # It says something that nobody asked for.
            self.abort()
            return
        try:
            response = self._reader.feed(data)
        except HttpError as error:
            self._answer.set_exception(error)
        else:
            if response is not None:
                self._answer.set_result(response)

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._transport = None
        if self._answer is None or self._answer.done():
            return
        if not self.sent_whole:
            self._answer.set_exception(NotSentWhole())
        elif self._reader is not None and self._reader.has_begun:
            self._answer.set_exception(ConnectionResetError(0, "half-way through the answer"))
        else:
            self._answer.set_exception(ClosedUnanswered())
