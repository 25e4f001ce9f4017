"""What an app is sent first, so that it takes a legacy client's request as one of MCP. Pure.

The client's own `initialize`, which the gateway has answered, or one made up where the client sent
none. Requests of the modern revision need nothing before them. Contract: MCP.
"""

from __future__ import annotations

from typing import Final

import bridge
from bridge.contract.mcp_messages import INITIALIZE, LEGACY, Era
from bridge.contract.strict_json import dumps
from bridge.dispatcher.envelope import Envelope
from bridge.dispatcher.mcp_front import AppRequest

__all__ = ["McpOpenings", "is_result"]

_ID: Final = "bascule-opening"
_MAX_BYTES: Final = 2_048
"""It goes with a request that may be of the largest size, and leaves room for it."""


class McpOpenings:
    """Remembers how one client introduced itself."""

    def __init__(self) -> None:
        self._opening: bytes | None = None

    def answered(self, envelope: Envelope, line: bytes, answer: str) -> None:
        """Note what was answered without the app: it may have been an `initialize` that is good."""
        if envelope.method == INITIALIZE and is_result(envelope, answer):
            self._opening = line if len(line) <= _MAX_BYTES else _made_up()

    def for_request(self, request: AppRequest) -> bytes | None:
        """Return what has to come before a request, where the app has had nothing yet."""
        if request.era is not Era.LEGACY:
            return None
        if self._opening is None:
            self._opening = _made_up()
        return self._opening


def is_result(envelope: Envelope, answer: str) -> bool:
    """Say whether a request was answered with a result, and not with an error."""
    begin = b'{"jsonrpc":"2.0","id":' + dumps(envelope.id) + b',"result":'
    return answer.startswith(begin.decode())


def _made_up() -> bytes:
    params = {
        "protocolVersion": LEGACY,
        "capabilities": {},
        "clientInfo": {"name": "bascule", "version": bridge.__version__},
    }
    return dumps({"jsonrpc": "2.0", "id": _ID, "method": INITIALIZE, "params": params})
