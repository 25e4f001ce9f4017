"""One connection to a native app: bytes in, lines in order, bytes out, all of it bounded.

One line at a time: the next is taken up when the answer to the last has left, so that a peer who
reads nothing is owed one answer at most. Which protocol the lines speak is its session's affair,
which decides by the first valid one. Contract: native endpoints.
"""

from __future__ import annotations

import select
import socket
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final, Protocol

from bridge.contract.limits import JSON_LIMITS, NATIVE_LIMITS, NativeLimits
from bridge.contract.line_reader import LineReader
from bridge.servers.unfinished_call import UnfinishedCall, begin

__all__ = ["NativePeer", "Session"]

_BLANK: Final = b" \t\r"
_HUNG_UP: Final[int] = getattr(select, "POLLHUP", 0) | getattr(select, "POLLERR", 0)


class Session(Protocol):
    """The protocol state of one connection. `RpcSession` is one."""

    def receive(
        self, line: bytes | str, *, expired: Callable[[], bool] | None = None
    ) -> Coroutine[Any, Any, str | None]:
        """Take a line; the coroutine gives the answer, or None where there is none."""


class NativePeer:
    """A connection that was accepted. Nothing here waits; `closed` says when it is over."""

    def __init__(
        self,
        opened: socket.socket,
        session: Session,
        clock: Callable[[], float],
        limits: NativeLimits = NATIVE_LIMITS,
    ) -> None:
        self.socket = opened
        self.closed = False
        self.watched = 0
        """The events that the server's selector waits for; the server's own note."""
        self._session = session
        self._clock = clock
        self._limits = limits
        self._reader = LineReader(JSON_LIMITS.max_encoded_bytes)
        self._lines: deque[bytes | None] = deque()
        self._output = memoryview(b"")
        self._ended = False
        """Nothing more comes. What came before is still answered."""
        self.waiting: UnfinishedCall[str | None] | None = None
        """A call that did not end at once."""
        self.taken_at = 0.0
        """When the peer last took something of what is waiting to be written."""
        self.idle_since = clock()
        """When it was let in, or its last line was done with."""

    @property
    def has_work(self) -> bool:
        """Whether a line can be handled now."""
        return bool(self._lines) and self.waiting is None and not self._output

    @property
    def wants_input(self) -> bool:
        """Whether more should be read."""
        return not self._ended and len(self._lines) < self._limits.max_waiting_lines

    @property
    def wants_output(self) -> bool:
        """Whether something waits to be written."""
        return bool(self._output)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is under way: no line or part of one, no call, no answer."""
        return not (
            self.closed
            or self._lines
            or self._reader.has_part
            or self._output
            or self.waiting is not None
        )

    def make_room(self) -> bool:
        """Hang up if nothing is under way, and say whether that was so.

        A line that comes meanwhile is either kept, and answered, or refused by the system whole,
        so that its sender knows that nobody has it.
        """
        if self.is_idle:
            self.read()
        if self.is_idle:
            with suppress(OSError):
                self.socket.shutdown(socket.SHUT_RD)
            # Between the two something may have come; nothing more can.
            self.read()
        return self.closed

    def read(self) -> None:
        """Read once what has come."""
        try:
            data = self.socket.recv(self._limits.max_tick_read_bytes)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            self.close()
            return
        self._ended = not data
        # Blank lines are nothing to handle, and must not take the place of those that are.
        lines = self._reader.feed(data) if data else self._reader.finish()
        self._lines.extend(line for line in lines if line is None or line.strip(_BLANK))
        if self.waiting is not None and not self._lines and self._has_gone():
            # A place among the connections is not kept for whoever has left it.
            self.close()
        self._close_when_done()

    def handle_line(self) -> None:
        """Handle the next line. Ask `has_work` before."""
        line = self._lines.popleft()
        if line is None:
            # Whatever it held: the session says how a line is refused that is over the limit.
            line = bytes(JSON_LIMITS.max_encoded_bytes + 1)
        self._go_on(lambda: begin(self._session.receive(line, expired=self._has_gone)))

    def step(self) -> None:
        """Look whether the call that is waited for goes on now; for loops without tasks."""
        waiting = self.waiting
        if waiting is not None:
            self._go_on(waiting.step)

    def answer(self, answer: str | None) -> None:
        """Take the answer to the line that is handled, and write what the system takes of it."""
        self.waiting = None
        if self.closed:
            return
        self.idle_since = self._clock()
        if answer is not None:
            # No line break of any kind is in an answer: the contract's writer escapes them.
            self._output = memoryview(answer.encode() + b"\n")
            self.taken_at = self._clock()
            self.write()
        self._close_when_done()

    def write(self) -> None:
        """Write what the system takes now."""
        try:
            while self._output:
                self._output = self._output[self.socket.send(self._output) :]
                self.taken_at = self.idle_since = self._clock()
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            self.close()
            return
        self._close_when_done()

    def cut_off_at(self) -> float | None:
        """Return when the peer has read nothing for too long; None where nothing waits for it."""
        return self.taken_at + self._limits.max_unread_seconds if self._output else None

    def close(self) -> None:
        """Hang up. A call that has begun goes on; nobody is told how it ends.

        The handle itself is closed by the server, which first stops watching it: its number is
        given again at once.
        """
        if self.closed:
            return
        self.closed = True
        self._lines.clear()
        self._output = memoryview(b"")
        if self.waiting is not None:
            self.waiting.close()

    def _go_on(self, step: Callable[[], str | UnfinishedCall[str | None] | None]) -> None:
        try:
            answer = step()
        except Exception:  # noqa: BLE001 - a session raises nothing; if it does, it has no state
            self.close()
            return
        except BaseException:
            # The program is left in the midst of a call: its caller is not kept waiting.
            self.close()
            raise
        if isinstance(answer, UnfinishedCall):
            self.waiting = answer
            if self.closed:
                # It was closed by the very call that is waited for.
                answer.close()
            return
        self.answer(answer)

    def _close_when_done(self) -> None:
        if self._ended and not self._lines and not self._output and self.waiting is None:
            self.close()

    def _has_gone(self) -> bool:
        """Say whether nobody waits for an answer any more.

        A peer that has only said all that it had to say still reads.
        """
        if self.closed:
            return True
        if not self._ended:
            return False
        look = select.poll()
        look.register(self.socket, 0)
        return any(event & _HUNG_UP for _, event in look.poll(0))
