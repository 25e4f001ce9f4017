"""Threads in which a package's own Python runs, so that one that blocks holds only itself.

Each has an event loop of its own. A package has one thread as a rule: what its modules keep
belongs to that one. A call that is not begun in time, because a handler blocks the thread, goes
to a new one; a blocked thread is a daemon's and never waited for.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Final

from bridge.tools.call_wait import Timer, loop_timer
from bridge.tools.handler import CallRefused
from bridge.tools.result_limits import RUN_LIMITS, RunLimits

__all__ = ["PackageThreads"]

_Start = Callable[[], Coroutine[Any, Any, object]]
_LOG: Final = logging.getLogger("bascule.tools")
_BLOCKED: Final = "The tool's package is blocked by earlier calls; nothing was run."


class PackageThreads:
    """The threads of one package. Called from one event loop, or from none (`run_now`)."""

    def __init__(
        self, name: str, *, limits: RunLimits = RUN_LIMITS, timer: Timer = loop_timer
    ) -> None:
        self._name = name
        self._limits = limits
        self._timer = timer
        self._threads: list[_Thread] = []

    def run_now(self, function: Callable[[], Any], seconds: float) -> Any:  # noqa: ANN401
        """Run a function in the package's thread, and wait for it here, without an event loop.

        Raises what it raises, and `TimeoutError` after so many seconds; it then runs on.
        """
        job = _Job(_as_coroutine(function))
        finished = threading.Event()
        job.when_done = finished.set
        thread = self._current()
        thread.begin(job)
        if not finished.wait(seconds):
            self._threads.remove(thread)
            raise TimeoutError
        return job.outcome()

    async def run(self, start: _Start) -> object:
        """Run a coroutine in the package's thread. Returns and raises as it does.

        Being cancelled cancels it there and waits for nothing. Raises `CallRefused` `BUSY` where
        every thread that the package may have is blocked.
        """
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[None] = loop.create_future()

        def settle() -> None:
            if not ended.done():
                ended.set_result(None)

        def tell() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(settle)

        job = _Job(start)
        job.when_done = tell
        self._current().begin(job)
        watch = self._watch(job, settle)
        try:
            await ended
        except asyncio.CancelledError:
            job.cancel()
            raise
        finally:
            watch.end()
        return job.outcome()

    def close(self) -> None:
        """End the threads that are not blocked; a blocked one ends with the process."""
        for thread in self._threads:
            thread.end()
        self._threads.clear()

    def _current(self) -> _Thread:
        if not self._threads:
            self._threads.append(_Thread(self._name))
        return self._threads[-1]

    def hand_on(self, job: _Job) -> bool:
        """Give a job that was withdrawn to a thread that is not blocked, if one may be had."""
        for thread in self._threads:
            if thread is not self._threads[-1] and not thread.jobs:
                # It was blocked once, and is done with what it had.
                thread.end()
        self._threads = [thread for thread in self._threads if not thread.has_ended]
        if self._current() is job.thread:
            if len(self._threads) >= self._limits.max_threads:
                return False
            self._threads.append(_Thread(self._name))
        self._threads[-1].begin(job)
        return True

    def _watch(self, job: _Job, settle: Callable[[], None]) -> _Watch:
        return _Watch(self, job, settle, lambda look: self._timer(self._limits.held_seconds, look))


class _Watch:
    """Sees that a job begins in time."""

    def __init__(
        self,
        threads: PackageThreads,
        job: _Job,
        settle: Callable[[], None],
        later: Callable[[Callable[[], None]], Callable[[], None]],
    ) -> None:
        self._threads = threads
        self._job = job
        self._settle = settle
        self._later = later
        self._end = later(self._look)

    def end(self) -> None:
        self._end()

    def _look(self) -> None:
        if not self._job.withdraw():
            return
        if self._threads.hand_on(self._job):
            self._end = self._later(self._look)
        else:
            self._job.fail(CallRefused("BUSY", _BLOCKED))
            self._settle()


class _Job:
    """One coroutine that is to run in a thread, once."""

    def __init__(self, start: _Start) -> None:
        self._start = start
        self._lock = threading.Lock()
        self._ticket = 0
        """Which handing over counts: one that was withdrawn does nothing."""
        self._begun = False
        self._task: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._value: object = None
        self._error: BaseException | None = None
        self._cancelled = False
        self.thread: _Thread | None = None
        self.when_done: Callable[[], None] = lambda: None

    def hand_over(self, thread: _Thread) -> int:
        with self._lock:
            self._ticket += 1
            self.thread = thread
            thread.jobs.add(self)
            return self._ticket

    def begin(self, ticket: int, loop: asyncio.AbstractEventLoop) -> None:
        """Begin, in the thread and on its loop, unless it was withdrawn meanwhile."""
        with self._lock:
            if ticket != self._ticket:
                return
            if self._cancelled:
                self._leave()
                return
            self._begun = True
            self._loop = loop
            self._task = loop.create_task(self._run())

    def withdraw(self) -> bool:
        """Take it back. Returns whether it had not begun."""
        with self._lock:
            if not self._begun:
                self._ticket += 1
                self._leave()
            return not self._begun

    def cancel(self) -> None:
        with self._lock:
            self._cancelled = True
            task, loop = self._task, self._loop
        if task is not None and loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(task.cancel)

    def fail(self, error: BaseException) -> None:
        self._error = error

    def outcome(self) -> object:
        if self._error is not None:
            raise self._error
        return self._value

    async def _run(self) -> None:
        try:
            self._value = await self._start()
        except BaseException as error:  # noqa: BLE001 - it must not end the thread's loop
            self._error = error
        self._leave()
        self.when_done()

    def _leave(self) -> None:
        if self.thread is not None:
            self.thread.jobs.discard(self)


class _Thread:
    """One thread and its loop."""

    def __init__(self, name: str) -> None:
        self.jobs: set[_Job] = set()
        """What was handed over and has not ended."""
        self.has_ended = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=f"package {name}", daemon=True)
        self._thread.start()

    def begin(self, job: _Job) -> None:
        ticket = job.hand_over(self)
        self._loop.call_soon_threadsafe(job.begin, ticket, self._loop)

    def end(self) -> None:
        """Let it end as soon as it is not blocked. What still runs in it is cancelled."""
        if not self.has_ended:
            self.has_ended = True
            self._loop.call_soon_threadsafe(self._loop.stop)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            while not self.has_ended and not self._loop.is_closed():
                self._run_on()
            for task in asyncio.all_tasks(self._loop):
                task.cancel()
            # Once more around, so that what was cancelled can say so.
            self._loop.call_soon(self._loop.stop)
            self._loop.run_forever()
        finally:
            self._loop.close()

    def _run_on(self) -> None:
        """Run until somebody stops the loop: a handler may, and only `end` is meant by it."""
        try:
            self._loop.run_forever()
        except BaseException as error:  # noqa: BLE001 - see below
            # asyncio lets SystemExit and KeyboardInterrupt of any task end the loop. It is for
            # whoever awaits that task alone.
            _LOG.warning("a handler's task raised %s", type(error).__name__)


def _as_coroutine(function: Callable[[], Any]) -> _Start:
    async def run() -> object:
        return function()

    return run
