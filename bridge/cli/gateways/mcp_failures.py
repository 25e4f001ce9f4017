"""What an MCP client is told of a call that its gateway could not bring to an answer. Pure.

Contract: MCP, errors.
"""

from __future__ import annotations

from typing import Final

from bridge.cli.usage_error import SeveralFitError, UsageError
from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode
from bridge.contract.error_codes import BridgeErrorCode, Outcome
from bridge.dispatcher.mcp_front import AppRequest, McpFront
from bridge.dispatcher.mcp_undelivered import undelivered

__all__ = ["failed_request", "no_app"]

_NOBODY: Final = frozenset(
    {
        ClientErrorCode.NO_BRIDGE,
        ClientErrorCode.SEVERAL_BRIDGES,
        ClientErrorCode.UNREACHABLE,
        BridgeErrorCode.NOT_ATTACHED,
    }
)


_MEND: Final = (
    "Nothing was run. Ask the person to mend this client's entry: `bascule mcp-config` prints one."
)
_UNAUTHORIZED: Final = (
    "Nothing was run. Each run of a bridge has a new token. Ask the person to put the one that it"
    " printed last into the file that this client's entry names with --token-file."
)
"""The bridge's own hint is for terminals and pages."""


def failed_request(front: McpFront, request: AppRequest, failure: BridgeFailure) -> str:
    """Return the line that answers a request that failed on the way."""
    unauthorized = failure.code == BridgeErrorCode.UNAUTHORIZED
    return undelivered(
        front,
        request,
        str(failure.code),
        failure.message,
        # Refused before it was a call.
        outcome=Outcome.NOT_DELIVERED if unauthorized else failure.outcome,
        hint=_UNAUTHORIZED if unauthorized else failure.hint,
        nobody_there=failure.code in _NOBODY,
    )


def no_app(error: UsageError) -> BridgeFailure:
    """Return the failure of a gateway that cannot say which app is meant.

    Whoever reads it started no command: what helps is another entry in the client's configuration.
    """
    if isinstance(error, SeveralFitError):
        listed = "; ".join(each.replace("  ", ", ") for each in error.listed)
        return BridgeFailure(
            ClientErrorCode.SEVERAL_BRIDGES,
            f"Several apps are open, and nothing says which is meant: {listed}.",
            hint="Nothing was run. Ask the person to close the others, or to name one app in the"
            " configuration of this client: `bascule mcp-config CLIENT APP` prints the entry.",
            outcome=Outcome.NOT_DELIVERED,
        )
    message = str(error)
    return BridgeFailure(
        ClientErrorCode.NO_BRIDGE,
        message[:1].upper() + message[1:],
        hint=_MEND,
        outcome=Outcome.NOT_DELIVERED,
    )
