"""The threads that entries run in: so many for all, and of them a share for each.

A package whose calls loop until their time is up holds up its own calls, and not those of every
other. Runs whatever it is given. Contract: package tools, WebAssembly.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeAlias

from bridge.tools.handler import CallRefused
from bridge.tools.result_limits import WasmLimits

__all__ = ["BUSY", "WasmPool"]

BUSY = "Too many calls of WebAssembly wait already; nothing was run. Try again later."

_Work: TypeAlias = "tuple[Future[object], Callable[[], object]]"


class WasmPool:
    """Threads, made when the first work comes. For any number of threads that bring some."""

    def __init__(self, limits: WasmLimits) -> None:
        self._limits = limits
        self._executor: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()
        self._taken = 0
        """All work that is not done."""
        self._shares: dict[Hashable, _Share] = {}
        """Of each whose work is not done."""

    def submit(self, whose: Hashable, work: Callable[[], object]) -> Future[object]:
        """Run something in a thread, in its turn; what is cancelled before that is not run.

        Raises `CallRefused` `BUSY` where too much waits already, of all or of `whose` own.
        """
        future: Future[object] = Future()
        with self._lock:
            share = self._shares.get(whose) or _Share()
            most = self._limits.max_runs + self._limits.max_waiting
            if self._taken >= most or share.taken >= self._most_taken():
                raise CallRefused("BUSY", BUSY)
            self._shares[whose] = share
            self._taken += 1
            share.taken += 1
            share.waiting.append((future, work))
            self._start(whose, share)
        future.add_done_callback(lambda _: self._give_back(whose, share, future))
        return future

    def _most_running(self) -> int:
        return max(1, self._limits.max_runs - 1)

    def _most_taken(self) -> int:
        return self._most_running() + max(1, self._limits.max_waiting // 2)

    def _start(self, whose: Hashable, share: _Share) -> None:
        """Begin what the share has room for. The lock is held."""
        if self._executor is None:
            self._executor = ThreadPoolExecutor(self._limits.max_runs, "wasm")
        while share.waiting and share.running < self._most_running():
            share.running += 1
            self._executor.submit(self._run, whose, share, *share.waiting.popleft())

    def _run(
        self, whose: Hashable, share: _Share, future: Future[object], work: Callable[[], object]
    ) -> None:
        try:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = work()
            except BaseException as error:  # noqa: BLE001 - it is told to whoever waits
                future.set_exception(error)
            else:
                future.set_result(result)
        finally:
            with self._lock:
                share.running -= 1
                self._start(whose, share)

    def _give_back(self, whose: Hashable, share: _Share, future: Future[object]) -> None:
        with self._lock:
            self._taken -= 1
            share.taken -= 1
            # Cancelled work holds its arguments no longer than it waits.
            with suppress(StopIteration):
                share.waiting.remove(next(each for each in share.waiting if each[0] is future))
            if share.taken == 0:
                self._shares.pop(whose, None)


class _Share:
    """What one has under way."""

    def __init__(self) -> None:
        self.taken = 0
        """Waiting or running."""
        self.running = 0
        self.waiting: deque[_Work] = deque()
