"""A terminal's channel to one bridge: opened when it is first needed, and again when it has ended.

Where it cannot be opened, calls go by requests of their own, which say best what is wrong.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from bridge.client.bridge_address import LOOPBACK, BridgeAddress
from bridge.client.connection_failures import too_late
from bridge.client.terminal_channel import TerminalChannel
from bridge.contract.error_codes import Outcome

__all__ = ["TerminalLink"]

_OPEN_SECONDS: Final = 5.0
"""How long opening may take."""
_AGAIN_SECONDS: Final = 30.0
"""After a refusal, as of an older bridge or of one with too many channels, none is asked for."""


class TerminalLink:
    """The way by a channel, for one event loop.

    `request` makes the bytes of a handshake for a key. `runs` is asked before they are sent.
    """

    def __init__(
        self, address: BridgeAddress, request: Callable[[bytes], bytes], runs: Callable[[], bool]
    ) -> None:
        self._address = address
        self._request = request
        self._runs = runs
        self._loop = asyncio.get_running_loop()
        self._channel: TerminalChannel | None = None
        self._opening: asyncio.Task[None] | None = None
        self._not_before = 0.0

    @property
    def channel(self) -> TerminalChannel | None:
        """The open channel."""
        channel = self._channel
        return channel if channel is not None and channel.is_usable else None

    async def opened(self, deadline: float) -> TerminalChannel | None:
        """Return the channel, opened by `deadline` where it is not; None where it cannot be.

        Raises `DeadlineExceeded`.
        """
        if self.channel is None and self._loop.time() >= self._not_before:
            if self._opening is None:
                self._opening = self._loop.create_task(self._open())
                self._opening.add_done_callback(self._forget_opening)
            # Several calls wait for it; that one is cancelled does not end it.
            left = deadline - self._loop.time()
            done, _ = await asyncio.wait({self._opening}, timeout=max(0.0, left))
            if not done:
                raise too_late(Outcome.NOT_DELIVERED)
        return self.channel

    def close(self) -> None:
        """Hang up. It can be used again, and then opens anew."""
        if self._opening is not None:
            self._opening.cancel()
        if self._channel is not None:
            self._channel.close()

    def _forget_opening(self, opening: asyncio.Task[None]) -> None:
        if self._opening is opening:
            self._opening = None

    async def _open(self) -> None:
        channel: TerminalChannel | None = None
        opened = False
        try:
            async with asyncio.timeout(_OPEN_SECONDS):
                _, channel = await self._loop.create_connection(
                    lambda: TerminalChannel(self._loop), LOOPBACK, self._address.port
                )
                if self._runs():
                    opened = await channel.shake_hands(self._request)
                    if not opened:
                        self._not_before = self._loop.time() + _AGAIN_SECONDS
        except (OSError, TimeoutError):
            # A request of its own tells.
            pass
        finally:
            if channel is not None and not opened:
                channel.abort()
        if opened:
            self._channel = channel
