"""Bytes between this process's standard streams and a child's, until one side ends.

Nothing is changed on the way but by whom is told to. What is not taken yet is kept in bounds: no
more is read from a side while the other takes nothing.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Collection
from typing import Final

from bridge.cli.gateways.stdin_lines import LOOK_SECONDS, parent_watch

__all__ = ["LineRelay"]

_READ_BYTES: Final = 65_536


Change = Callable[[bytes], bytes]


class LineRelay:
    """One child, started with pipes. `ending_seconds` is its time for answers at the end.

    Each answer renews it where that is said: a file of calls takes as long as they do, whereas a
    child that writes of its own accord would never end. `to_child` and `from_child` are given all
    that passes, and no bytes at its end.
    """

    def __init__(
        self,
        child: subprocess.Popen[bytes],
        ending_seconds: float,
        *,
        renewed: bool = True,
        clock: Callable[[], float] = time.monotonic,
        parent_is_there: Callable[[], bool] | None = None,
    ) -> None:
        if child.stdin is None or child.stdout is None:
            raise ValueError("the child has no pipes")
        self._child = child
        self._to_child = child.stdin
        self._from_child = child.stdout
        self._ending_seconds = ending_seconds
        self._renewed = renewed
        self._clock = clock
        self._last = clock()
        """Since when its time at the end is counted."""
        self._kept = b""
        self._answers = memoryview(b"")
        self._input_open = True
        self._output_open = True
        self._parent_is_there = parent_is_there or parent_watch()
        self.to_child: Change = _as_it_is
        self.from_child: Change = _as_it_is
        os.set_blocking(self._to_child.fileno(), False)

    def serve(self) -> None:
        """Pass on until the child's output ends, it takes too long to end, or nobody reads it."""
        look_at = self._clock() + LOOK_SECONDS
        while True:
            reads = [] if self._answers else [self._from_child]
            if self._input_open and not self._kept:
                reads.append(sys.stdin)  # type: ignore[arg-type]
            writes = [self._to_child] if self._kept else []
            if self._answers:
                writes.append(sys.stdout)  # type: ignore[arg-type]
            # Once its input has ended, only its answers keep it.
            over = not self._input_open and not (self._kept and self._renewed)
            until = self._ends_at if over else look_at
            left = max(0.0, until - self._clock())
            readable, writable, _ = select.select(reads, writes, [], left)
            if over:
                quiet = not readable and not writable
                if quiet or (not self._renewed and self._clock() >= self._ends_at):
                    return
            elif self._clock() >= look_at:
                # Whatever passes: a child may write without end.
                look_at = self._clock() + LOOK_SECONDS
                if not self._parent_is_there():
                    return
            self._pass_on(readable, writable)
            if not self._output_open and not self._answers:
                self._await_end()
                return

    @property
    def _ends_at(self) -> float:
        return self._last + self._ending_seconds

    def _pass_on(self, readable: Collection[object], writable: Collection[object]) -> None:
        if self._to_child in writable:
            self._write_to_child()
        if sys.stdin in readable:
            self._read_input()
        if self._renewed and (self._from_child in readable or sys.stdout in writable):
            self._last = self._clock()
        if self._from_child in readable:
            self._read_answers()
        if sys.stdout in writable:
            self._write_answers()

    def _read_input(self) -> None:
        try:
            data = os.read(sys.stdin.fileno(), _READ_BYTES)
        except BlockingIOError:
            # Somebody else who shares the input has taken it: that is not its end.
            return
        self._kept = self.to_child(data)
        self._last = self._clock()
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
            self._last = self._clock()
        if not self._input_open and not self._to_child.closed:
            self._to_child.close()

    def _read_answers(self) -> None:
        data = os.read(self._from_child.fileno(), _READ_BYTES)
        self._answers = memoryview(self.from_child(data))
        self._output_open = bool(data)

    def _write_answers(self) -> None:
        """Write as much as is taken without waiting: whoever waits sees no end and no signal."""
        try:
            written = os.write(sys.stdout.fileno(), self._answers[: select.PIPE_BUF])
        except BlockingIOError:
            return
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            self._answers, self._output_open = memoryview(b""), False
        else:
            self._answers = self._answers[written:]

    def _await_end(self) -> None:
        """Let a child that has closed its output end by itself."""
        if not self._to_child.closed:
            self._to_child.close()
            self._last = self._clock()
        try:
            self._child.wait(max(0.0, self._ends_at - self._clock()))
        except subprocess.TimeoutExpired:
            return


def _as_it_is(data: bytes) -> bytes:
    return data
