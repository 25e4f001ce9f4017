"""A dispatcher's runtime on asyncio: the loop's clock and timers, and tasks that are kept.

Everything is asked for while a loop runs; one runtime serves one loop.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Generator
from typing import Any

from bridge.dispatcher.runtime import Cancel, Runtime, Signal

__all__ = ["AsyncioRuntime"]


class _Signal:
    """Something that happens once, for any number of tasks."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def set(self) -> None:
        """Say that it has happened."""
        self._event.set()

    def __await__(self) -> Generator[Any, Any, object]:
        return self._event.wait().__await__()


class AsyncioRuntime(Runtime):
    """Lets a host's handlers be coroutines of asyncio, and slow calls be deferred."""

    def __init__(self) -> None:
        # asyncio itself keeps no task alive.
        self._tasks: set[asyncio.Task[None]] = set()

    def now(self) -> float:
        """Return seconds on a clock that never goes back."""
        return time.monotonic()

    def after(self, seconds: float, callback: Callable[[], None]) -> Cancel:
        """Call back once, later."""
        return asyncio.get_running_loop().call_later(seconds, callback).cancel

    def event(self) -> Signal:
        """Make a signal. Raises `RuntimeError` where no loop runs: nobody could wait."""
        asyncio.get_running_loop()
        return _Signal()

    def start(self, awaitable: Awaitable[None]) -> None:
        """Run an awaitable as a task. Raises `RuntimeError` where no loop runs."""
        task = asyncio.get_running_loop().create_task(_run(awaitable))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Cancel what still goes on, and wait until it has ended."""
        # A task that is cancelled before its first step never hears of it.
        await asyncio.sleep(0)
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _run(awaitable: Awaitable[None]) -> None:
    await awaitable
