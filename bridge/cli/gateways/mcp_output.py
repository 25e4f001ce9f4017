"""Lines to a descriptor from an event loop: whole, in order, and kept in bounds.

What the system takes at once is written at once; only the rest waits. Knows no protocol.
"""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from collections import deque
from collections.abc import Callable
from typing import Final

__all__ = ["LineOutput"]

_MAX_WAITING_BYTES: Final = 4_194_304
"""As much as four of the longest answers: while more than that is unread, nothing more is begun."""


class LineOutput:
    """Writes for one event loop. `gone` is called once, when nobody reads any more."""

    def __init__(
        self, descriptor: int, gone: Callable[[], object], max_waiting: int = _MAX_WAITING_BYTES
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._descriptor = descriptor
        self._gone = gone
        self._max_waiting = max_waiting
        self._waiting: deque[memoryview] = deque()
        self._bytes = 0
        self._closed = False
        self._room = asyncio.Event()
        self._room.set()
        self._empty = asyncio.Event()
        self._empty.set()
        self._tell_room: Callable[[], object] = _nothing
        self._made_unblocking = _may_wait(descriptor) and os.get_blocking(descriptor)
        if self._made_unblocking:
            os.set_blocking(descriptor, False)

    @property
    def waiting_bytes(self) -> int:
        """What the reader has not taken yet."""
        return self._bytes

    @property
    def is_full(self) -> bool:
        """Whether so much waits that nothing more should be begun."""
        return self._bytes > self._max_waiting

    def write(self, line: bytes) -> None:
        """Write a line, which has no line break yet. Raises nothing."""
        if self._closed:
            return
        rest = memoryview(line + b"\n")
        if not self._waiting:
            rest = self._write_now(rest)
            if not rest or self._closed:
                return
            self._loop.add_writer(self._descriptor, self._go_on)
        self._waiting.append(rest)
        self._count(len(rest))

    async def room(self) -> None:
        """Wait until the reader has taken enough that more may be begun."""
        await self._room.wait()

    def when_room(self, tell: Callable[[], object]) -> None:
        """Have one told each time that the reader has taken enough that more may be begun."""
        self._tell_room = tell

    async def drained(self) -> None:
        """Wait until all is taken, or nobody reads any more."""
        await self._empty.wait()

    def close(self) -> None:
        """Write nothing more, and leave the descriptor as it was found."""
        self._drop()
        if self._made_unblocking:
            self._made_unblocking = False
            os.set_blocking(self._descriptor, True)

    def _write_now(self, rest: memoryview) -> memoryview:
        """Write what the system takes, and return what it does not."""
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except BlockingIOError:
            pass
        except OSError:
            # Its end is closed, or the disk behind it full: there is nobody to say it to.
            self._drop()
            self._gone()
        return rest

    def _go_on(self) -> None:
        while self._waiting:
            first = self._waiting[0]
            rest = self._write_now(first)
            if self._closed:
                return
            self._count(len(rest) - len(first))
            if rest:
                self._waiting[0] = rest
                return
            self._waiting.popleft()
        self._loop.remove_writer(self._descriptor)

    def _count(self, more: int) -> None:
        was_full = self.is_full
        self._bytes += more
        _set(self._room, not self.is_full)
        _set(self._empty, not self._bytes)
        if was_full and not self.is_full and not self._closed:
            self._tell_room()

    def _drop(self) -> None:
        if self._closed:
            return
        self._closed = True
        if self._waiting:
            self._loop.remove_writer(self._descriptor)
            self._waiting.clear()
        self._count(-self._bytes)


def _nothing() -> None:
    """Tell nobody."""


def _set(event: asyncio.Event, holds: bool) -> None:
    if holds:
        event.set()
    else:
        event.clear()


def _may_wait(descriptor: int) -> bool:
    """Say whether a loop can be told when a descriptor takes more: a pipe's or a socket's can."""
    mode = os.fstat(descriptor).st_mode
    return sys.platform != "win32" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))
