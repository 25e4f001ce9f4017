"""Calls by `bridge.client`, as its users make them: one asynchronous client for each caller.

Set up with `{port, token, action}`, as `http_caller.py`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import AsyncExitStack

from bridge.client import AsyncAppClient, connect
from scripts.benchmarks.caller import Job, Measured, Send, serve, timed


async def main() -> None:
    """Serve jobs."""
    set_up = json.loads(sys.stdin.readline())
    url = f"http://127.0.0.1:{set_up['port']}"

    async def run(job: Job) -> Measured:
        async with AsyncExitStack() as stack:

            async def caller(number: int) -> Send:
                connecting = connect(url, token=set_up["token"], session=f"bench-{number}")
                app: AsyncAppClient = await stack.enter_async_context(connecting)

                async def send() -> None:
                    await app.call(set_up["action"], job["input"])

                return send

            callers = [await caller(number) for number in range(job["callers"])]
            return await timed(callers, job["calls"])

    await serve(run, "ready")


if __name__ == "__main__":
    asyncio.run(main())
