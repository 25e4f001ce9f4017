"""Starts an MCP server's program by the official client, and says when its output has ended.

The client itself tells of that only by calls that fail. It also refuses a whole result for one
block of a type that it does not know, after the work was done: what it is passed has only blocks
that are known here, in their own form. Needs the extra `mcp`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from mcp import StdioServerParameters
    from mcp.client._transport import TransportStreams

from bridge.tools.content_blocks import read_blocks, read_text

__all__ = ["watched_program"]


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
            return _known_blocks(await self._stream.receive())
        except EndOfStream:
            self._when_ended()
            raise

    async def aclose(self) -> None:
        await self._stream.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:  # noqa: ANN401
        try:
            return _known_blocks(await self._stream.__anext__())
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


def _known_blocks(received: Any) -> Any:  # noqa: ANN401 - a message of the client's, or an error
    """Rid a tool's result of what its client does not read. Anything else stays as it is."""
    result = getattr(getattr(received, "message", None), "result", None)
    # Of all that is asked of a server, only a tool's result has content.
    if isinstance(result, dict):
        content = result.get("content")
        if isinstance(content, list):
            result["content"] = list(read_blocks(content))
        elif isinstance(content, str):
            result["content"] = list(read_text(content))
        elif content is None and isinstance(result.get("structuredContent"), dict):
            result["content"] = []
    return received
