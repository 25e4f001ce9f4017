"""The named peer of the call benchmark: a bare aiohttp handler that gives back the same bytes.

Run as `python -m scripts.benchmarks.echo_server`; prints its port, ends with its parent's pipe.
"""

from __future__ import annotations

import asyncio
import sys

from aiohttp import web


async def main() -> None:
    """Serve until standard input closes."""

    async def echo(request: web.Request) -> web.Response:
        return web.Response(body=await request.read(), content_type="application/json")

    app = web.Application(client_max_size=4 << 20)
    app.router.add_post("/rpc", echo)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(main())
