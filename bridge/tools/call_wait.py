"""Waits for a handler that does not answer at once: until it ends, is stopped, or is out of time.

A handler that declares `cancellable` is told to stop and awaited up to its ceiling. Any other is
never interrupted: after a short grace its caller goes on without it. Where the whole service ends,
both have the grace and no more. Runs nothing itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from bridge.tools.cancel_signal import CancelSignal

__all__ = ["Ending", "Timer", "Waiting", "leave", "loop_timer", "wait_for"]

Ending = Literal["done", "INTERRUPTED", "TIMED_OUT", "SERVICE_ENDS"]
Timer = Callable[[float, Callable[[], None]], Callable[[], None]]
"""Calls back once, so many seconds from now; the result cancels that."""


def loop_timer(seconds: float, callback: Callable[[], None]) -> Callable[[], None]:
    """Call back on the running event loop."""
    return asyncio.get_running_loop().call_later(seconds, callback).cancel


class Waiting(NamedTuple):
    """How one call is waited for."""

    task: asyncio.Task[Any]
    cancellable: bool
    signal: CancelSignal | None
    """The caller's, if it can stop the call."""
    service_ends: CancelSignal
    """Fires when no handler runs on: after the grace the process may be gone."""
    handler_signal: CancelSignal
    """What the handler sees."""
    ceiling_seconds: float
    grace_seconds: float
    timer: Timer


async def wait_for(waiting: Waiting) -> Ending:
    """Return how it ended; unless that is `done` the task may still run.

    Being cancelled is a stop: the handler is told where it can be, and the rest is its own.
    Contract: package tools, cancellation.
    """
    return await _Wait(waiting).wait()


def leave(waiting: Waiting) -> None:
    """Say that whoever called has gone: a handler is told where it can be, and ends in time."""
    if waiting.cancellable and not waiting.task.done():
        waiting.handler_signal.cancel("whoever called has gone")
        forget = waiting.timer(waiting.ceiling_seconds, lambda: _run_out(waiting))
        waiting.task.add_done_callback(lambda _: forget())


def _run_out(waiting: Waiting) -> None:
    if waiting.cancellable:
        waiting.handler_signal.cancel("its time is up")
        waiting.task.cancel()


class _Wait:
    """One call being waited for."""

    def __init__(self, waiting: Waiting) -> None:
        self._of = waiting
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[Ending] = self._loop.create_future()
        self._watches: list[Callable[[], None]] = []

    async def wait(self) -> Ending:
        of = self._of
        of.task.add_done_callback(lambda _: self._end("done"))
        self._watches.append(of.timer(of.ceiling_seconds, self._run_out))
        if of.signal is not None:
            self._watches.append(of.signal.when_cancelled(lambda: self._from_anywhere(self._stop)))
        ends = of.service_ends.when_cancelled(lambda: self._from_anywhere(self._stop_soon))
        self._watches.append(ends)
        try:
            return await self._ended
        except asyncio.CancelledError:
            leave(self._of)
            raise
        finally:
            for end in self._watches:
                end()

    def _end(self, how: Ending) -> None:
        if not self._ended.done():
            self._ended.set_result(how)

    def _run_out(self) -> None:
        _run_out(self._of)
        self._end("TIMED_OUT")

    def _from_anywhere(self, callback: Callable[[], None]) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(callback)

    def _stop(self) -> None:
        of = self._of
        if self._ended.done():
            return
        if of.cancellable:
            reason = None if of.signal is None else of.signal.reason
            of.handler_signal.cancel(reason or "the call was stopped")
        else:
            self._watches.append(of.timer(of.grace_seconds, lambda: self._end("INTERRUPTED")))

    def _stop_soon(self) -> None:
        of = self._of
        if self._ended.done():
            return
        if of.cancellable:
            of.handler_signal.cancel(of.service_ends.reason or "the service ends")
        self._watches.append(of.timer(of.grace_seconds, lambda: self._end("SERVICE_ENDS")))
