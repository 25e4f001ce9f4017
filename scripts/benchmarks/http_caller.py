"""Calls over HTTP, the same for the bridge and for the echo.

Plain HTTP/1.1 over asyncio streams with one connection for each caller, so that the client's own
cost is small and equal. Set up with `{port, token, action}`; the token comes by standard input.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from scripts.benchmarks.caller import Job, Measured, Send, serve, timed

__all__ = ["body_of"]


def body_of(action: str, input_: dict[str, Any]) -> bytes:
    """Return the body of an `/rpc` that executes an action."""
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "actions/execute",
        "params": {"action": action, "input": input_},
    }
    return json.dumps({"session": "bench", "request": request}, separators=(",", ":")).encode()


async def open_caller(port: int, token: str, body: bytes) -> tuple[Send, asyncio.StreamWriter]:
    """Open a connection over which one caller sends the same body again and again."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=4 << 20)
    head = (
        f"POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode()
    message = head + body

    async def send() -> None:
        writer.write(message)
        answer = await reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line.partition(b":")[2])
            for line in answer.split(b"\r\n")
            if line.lower().startswith(b"content-length:")
        )
        content = await reader.readexactly(length)
        # An error that comes back fast must not look like a fast call.
        if not answer.startswith(b"HTTP/1.1 200") or b'"error":{"' in content[:200]:
            raise RuntimeError((answer + content[:1000]).decode(errors="replace"))

    return send, writer


async def main() -> None:
    """Serve jobs."""
    set_up = json.loads(sys.stdin.readline())

    async def run(job: Job) -> Measured:
        body = body_of(set_up["action"], job["input"])
        opened = [
            await open_caller(set_up["port"], set_up["token"], body) for _ in range(job["callers"])
        ]
        measured = await timed([send for send, _ in opened], job["calls"])
        for _, writer in opened:
            writer.close()
        return measured

    await serve(run, "ready")


if __name__ == "__main__":
    asyncio.run(main())
