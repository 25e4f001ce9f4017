"""The official Python client as a program: a set-up and commands in, outcomes out, in lines.

The same words as `npm/client.mjs` and `npm/sdk.mjs` take, so that one conversation judges all.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable
from typing import Any

import anyio
from mcp import Client, MCPError, StdioServerParameters


def _plain(value: Any) -> Any:
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


class _Commands:
    def __init__(self, client: Client) -> None:
        self._client = client

    async def run(self, command: dict[str, Any]) -> dict[str, Any]:
        progress: list[dict[str, Any]] = []
        try:
            result = await self._result(command, progress)
        except MCPError as error:
            told = error.error
            return {"error": {"code": told.code, "message": told.message, "data": told.data}}
        except Exception as error:  # noqa: BLE001 - the conversation judges it
            return {"failure": f"{type(error).__name__}: {error}"}
        if result is None:
            return {"cancelled": True, "progress": progress}
        return {"result": _plain(result), "progress": progress}

    def _result(self, command: dict[str, Any], progress: list[dict[str, Any]]) -> Awaitable[Any]:
        client = self._client
        match command["do"]:
            case "listTools":
                return client.list_tools()
            case "callTool":
                return self._call_tool(command, progress)
            case "listResources":
                return client.list_resources()
            case "listTemplates":
                return client.list_resource_templates()
            case "readResource":
                return client.read_resource(command["uri"])
            case "ping":
                return client.send_ping()
        raise ValueError(command["do"])

    async def _call_tool(self, command: dict[str, Any], taken: list[dict[str, Any]]) -> Any:
        """Return the result, or None where the call was given up at its first progress."""
        with anyio.CancelScope() as scope:

            async def take(progress: float, total: float | None, message: str | None) -> None:
                taken.append({"progress": progress, "total": total, "message": message})
                if command.get("giveUp"):
                    scope.cancel()

            follows = command.get("progress") or command.get("giveUp")
            return await self._client.call_tool(
                command["name"],
                command.get("arguments"),
                progress_callback=take if follows else None,
            )
        return None


async def main() -> None:
    """Connect, say how, and obey until the input ends."""
    loop = asyncio.get_running_loop()
    set_up = json.loads(await loop.run_in_executor(None, sys.stdin.readline))
    server: Any = set_up.get("url")
    if server is None:
        command, *arguments = set_up["command"]
        server = StdioServerParameters(
            command=command, args=arguments, env=set_up["env"], cwd=set_up["cwd"]
        )
    async with Client(server, mode=set_up["mode"]) as client:
        told = {
            "protocolVersion": client.protocol_version,
            "serverInfo": _plain(client.server_info) if client.server_info else None,
            "instructions": client.instructions,
            "capabilities": _plain(client.server_capabilities),
        }
        print(json.dumps({"ready": told}), flush=True)  # noqa: T201
        commands = _Commands(client)
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            outcomes = await asyncio.gather(*map(commands.run, json.loads(line)))
            print(json.dumps(outcomes), flush=True)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main())
