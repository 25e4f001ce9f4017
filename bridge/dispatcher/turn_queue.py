"""One host call at a time, in order of arrival.

A free queue runs a call at once, so that a synchronous call over a synchronous host stays
synchronous.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from bridge.dispatcher.eventually import Eventually, Later, called
from bridge.dispatcher.runtime import Runtime

__all__ = ["GiveUp", "TurnQueue"]

T = TypeVar("T")
GiveUp = Callable[[], None]
"""Ends a call's turn before the call has ended."""


class TurnQueue:
    """Gives turns."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._waiting: deque[Callable[[], None]] = deque()
        self._held = False
        self._passing = False

    def run(self, call: Callable[[GiveUp], Eventually[T]]) -> Eventually[T]:
        """Run a call when its turn has come.

        The turn ends when the call is done, or when the call gives it up through the function
        that it is passed. Raises `NoRuntimeError` for a call within a call where nothing could
        wait.
        """
        # While turns are passed on, who waits is before whoever comes now.
        if not self._held and not self._waiting:
            return self._take(call)
        self._runtime.event()
        later: Later[T] = Later(self._runtime)

        def take() -> None:
            try:
                later.follow(called(partial(self._take, call)))
            except BaseException as error:  # noqa: BLE001 - it is raised where it is awaited
                later.fail(error)

        self._waiting.append(take)
        return later

    def _take(self, call: Callable[[GiveUp], Eventually[T]]) -> Eventually[T]:
        self._held = True
        ended = False

        def end() -> None:
            nonlocal ended
            if not ended:
                ended = True
                self._held = False
                self._pass_on()

        try:
            value = call(end)
        except BaseException:
            end()
            raise
        if isinstance(value, Later):
            later = value
            after: Later[T] = Later(self._runtime)

            def pass_on() -> None:
                # Who waits for it reads the revision that it left, before another moves it on.
                try:
                    after.follow(later)
                finally:
                    end()

            later.when_settled(pass_on)
            return after
        end()
        return value

    def _pass_on(self) -> None:
        """Let those who wait have theirs.

        A loop and no recursion: thousands may wait, and each may end within its own turn.
        """
        if self._passing:
            return
        self._passing = True
        try:
            while not self._held and self._waiting:
                self._waiting.popleft()()
        finally:
            self._passing = False
