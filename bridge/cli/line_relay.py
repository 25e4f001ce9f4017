"""Bytes between this process's standard streams and a child's, until one side ends.

Nothing is changed on the way but by whom is told to. What is not taken yet is kept in bounds: no
more is read while the child takes nothing.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Final

from bridge.cli.stdin_lines import LOOK_SECONDS, parent_watch

__all__ = ["LineRelay"]

_READ_BYTES: Final = 65_536


Change = Callable[[bytes], bytes]


class LineRelay:
    """One child, started with pipes. `ending_seconds` is its time between answers at the end.

    `to_child` and `from_child` are given all that passes, and no bytes at its end.
    """

    def __init__(
        self,
        child: subprocess.Popen[bytes],
        ending_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if child.stdin is None or child.stdout is None:
            raise ValueError("the child has no pipes")
        self._child = child
        self._to_child = child.stdin
        self._from_child = child.stdout
        self._ending_seconds = ending_seconds
        self._clock = clock
        self._kept = b""
        self._input_open = True
        self._parent_is_there = parent_watch()
        self.to_child: Change = _as_it_is
        self.from_child: Change = _as_it_is
        os.set_blocking(self._to_child.fileno(), False)

    def serve(self) -> None:
        """Pass on until the child's output ends, it takes too long to end, or nobody reads it."""
        last = self._clock()
        while True:
            reads = [self._from_child]
            if self._input_open and not self._kept:
                reads.append(sys.stdin)  # type: ignore[arg-type]
            writes = [self._to_child] if self._kept else []
            # Once its input has ended, only its answers keep it.
            over = not self._input_open and not self._kept
            left = max(0.0, last + self._ending_seconds - self._clock()) if over else LOOK_SECONDS
            readable, writable, _ = select.select(reads, writes, [], left)
            if not readable and not writable and (over or not self._parent_is_there()):
                return
            if writable:
                self._write_to_child()
            if sys.stdin in readable:
                self._read_input()
                last = self._clock()
            if self._from_child in readable:
                last = self._clock()
                if not self._pass_on():
                    self._await_end()
                    return

    def _read_input(self) -> None:
        data = os.read(sys.stdin.fileno(), _READ_BYTES)
        self._kept = self.to_child(data)
        self._input_open = bool(data)
        self._write_to_child()

    def _write_to_child(self) -> None:
        try:
            while self._kept:
                self._kept = self._kept[os.write(self._to_child.fileno(), self._kept) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            # It takes nothing more; what it still has to say is passed on.
            self._kept, self._input_open = b"", False
        if not self._input_open and not self._to_child.closed:
            self._to_child.close()

    def _pass_on(self) -> bool:
        """Pass on what the child wrote, and say whether it may write more."""
        data = os.read(self._from_child.fileno(), _READ_BYTES)
        rest = memoryview(self.from_child(data))
        try:
            while rest:
                rest = rest[os.write(sys.stdout.fileno(), rest) :]
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return False
        return bool(data)

    def _await_end(self) -> None:
        """Let a child that has closed its output end by itself."""
        if not self._to_child.closed:
            self._to_child.close()
        try:
            self._child.wait(self._ending_seconds)
        except subprocess.TimeoutExpired:
            return


def _as_it_is(data: bytes) -> bytes:
    return data
