"""What an MCP client is told of a call that its gateway could not bring to an answer. Pure.

Contract: MCP, errors.
"""

from __future__ import annotations

from typing import Any, Final

from bridge.cli.stdio_gateway import BRIDGE_ERROR_NUMBER
from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode
from bridge.contract.error_codes import BridgeErrorCode
from bridge.dispatcher.mcp_front import AppRequest, McpFront

__all__ = ["INTERNAL_ERROR_NUMBER", "failed_request"]

INTERNAL_ERROR_NUMBER: Final = -32603
"""JSON-RPC's own number for what fails between a request and its answer."""

_NOBODY: Final = frozenset(
    {ClientErrorCode.NO_BRIDGE, ClientErrorCode.UNREACHABLE, BridgeErrorCode.NOT_ATTACHED}
)
_LISTS: Final = {
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}


def failed_request(front: McpFront, request: AppRequest, failure: BridgeFailure) -> str:
    """Return the line that answers a request that failed on the way."""
    data = _failure_data(failure)
    if request.method == "tools/call":
        error = {"code": BRIDGE_ERROR_NUMBER, "message": failure.message, "data": data}
        return front.tool_failure(request, error)
    listed = _LISTS.get(request.method)
    if listed is not None and failure.code in _NOBODY:
        # Clients ask for these when they start, whether an app is there or not.
        return front.result(request, {listed: []}, ttl_ms=0)
    return front.error(request, INTERNAL_ERROR_NUMBER, failure.message, data)


def _failure_data(failure: BridgeFailure) -> dict[str, Any]:
    """Return what a program can decide by, and what a person should do."""
    data = {"code": str(failure.code)}
    if failure.outcome is not None:
        data["outcome"] = failure.outcome.value
    if failure.hint is not None:
        data["hint"] = failure.hint
    return data
