"""A first-party handler: the `handle` of a Python file, run in this process.

It is trusted code: it may do whatever this process may. It runs in its package's own thread, so
that one that blocks holds its package alone; a file that says `NEVER_BLOCKS = True` promises to
wait by `await` alone, and is run on the event loop of the service, which is many times faster.
Reads no file: `handler_files` imports them.
"""

from __future__ import annotations

import logging
import time
import types
from collections.abc import Callable, Coroutine, Generator
from typing import Any, Final

from bridge.tools.handler import ToolCall
from bridge.tools.loop_watch import LOOP_WATCH, LoopWatch
from bridge.tools.package_thread import PackageThreads
from bridge.tools.result_limits import RUN_LIMITS
from bridge.tools.session_context import SessionContext

__all__ = ["Handle", "LoopHandler", "ThreadHandler"]

Handle = Callable[[dict[str, Any], SessionContext, ToolCall], Coroutine[Any, Any, object]]

_LOG: Final = logging.getLogger("bascule.tools")


class ThreadHandler:
    """Runs a `handle` in its package's thread. Contract: package tools, handlers."""

    def __init__(self, handle: Handle, threads: PackageThreads) -> None:
        self._handle = handle
        self._threads = threads

    async def run(
        self, arguments: dict[str, Any], session: SessionContext, call: ToolCall
    ) -> object:
        """Run it there. Being cancelled cancels it there and waits for nothing."""
        return await self._threads.run(lambda: self._handle(arguments, session, call))


class LoopHandler:
    """Runs a `handle` that promised never to block where it is called.

    One that breaks the promise loses it: it goes to its package's thread from then on. One that
    does not come back from a step holds its loop, which `watch` tells; it cannot be stopped.
    Contract: package tools, handlers.
    """

    def __init__(
        self,
        name: str,
        handle: Handle,
        threads: PackageThreads,
        *,
        clock: Callable[[], float] = time.monotonic,
        watch: LoopWatch = LOOP_WATCH,
    ) -> None:
        self._name = name
        self._handle = handle
        self._elsewhere = ThreadHandler(handle, threads)
        self._clock = clock
        self._watch = watch
        self.keeps_its_promise = True

    async def run(
        self, arguments: dict[str, Any], session: SessionContext, call: ToolCall
    ) -> object:
        """Run it here, as part of whoever awaits this."""
        if not self.keeps_its_promise:
            return await self._elsewhere.run(arguments, session, call)
        return await self._steps(self._handle(arguments, session, call))

    @types.coroutine
    def _steps(self, coroutine: Coroutine[Any, Any, object]) -> Generator[Any, Any, object]:
        """Run it step by step, each of which holds the event loop."""
        sent: Any = None
        error: BaseException | None = None
        while True:
            begun = self._clock()
            step = self._watch.begin(self._name)
            try:
                awaited = coroutine.send(sent) if error is None else coroutine.throw(error)
            except StopIteration as done:
                return done.value
            finally:
                self._watch.end(step)
                if self._clock() - begun > RUN_LIMITS.slow_step_seconds:
                    self._break_promise()
            sent = error = None
            try:
                sent = yield awaited
            except BaseException as raised:  # noqa: BLE001 - it is the handler's to see
                error = raised

    def _break_promise(self) -> None:
        if self.keeps_its_promise:
            self.keeps_its_promise = False
            _LOG.warning(
                "%s says NEVER_BLOCKS and held the event loop: it runs in its package's thread now",
                self._name,
            )
