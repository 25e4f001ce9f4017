"""How a call to a bridge fails, as exceptions with facts that a program can decide by."""

from __future__ import annotations

from enum import StrEnum

from bridge.contract.error_codes import Outcome

__all__ = ["BasculeError", "BridgeFailure", "ClientErrorCode", "DeadlineExceeded"]


class ClientErrorCode(StrEnum):
    """Failures that no bridge answered; a bridge's own codes are `BridgeErrorCode`."""

    NO_BRIDGE = "NO_BRIDGE"
    """There is nothing to call."""
    SEVERAL_BRIDGES = "SEVERAL_BRIDGES"
    """There are several to call, and nothing says which."""
    UNREACHABLE = "UNREACHABLE"
    """The request was not sent whole, so nobody acted on it."""
    CONNECTION_LOST = "CONNECTION_LOST"
    """The request was sent, and no answer came."""
    DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED"
    """The caller's own deadline passed before an answer came."""
    NOT_A_BRIDGE = "NOT_A_BRIDGE"
    """The request was sent, and the answer is none that a bridge gives."""
    BAD_ANSWER = "BAD_ANSWER"
    """The page answered, with something else than the protocol says."""


class BasculeError(Exception):
    """Whatever fails in calling an app.

    `outcome` says what the call may have done: `Outcome.UNKNOWN` that it may have run; with
    `Outcome.NOT_DELIVERED` or None nothing was done.
    """

    def __init__(
        self, code: str, message: str, *, hint: str | None = None, outcome: Outcome | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.outcome = outcome

    def __str__(self) -> str:
        """Return all that there is to tell, as a traceback should show it."""
        told = f"{self.message} [{self.code}]"
        return f"{told} {self.hint}" if self.hint else told


class BridgeFailure(BasculeError):  # noqa: N818 - an error is what the wire carries
    """A call did not come to an answer of the app.

    `code` is a `ClientErrorCode` or what the bridge sent. `outcome` is None where the call was
    refused before it could be one.
    """


class DeadlineExceeded(BridgeFailure):
    """The call's own deadline passed: the caller's, or as the bridge's answer `TIMEOUT`.

    It never means that something was cancelled.
    """
