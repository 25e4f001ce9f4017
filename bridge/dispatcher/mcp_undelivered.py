"""What an MCP client is told where whoever stands before the app could not get its answer.

Contract: MCP, errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bridge.contract.error_codes import BRIDGE_ERROR_NUMBER, Outcome
from bridge.dispatcher.mcp_front import AppRequest, McpFront

__all__ = ["INTERNAL_ERROR_NUMBER", "undelivered"]

INTERNAL_ERROR_NUMBER: Final = -32603
"""JSON-RPC's own number for what fails between a request and its answer."""
_OUTCOMES: Final[Mapping[Outcome, str]] = {
    Outcome.NOT_DELIVERED: "Nothing was run: try it again.",
    Outcome.UNKNOWN: "It may have run: look with state_inspect before you try it again.",
}
_LISTS: Final[Mapping[str, str]] = {
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}


def undelivered(  # noqa: PLR0913 - what a failure has
    front: McpFront,
    request: AppRequest,
    code: str,
    message: str,
    *,
    outcome: Outcome | None = None,
    hint: str | None = None,
    nobody_there: bool = False,
) -> str:
    """Return the line that answers a request which failed on the way.

    `nobody_there` says that there is no app: it has nothing to list, then. Clients ask for that
    when they start, whether an app is there or not.
    """
    listed = _LISTS.get(request.method)
    if listed is not None and nobody_there:
        return front.result(request, {listed: []}, ttl_ms=0)
    if request.method == "tools/call" and hint is None and outcome is not None:
        hint = _OUTCOMES[outcome]
    data = {"code": code}
    if outcome is not None:
        data["outcome"] = outcome.value
    if hint is not None:
        data["hint"] = hint
    if request.method == "tools/call":
        error = {"code": BRIDGE_ERROR_NUMBER, "message": message, "data": data}
        return front.tool_failure(request, error)
    return front.error(request, INTERNAL_ERROR_NUMBER, message, data)
