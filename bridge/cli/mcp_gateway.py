"""Between the lines of one MCP client and the app: who is answered with what, and when.

What needs no app is answered at once; each other request is an exchange of its own, by the client's
own bytes, and is answered as its answer comes. Reads and writes nothing itself. Contract: MCP.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from bridge.cli.mcp_failures import failed_request
from bridge.cli.mcp_openings import McpOpenings
from bridge.client.bridge_failure import BridgeFailure
from bridge.contract.error_codes import JsonRpcErrorNumber
from bridge.contract.limits import JSON_LIMITS
from bridge.dispatcher.envelope import read_envelope
from bridge.dispatcher.in_flight import id_key
from bridge.dispatcher.mcp_front import Answered, AppRequest, Cancelled, McpFront
from bridge.dispatcher.mcp_undelivered import INTERNAL_ERROR_NUMBER
from bridge.dispatcher.task_wait import AskAgain, TaskWait, task_wait

if TYPE_CHECKING:
    from bridge.cli.mcp_output import LineOutput

__all__ = ["McpGateway", "Route"]

_BLANK: Final = b" \t\r"
_CALL_BYTES: Final = 4_096
"""What a call in flight takes beside its own line, roughly."""
_MAX_CALLS_BYTES: Final = 8_388_608
"""Of all calls in flight: eight of the longest, or two thousand short ones."""
_SAME_ID: Final = "A request with this id is still in flight."


class Route(Protocol):
    """The way to the app. `AppRoute` is one."""

    def respond(self, request: bytes, opening: bytes | None = None) -> Awaitable[bytes]:
        """Send a request and return its response. Raises `BridgeFailure`."""

    def notify(self, message: bytes) -> None:
        """Send a notification, if there is anybody to send it to."""


class _Call(NamedTuple):
    request: AppRequest
    line: bytes
    opening: bytes | None


class McpGateway:
    """Takes lines, and writes their answers to `output`. For one event loop."""

    def __init__(
        self, front: McpFront, route: Route, output: LineOutput, openings: McpOpenings
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._front = front
        self._route = route
        self._output = output
        self._openings = openings
        self._calls: dict[str, asyncio.Task[None]] = {}
        """Those in flight, by the token of their id."""
        self._calls_bytes = 0
        self._fewer = asyncio.Event()

    def take(self, line: bytes | None) -> None:
        """Take one line; None for one that was too long to keep. Raises nothing."""
        if line is None:
            # Whatever it held: the front says how a line is refused that is over the limit.
            line = bytes(JSON_LIMITS.max_encoded_bytes + 1)
        elif not line or not line.strip(_BLANK):
            return
        envelope = read_envelope(line)
        match self._front.take_envelope(envelope):
            case AppRequest() as request:
                self.begin(request, line)
            case Answered(answer, refused):
                if not refused:
                    self._openings.answered(envelope, line)
                self._output.write(answer.encode())
            case Cancelled(request_id):
                self._cancel(request_id, line)

    def begin(self, request: AppRequest, line: bytes) -> None:
        """Bring a request to the app, and its answer back."""
        key = id_key(request.id)
        if key in self._calls:
            number = JsonRpcErrorNumber.INVALID_REQUEST
            self._output.write(self._front.error(request, number, _SAME_ID).encode())
            return
        opening = self._openings.for_request(request)
        call = _Call(request, line, opening)
        self._calls[key] = self._loop.create_task(self._run(key, call))
        self._calls_bytes += len(line) + _CALL_BYTES

    @property
    def is_full(self) -> bool:
        """Whether so much is under way that no more lines should be read."""
        return self._calls_bytes > _MAX_CALLS_BYTES or self._output.is_full

    async def room(self) -> None:
        """Wait until more lines may be read."""
        while self.is_full:
            await self._output.room()
            if self._calls_bytes > _MAX_CALLS_BYTES:
                self._fewer.clear()
                await self._fewer.wait()

    async def finished(self) -> None:
        """Wait until no call is in flight."""
        while self._calls:
            await asyncio.wait(self._calls.values())

    def stop(self) -> None:
        """Hang up what is in flight. Nothing more is written."""
        calls = list(self._calls.values())
        self._calls.clear()
        for call in calls:
            call.cancel()

    def _cancel(self, request_id: str | int, line: bytes) -> None:
        """Hang up, send nothing more for that id, and let the app know."""
        call = self._calls.pop(id_key(request_id), None)
        if call is not None:
            call.cancel()
            self._route.notify(line)

    async def _run(self, key: str, call: _Call) -> None:
        try:
            answer = await self._answer(call)
            if self._calls.get(key) is asyncio.current_task():
                del self._calls[key]
                self._output.write(answer)
        finally:
            self._calls_bytes -= len(call.line) + _CALL_BYTES
            self._fewer.set()

    async def _answer(self, call: _Call) -> bytes:
        try:
            # Where nobody reads the answers, no more of them are asked for.
            if self._output.is_full:
                await self._output.room()
            wait = task_wait(call.request, self._loop.time())
            if wait is not None:
                return await self._wait_for_task(call, wait)
            return await self._route.respond(call.line, call.opening)
        except BridgeFailure as failure:
            return failed_request(self._front, call.request, failure).encode()
        except Exception:  # noqa: BLE001 - a fault of ours leaves no client waiting
            text = "The gateway has failed."
            return self._front.error(call.request, INTERNAL_ERROR_NUMBER, text).encode()

    async def _wait_for_task(self, call: _Call, wait: TaskWait) -> bytes:
        while True:
            answer = await self._route.respond(wait.line, call.opening)
            step = wait.answered(answer, self._loop.time())
            if not isinstance(step, AskAgain):
                return answer
            if step.progress is not None:
                self._output.write(step.progress.encode())
            await asyncio.sleep(step.after_seconds)
