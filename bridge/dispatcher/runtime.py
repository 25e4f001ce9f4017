"""What a dispatcher needs of the world around it: a clock, a timer, and a way to let things go on.

Passed in, so that the dispatcher itself has no event loop. `TIMELESS` is enough for a host that
answers at once; `bridge.servers.asyncio_runtime` has one for asyncio.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from typing import Any, Final, Protocol

__all__ = ["TIMELESS", "Cancel", "NoRuntimeError", "Runtime", "Signal"]

Cancel = Callable[[], None]
"""Ends a timer or a watching. Calling it again, or too late, does nothing."""


class Signal(Protocol):
    """Something that happens once; awaiting it ends when it has happened."""

    def set(self) -> None:
        """Say that it has happened. Again is nothing new."""

    def __await__(self) -> Generator[Any, Any, object]:
        """Wait for it. Any number may wait, and each may be cancelled without the others."""


class Runtime(Protocol):
    """The powers that a dispatcher is given. All of it is called from one thread."""

    def now(self) -> float:
        """Return seconds on a clock that never goes back."""

    def after(self, seconds: float, callback: Callable[[], None]) -> Cancel:
        """Call back once, later; the result cancels that."""

    def event(self) -> Signal:
        """Make a signal that has not happened yet."""

    def start(self, awaitable: Awaitable[None]) -> None:
        """Let an awaitable go on by itself, to its end. It is awaited by nobody else."""


class NoRuntimeError(RuntimeError):
    """A host that takes its time was put behind a dispatcher that was given no runtime."""

    def __init__(self) -> None:
        super().__init__(
            "this waits for something: give the Dispatcher a runtime,"
            " bridge.servers.asyncio_runtime.AsyncioRuntime() for asyncio"
        )


class _Timeless:
    """A world in which no time passes: what does not end at its first step is an error."""

    def now(self) -> float:
        """Return 0."""
        return 0.0

    def after(self, seconds: float, callback: Callable[[], None]) -> Cancel:  # noqa: ARG002
        """Never call back."""
        return lambda: None

    def event(self) -> Signal:
        """Raise `NoRuntimeError`: nothing that is waited for would ever happen."""
        raise NoRuntimeError

    def start(self, awaitable: Awaitable[None]) -> None:
        """Take the first step. Raises `NoRuntimeError`, inside as well, where that is not all."""
        steps = awaitable.__await__()
        try:
            next(steps)
        except StopIteration:
            return
        try:
            steps.throw(NoRuntimeError())
        except (StopIteration, NoRuntimeError):
            return
        finally:
            steps.close()


TIMELESS: Final[Runtime] = _Timeless()
"""No clock and no loop: for hosts that answer at once. Nothing is ever deferred for being slow."""
