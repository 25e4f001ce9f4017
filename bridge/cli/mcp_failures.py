"""What an MCP client is told of a call that its gateway could not bring to an answer. Pure.

Contract: MCP, errors.
"""

from __future__ import annotations

from typing import Final

from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode
from bridge.contract.error_codes import BridgeErrorCode
from bridge.dispatcher.mcp_front import AppRequest, McpFront
from bridge.dispatcher.mcp_undelivered import undelivered

__all__ = ["failed_request"]

_NOBODY: Final = frozenset(
    {ClientErrorCode.NO_BRIDGE, ClientErrorCode.UNREACHABLE, BridgeErrorCode.NOT_ATTACHED}
)


def failed_request(front: McpFront, request: AppRequest, failure: BridgeFailure) -> str:
    """Return the line that answers a request that failed on the way."""
    return undelivered(
        front,
        request,
        str(failure.code),
        failure.message,
        outcome=failure.outcome,
        hint=failure.hint,
        nobody_there=failure.code in _NOBODY,
    )
