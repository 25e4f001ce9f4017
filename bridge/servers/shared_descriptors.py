"""Reads and whole writes of a descriptor that others share, and may have made unblocking.

For programs that wait for one thing at a time. Imports nothing but the system.
"""

from __future__ import annotations

import os
import select

__all__ = ["read_some", "write_whole"]


def read_some(descriptor: int, most: int) -> bytes:
    """Wait for bytes and return them; none at the end, which a peer that broke off is, too."""
    while True:
        try:
            return os.read(descriptor, most)
        except BlockingIOError:
            select.select([descriptor], [], [])
        except OSError:
            return b""


def write_whole(descriptor: int, data: bytes) -> None:
    """Write all of it, however long its reader takes. Raises `OSError`."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            select.select([], [descriptor], [])
