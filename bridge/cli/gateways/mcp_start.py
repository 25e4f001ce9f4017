"""The first lines of an MCP client, before there is an event loop.

To load one takes as long as all that is needed to answer them. Decides nothing about the lines of
other protocols; reads and writes nothing. Contract: MCP.
"""

from __future__ import annotations

from typing import NamedTuple

import bridge
from bridge.cli.gateways.mcp_openings import McpOpenings
from bridge.contract.mcp_messages import PING
from bridge.dispatcher.envelope import Envelope
from bridge.dispatcher.mcp_front import Answered, AppRequest, McpFront, ServerInfo

__all__ = ["McpStart", "Started"]


class Started(NamedTuple):
    """What came of a line."""

    answer: bytes | None = None
    selects: bool = False
    """Whether it was a valid request, and no ping: this connection speaks MCP from now on."""


class McpStart:
    """A gateway that has not begun to serve. `pending` is a request that waits for the app."""

    def __init__(self, *, accept_older: bool = False) -> None:
        server = ServerInfo("bascule", bridge.__version__, "Bascule")
        self.front = McpFront(server, accept_older=accept_older)
        self.openings = McpOpenings()
        self.pending: tuple[AppRequest, bytes] | None = None

    def take(self, envelope: Envelope, line: bytes) -> Started:
        """Take a line that was read."""
        match self.front.take_envelope(envelope):
            case AppRequest() as request:
                self.pending = (request, line)
                return Started(selects=True)
            case Answered(answer, refused):
                if not refused:
                    self.openings.answered(envelope, line)
                return Started(answer.encode(), selects=not refused and envelope.method != PING)
        return Started()
