"""What is said of a call to a native app that came to no answer, and what it says of the call."""

from __future__ import annotations

from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode
from bridge.contract.error_codes import AppErrorCode, Outcome

__all__ = [
    "another_user",
    "app_full",
    "app_lost",
    "app_unreachable",
    "bad_line",
    "no_bridge_between",
]


def app_unreachable(path: str, reason: str) -> BridgeFailure:
    """Say that the request was not sent whole: an app acts on whole lines only."""
    return BridgeFailure(
        ClientErrorCode.UNREACHABLE,
        f"No app answers at {path}: {reason}.",
        hint="Is it still running, and enabled? `bascule list` tells.",
        outcome=Outcome.NOT_DELIVERED,
    )


def another_user(path: str) -> BridgeFailure:
    """Say that who listens there is not this user, or cannot be told."""
    return BridgeFailure(
        ClientErrorCode.UNREACHABLE,
        f"What listens at {path} is not known to be yours; nothing was sent.",
        outcome=Outcome.NOT_DELIVERED,
    )


def app_full() -> BridgeFailure:
    """Say that the app took no connection more: it hung up without reading anything."""
    return BridgeFailure(
        AppErrorCode.SESSION_LIMIT.name,
        "The app has as many connections as it takes, and all of them are busy; nothing was run.",
        hint="Try again in a moment. If it stays so, close other clients of the app.",
        outcome=Outcome.NOT_DELIVERED,
    )


def app_lost(reason: str) -> BridgeFailure:
    """Say that the request was sent, and that what became of it cannot be known."""
    return BridgeFailure(
        ClientErrorCode.CONNECTION_LOST,
        f"The app took the call, but {reason}.",
        outcome=Outcome.UNKNOWN,
    )


def bad_line(what: str) -> BridgeFailure:
    """Say that what came back is no line of the protocol."""
    return BridgeFailure(
        ClientErrorCode.BAD_ANSWER,
        f"The app answered with something that the protocol does not know: {what}.",
        outcome=Outcome.UNKNOWN,
    )


def no_bridge_between(what: str) -> BridgeFailure:
    """Say that something is asked of a bridge, and there is none: the app is called directly."""
    return BridgeFailure(
        ClientErrorCode.NO_BRIDGE, f"A native app is called without a bridge, which has {what}."
    )
