"""A runtime whose clock a test holds in its hand, without any event loop."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Generator
from typing import Any, Generic, TypeVar

__all__ = ["ManualRuntime", "Pending"]

T = TypeVar("T")


class _Signal:
    """Something that happens once."""

    def __init__(self, runtime: ManualRuntime) -> None:
        self._runtime = runtime
        self._waiting: list[Generator[Any, Any, object]] = []
        self.happened = False

    def set(self) -> None:
        self.happened = True
        for steps in self._waiting:
            self._runtime.ready.append(steps)
        self._waiting.clear()

    def wake(self, steps: Generator[Any, Any, object]) -> None:
        self._waiting.append(steps)

    def __await__(self) -> Generator[Any, Any, object]:
        if not self.happened:
            yield self
        return None


class Pending(Generic[T]):
    """What an awaitable that goes on by itself has come to."""

    def __init__(self) -> None:
        self.done = False
        self.value: T | None = None


class ManualRuntime:
    """Runs awaitables when it is told to, and lets time pass when it is told to."""

    def __init__(self) -> None:
        self.time = 0.0
        self.ready: deque[Generator[Any, Any, object]] = deque()
        self._timers: dict[object, tuple[float, Callable[[], None]]] = {}

    def now(self) -> float:
        return self.time

    def after(self, seconds: float, callback: Callable[[], None]) -> Callable[[], None]:
        timer = object()
        self._timers[timer] = (self.time + seconds, callback)

        def cancel() -> None:
            self._timers.pop(timer, None)

        return cancel

    def event(self) -> _Signal:
        return _Signal(self)

    def start(self, awaitable: Awaitable[Any]) -> None:
        self.ready.append(_steps(awaitable))

    def run(self, awaitable: Awaitable[T]) -> Pending[T]:
        """Let an awaitable go on by itself, and see what becomes of it."""
        pending: Pending[T] = Pending()

        async def follow() -> None:
            pending.value = await awaitable
            pending.done = True

        self.start(follow())
        self.settle()
        return pending

    def settle(self) -> None:
        """Let everything happen that waits for nothing but its turn."""
        while self.ready:
            steps = self.ready.popleft()
            try:
                waits_for = next(steps)
            except StopIteration:
                continue
            waits_for.wake(steps)

    def passes(self, seconds: float) -> None:
        """Let time pass: what is due is called, in order."""
        self.time += seconds
        for timer, (due, callback) in sorted(self._timers.items(), key=lambda item: item[1][0]):
            if due <= self.time and self._timers.pop(timer, None) is not None:
                callback()
        self.settle()


def _steps(awaitable: Awaitable[Any]) -> Generator[Any, Any, object]:
    return awaitable.__await__()
