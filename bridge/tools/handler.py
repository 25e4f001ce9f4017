"""What runs a tool: anything with a `run`, be it a Python file, a WebAssembly entry or a server.

A handler gets arguments that were checked, who calls, and the call's own facts; what it returns
is read as a result by whoever runs it. It needs no checks, gates or bounds of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from bridge.tools.cancel_signal import CancelSignal
from bridge.tools.session_context import SessionContext
from bridge.tools.tool_result import FailureCode

__all__ = ["CallRefused", "CancelSignal", "Handler", "ToolCall"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call, beside its arguments and its caller. Contract: package tools, handlers."""

    tool: str
    request_id: str | None
    """The caller's own name for it, as text: a request's id over MCP. An app's action has none."""
    signal: CancelSignal
    """Fires when the call is to stop; never for a tool that does not declare `cancellable`."""
    deadline: float
    """When nobody waits any more, in seconds on the runner's clock."""


class Handler(Protocol):
    """Runs one tool. Contract: package tools, handlers."""

    async def run(
        self, arguments: dict[str, Any], session: SessionContext, call: ToolCall
    ) -> object:
        """Run it once. Returns what `read_result` reads; raises anything for a failure.

        `arguments` are the handler's own to change. Being cancelled is an end like any other.
        """


class CallRefused(Exception):  # noqa: N818 - it says what became of a call
    """A handler's own words for why it gave no result, fit to be told to whoever calls.

    `BUSY` and `UNAVAILABLE` say that nothing was run: a caller may try again. Once something may
    have been done, the code is another.
    """

    def __init__(self, code: FailureCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.log = ""
        """What the handler wrote meanwhile: for whoever wrote it, never for callers."""
