"""One measuring client, in a process of its own, the same for ours and for the peer.

Run as `python -m scripts.benchmarks.http_caller`: reads one JSON job from standard input, prints
one JSON result: every latency in milliseconds, and the seconds that the whole took. It speaks
plain HTTP/1.1 over asyncio streams, so that the client's own cost is small and equal.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import TypedDict


class Job(TypedDict):
    """What to send where: `calls` requests by each of `callers` connections."""

    port: int
    token: str
    body: str
    calls: int
    callers: int


class Measured(TypedDict):
    """What one job gave."""

    latencies_ms: list[float]
    seconds: float


async def one_caller(job: Job) -> list[float]:
    """Send the calls one after the other over one connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", job["port"], limit=4 << 20)
    body = job["body"].encode()
    head = (
        f"POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:{job['port']}\r\n"
        f"Authorization: Bearer {job['token']}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode()
    message = head + body
    latencies = []
    for _ in range(job["calls"]):
        start = time.perf_counter()
        writer.write(message)
        answer = await reader.readuntil(b"\r\n\r\n")
        if not answer.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(answer.decode(errors="replace"))
        length = next(
            int(line.partition(b":")[2])
            for line in answer.split(b"\r\n")
            if line.lower().startswith(b"content-length:")
        )
        await reader.readexactly(length)
        latencies.append((time.perf_counter() - start) * 1000)
    writer.close()
    return latencies


async def run(job: Job) -> Measured:
    """Run all callers of a job side by side."""
    start = time.perf_counter()
    parts = await asyncio.gather(*(one_caller(job) for _ in range(job["callers"])))
    return {
        "latencies_ms": [value for part in parts for value in part],
        "seconds": time.perf_counter() - start,
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run(json.loads(sys.stdin.read())))))
