"""What an app is sent first, so that it takes a legacy client's request as one of MCP. Pure.

The client's own `initialize`, which the gateway has answered, or one made up where the client sent
none. Requests of the modern revision need nothing before them. Contract: MCP.
"""

from __future__ import annotations

from typing import Final

import bridge
from bridge.contract.mcp_messages import INITIALIZE, Era
from bridge.dispatcher.envelope import Envelope
from bridge.dispatcher.mcp_front import AppRequest
from bridge.dispatcher.mcp_opening import made_up_opening

__all__ = ["McpOpenings"]

_MAX_BYTES: Final = 2_048
"""It goes with a request that may be of the largest size, and leaves room for it."""


class McpOpenings:
    """Remembers how one client introduced itself."""

    def __init__(self) -> None:
        self._opening: bytes | None = None

    def answered(self, envelope: Envelope, line: bytes) -> None:
        """Note what was answered with a result and without the app: it may be an `initialize`."""
        if envelope.method == INITIALIZE:
            self._opening = line if len(line) <= _MAX_BYTES else made_up_opening(bridge.__version__)

    def for_request(self, request: AppRequest) -> bytes | None:
        """Return what has to come before a request, where the app has had nothing yet."""
        if request.era is not Era.LEGACY:
            return None
        if self._opening is None:
            self._opening = made_up_opening(bridge.__version__)
        return self._opening
