"""The `initialize` by which a session of the older revision is opened for a client that sent none.

Contract: MCP.
"""

from __future__ import annotations

from typing import Final

from bridge.contract.mcp_messages import INITIALIZE, LEGACY
from bridge.contract.strict_json import dumps

__all__ = ["OPENING_ID", "made_up_opening"]

OPENING_ID: Final = "bascule-opening"


def made_up_opening(version: str) -> bytes:
    """Return the request, by a bascule of this version."""
    params = {
        "protocolVersion": LEGACY,
        "capabilities": {},
        "clientInfo": {"name": "bascule", "version": version},
    }
    message = {"jsonrpc": "2.0", "id": OPENING_ID, "method": INITIALIZE, "params": params}
    return dumps(message)
