"""Lines as MCP clients write them, in both revisions."""

from __future__ import annotations

import json
from typing import Any

from bridge.contract.mcp_messages import LEGACY, MODERN

__all__ = ["call", "cancelled", "discover", "initialize", "legacy", "modern"]

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}


def modern(request_id: Any, method: str, *, token: Any = None, **params: Any) -> bytes:
    """Return a request with the modern revision's envelope."""
    meta = ENVELOPE if token is None else ENVELOPE | {"progressToken": token}
    return legacy(request_id, method, **params, _meta=meta)


def legacy(request_id: Any, method: str, **params: Any) -> bytes:
    """Return a request without an envelope."""
    message = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return json.dumps(message | ({"params": params} if params else {})).encode()


def call(
    request_id: Any, tool: str = "actions_search", *, token: Any = None, **given: Any
) -> bytes:
    """Return a modern `tools/call`."""
    return modern(request_id, "tools/call", token=token, name=tool, arguments=given)


def discover(request_id: Any = 0) -> bytes:
    """Return what a modern client asks first."""
    return modern(request_id, "server/discover")


def initialize(request_id: Any = 0, version: str = LEGACY) -> bytes:
    """Return what a legacy client asks first."""
    client = {"name": "tests", "version": "1"}
    return legacy(
        request_id, "initialize", protocolVersion=version, capabilities={}, clientInfo=client
    )


def cancelled(request_id: Any) -> bytes:
    """Return the notification that a request is not wanted any more."""
    params = {"requestId": request_id, "reason": "the test"}
    message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
    return json.dumps(message).encode()
