"""How a call to a bridge fails, as one exception with facts that a program can decide by."""

from __future__ import annotations

from enum import StrEnum

from bridge.contract.error_codes import Outcome

__all__ = ["BridgeFailure", "ClientErrorCode"]


class ClientErrorCode(StrEnum):
    """Failures that no bridge answered; a bridge's own codes are `BridgeErrorCode`."""

    NO_BRIDGE = "NO_BRIDGE"
    """There is nothing to call."""
    UNREACHABLE = "UNREACHABLE"
    """The request was not sent whole, so nobody acted on it."""
    CONNECTION_LOST = "CONNECTION_LOST"
    """The request was sent, and no answer came."""
    NOT_A_BRIDGE = "NOT_A_BRIDGE"
    """The request was sent, and the answer is none that a bridge gives."""


class BridgeFailure(Exception):  # noqa: N818 - an error is what the wire carries
    """A call failed: what happened, what to do, and whether it may have run.

    `code` is a `ClientErrorCode` or what the bridge sent. `outcome` is None where the call was
    refused before it could be one.
    """

    def __init__(
        self, code: str, message: str, *, hint: str | None = None, outcome: Outcome | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.outcome = outcome
