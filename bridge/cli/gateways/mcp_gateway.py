"""Between the lines of one MCP client and the app: who is answered with what, and when.

What needs no app is answered at once; each other request is an exchange of its own, by the client's
own bytes, and is answered as its answer comes. Reads and writes nothing itself. Contract: MCP.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from bridge.cli.gateways.app_places import AppPlaces
from bridge.cli.gateways.mcp_failures import failed_request
from bridge.cli.gateways.mcp_openings import McpOpenings
from bridge.client.bridge_failure import BridgeFailure
from bridge.contract.error_codes import JsonRpcErrorNumber
from bridge.contract.limits import BRIDGE_LIMITS, JSON_LIMITS
from bridge.dispatcher.envelope import read_envelope
from bridge.dispatcher.in_flight import id_key
from bridge.dispatcher.mcp_front import Answered, AppRequest, Cancelled, McpFront
from bridge.dispatcher.mcp_undelivered import INTERNAL_ERROR_NUMBER
from bridge.dispatcher.task_wait import AskAgain, TaskWait, task_wait

if TYPE_CHECKING:
    from bridge.cli.gateways.mcp_output import LineOutput
    from bridge.cli.gateways.mcp_route import Ended

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

    def begin(
        self, request: bytes, ended: Ended, opening: bytes | None = None
    ) -> Callable[[], None] | None:
        """Send a request where that takes no waiting, and return what hangs up; else None."""

    def notify(self, message: bytes) -> asyncio.Future[None] | None:
        """Send a notification, and return what is done, soon, when it was taken or never will be.

        None where there is nobody to send it to.
        """


class _Call:
    """One request in flight, until its answer is written or it is cancelled."""

    __slots__ = ("asked", "key", "line", "opening", "placed", "request", "stop")

    def __init__(self, key: str, request: AppRequest, line: bytes, opening: bytes | None) -> None:
        self.key = key
        self.request = request
        self.line = line
        self.opening = opening
        self.placed = False
        """Whether it has a place at the app."""
        self.asked = False
        """Whether the app may have heard of it."""
        self.stop: Callable[[], object] = _nothing
        """Hangs up."""


class McpGateway:
    """Takes lines, and writes their answers to `output`. For one event loop.

    A call waits `place_seconds` at most for those before it, and is refused then.
    """

    def __init__(
        self,
        front: McpFront,
        route: Route,
        output: LineOutput,
        openings: McpOpenings,
        place_seconds: float = BRIDGE_LIMITS.max_call_seconds,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._front = front
        self._route = route
        self._output = output
        self._openings = openings
        self._places = AppPlaces(output)
        self._place_seconds = place_seconds
        self._calls: dict[str, _Call] = {}
        """Those in flight, by the token of their id."""
        self._calls_bytes = 0
        self._cancelling: dict[str, asyncio.Future[None]] = {}
        """Cancellations on their way to the app, by the same: one each, since the next request with
        that id is asked after it."""
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
        call = _Call(key, request, line, self._openings.for_request(request))
        self._calls[key] = call
        self._calls_bytes += len(line) + _CALL_BYTES
        wait = task_wait(request, self._loop.time())
        # Where nobody reads the answers, no more of them are asked for.
        call.placed = wait is None and key not in self._cancelling and self._places.take()
        if not (call.placed and self._begins(call)):
            self._run(call, wait)

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
            self._fewer.clear()
            await self._fewer.wait()

    def stop(self) -> None:
        """Hang up what is in flight. Nothing more is written."""
        for call in list(self._calls.values()):
            self._remove(call)
            call.stop()

    def _cancel(self, request_id: str | int, line: bytes) -> None:
        """Hang up, send nothing more for that id, and let the app know that has heard of it."""
        key = id_key(request_id)
        call = self._calls.get(key)
        if call is None:
            return
        self._remove(call)
        call.stop()
        told = self._route.notify(line) if call.asked else None
        if told is not None:
            # It would hit the next request with this id, should that overtake it.
            self._cancelling[key] = told
            told.add_done_callback(lambda _: self._cancelling.pop(key))

    def _begins(self, call: _Call) -> bool:
        """Begin a call where that takes no waiting, and no task."""
        call.asked = True
        try:
            hang_up = self._route.begin(call.line, partial(self._ended, call), call.opening)
        except Exception:  # noqa: BLE001 - a fault of ours leaves no client waiting
            self._finish(call, self._fault(call))
            return True
        if hang_up is None:
            return False
        call.stop = hang_up
        return True

    def _ended(self, call: _Call, end: bytes | BridgeFailure | None) -> None:
        """Take how a call has ended that was begun without waiting."""
        if end is None:
            self._run(call, None)
        elif isinstance(end, bytes):
            self._finish(call, end)
        else:
            self._finish(call, failed_request(self._front, call.request, end).encode())

    def _run(self, call: _Call, wait: TaskWait | None) -> None:
        """Let a call take its time, in a task of its own."""
        task = self._loop.create_task(self._answer_it(call, wait))
        call.stop = task.cancel

    async def _answer_it(self, call: _Call, wait: TaskWait | None) -> None:
        self._finish(call, await self._answer(call, wait))

    def _finish(self, call: _Call, answer: bytes) -> None:
        # An answer that has come when its call is cancelled is not written.
        if self._calls.get(call.key) is call:
            # Before its place is given to another: there may be no room for more after it.
            self._output.write(answer)
            self._remove(call)

    def _remove(self, call: _Call) -> None:
        del self._calls[call.key]
        self._calls_bytes -= len(call.line) + _CALL_BYTES
        self._fewer.set()
        self._leave(call)

    def _leave(self, call: _Call) -> None:
        if call.placed:
            call.placed = False
            self._places.leave()

    async def _answer(self, call: _Call, wait: TaskWait | None) -> bytes:
        try:
            cancelling = self._cancelling.get(call.key)
            if cancelling is not None:
                await asyncio.wait({cancelling})
            if wait is not None:
                return await self._wait_for_task(call, wait)
            return await self._ask(call, call.line)
        except BridgeFailure as failure:
            return failed_request(self._front, call.request, failure).encode()
        except Exception:  # noqa: BLE001 - a fault of ours leaves no client waiting
            return self._fault(call)

    async def _ask(self, call: _Call, line: bytes) -> bytes:
        if not call.placed:
            await self._places.taken(self._place_seconds)
            call.placed = True
        call.asked = True
        return await self._route.respond(line, call.opening)

    def _fault(self, call: _Call) -> bytes:
        text = "The gateway has failed."
        return self._front.error(call.request, INTERNAL_ERROR_NUMBER, text).encode()

    async def _wait_for_task(self, call: _Call, wait: TaskWait) -> bytes:
        while True:
            answer = await self._ask(call, wait.line)
            step = wait.answered(answer, self._loop.time())
            if not isinstance(step, AskAgain):
                return answer
            if step.progress is not None:
                self._output.write(step.progress.encode())
            # Between two questions it takes nobody's place.
            self._leave(call)
            await asyncio.sleep(step.after_seconds)


def _nothing() -> None:
    """Hang up nothing."""
