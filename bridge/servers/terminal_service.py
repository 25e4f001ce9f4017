"""Serves `GET /terminal`: many calls of one terminal over one WebSocket.

Each call is a call like any other for the broker, with somebody who waits for it. What is answered
in one turn leaves in one frame. Contract: terminal channel.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, Protocol

from aiohttp import web

from bridge.broker.effects import Answer, ChannelEnd
from bridge.broker.events import Call, Opening, Waiter
from bridge.contract.limits import BridgeLimits
from bridge.contract.terminal_channel import TERMINAL_PROTOCOL
from bridge.servers.bridge_bodies import BodyReader
from bridge.servers.channel_frames import CLOSE_CODES
from bridge.servers.shapes import ShapeError
from bridge.servers.terminal_frames import read_terminal_frame, render_answer, render_frames
from bridge.servers.web_socket import ServerWebSocket

__all__ = ["Asked", "CallsDesk", "TerminalService"]

_LOG: Final = logging.getLogger(__name__)

Asked = tuple[Call, Callable[[Answer], None]]
"""A call, and what gets its answer."""


class CallsDesk(Protocol):
    """What is needed of the bridge around."""

    def new_waiter(self) -> Waiter:
        """Return a name for somebody who waits."""

    def ask_together(self, calls: Sequence[Asked], gone: Sequence[Waiter]) -> None:
        """Hand calls to the broker, after it was told who waits no more."""


class TerminalService:
    """The terminals' channels of one bridge, for the event loop."""

    def __init__(self, desk: CallsDesk, limits: BridgeLimits, reader: BodyReader) -> None:
        self._desk = desk
        self._limits = limits
        self._reader = reader
        self._open: set[_Terminal] = set()
        self._answered: list[_Terminal] = []
        """Those that something waits to be sent to."""

    def __len__(self) -> int:
        return len(self._open)

    @property
    def is_full(self) -> bool:
        """Say whether there is no room for another channel."""
        return len(self._open) >= self._limits.max_terminals

    async def serve(self, request: web.BaseRequest) -> web.StreamResponse:
        """Carry a channel until its end. Raises `ConnectionError` when the peer is gone."""
        terminal = _Terminal(self._desk, self._limits, self._reader, self._answered)
        self._open.add(terminal)
        try:
            return await terminal.socket.run(request, lambda: None)
        finally:
            self._open.discard(terminal)
            terminal.hang_up()

    def flush(self) -> None:
        """Send what has been answered."""
        if self._answered:
            for terminal in self._answered:
                terminal.flush()
            self._answered.clear()

    def shut_down(self) -> None:
        """Close every channel, once all that waits was answered."""
        for terminal in list(self._open):
            terminal.socket.close(CLOSE_CODES[ChannelEnd.CLOSING])


class _Terminal:
    """One channel: which calls are open on it, and what is to be sent."""

    def __init__(
        self,
        desk: CallsDesk,
        limits: BridgeLimits,
        reader: BodyReader,
        answered: list[_Terminal],
    ) -> None:
        self._desk = desk
        self._max_bytes = limits.max_body_bytes
        self._reader = reader
        self._answered = answered
        self._calls: dict[int, Waiter] = {}
        self._answers: list[bytes] = []
        self._opening: tuple[str, Opening] | None = None
        """What came last, and the session that it is for."""
        self.socket = ServerWebSocket(
            self._take,
            protocol=TERMINAL_PROTOCOL,
            peer="terminal",
            max_message_bytes=limits.max_body_bytes,
            max_unread_bytes=limits.max_unread_bytes,
            stall_seconds=limits.head_timeout_seconds,
        )

    def flush(self) -> None:
        """Send all answers."""
        answers, self._answers = self._answers, []
        for text in render_frames(answers, self._max_bytes):
            self.socket.send(text)

    def hang_up(self) -> None:
        """Let go of every call: nobody can be answered any more."""
        gone = list(self._calls.values())
        self._calls.clear()
        self._hang_up(gone)

    def _take(self, data: bytes) -> None:
        try:
            self._take_frame(data)
        except ShapeError as error:
            _LOG.warning("a terminal sent a malformed frame: %s", error.message)
            self.socket.close(CLOSE_CODES[ChannelEnd.MALFORMED])

    def _take_frame(self, data: bytes) -> None:
        frame = read_terminal_frame(data, self._reader, self._desk.new_waiter)
        if frame.gone:
            # One that is not known has been answered in the meantime.
            self._hang_up([self._calls.pop(ref) for ref in frame.gone if ref in self._calls])
        for ref, error in frame.refused:
            self._check_new(ref)
            self._send(render_answer(ref, error))
        asked: list[Asked] = []
        for ref, call in frame.calls:
            self._check_new(ref)
            self._calls[ref] = call.waiter
            asked.append((self._with_opening(call), partial(self._call_answered, ref)))
        self._desk.ask_together(asked, ())

    def _hang_up(self, gone: list[Waiter]) -> None:
        # The newest first: what is still queued would else move up and reach the page.
        self._desk.ask_together((), sorted(gone, reverse=True))

    def _check_new(self, ref: int) -> None:
        if ref in self._calls:
            raise ShapeError("Two open calls have one number.")

    def _with_opening(self, call: Call) -> Call:
        """Remember a call's opening, or give the call the one that its session has had."""
        if call.opening is not None:
            self._opening = (call.session, call.opening)
        elif self._opening is not None and self._opening[0] == call.session:
            return replace(call, opening=self._opening[1])
        return call

    def _call_answered(self, ref: int, answer: Answer) -> None:
        if self._calls.pop(ref, None) is not None:
            self._send(render_answer(ref, answer))

    def _send(self, text: bytes) -> None:
        if not self._answers:
            self._answered.append(self)
        self._answers.append(text)
