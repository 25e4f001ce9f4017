"""Many calls to a bridge over one WebSocket, for an event loop.

What is asked in one turn of the loop leaves in one frame. On the loop's own transport, since what
may be claimed of a call on a connection that broke depends on whether its frame was written whole.
Contract: terminal channel.
"""

from __future__ import annotations

import asyncio
import base64
import os
from collections import deque
from collections.abc import Callable
from typing import Final, TypeAlias, cast

from bridge.client.bridge_failure import BridgeFailure
from bridge.client.connection_failures import (
    NotSentWhole,
    connection_lost,
    not_a_bridge,
    too_late,
)
from bridge.client.http_response import MAX_HEAD_BYTES
from bridge.client.terminal_frames import call_text, frame_text, read_answers
from bridge.contract.error_codes import Outcome
from bridge.contract.limits import BRIDGE_LIMITS
from bridge.contract.terminal_channel import TERMINAL_PROTOCOL
from bridge.contract.web_socket import (
    CLOSE,
    PING,
    PONG,
    TEXT,
    FrameReader,
    WebSocketError,
    accept_of,
    close_frame,
    frame,
    text_frame,
)

__all__ = ["CallEnd", "Done", "TerminalChannel"]

CallEnd: TypeAlias = "bytes | BridgeFailure | NotSentWhole | None"
"""What becomes of a call: its response, None for a notification that was taken, or why neither."""
Done: TypeAlias = Callable[[CallEnd], None]

_MAX_OPEN: Final = BRIDGE_LIMITS.max_outstanding // 2
"""Beyond its own limit a bridge refuses calls; others call it, too."""
_MAX_FRAME_BYTES: Final = BRIDGE_LIMITS.max_body_bytes
_AROUND_BYTES: Final = 1_024
"""What a frame takes around the request and the opening of one call, at most."""
_NORMAL: Final = 1000


class _Call:
    """One call, from when it is asked until it has ended."""

    __slots__ = ("deadline", "done", "opening", "request", "seconds", "sent", "session")

    def __init__(  # noqa: PLR0913, PLR0917 - a call's parts
        self,
        session: str,
        request: bytes,
        seconds: float | None,
        deadline: float,
        opening: bytes | None,
        done: Done,
    ) -> None:
        self.session = session
        self.request = request
        self.seconds = seconds
        self.deadline = deadline
        self.opening = opening
        self.done = done
        self.sent = False
        """Whether the system has taken the whole frame that it is in."""


