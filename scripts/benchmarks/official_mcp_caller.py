"""Calls over MCP's stdio transport by the official Python client: as people's clients do.

Set up and jobs as in `mcp_caller.py`.
"""

from __future__ import annotations

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters

from scripts.benchmarks.caller import Job, Measured, serve, timed
from scripts.benchmarks.mcp_caller import arguments_of

SECONDS = 30
PAUSE_SECONDS = 0.1


async def main() -> None:
    """Serve jobs."""
    set_up = json.loads(sys.stdin.readline())
    command, *arguments = set_up["command"]
    tool = set_up["tool"]
    async with Client(
        StdioServerParameters(command=command, args=arguments), mode="legacy"
    ) as client:

        async def listed() -> None:
            async with asyncio.timeout(SECONDS):
                # The client hides what the server announces: it has to be asked.
                while all(  # noqa: ASYNC110
                    found.name != tool for found in (await client.list_tools()).tools
                ):
                    await asyncio.sleep(PAUSE_SECONDS)

        async def run(job: Job) -> Measured:
            await listed()

            arguments = arguments_of(set_up, job)

            async def send() -> None:
                result = await client.call_tool(tool, arguments)
                if getattr(result, "is_error", False):
                    raise RuntimeError(str(result))

            return await timed([send] * job["callers"], job["calls"])

        await serve(run, "ready")


if __name__ == "__main__":
    asyncio.run(main())
