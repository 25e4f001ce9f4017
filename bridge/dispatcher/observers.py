"""Who is told when something happens, in the order of asking.

What an observer raises changes nothing: it only watches.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

from bridge.dispatcher.eventually import called

__all__ = ["Observers"]

T = TypeVar("T")


class Observers(Generic[T]):
    """The observers of one subject."""

    def __init__(self) -> None:
        self._observers: dict[object, Callable[[T], object]] = {}

    def __len__(self) -> int:
        return len(self._observers)

    def add(self, observer: Callable[[T], object]) -> Callable[[], None]:
        """Begin to tell an observer; the result ends that."""
        place = object()
        self._observers[place] = observer

        def remove() -> None:
            self._observers.pop(place, None)

        return remove

    def notify(self, event: T) -> None:
        """Tell all of them."""
        for observer in list(self._observers.values()):
            with suppress(Exception):
                called(observer, event)
