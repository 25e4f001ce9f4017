"""Hosts package tools over MCP: each under its own name, with its own schemas and hints.

One client's messages in, answers out, in both revisions. Remembers only what is in flight. The
tools are those that the session sees when the client comes. Contract: package tools, serving.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from bridge.contract.error_codes import JsonRpcErrorNumber
from bridge.contract.limits import JSON_LIMITS
from bridge.contract.strict_json import dumps
from bridge.dispatcher.mcp_catalog import Catalog, Tool
from bridge.dispatcher.mcp_front import (
    Answered,
    AppRequest,
    Cancelled,
    McpFront,
    ServerInfo,
)
from bridge.tools.handler import CancelSignal
from bridge.tools.published_tool import mcp_tool
from bridge.tools.session_context import LOCAL_SESSION, SessionContext
from bridge.tools.tool_definition import ToolDefinition
from bridge.tools.tool_result import for_model
from bridge.tools.tool_runner import ToolRunner

__all__ = ["PackageMcp", "catalog_of"]

_MAX_PAGE_BYTES: Final = 262_144
_MAX_PAGE_TOOLS: Final = 50
"""A page and the line around it stay within the limits of strict JSON, each tool being within
those of a package's file."""
_MAX_RUNNING: Final = 64
_TOO_MANY: Final = "Too many calls go on at once; nothing was run. Wait for one to end."
_SAME_ID: Final = "A call with this id still goes on, cancelled or not; nothing was run."
_TOO_LARGE: Final = {
    "content": [
        {
            "type": "text",
            "text": "The tool has run, but its result cannot be sent. Do not repeat the call;"
            " ask for less at once.",
        }
    ],
    "isError": True,
}


class PackageMcp:
    """One client's connection.

    `session` is who calls. `instructions` are for the model that uses the tools.
    """

    def __init__(
        self,
        runner: ToolRunner,
        server: ServerInfo,
        *,
        session: SessionContext = LOCAL_SESSION,
        instructions: str = "",
        accept_older: bool = False,
    ) -> None:
        self._runner = runner
        self._session = session
        catalog = catalog_of(runner.tools(session), instructions)
        self._front = McpFront(server, accept_older=accept_older, catalog=catalog)
        self._running: dict[str | int, CancelSignal] = {}

    async def receive(self, line: bytes) -> str | None:
        """Take one message, and return the answer; None where there is none.

        Raises nothing. Other messages may be taken while this one is being answered. A call that
        is cancelled is not answered; what it stops is the tool's own promise.
        """
        taken = self._front.take(line)
        if isinstance(taken, Answered):
            return taken.line
        if isinstance(taken, AppRequest):
            return await self._call(taken)
        if isinstance(taken, Cancelled) and taken.request_id in self._running:
            self._running[taken.request_id].cancel("the client does not want it any more")
        return None

    async def _call(self, request: AppRequest) -> str | None:
        if request.id in self._running:
            # A client that calls twice by one id could not tell the answers apart.
            return self._front.error(request, JsonRpcErrorNumber.INVALID_REQUEST, _SAME_ID)
        if len(self._running) >= _MAX_RUNNING:
            return self._front.error(request, JsonRpcErrorNumber.INVALID_REQUEST, _TOO_MANY)
        signal = self._running[request.id] = CancelSignal()
        try:
            result = await self._runner.call(
                request.params["name"],
                request.params.get("arguments", {}),
                self._session,
                signal=signal,
                request_id=str(request.id),
            )
        finally:
            del self._running[request.id]
        if signal.cancelled:
            return None
        return self._front.result(request, for_model(result), or_else=_TOO_LARGE)


def catalog_of(tools: Iterable[ToolDefinition], instructions: str = "") -> Catalog:
    """Return what a server of these tools offers, in pages that fit."""
    listed = {tool.name: mcp_tool(tool) for tool in tools}
    return Catalog(listed, _pages(listed), instructions, MappingProxyType({"tools": {}}))


def _pages(listed: Mapping[str, Tool]) -> list[list[Tool]]:
    pages: list[list[Tool]] = [[]]
    size = values = 0
    for tool in listed.values():
        bytes_of, values_of = len(dumps(tool)), _values(tool)
        fits = (
            size + bytes_of <= _MAX_PAGE_BYTES
            and values + values_of <= JSON_LIMITS.max_values // 2
            and len(pages[-1]) < _MAX_PAGE_TOOLS
        )
        if pages[-1] and not fits:
            pages.append([])
            size = values = 0
        pages[-1].append(tool)
        size += bytes_of
        values += values_of
    return pages


def _values(value: Any) -> int:  # noqa: ANN401 - a JSON value
    """Count values as the limits of strict JSON do."""
    if isinstance(value, Mapping):
        return 1 + sum(map(_values, value.values()))
    return 1 + sum(map(_values, value)) if isinstance(value, list | tuple) else 1
