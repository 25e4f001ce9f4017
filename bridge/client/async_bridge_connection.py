"""Calls over a bridge for an event loop, bytes in and bytes out.

The twin of `bridge_connection`.
"""

from __future__ import annotations

from collections.abc import Callable

from bridge.client.async_http_connection import AsyncHttpConnection
from bridge.client.bridge_address import BridgeAddress
from bridge.client.bridge_requests import (
    BridgeRequests,
    read_answer,
    read_kept,
    read_notified,
    read_response,
)
from bridge.client.connection_failures import not_a_bridge

__all__ = ["AsyncBridgeConnection"]


class AsyncBridgeConnection:
    """As `BridgeConnection`, awaited; deadlines are in the loop's time."""

    def __init__(self, address: BridgeAddress, token: str, runs: Callable[[], bool]) -> None:
        self._requests = BridgeRequests(address, token)
        self._http = AsyncHttpConnection(address, runs)

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
        data = self._requests.call(session, request, seconds, opening)
        response = read_response(await self._http.exchange(data, deadline))
        if response is None:
            raise not_a_bridge("a request was answered as a notification is")
        return response

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
        data = self._requests.call(session, notification, seconds, opening)
        read_notified(await self._http.exchange(data, deadline))

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

    async def _ask(self, request: bytes, deadline: float) -> bytes:
        """Do what may be done twice."""
        return read_answer(await self._http.exchange(request, deadline, repeatable=True))
