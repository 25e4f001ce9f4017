"""What is said of an exchange that failed below HTTP, and what each failure says of the call."""

from __future__ import annotations

from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode, DeadlineExceeded
from bridge.contract.error_codes import Outcome

__all__ = [
    "ClosedUnanswered",
    "NotSentWhole",
    "closed_early",
    "connection_lost",
    "ended",
    "not_a_bridge",
    "too_late",
    "unreachable",
]


class NotSentWhole(Exception):  # noqa: N818 - never leaves the connections
    """Not all of the request was taken, so nobody acted on it."""


class ClosedUnanswered(Exception):  # noqa: N818 - never leaves the connections
    """The connection ended after the request, before the first byte of an answer."""


def unreachable(message: str) -> BridgeFailure:
    """Say that the request was not sent whole: a bridge acts on whole requests only."""
    return BridgeFailure(
        ClientErrorCode.UNREACHABLE,
        message,
        hint="Is the bridge still running? `bascule list` tells.",
        outcome=Outcome.NOT_DELIVERED,
    )


def closed_early() -> BridgeFailure:
    """Say that a new connection was closed before the request was sent whole."""
    return unreachable("The bridge closed the connection before the call.")


def ended() -> BridgeFailure:
    """Say that the token's process is gone: whoever has its port now is not sent it."""
    return BridgeFailure(
        ClientErrorCode.NO_BRIDGE,
        "The bridge has ended.",
        hint="Start a new one: bascule browser-bridge --origin ORIGIN",
        outcome=Outcome.NOT_DELIVERED,
    )


def connection_lost(reason: str) -> BridgeFailure:
    """Say that the request was sent, and that what became of it cannot be known."""
    return BridgeFailure(
        ClientErrorCode.CONNECTION_LOST,
        f"The bridge took the call, but {reason}.",
        outcome=Outcome.UNKNOWN,
    )


def too_late(outcome: Outcome) -> DeadlineExceeded:
    """Say that the caller's own deadline passed."""
    sent = outcome is Outcome.UNKNOWN
    return DeadlineExceeded(
        ClientErrorCode.DEADLINE_EXCEEDED,
        "No answer came before the call's deadline."
        if sent
        else "The call's deadline passed before it was sent.",
        outcome=outcome,
    )


def not_a_bridge(reason: str) -> BridgeFailure:
    """Say that somebody else answers there."""
    return BridgeFailure(
        ClientErrorCode.NOT_A_BRIDGE,
        f"What answers there is not a bridge: {reason}.",
        hint="Check the address; `bascule list` shows the bridges that run.",
        outcome=Outcome.UNKNOWN,
    )
