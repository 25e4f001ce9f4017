"""A line in, a line out, for a trivial action: the Python dispatcher against the official server.

The same tool in PyPI's `mcp`, called by its own client over its in-memory transport: neither side
has a socket or another process.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Mapping
from typing import Any

from mcp import Client
from mcp.server import MCPServer

from bridge import ActionSpec, Dispatcher, Host, RpcSession
from bridge.dispatcher.dispatcher import AppName
from scripts.benchmarks.tables import median, table

__all__ = ["run"]

BAR = 20.0
CALLS = 5_000
PEER_CALLS = 500
NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


class _Echo(Host):
    """One action, which gives its input back."""

    _actions = (ActionSpec.read("echo", "Give n back", input_schema=NUMBER, output_schema=NUMBER),)

    def actions(self) -> tuple[ActionSpec, ...]:
        return self._actions

    def revision(self, action: str | None = None) -> int:
        del action
        return 1

    def capabilities(self) -> int:
        return 0

    def execute(self, action: str, input_: Any, context: object) -> Mapping[str, Any]:  # noqa: ANN401
        del action, context
        return {"n": input_["n"]}


def run(rounds: int) -> str:
    """Measure both in turns. Returns a table."""
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(_ours())
        theirs.append(asyncio.run(_theirs()))
    ratio = median([a / b for a, b in zip(ours, theirs, strict=True)])
    rows = [
        ["Bascule: `RpcSession.receive`", f"{median(ours):.0f}", f"{ratio:.1f} ×"],
        ["PyPI `mcp`: `Client(MCPServer)`", f"{median(theirs):.0f}", "1.0 ×"],
    ]
    head = table(["dispatcher", "calls/s", "of the peer's"], rows)
    return f"{head}\n\nline in, line out: {ratio:.1f} × (bar: at least {BAR:g})"


def _ours() -> float:
    dispatcher = Dispatcher(_Echo(), app=AppName("Echo", "1"))
    dispatcher.set_enabled(True)
    session = RpcSession(dispatcher, "bench")
    line = (
        b'{"jsonrpc":"2.0","id":1,"method":"actions/execute",'
        b'"params":{"action":"echo","input":{"n":1}}}'
    )

    def call() -> None:
        # No event loop: over a synchronous host it completes at its first step.
        try:
            session.receive(line).send(None)
        except StopIteration as done:
            if b'"completed"' not in done.value.encode():
                raise RuntimeError(done.value) from None
        else:
            raise RuntimeError("the answer was not there at once")

    for _ in range(CALLS // 10):
        call()
    gc.collect()
    start = time.perf_counter()
    for _ in range(CALLS):
        call()
    return CALLS / (time.perf_counter() - start)


async def _theirs() -> float:
    server = MCPServer("echo")

    @server.tool()
    def echo(n: int) -> dict[str, int]:
        return {"n": n}

    async with Client(server) as client:
        for _ in range(PEER_CALLS // 10):
            await client.call_tool("echo", {"n": 1})
        gc.collect()
        start = time.perf_counter()
        for _ in range(PEER_CALLS):
            result = await client.call_tool("echo", {"n": 1})
            if result.is_error:
                raise RuntimeError(str(result))
        return PEER_CALLS / (time.perf_counter() - start)