class TerminalChannel(asyncio.Protocol):
    """One channel, which has ended for good when it has ended."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._transport: asyncio.Transport | None = None
        self._reader = FrameReader(BRIDGE_LIMITS.max_body_bytes, masked=False)
        self._handshake: asyncio.Future[bool] = loop.create_future()
        self._key = base64.b64encode(os.urandom(16))
        self._head = b""
        self._opened = False
        self._refs = 0
        self._calls: dict[int, _Call] = {}
        self._queue: dict[int, _Call] = {}
        """Of those: what has not been written at all."""
        self._writing: list[_Call] = []
        """Of those: what is in the frame that the system has taken in part."""
        self._gone: list[int] = []
        self._opening: tuple[str, bytes] | None = None
        """The session and the opening that the bridge was told of last."""
        self._paused = False
        self._flushing = False
        self._timer: asyncio.TimerHandle | None = None
        self._turns: deque[asyncio.Future[None]] = deque()

    # ---- opening

    async def shake_hands(self, request: Callable[[bytes], bytes]) -> bool:
        """Send the request that is made for a key; False where the channel is not opened."""
        if self._transport is None:
            return False
        self._transport.write(request(self._key))
        return await self._handshake

    @property
    def is_usable(self) -> bool:
        """Whether calls can be asked."""
        return self._opened and self._transport is not None and not self._transport.is_closing()

    @property
    def has_room(self) -> bool:
        """Whether a call can be asked at once."""
        return len(self._calls) < _MAX_OPEN and not self._turns

    async def room(self, deadline: float) -> None:
        """Wait, in order of arrival, until a call can be asked, or the channel has ended.

        Raises `DeadlineExceeded`.
        """
        turn: asyncio.Future[None] = self._loop.create_future()
        self._turns.append(turn)
        try:
            async with asyncio.timeout_at(deadline):
                await turn
        except (TimeoutError, asyncio.CancelledError) as error:
            if turn.cancelled():
                self._turns.remove(turn)
            else:
                # Given in the very step in which the wait ended: it is another's.
                self._next_turn()
            if isinstance(error, TimeoutError):
                raise too_late(Outcome.NOT_DELIVERED) from None
            raise

    # ---- calls

    def time(self) -> float:
        """Return the loop's time."""
        return self._loop.time()

    @staticmethod
    def takes(session: str, request: bytes, opening: bytes | None) -> bool:
        """Say whether a call is small enough for a frame."""
        size = len(request) + len(opening or b"") + _AROUND_BYTES
        return size <= _MAX_FRAME_BYTES and len(session) <= BRIDGE_LIMITS.max_session_chars

    def call(  # noqa: PLR0913 - a call's parts
        self,
        session: str,
        request: bytes,
        seconds: float | None,
        deadline: float,
        done: Done,
        *,
        opening: bytes | None = None,
    ) -> int:
        """Ask a call, and return the number by which it is hung up.

        `done` is told once how it has ended, in a later step of the loop, by `deadline` in the
        loop's time at the latest. `NotSentWhole` says that the channel has ended and nobody has
        acted on the call.
        """
        self._refs += 1
        ref = self._refs
        call = _Call(session, request, seconds, deadline, opening, done)
        self._calls[ref] = self._queue[ref] = call
        self._flush_soon()
        timer = self._timer
        if timer is None or deadline < timer.when():
            self._set_timer(deadline)
        return ref

    def hang_up(self, ref: int) -> None:
        """Wait for a call no longer: what was sent may have run. `done` is not told any more."""
        if self._calls.pop(ref, None) is not None:
            self._leave(ref)
            self._next_turn()

    def close(self) -> None:
        """End it, when what was written has gone."""
        transport = self._transport
        if transport is not None and not transport.is_closing():
            transport.write(close_frame(_NORMAL, masked=True))
            transport.close()

    def abort(self) -> None:
        """End it at once."""
        if self._transport is not None:
            self._transport.abort()

    def _leave(self, ref: int) -> None:
        if self._queue.pop(ref, None) is None:
            self._gone.append(ref)
            self._flush_soon()

    def _next_turn(self) -> None:
        while self._turns:
            turn = self._turns.popleft()
            if not turn.done():
                turn.set_result(None)
                return

    # ---- writing

    def _flush_soon(self) -> None:
        if not self._flushing:
            self._flushing = True
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._flushing = False
        transport = self._transport
        while (self._queue or self._gone) and not self._paused:
            if transport is None or transport.is_closing():
                return
            text = self._next_text()
            transport.write(text_frame(text, masked=True))
            self._written(transport)

    def _next_text(self) -> bytes:
        """Take what goes into the next frame."""
        if self._gone:
            gone, self._gone = self._gone, []
            return frame_text((), gone)
        texts: list[bytes] = []
        size = 0
        for ref, call in self._queue.items():
            opening = call.opening
            if opening is not None and self._opening == (call.session, opening):
                # The bridge remembers it for every call that follows.
                opening = None
            text = call_text(ref, call.session, call.request, call.seconds, opening)
            size += len(text) + 1
            if texts and size > _MAX_FRAME_BYTES:
                break
            if opening is not None:
                self._opening = call.session, opening
            texts.append(text)
            self._writing.append(call)
        for ref in list(self._queue)[: len(texts)]:
            del self._queue[ref]
        return frame_text(texts, ())

    def _written(self, transport: asyncio.Transport) -> None:
        """Note what the system has taken, if it has."""
        if not self._paused and not transport.is_closing():
            for call in self._writing:
                call.sent = True
            self._writing.clear()

    # ---- time

    def _set_timer(self, at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(at, self._look)

    def _look(self) -> None:
        """End what is late. One timer serves all: it may come too early, never too late."""
        self._timer = None
        now = self._loop.time()
        for ref, call in list(self._calls.items()):
            if call.deadline <= now:
                del self._calls[ref]
                unsent = ref in self._queue
                self._leave(ref)
                call.done(too_late(Outcome.NOT_DELIVERED if unsent else Outcome.UNKNOWN))
                self._next_turn()
        if self._calls:
            self._set_timer(min(call.deadline for call in self._calls.values()))

    # ---- what the connection calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast("asyncio.Transport", transport)
        # Told as soon as anything waits to be written, and again when nothing does.
        self._transport.set_write_buffer_limits(high=0)

    def pause_writing(self) -> None:
        """Note that the system has not taken all."""
        self._paused = True

    def resume_writing(self) -> None:
        """Go on: the system has taken all."""
        self._paused = False
        if self._transport is not None:
            self._written(self._transport)
        self._flush()

    def data_received(self, data: bytes) -> None:
        """Take what came."""
        if not self._opened:
            self._take_head(data)
            return
        try:
            for opcode, payload in self._reader.feed(data):
                if self._transport is not None:
                    self._take(self._transport, opcode, payload)
        except WebSocketError:
            self._end(not_a_bridge("it sends no frames of a WebSocket"))
        except BridgeFailure as failure:
            self._end(failure)

    def connection_lost(self, exc: Exception | None) -> None:
        """End every call."""
        del exc
        self._end(connection_lost("the connection broke off"))

    def _take_head(self, data: bytes) -> None:
        self._head += data
        head, end, rest = self._head.partition(b"\r\n\r\n")
        if self._handshake.done() or (not end and len(head) <= MAX_HEAD_BYTES):
            return
        self._opened = bool(end) and _opens(head, self._key)
        self._handshake.set_result(self._opened)
        if rest and self._opened:
            self.data_received(rest)

    def _take(self, transport: asyncio.Transport, opcode: int, payload: bytes) -> None:
        if opcode == TEXT:
            for ref, outcome in read_answers(payload):
                call = self._calls.pop(ref, None)
                # One that is not known was hung up in the meantime.
                if call is not None:
                    call.done(outcome)
                    self._next_turn()
        elif opcode == PING:
            transport.write(frame(PONG, payload, masked=True))
        elif opcode == CLOSE:
            self.close()
        elif opcode != PONG:
            raise not_a_bridge("it sends what is no text")

    def _end(self, failure: BridgeFailure) -> None:
        """Tell everybody who waits. Nobody has acted on a frame that was not written whole."""
        transport, self._transport = self._transport, None
        if transport is not None:
            transport.abort()
        if self._timer is not None:
            self._timer.cancel()
        if not self._handshake.done():
            self._handshake.set_result(False)
        calls, self._calls = list(self._calls.values()), {}
        self._queue.clear()
        for call in calls:
            call.done(failure if call.sent else NotSentWhole())
        while self._turns:
            self._next_turn()


def _opens(head: bytes, key: bytes) -> bool:
    """Say whether the answer to a handshake is that the channel is open."""
    first, *lines = head.split(b"\r\n")
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(b":") for line in lines)
    }
    return (
        first.startswith(b"HTTP/1.1 101 ")
        and headers.get(b"sec-websocket-accept") == accept_of(key)
        and headers.get(b"sec-websocket-protocol") == TERMINAL_PROTOCOL.encode()
    )
