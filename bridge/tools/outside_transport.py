"""Starts an MCP server's program by the official client, and says when its output has ended.

The client itself tells of that only by calls that fail. It also refuses a whole result for one
block of a type that it does not know, after the work was done, and a whole list for one tool that
is misshapen: what it is passed has only blocks that are known here, and tools that carry what was
listed. Needs the extra `mcp`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from mcp import StdioServerParameters
    from mcp.client._transport import TransportStreams

from bridge.tools.content_blocks import read_blocks, read_text

__all__ = ["as_listed", "watched_program"]

_AS_LISTED: Final = "bascule/listed"
"""The member of a tool's `_meta`, on its way through the client."""


@asynccontextmanager
async def watched_program(
    parameters: StdioServerParameters, when_ended: Callable[[], None]
) -> AsyncIterator[TransportStreams]:
    """Run the program for the length of the context: the client's own transport.

    `when_ended` is called once its output ends while the client still reads; it raises nothing.
    """
    from mcp.client.stdio import stdio_client  # noqa: PLC0415 - an extra

    async with stdio_client(parameters) as (read, write):
        yield _Watched(read, when_ended), write


class _Watched:
    """A stream that is read as before."""

    def __init__(self, stream: Any, when_ended: Callable[[], None]) -> None:  # noqa: ANN401
        self._stream = stream
        self._when_ended = when_ended

    async def receive(self) -> Any:  # noqa: ANN401
        from anyio import EndOfStream  # noqa: PLC0415 - comes with the client

        try:
            return _readable(await self._stream.receive())
        except EndOfStream:
            self._when_ended()
            raise

    async def aclose(self) -> None:
        await self._stream.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:  # noqa: ANN401
        try:
            return _readable(await self._stream.__anext__())
        except StopAsyncIteration:
            self._when_ended()
            raise

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        ended: bool | None = await self._stream.__aexit__(kind, error, trace)
        return ended


def _readable(received: Any) -> Any:  # noqa: ANN401 - a message of the client's, or an error
    """Put into a result's place one that its client reads. Anything else stays as it is."""
    result = getattr(getattr(received, "message", None), "result", None)
    if not isinstance(result, dict):
        return received
    # Of all that is asked of a server, only a tool's result has content.
    content = result.get("content")
    if isinstance(content, list):
        result["content"] = list(read_blocks(content))
    elif isinstance(content, str):
        result["content"] = list(read_text(content))
    elif content is None and isinstance(result.get("structuredContent"), dict):
        result["content"] = []
    elif content is None and isinstance(result.get("tools"), list):
        result["tools"] = [_carrying(tool, at) for at, tool in enumerate(result["tools"])]
    return received


def _carrying(tool: object, number: int) -> dict[str, Any]:
    return {
        "name": str(number),
        "inputSchema": {"type": "object"},
        "_meta": {_AS_LISTED: tool},
    }


def as_listed(tool: Any) -> object:  # noqa: ANN401 - a model of the client's
    """Return what a server listed, of a tool as the client gives it: of any shape."""
    meta = tool.meta or {}
    return meta.get(_AS_LISTED)
