"""The bridge's HTTP shell: moves bytes between sockets, the gate and the broker.

Decides nothing itself. Whoever waits is a future; time comes as ticks when the broker asks for
them; a peer that hangs up is told to the broker. One event loop only.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable, Sequence
from typing import Final, assert_never

from aiohttp import web

from bridge.broker.broker import Broker
from bridge.broker.effects import (
    Answer,
    ChannelOpened,
    Connected,
    Effect,
    EndChannel,
    Reply,
    SendItems,
    SendRefusal,
)
from bridge.broker.events import (
    Call,
    CallerGone,
    ChannelBroken,
    CloseSession,
    Connect,
    Disconnect,
    Event,
    OpenChannel,
    Poll,
    PollBroken,
    Shutdown,
    Tick,
    Waiter,
    Watch,
)
from bridge.contract.error_codes import BridgeErrorCode, Outcome
from bridge.contract.limits import BridgeLimits
from bridge.servers.active_requests import ActiveRequests, Place
from bridge.servers.bridge_answers import HttpAnswer, error_answer, http_answer
from bridge.servers.bridge_bodies import AskingEvent, BodyReader
from bridge.servers.bridge_channel import ChannelSocket
from bridge.servers.bridge_cors import cors_headers, preflight_headers
from bridge.servers.bridge_gate import (
    GatePolicy,
    Passed,
    Preflight,
    Refused,
    RequestHead,
    check_head,
)
from bridge.servers.bridge_metrics import BridgeMetrics, InHand
from bridge.servers.bridge_responses import BridgeResponse
from bridge.servers.bridge_routes import CallerClass, RouteName
from bridge.servers.channel_frames import read_frame
from bridge.servers.clock import Clock
from bridge.servers.mcp_service import McpService
from bridge.servers.shapes import ShapeError
from bridge.servers.terminal_service import Asked, TerminalService

__all__ = ["BridgeService"]

_LOG = logging.getLogger(__name__)
_LONGEST_TIMER_SECONDS: Final = 2.0
"""The loop's timers stop while the machine sleeps: none may be far ahead when it wakes."""
_CALLING: Final = frozenset({RouteName.RPC, RouteName.SESSION_CLOSE, RouteName.MCP})
"""Routes whose failures say what may have been done."""


