"""A dispatcher's runtime for a loop that only ticks, as a window's does: no tasks, no threads.

Handlers may be coroutines here, and slow calls are deferred. What a coroutine waits for is looked
at again at each tick: a signal of this runtime, or `sleep`.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Awaitable, Callable, Generator
from itertools import count
from typing import Any

from bridge.dispatcher.runtime import Cancel, Runtime, Signal

__all__ = ["TickRuntime"]


class _Signal:
    """Something that happens once, for any number of coroutines."""

    def __init__(self) -> None:
        self._happened = False

    def set(self) -> None:
        """Say that it has happened."""
        self._happened = True

    def __await__(self) -> Generator[Any, Any, object]:
        while not self._happened:
            yield None
        return None


class TickRuntime(Runtime):
    """Call `tick` from the app's own loop, before `poll` of its server.

    A tick takes one step of each coroutine that waits, and calls the timers that are due when it
    begins; how long that takes is up to the app's own handlers.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._numbers = count()
        self._timers: list[tuple[float, int, Callable[[], None]]] = []
        self._running: list[Generator[Any, Any, None]] = []

    def now(self) -> float:
        """Return seconds on a clock that never goes back."""
        return self._clock()

    def after(self, seconds: float, callback: Callable[[], None]) -> Cancel:
        """Call back once, in a later tick."""
        number = next(self._numbers)
        heapq.heappush(self._timers, (self._clock() + seconds, number, callback))

        def cancel() -> None:
            for index, timer in enumerate(self._timers):
                if timer[1] == number:
                    del self._timers[index]
                    heapq.heapify(self._timers)
                    return

        return cancel

    def event(self) -> Signal:
        """Make a signal that has not happened yet."""
        return _Signal()

    def start(self, awaitable: Awaitable[None]) -> None:
        """Take the first step now, and the others at ticks."""
        steps = awaitable.__await__()
        if _goes_on(steps):
            self._running.append(steps)

    async def sleep(self, seconds: float) -> None:
        """Wait for so many seconds."""
        signal = self.event()
        cancel = self.after(seconds, signal.set)
        try:
            await signal
        finally:
            cancel()

    def tick(self) -> None:
        """Go on with all that can go on now. Within a handler it does nothing harmful."""
        now = self._clock()
        due = []
        while self._timers and self._timers[0][0] <= now:
            due.append(heapq.heappop(self._timers)[2])
        for callback in due:
            callback()
        waiting, self._running = self._running, []
        while waiting:
            steps = waiting.pop()
            try:
                if _goes_on(steps):
                    self._running.append(steps)
            except BaseException:
                # Whatever stops this one does not stop the others.
                self._running += waiting
                raise

    def close(self) -> None:
        """Stop what still goes on."""
        running, self._running = self._running, []
        self._timers.clear()
        for steps in running:
            steps.close()


def _goes_on(steps: Generator[Any, Any, None]) -> bool:
    """Take a step, and say whether there is another one."""
    try:
        next(steps)
    except StopIteration:
        return False
    return True
