"""How many requests are read, checked or written at once (Contract: connections).

A parked request does not count: it gives its place back and takes one again to be written. Some
places are kept for the attached page, so that busy terminals cannot stop its answers.
"""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType
from typing import Self

__all__ = ["ActiveRequests", "Place"]


class ActiveRequests:
    """Counts places. One event loop only."""

    def __init__(self, maximum: int, reserved: int) -> None:
        self._maximum = maximum
        self._reserved = reserved
        self._active = 0
        self._waiting: deque[tuple[bool, asyncio.Future[None]]] = deque()

    @property
    def active(self) -> int:
        """Return how many places are taken."""
        return self._active

    def try_enter(self, *, from_page: bool) -> bool:
        """Take a place if there is one for this caller, else return False."""
        if not self._is_free(from_page):
            return False
        self._active += 1
        return True

    async def enter(self, *, from_page: bool) -> None:
        """Wait for a place, in order of arrival, and take it. A cancelled wait takes none."""
        if self.try_enter(from_page=from_page):
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((from_page, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave()
            raise

    def leave(self) -> None:
        """Give a place back, to the first who waits and may have it."""
        self._active -= 1
        for waiting in list(self._waiting):
            from_page, turn = waiting
            if turn.done():
                self._waiting.remove(waiting)
            elif self.try_enter(from_page=from_page):
                self._waiting.remove(waiting)
                turn.set_result(None)

    def _is_free(self, from_page: bool) -> bool:
        return self._active < self._maximum - (0 if from_page else self._reserved)


class Place:
    """One request's place, which may be given back for a while. Left at the end of `with`."""

    def __init__(self, requests: ActiveRequests, *, from_page: bool) -> None:
        self._requests = requests
        self._from_page = from_page
        self._held = False

    def try_enter(self) -> bool:
        """Take the place if there is one, else return False."""
        self._held = self._requests.try_enter(from_page=self._from_page)
        return self._held

    async def enter(self) -> None:
        """Wait for the place and take it."""
        await self._requests.enter(from_page=self._from_page)
        self._held = True

    async def enter_again(self) -> None:
        """Wait for the place where it was given back; it is held then."""
        if not self._held:
            await self.enter()

    def leave(self) -> None:
        """Give the place back, if it is held."""
        if self._held:
            self._held = False
            self._requests.leave()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.leave()
