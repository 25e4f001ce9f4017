"""What a client needs of the way to an app: the same, whether a bridge is between or not."""

from __future__ import annotations

from typing import Protocol

__all__ = ["AppConnection", "AsyncAppConnection", "ChosenApp"]


class AppConnection(Protocol):
    """A way to an app, blocking. Every method raises `BridgeFailure`."""

    def respond(
        self, session: str, request: bytes, seconds: float | None, deadline: float
    ) -> bytes:
        """Send a JSON-RPC request, and return its response by `deadline` on the monotonic clock.

        `seconds` is what a bridge between is told of that; None leaves it to the bridge.
        """

    def call(
        self, session: str, request: bytes, timeout_seconds: float | None = None
    ) -> bytes | None:
        """Send one JSON-RPC message and return its response; None for a notification."""

    def close_session(self, session: str, timeout_seconds: float) -> None:
        """Release a protocol session."""

    def calls(self, after: int | None, wait_seconds: float, deadline: float) -> bytes:
        """Return the calls of others after an event's number."""

    def status(self, timeout_seconds: float) -> bytes:
        """Return what the bridge between tells of itself."""

    def close(self) -> None:
        """Hang up. The connection can be used again, and then opens anew."""


class AsyncAppConnection(Protocol):
    """The same for an event loop; deadlines are in the loop's time."""

    async def respond(
        self, session: str, request: bytes, seconds: float | None, deadline: float
    ) -> bytes:
        """Send a JSON-RPC request, and return its response."""

    async def close_session(self, session: str, deadline: float) -> None:
        """Release a protocol session."""

    async def calls(self, after: int | None, wait_seconds: float, deadline: float) -> bytes:
        """Return the calls of others after an event's number."""

    async def status(self, deadline: float) -> bytes:
        """Return what the bridge between tells of itself."""

    def close(self) -> None:
        """Hang up."""


class ChosenApp(Protocol):
    """An app to call."""

    @property
    def connection(self) -> AppConnection:
        """Return a new connection to it."""

    def async_connection(self) -> AsyncAppConnection:
        """Return a new connection for the running event loop."""
