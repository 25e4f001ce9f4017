"""Calls over MCP's stdio transport: starts the server and is its only client.

A lean client of our own, one line out and one line in for each call, as lean as `http_caller.py`,
so that no SDK is measured. Set up with `{command, tool, action?}`; ready when the server has
answered `initialize`, and the first job waits until the server lists the tool. With an action the
tool is ours, which runs it.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any, Self

from scripts.benchmarks.caller import Job, Measured, serve, timed

PROTOCOL_VERSION = "2025-06-18"
SECONDS = 30


class StdioClient:
    """One MCP session over a child's standard input and output."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._writer = process.stdin
        self._reader = process.stdout
        self._count = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._listed = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, command: list[str]) -> Self:
        """Start a server and shake hands."""
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=8 << 20,
        )
        client = cls(process)
        about = {"name": "bench", "version": "1"}
        await client.request(
            "initialize",
            {"protocolVersion": PROTOCOL_VERSION, "capabilities": {}, "clientInfo": about},
        )
        client._write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return client

    async def close(self) -> None:
        """End the server."""
        self._writer.close()
        self._process.terminate()
        await self._process.wait()
        await self._reading

    async def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return its result."""
        self._count += 1
        number = self._count
        answered = self._waiting[number] = asyncio.get_running_loop().create_future()
        self._write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        answer = await answered
        if "result" not in answer:
            raise RuntimeError(json.dumps(answer))
        result: dict[str, Any] = answer["result"]
        return result

    async def wait_for_tool(self, name: str) -> None:
        """Return when the server lists a tool."""
        async with asyncio.timeout(SECONDS):
            while True:
                self._listed.clear()
                tools = (await self.request("tools/list", {}))["tools"]
                if any(tool["name"] == name for tool in tools):
                    return
                await self._listed.wait()

    def _write(self, message: dict[str, Any]) -> None:
        self._writer.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    async def _read(self) -> None:
        async for line in self._reader:
            message = json.loads(line)
            if message.get("method") == "notifications/tools/list_changed":
                self._listed.set()
            answered = self._waiting.pop(message.get("id"), None)
            if answered is not None and not answered.done():
                answered.set_result(message)
        for answered in self._waiting.values():
            answered.set_exception(ConnectionError("the server ended"))


def arguments_of(set_up: dict[str, Any], job: Job) -> dict[str, Any]:
    """Return what the tool takes for a job's input."""
    if "action" not in set_up:
        return job["input"]
    return {"action": set_up["action"], "input": job["input"]}


async def main() -> None:
    """Serve jobs."""
    set_up = json.loads(sys.stdin.readline())
    client = await StdioClient.start(set_up["command"])

    async def run(job: Job) -> Measured:
        await client.wait_for_tool(set_up["tool"])
        params = {"name": set_up["tool"], "arguments": arguments_of(set_up, job)}

        async def send() -> None:
            result = await client.request("tools/call", params)
            if result.get("isError"):
                raise RuntimeError(json.dumps(result))

        return await timed([send] * job["callers"], job["calls"])

    try:
        await serve(run, "ready")
    finally:
        await client.close()


if __name__ == "__main__":
    asyncio.run(main())
