"""How many calls a gateway has at its app at one time, and none more while answers lie unread.

What has a place may answer whatever the reader does, so that the places bound what is kept for a
reader who does not keep up. In order of arrival. Knows no protocol. Contract: size.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Final

from bridge.client.connection_failures import too_late
from bridge.contract.error_codes import Outcome
from bridge.contract.limits import BRIDGE_LIMITS

if TYPE_CHECKING:
    from bridge.cli.gateways.mcp_output import LineOutput

__all__ = ["AppPlaces"]

_MOST: Final = BRIDGE_LIMITS.max_outstanding // 2
"""As many calls as one connection to a bridge has open at most."""


class AppPlaces:
    """The places of one gateway, for its event loop. `output` is where the answers go."""

    def __init__(self, output: LineOutput, most: int = _MOST) -> None:
        self._loop = asyncio.get_running_loop()
        self._output = output
        self._free = most
        self._turns: deque[asyncio.Future[None]] = deque()
        output.when_room(self._admit)

    def take(self) -> bool:
        """Take a place where that takes no waiting; False where it would."""
        if self._turns or not self._is_open:
            return False
        self._free -= 1
        return True

    async def taken(self, seconds: float) -> None:
        """Wait for a place, in order of arrival, and take it. Cancelled, it takes none.

        Raises `DeadlineExceeded` where there is none for so many seconds while answers are read.
        """
        turn: asyncio.Future[None] = self._loop.create_future()
        self._turns.append(turn)
        self._admit()
        try:
            while not turn.done():
                await asyncio.wait({turn}, timeout=seconds)
                if not turn.done() and not self._output.is_full:
                    raise too_late(Outcome.NOT_DELIVERED)
        except BaseException:
            if turn.cancel():
                self._turns.remove(turn)
            else:
                # Cancelled in the very step in which it was given a place, it gives that back.
                self.leave()
            raise

    def leave(self) -> None:
        """Give a place back."""
        self._free += 1
        self._admit()

    @property
    def _is_open(self) -> bool:
        return self._free > 0 and not self._output.is_full

    def _admit(self) -> None:
        while self._turns and self._is_open:
            self._free -= 1
            self._turns.popleft().set_result(None)
