"""Calls over a bridge for an event loop, bytes in and bytes out.

The twin of `bridge_connection`. With a channel, calls share one WebSocket where the bridge has it
and go by requests of their own where it has not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from bridge.client.async_http_connection import AsyncHttpConnection
from bridge.client.bridge_address import BridgeAddress
from bridge.client.bridge_failure import BridgeFailure
from bridge.client.bridge_requests import (
    BridgeRequests,
    read_answer,
    read_kept,
    read_response,
)
from bridge.client.connection_failures import NotSentWhole, not_a_bridge, too_late
from bridge.contract.error_codes import Outcome

if TYPE_CHECKING:
    from bridge.client.terminal_channel import CallEnd, Done, TerminalChannel
    from bridge.client.terminal_link import TerminalLink

__all__ = ["AsyncBridgeConnection"]


class AsyncBridgeConnection:
    """As `BridgeConnection`, awaited; deadlines are in the loop's time."""

    def __init__(
        self,
        address: BridgeAddress,
        token: str,
        runs: Callable[[], bool],
        *,
        channel: bool = False,
    ) -> None:
        self._requests = BridgeRequests(address, token)
        self._http = AsyncHttpConnection(address, runs)
        self._link: TerminalLink | None = None
        if channel:
            # Whoever does without need not wait for it.
            from bridge.client.terminal_link import TerminalLink  # noqa: PLC0415

            self._link = TerminalLink(address, self._requests.terminal, runs)

    async def respond(
        self,
        session: str,
        request: bytes,
        seconds: float | None,
        deadline: float,
        *,
        opening: bytes | None = None,
    ) -> bytes:
        """Send a JSON-RPC request, and return its response. Cancelled, it hangs up.

        `opening` is a request that the page gets first where it has had nothing in this session.
        """
        response = await self._call(session, request, seconds, deadline, opening)
        if response is None:
            raise not_a_bridge("a request was answered as a notification is")
        return response

    def begin(  # noqa: PLR0913 - a call's parts
        self,
        session: str,
        request: bytes,
        seconds: float | None,
        deadline: float,
        done: Done,
        *,
        opening: bytes | None = None,
    ) -> Callable[[], None] | None:
        """Send a request where it can be sent at once, without anybody who waits for it.

        `done` is told how it ends, once and later. Returns what hangs up, or None where the call
        has to be made by `respond`. After `NotSentWhole` it may be, too: nobody acted on it.
        """
        channel = None if self._link is None else self._link.channel
        if (
            channel is None
            or not channel.has_room
            or not channel.takes(session, request, opening)
            or deadline <= channel.time()
        ):
            return None
        ref = channel.call(session, request, seconds, deadline, done, opening=opening)
        return lambda: channel.hang_up(ref)

    async def notify(
        self,
        session: str,
        notification: bytes,
        seconds: float | None,
        deadline: float,
        *,
        opening: bytes | None = None,
    ) -> None:
        """Send a JSON-RPC notification; returns when the page has taken it."""
        response = await self._call(session, notification, seconds, deadline, opening)
        if response is not None:
            raise not_a_bridge("a notification was answered as a request is")

    async def keep_session(self, session: str, deadline: float) -> bool:
        """Say that a session is still needed; False where the attached page knows of none."""
        request = self._requests.keep_session(session)
        return read_kept(await self._http.exchange(request, deadline, repeatable=True))

    async def close_session(self, session: str, deadline: float) -> None:
        """Release a session in the page."""
        await self._ask(self._requests.close_session(session), deadline)

    async def calls(self, after: int | None, wait_seconds: float, deadline: float) -> bytes:
        """Return the calls of others after an event's number."""
        return await self._ask(self._requests.calls(after, wait_seconds), deadline)

    async def status(self, deadline: float) -> bytes:
        """Return what the bridge tells of itself."""
        return await self._ask(self._requests.status(), deadline)

    def close(self) -> None:
        """Hang up what is idle."""
        self._http.close()
        if self._link is not None:
            self._link.close()

    async def _ask(self, request: bytes, deadline: float) -> bytes:
        """Do what may be done twice."""
        return read_answer(await self._http.exchange(request, deadline, repeatable=True))

    async def _call(
        self,
        session: str,
        message: bytes,
        seconds: float | None,
        deadline: float,
        opening: bytes | None,
    ) -> bytes | None:
        """Send a message, and return its response; None for a notification that was taken."""
        channel = None if self._link is None else await self._link.opened(deadline)
        if channel is not None and channel.takes(session, message, opening):
            try:
                return await _call(channel, session, message, seconds, deadline, opening)
            except NotSentWhole:
                # It ended before: a request of its own opens a connection, or says why it cannot.
                pass
        data = self._requests.call(session, message, seconds, opening)
        return read_response(await self._http.exchange(data, deadline))


async def _call(  # noqa: PLR0913, PLR0917 - a call's parts
    channel: TerminalChannel,
    session: str,
    message: bytes,
    seconds: float | None,
    deadline: float,
    opening: bytes | None,
) -> bytes | None:
    """Call by a channel. Raises `BridgeFailure` and `NotSentWhole`; cancelled, it hangs up."""
    if not channel.has_room:
        await channel.room(deadline)
        if not channel.is_usable:
            raise NotSentWhole
    if deadline <= channel.time():
        raise too_late(Outcome.NOT_DELIVERED)
    answered: asyncio.Future[bytes | None] = asyncio.get_running_loop().create_future()

    def done(end: CallEnd) -> None:
        if answered.done():
            return
        if isinstance(end, BridgeFailure | NotSentWhole):
            answered.set_exception(end)
        else:
            answered.set_result(end)

    ref = channel.call(session, message, seconds, deadline, done, opening=opening)
    try:
        return await answered
    except asyncio.CancelledError:
        channel.hang_up(ref)
        raise
