"""The tickets that open a channel: each once, for a short time, for one client.

A browser cannot give a WebSocket a header, and an address is logged by many: so the secret that
opens it is of no use a moment later. Contract: channel.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from typing import Final

__all__ = ["Tickets"]

_MAX_KEPT: Final = 8
"""Every poll's answer carries one, and the page uses the newest."""


class Tickets:
    """The tickets of one client. Times are monotonic seconds."""

    def __init__(self, new_id: Callable[[], str], seconds: float) -> None:
        self._new_id = new_id
        self._seconds = seconds
        self._until: dict[str, float] = {}

    def issue(self, now: float) -> str:
        """Make a ticket."""
        self._expire(now)
        while len(self._until) >= _MAX_KEPT:
            del self._until[next(iter(self._until))]
        ticket = self._new_id()
        self._until[ticket] = now + self._seconds
        return ticket

    def redeem(self, ticket: str, now: float) -> bool:
        """Say whether a ticket is good, and take it."""
        self._expire(now)
        good = None
        given = ticket.encode()
        for known in self._until:
            if hmac.compare_digest(known.encode(), given):
                good = known
        if good is None:
            return False
        del self._until[good]
        return True

    def _expire(self, now: float) -> None:
        for ticket in [ticket for ticket, until in self._until.items() if until <= now]:
            del self._until[ticket]
