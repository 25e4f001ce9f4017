"""A coroutine that was begun outside of any event loop, and goes on in one or by ticks.

Most lines are answered in the first step, which needs no task; the others keep what that step
waited for.
"""

from __future__ import annotations

from collections.abc import Coroutine, Generator
from contextlib import suppress
from typing import Any, Generic, TypeVar

__all__ = ["UnfinishedCall", "begin"]

T = TypeVar("T")


class UnfinishedCall(Generic[T]):
    """What is left of a coroutine after its first step. Await it, or let it step; not both."""

    __slots__ = ("_steps", "_waited")

    def __init__(self, steps: Coroutine[Any, Any, T], waited: object) -> None:
        self._steps = steps
        self._waited = waited

    def step(self) -> T | UnfinishedCall[T]:
        """Look whether it goes on now: its value, or itself. Raises what the coroutine raises."""
        try:
            self._waited = self._steps.send(None)
        except StopIteration as end:
            value: T = end.value
            return value
        return self

    def close(self) -> None:
        """Wait no longer. What was begun elsewhere goes on."""
        # It may be what is running just now, or not stop for being asked.
        with suppress(ValueError, RuntimeError):
            self._steps.close()

    def __await__(self) -> Generator[Any, Any, T]:
        waited = self._waited
        while True:
            try:
                sent = yield waited
            except BaseException as error:  # noqa: BLE001 - it is the coroutine's to handle
                try:
                    waited = self._steps.throw(error)
                except StopIteration as end:
                    value: T = end.value
                    return value
            else:
                try:
                    waited = self._steps.send(sent)
                except StopIteration as end:
                    value = end.value
                    return value


def begin(steps: Coroutine[Any, Any, T]) -> T | UnfinishedCall[T]:
    """Take a coroutine's first step: its value, or what is left of it. Raises what it raises."""
    try:
        waited = steps.send(None)
    except StopIteration as end:
        value: T = end.value
        return value
    return UnfinishedCall(steps, waited)
