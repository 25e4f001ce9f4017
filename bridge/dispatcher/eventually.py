"""Values that are there now or later. A synchronous host stays synchronous all the way.

What a host gives to be awaited is started at once, ends once, and can be awaited by any number
of callers or by none: a caller who goes away never takes a call, or its turn, with it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from contextlib import suppress
from typing import Any, Generic, ParamSpec, TypeAlias, TypeVar

from bridge.dispatcher.runtime import Runtime

__all__ = [
    "Eventually",
    "Later",
    "StoppedError",
    "and_then",
    "called",
    "discard",
    "started",
    "watched",
]

T = TypeVar("T")
U = TypeVar("U")


class StoppedError(Exception):
    """What a host raised that is no `Exception`: a cancellation of its own, say."""


P = ParamSpec("P")


def called(method: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call what may call a host.

    What is raised comes out as it was, except that what is no `Exception` (a cancellation of the
    host's own) becomes one; leaving the program stays that.
    """
    try:
        return method(*args, **kwargs)
    except (Exception, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        raise StoppedError(type(error).__name__) from error


class Later(Generic[T]):
    """A value that may not be there yet. Settles once; awaiting it never cancels it."""

    __slots__ = ("_callbacks", "_error", "_runtime", "_value", "settled")

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._callbacks: list[Callable[[], None]] = []
        self._value: T | None = None
        self._error: BaseException | None = None
        self.settled = False

    def settle(self, value: T) -> None:
        """Give the value, unless it has settled before."""
        if not self.settled:
            self._value = value
            self._end()

    def fail(self, error: BaseException) -> None:
        """Give the failure, unless it has settled before."""
        if not self.settled:
            self._error = error
            self._end()

    def _end(self) -> None:
        self.settled = True
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def follow(self, value: Eventually[T]) -> None:
        """Settle as another value does."""
        if not isinstance(value, Later):
            self.settle(value)
            return
        value.when_settled(lambda: self._take(value))

    def _take(self, other: Later[T]) -> None:
        if other._error is not None:
            self.fail(other._error)
        else:
            self.settle(other.result())

    def when_settled(self, callback: Callable[[], None]) -> None:
        """Call back, at once where it has settled. The callback raises nothing."""
        if self.settled:
            callback()
        else:
            self._callbacks.append(callback)

    def then(self, following: Callable[[T], Eventually[U]]) -> Later[U]:
        """Go on with the value when it is there; a failure is passed on."""
        after: Later[U] = Later(self._runtime)

        def go_on() -> None:
            if self._error is not None:
                after.fail(self._error)
                return
            try:
                after.follow(called(following, self.result()))
            except BaseException as error:  # noqa: BLE001 - it is raised where it is awaited
                after.fail(error)

        self.when_settled(go_on)
        return after

    def watched(
        self, done: Callable[[T], None], failed: Callable[[BaseException], None]
    ) -> Later[T]:
        """Tell how it ended before anybody goes on with it."""
        after: Later[T] = Later(self._runtime)

        def end() -> None:
            if self._error is not None:
                failed(self._error)
            else:
                done(self.result())
            after.follow(self)

        self.when_settled(end)
        return after

    def result(self) -> T:
        """Return the value of one that has settled, or raise its failure."""
        if self._error is not None:
            raise self._error
        return self._value  # type: ignore[return-value] # it has settled

    def __await__(self) -> Generator[Any, Any, T]:
        if not self.settled:
            signal = self._runtime.event()
            self._callbacks.append(signal.set)
            yield from signal.__await__()
        return self.result()


Eventually: TypeAlias = T | Later[T]


def and_then(value: Eventually[T], following: Callable[[T], Eventually[U]]) -> Eventually[U]:
    """Go on with a value at once, or when it is there."""
    if isinstance(value, Later):
        return value.then(following)
    return following(value)


def started(awaitable: Awaitable[T], runtime: Runtime) -> Later[T]:
    """Let a host's awaitable go on by itself, whoever waits for it."""
    later: Later[T] = Later(runtime)
    runtime.start(_follow(awaitable, later))
    return later


async def _follow(awaitable: Awaitable[T], later: Later[T]) -> None:
    try:
        value = await awaitable
    except Exception as error:  # noqa: BLE001 - it is raised where it is awaited
        later.fail(error)
    except BaseException as error:
        # The loop's own business goes on; who waits for the host is told that it stopped.
        later.fail(StoppedError(type(error).__name__))
        raise
    else:
        later.settle(value)


def discard(awaitable: object) -> None:
    """Stop what was to be awaited and will not be. A coroutine has done nothing yet."""
    for name in ("close", "cancel"):
        stop = getattr(awaitable, name, None)
        if callable(stop):
            with suppress(Exception):  # whatever it is, nobody waits for it
                stop()
            return


def watched(
    start: Callable[[], Eventually[T]],
    done: Callable[[T], None],
    failed: Callable[[BaseException], None],
) -> Eventually[T]:
    """Tell how it ended, then give the same value or failure."""
    try:
        value = start()
    except BaseException as error:
        failed(error)
        raise
    if not isinstance(value, Later):
        done(value)
        return value
    return value.watched(done, failed)
