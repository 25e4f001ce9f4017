"""Bytes from a descriptor for an event loop, read only while they are wanted. Knows no protocol."""

from __future__ import annotations

import asyncio
import os
import select
import stat
import sys
import threading
from collections.abc import Callable
from typing import Final

from bridge.servers.shared_descriptors import read_some

__all__ = ["ByteInput"]

_READ_BYTES: Final = 65_536
_PEER_HAS_SHUT: Final[int] = getattr(select, "POLLRDHUP", 0)


class ByteInput:
    """Gives what is read to `take`, no bytes at the end, each in a step of the event loop."""

    def __init__(self, descriptor: int, take: Callable[[bytes], object]) -> None:
        self._loop = asyncio.get_running_loop()
        self._descriptor = descriptor
        self._take = take
        self._wanted = False
        self._closed = False
        self._watches = _may_be_watched(descriptor)
        self._turns = threading.Semaphore(0)
        if not self._watches:
            # A file or a terminal: not every system can wait for those and for sockets at once.
            threading.Thread(target=self._read_in_thread, daemon=True).start()

    def want(self, wanted: bool) -> None:
        """Read on, or leave what comes to the system. Nothing is wanted in the beginning."""
        if wanted == self._wanted or self._closed:
            return
        self._wanted = wanted
        if not self._watches:
            if wanted:
                self._turns.release()
        elif wanted:
            self._loop.add_reader(self._descriptor, self._read)
        else:
            self._loop.remove_reader(self._descriptor)

    @property
    def is_cut_off(self) -> bool:
        """Whether nobody can write any more, though not all may be read.

        Where that cannot be known without reading, it is false.
        """
        if not self._watches or self._closed:
            return False
        poll = select.poll()
        # A pipe's end is told unasked, a socket's is not.
        poll.register(self._descriptor, _PEER_HAS_SHUT)
        return any(what & (select.POLLHUP | _PEER_HAS_SHUT) for _, what in poll.poll(0))

    def close(self) -> None:
        """Read nothing more."""
        self.want(False)
        self._closed = True

    def _read(self) -> None:
        try:
            data = os.read(self._descriptor, _READ_BYTES)
        except BlockingIOError:
            # Somebody else who shares the input has taken it: that is not its end.
            return
        except OSError:
            # A peer that broke off: there is no more to come.
            data = b""
        if not data:
            self.close()
        self._take(data)

    def _read_in_thread(self) -> None:
        data = b"more"
        while data:
            self._turns.acquire()
            data = read_some(self._descriptor, _READ_BYTES)
            try:
                self._loop.call_soon_threadsafe(self._taken, data)
            except RuntimeError:
                # The loop has ended, and with it whoever wanted this.
                return

    def _taken(self, data: bytes) -> None:
        if self._closed:
            return
        if not data:
            self._closed = True
        # What was read in advance is given, wanted or not: it is one chunk.
        self._take(data)
        if self._wanted:
            self._turns.release()


def _may_be_watched(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return sys.platform != "win32" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))
