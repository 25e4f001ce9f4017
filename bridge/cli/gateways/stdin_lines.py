"""The lines of standard input, read by waiting for them, without an event loop.

Knows no protocol.
"""

from __future__ import annotations

import os
import select
import sys
from collections import deque
from collections.abc import Callable
from typing import Final, Self

from bridge.contract.limits import JSON_LIMITS
from bridge.contract.line_reader import LineReader
from bridge.servers.shared_descriptors import read_some

__all__ = ["LOOK_SECONDS", "StdinLines", "parent_watch"]

_READ_BYTES: Final = 65_536
LOOK_SECONDS: Final = 1.0
"""How often it is looked whether the parent is still there."""


class StdinLines:
    """An iterator of lines; None is one that was too long to keep.

    It ends with the input, and where the parent has ended: another process may hold the input open.
    """

    def __init__(self, descriptor: int = 0) -> None:
        self.descriptor = descriptor
        self.reader = LineReader(JSON_LIMITS.max_encoded_bytes)
        self.waiting: deque[bytes | None] = deque()
        """What was read and not given yet."""
        self.ended = False
        self.parent_is_there = parent_watch()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes | None:
        while not self.waiting:
            if self.ended:
                raise StopIteration
            data = self._read()
            self.ended = not data
            self.waiting.extend(self.reader.feed(data) if data else self.reader.finish())
        return self.waiting.popleft()

    def _read(self) -> bytes:
        if sys.platform != "win32":
            while not select.select([self.descriptor], [], [], LOOK_SECONDS)[0]:
                if not self.parent_is_there():
                    return b""
        return read_some(self.descriptor, _READ_BYTES)


def parent_watch() -> Callable[[], bool]:
    """Return what says whether this process's parent is still the one that it is now."""
    parent = os.getppid()
    return lambda: os.getppid() == parent
