"""Serves `POST /mcp`: brings requests to the broker, waits, and writes answers and streams.

What a message means and how it is answered is decided elsewhere. Contract: MCP.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

from aiohttp import web

from bridge.broker.effects import Answer
from bridge.broker.events import Call, Waiter
from bridge.contract.limits import BridgeLimits
from bridge.dispatcher.task_wait import AskAgain, TaskWait, task_wait
from bridge.servers.active_requests import Place
from bridge.servers.bridge_answers import HttpAnswer
from bridge.servers.bridge_gate import RequestHead
from bridge.servers.clock import Clock
from bridge.servers.event_stream import EventStream
from bridge.servers.mcp_http import McpHttp, McpRequest

__all__ = ["CallDesk", "McpService"]


class CallDesk(Protocol):
    """What is needed of the bridge around."""

    def new_waiter(self) -> Waiter:
        """Return a name for somebody who waits."""

    def ask(self, event: Call) -> asyncio.Future[Answer]:
        """Hand a call to the broker; the future gets its answer."""

    def hang_up(self, waiter: Waiter) -> None:
        """Tell the broker that nobody waits any more."""

    async def send(
        self, request: web.BaseRequest, head: RequestHead, answer: HttpAnswer
    ) -> web.StreamResponse:
        """Write an answer."""


class McpService:
    """The endpoint of one bridge, for the event loop."""

    def __init__(self, desk: CallDesk, limits: BridgeLimits, clock: Clock) -> None:
        self._desk = desk
        self._limits = limits
        self._clock = clock
        self._http = McpHttp(limits)

    async def serve(
        self, request: web.BaseRequest, head: RequestHead, body: bytes, place: Place
    ) -> web.StreamResponse:
        """Serve one message. Raises `ConnectionError` when the peer is gone."""
        taken = self._http.take(head, body)
        if isinstance(taken, HttpAnswer):
            return await self._desk.send(request, head, taken)
        wait = task_wait(taken.request, self._clock().monotonic)
        if wait is not None:
            return await self._serve_wait(request, head, taken, wait, place)
        line = await self._line(taken, taken.line, place)
        return await self._desk.send(request, head, HttpAnswer(200, line))

    async def _serve_wait(
        self,
        request: web.BaseRequest,
        head: RequestHead,
        taken: McpRequest,
        wait: TaskWait,
        place: Place,
    ) -> web.StreamResponse:
        """Ask until the task has ended or the wait has; tell of the progress by a stream."""
        stream: EventStream | None = None
        while True:
            line = await self._line(taken, wait.line, place)
            step = wait.answered(line, self._clock().monotonic)
            if not isinstance(step, AskAgain):
                break
            # Between two questions there is nothing in hand.
            place.leave()
            if step.progress is not None:
                stream = stream or EventStream(request, (), self._limits.head_timeout_seconds)
                await stream.send(step.progress.encode())
            await asyncio.sleep(step.after_seconds)
        if stream is None:
            return await self._desk.send(request, head, HttpAnswer(200, line))
        await stream.end(line)
        return stream

    async def _line(self, taken: McpRequest, line: bytes, place: Place) -> bytes:
        """Return the line that answers a request which is sent to the page as `line`.

        Cancelled, it takes the request back where a client that hangs up means that.
        """
        waiter = self._desk.new_waiter()
        call = Call(
            waiter,
            taken.session,
            line,
            taken.request_id,
            self._limits.max_call_seconds,
            taken.label,
            taken.opening,
            taken.cancellation,
        )
        answered = self._desk.ask(call)
        if not answered.done():
            place.leave()
        try:
            await answered
        except asyncio.CancelledError:
            if taken.cancellation is not None:
                self._desk.hang_up(waiter)
            raise
        await place.enter_again()
        return self._http.answered(taken.request, answered.result())
