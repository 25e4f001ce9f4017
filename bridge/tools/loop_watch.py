"""Tells of a step that holds an event loop: from a thread, since that loop can tell nothing.

A step of Python cannot be stopped from outside; whoever reads the log learns which handler it is.
The thread sleeps while nothing runs. Code that holds the interpreter's lock keeps it from telling.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from bridge.tools.result_limits import RUN_LIMITS

__all__ = ["LOOP_WATCH", "LoopWatch", "Step"]

_LOG: Final = logging.getLogger("bascule.tools")


class Step:
    """One step that runs."""

    __slots__ = ("begun", "name", "told")

    def __init__(self, name: str, begun: float) -> None:
        self.name = name
        self.begun = begun
        """In seconds of the watch's clock."""
        self.told = False


class LoopWatch:
    """Steps of any number of loops and threads. `clock` gives seconds and never goes back.

    A step is told once, when it has lasted `seconds` or up to twice as long. `pause` waits for so
    many seconds. Contract: package tools, handlers.
    """

    def __init__(
        self,
        seconds: float = RUN_LIMITS.held_seconds,
        *,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._seconds = seconds
        self._clock = clock
        self._pause = pause
        self._steps: set[Step] = set()
        self._wanted = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def begin(self, name: str) -> Step:
        """Note that a step of a handler begins. To be given to `end`, however it ends."""
        step = Step(name, self._clock())
        self._steps.add(step)
        # Asked first, since this is part of every call and waking takes a lock.
        if not self._wanted.is_set():
            self._wake()
        return step

    def end(self, step: Step) -> None:
        """Note that it has ended."""
        self._steps.discard(step)

    def look(self) -> bool:
        """Tell of steps that have lasted too long. Returns whether one runs."""
        steps = list(self._steps)
        for step in steps:
            held = self._clock() - step.begun
            if held >= self._seconds and not step.told:
                step.told = True
                _LOG.warning(
                    "%s says NEVER_BLOCKS and has held the event loop for %.0f s: nothing else is"
                    " answered until it ends. End this program by a signal; take NEVER_BLOCKS out"
                    " of the handler's file, or have it wait by await alone.",
                    step.name,
                    held,
                )
        return bool(steps)

    def _wake(self) -> None:
        with self._lock:
            self._wanted.set()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="loop watch", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            self._wanted.wait()
            # What begins from here on wakes it anew; what has begun is among the steps.
            self._wanted.clear()
            self._pause(self._seconds)
            if self.look():
                self._wanted.set()


LOOP_WATCH: Final = LoopWatch()
"""The one of this process."""