class BridgeService:
    """One run of the bridge, without its sockets."""

    def __init__(
        self, broker: Broker, policy: GatePolicy, limits: BridgeLimits, clock: Clock
    ) -> None:
        self._broker = broker
        self._policy = policy
        self._limits = limits
        self._clock = clock
        self._reader = BodyReader(limits)
        self._metrics = BridgeMetrics(policy.origin, clock().monotonic)
        self._active = ActiveRequests(limits.max_active_requests, limits.reserved_active_requests)
        self._waiting: dict[Waiter, Callable[[Answer], None]] = {}
        self._channels: dict[Waiter, ChannelSocket] = {}
        self._waiters = itertools.count(1)
        self._mcp = McpService(self, limits, clock)
        self._terminals = TerminalService(self, limits, self._reader)
        self._gathers = False
        """Whether more follows, with which what is to be sent goes together."""
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0.0
        # What nobody uses is counted from here on.
        broker.handle(Tick(), clock())

    def unused_seconds(self) -> float:
        """Return for how long nobody has used the bridge, as the broker counts it."""
        self._tell(Tick())
        return self._broker.snapshot(self._clock()).idle_seconds

    def shut_down(self) -> None:
        """Answer everyone who waits, and everyone who still comes, that the bridge is going."""
        self._tell(Shutdown())
        self._terminals.shut_down()
        if self._timer is not None:
            self._timer.cancel()

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Serve one request, from its head on. Raises `ConnectionError` when the peer is gone."""
        head = RequestHead(request.method, request.raw_path, request.raw_headers)
        match check_head(head, self._policy):
            case Refused(code, message, allow, hint):
                allowed = () if allow is None else (("Allow", allow),)
                answer = error_answer(code, message=message, hint=hint, headers=allowed)
                # A body may follow that nobody has looked at.
                return await self.send(request, head, answer, close=True)
            case Preflight(route):
                extra = preflight_headers(route, self._limits.preflight_max_age_seconds)
                return await self.send(request, head, HttpAnswer(204, b"", headers=(*extra,)))
            case Passed() as passed:
                return await self._serve(request, head, passed)

    async def _serve(
        self, request: web.BaseRequest, head: RequestHead, passed: Passed
    ) -> web.StreamResponse:
        route = passed.route
        with Place(self._active, from_page=route.caller is CallerClass.BROWSER) as place:
            if not place.try_enter():
                carries_outcome = route.name in _CALLING
                answer = error_answer(
                    BridgeErrorCode.BUSY,
                    outcome=Outcome.NOT_DELIVERED if carries_outcome else None,
                )
                self._metrics.busy += 1
                return await self.send(request, head, answer, close=True)
            if route.name is RouteName.STATUS:
                return await self.send(request, head, self._status(head))
            if route.is_web_socket:
                return await self._serve_web_socket(request, head, passed.ticket, place)
            waiter = self.new_waiter()
            try:
                if route.name is RouteName.POLL:
                    event: AskingEvent = self._reader.poll(head, passed.query, waiter)
                else:
                    body = await self._read_body(request, passed.content_length)
                    if route.name is RouteName.MCP:
                        return await self._mcp.serve(request, head, body, place)
                    event = self._reader.body(route.name, body, waiter)
                    del body
            except ShapeError as error:
                answer = error_answer(error.code, message=error.message)
                unread = not request.content.is_eof()
                return await self.send(request, head, answer, close=unread)
            return await self._exchange(request, head, event, place)

    async def _serve_web_socket(
        self, request: web.BaseRequest, head: RequestHead, ticket: str | None, place: Place
    ) -> web.StreamResponse:
        """Carry a page's channel, or a terminal's, until it ends."""
        if ticket is not None:
            return await self._serve_channel(request, head, ticket, place)
        code = None
        if self._broker.is_closed:
            code = BridgeErrorCode.CLOSING
        elif self._terminals.is_full:
            self._metrics.busy += 1
            code = BridgeErrorCode.BUSY
        if code is not None:
            return await self.send(request, head, error_answer(code), close=True)
        place.leave()
        return await self._terminals.serve(request)

    async def _serve_channel(
        self, request: web.BaseRequest, head: RequestHead, ticket: str, place: Place
    ) -> web.StreamResponse:
        """Let a page's channel in by its ticket."""
        name = self.new_waiter()
        socket = ChannelSocket(self._limits, lambda data: self._frame(name, data))
        self._channels[name] = socket
        try:
            answer = self.ask(OpenChannel(name, ticket)).result()
            if not isinstance(answer, ChannelOpened):
                return await self.send(request, head, http_answer(answer), close=True)
            place.leave()
            return await socket.run(request)
        finally:
            del self._channels[name]
            self._tell(ChannelBroken(name))

    def _frame(self, name: Waiter, data: bytes) -> None:
        frame = read_frame(data, name, self._limits)
        self._tell(frame.event)
        for refusal in frame.refused:
            self._perform(refusal)

    async def _read_body(self, request: web.BaseRequest, length: int) -> bytes:
        if length == 0:
            return b""
        if request.content.total_bytes >= length:
            # It came with the head, as small ones do: nothing is waited for.
            return await request.content.readexactly(length)
        body = bytearray()
        try:
            async with asyncio.timeout(self._limits.max_call_seconds):
                while len(body) < length:
                    async with asyncio.timeout(self._limits.head_timeout_seconds):
                        chunk = await request.content.readany()
                    if not chunk:
                        break
                    body += chunk
        except TimeoutError:
            raise ShapeError("The body did not arrive in time.") from None
        except web.RequestPayloadError:
            raise ConnectionResetError("the body broke off") from None
        return bytes(body)

    async def _exchange(
        self, request: web.BaseRequest, head: RequestHead, event: AskingEvent, place: Place
    ) -> web.StreamResponse:
        """Ask the broker, wait, and write its answer. Tells the broker when the peer is gone."""
        answered = self.ask(event)
        # What is left of the request is small: the place goes to somebody who has work.
        try:
            if not answered.done():
                place.leave()
                await answered
                await place.enter()
            return await self.send(request, head, http_answer(answered.result()))
        except (asyncio.CancelledError, ConnectionError):
            self._hung_up(event, answered)
            raise

    def _hung_up(self, event: AskingEvent, answered: asyncio.Future[Answer]) -> None:
        self._waiting.pop(event.waiter, None)
        if isinstance(event, Poll):
            self._tell(PollBroken(event.waiter))
        elif isinstance(event, Call | CloseSession | Watch) and answered.cancelled():
            self._tell(CallerGone(event.waiter))
        elif isinstance(event, Connect) and answered.done() and not answered.cancelled():
            # The page never learnt its name, and no other could attach until this one expires.
            answer = answered.result()
            if isinstance(answer, Connected):
                self._tell(Disconnect(self.new_waiter(), answer.client))

    def new_waiter(self) -> Waiter:
        """Return a name for somebody who waits."""
        return Waiter(next(self._waiters))

    def hang_up(self, waiter: Waiter) -> None:
        """Tell the broker that nobody waits any more."""
        self._waiting.pop(waiter, None)
        self._tell(CallerGone(waiter))

    def ask(self, event: AskingEvent | OpenChannel) -> asyncio.Future[Answer]:
        """Hand an event to the broker; the future gets its answer."""
        answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

        def settle(answer: Answer) -> None:
            if not answered.done():
                answered.set_result(answer)

        self._ask(event, settle)
        return answered

    def ask_together(self, calls: Sequence[Asked], gone: Sequence[Waiter]) -> None:
        """Hand calls to the broker, after it was told who waits no more."""
        self._gathers = True
        try:
            for waiter in gone:
                self.hang_up(waiter)
            for call, answered in calls:
                self._ask(call, answered)
        finally:
            self._gathers = False
            self._flush()

    def _ask(self, event: AskingEvent | OpenChannel, answered: Callable[[Answer], None]) -> None:
        self._waiting[event.waiter] = answered
        try:
            self._tell(event)
        except BaseException:
            self._waiting.pop(event.waiter, None)
            raise

    def _tell(self, event: Event) -> None:
        for effect in self._broker.handle(event, self._clock()):
            self._perform(effect)
        if not self._gathers:
            self._flush()

    def _flush(self) -> None:
        """Send what has been gathered, and see to the time."""
        self._terminals.flush()
        self._set_timer()

    def _perform(self, effect: Effect) -> None:
        match effect:
            case Reply(waiter, answer):
                answered = self._waiting.pop(waiter, None)
                if answered is not None:
                    answered(answer)
            case SendItems(channel) | SendRefusal(channel):
                if channel in self._channels:
                    self._channels[channel].send(effect)
            case EndChannel(channel, reason):
                if channel in self._channels:
                    self._channels[channel].end(reason)
            case _:
                assert_never(effect)

    def _set_timer(self) -> None:
        """See that a tick comes when the broker wants one. One that comes early does no harm."""
        due = self._broker.next_wakeup()
        if due is None or (self._timer is not None and self._timer_at <= due):
            return
        if self._timer is not None:
            self._timer.cancel()
        now = self._clock().monotonic
        self._timer_at = min(max(now, due), now + _LONGEST_TIMER_SECONDS)
        self._timer = asyncio.get_running_loop().call_later(self._timer_at - now, self._tick)

    def _tick(self) -> None:
        self._timer = None
        self._tell(Tick())

    def _status(self, head: RequestHead) -> HttpAnswer:
        self._tell(Tick())
        now = self._clock()
        snapshot = self._broker.snapshot(now)
        in_hand = InHand(self._active.active, len(self._terminals))
        return self._metrics.answer(snapshot, now.monotonic, in_hand, head.values(b"accept"))

    async def send(
        self,
        request: web.BaseRequest,
        head: RequestHead,
        answer: HttpAnswer,
        *,
        close: bool = False,
    ) -> web.StreamResponse:
        """Write an answer. Raises `ConnectionError` when the peer is gone."""
        cors = cors_headers(head.values(b"origin"), self._policy.origin)
        response = BridgeResponse(answer, cors)
        if close:
            response.force_close()
        # Neither target nor headers: either may hold a secret.
        _LOG.debug("%s answered with %d", request.method, answer.status)
        await response.send(request, self._limits.head_timeout_seconds)
        return response
