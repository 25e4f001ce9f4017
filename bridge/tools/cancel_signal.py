"""Tells a handler that nobody waits for its call any more. A handler may wait for it, or look.

Set once, from any thread; waited for on any event loop. It asks, and interrupts nothing itself.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

__all__ = ["CancelSignal"]


class CancelSignal:
    """A request to stop. Contract: package tools, cancellation."""

    __slots__ = ("_callbacks", "_lock", "_reason")

    def __init__(self) -> None:
        self._reason: str | None = None
        self._callbacks: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    @property
    def cancelled(self) -> bool:
        """Whether the call is to stop."""
        return self._reason is not None

    @property
    def reason(self) -> str | None:
        """Why, in words for a log; None while nothing is to stop."""
        return self._reason

    def cancel(self, reason: str = "the call was stopped") -> None:
        """Ask to stop. A second time changes nothing. May be called from any thread."""
        with self._lock:
            if self._reason is not None:
                return
            self._reason = reason
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def when_cancelled(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back once, from whichever thread cancels; at once where that has happened.

        Returns what ends the watching. The callback raises nothing.
        """
        with self._lock:
            if self._reason is None:
                self._callbacks.append(callback)
                return lambda: self._forget(callback)
        callback()
        return lambda: None

    async def wait(self) -> str:
        """Wait until the call is to stop. Returns the reason. May be cancelled as any await."""
        if self._reason is None:
            loop = asyncio.get_running_loop()
            happened: asyncio.Future[None] = loop.create_future()

            def settle() -> None:
                if not happened.done():
                    happened.set_result(None)

            def wake() -> None:
                if not loop.is_closed():
                    loop.call_soon_threadsafe(settle)

            forget = self.when_cancelled(wake)
            try:
                await happened
            finally:
                forget()
        return self._reason or ""

    def _forget(self, callback: Callable[[], None]) -> None:
        with self._lock:
            if callback in self._callbacks:
                self._callbacks.remove(callback)
