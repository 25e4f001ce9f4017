"""The measuring half of a caller that runs in a process of its own: jobs in, latencies out.

One JSON object a line: a set-up first, answered when the caller is ready, then jobs. What a call
is, each caller says by itself; how calls are timed is the same for all, so that a ratio compares
the ways and not the clocks.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypedDict

__all__ = ["Job", "Measured", "Send", "serve", "timed"]

Send = Callable[[], Awaitable[None]]
"""Makes one call and returns when its answer is complete; raises where the call failed."""


class Job(TypedDict):
    """`calls` calls with this input by each of `callers` side by side."""

    input: dict[str, Any]
    calls: int
    callers: int


class Measured(TypedDict):
    """What one job gave: each call's latency, and how long the whole took."""

    latencies_ms: list[float]
    seconds: float


async def timed(callers: Sequence[Send], calls: int) -> Measured:
    """Let every caller make its calls one after the other, all callers side by side."""

    async def one(send: Send) -> list[float]:
        latencies = []
        for _ in range(calls):
            start = time.perf_counter()
            await send()
            latencies.append((time.perf_counter() - start) * 1000)
        return latencies

    start = time.perf_counter()
    parts = await asyncio.gather(*(one(send) for send in callers))
    return {
        "latencies_ms": [value for part in parts for value in part],
        "seconds": time.perf_counter() - start,
    }


async def serve(run: Callable[[Job], Awaitable[Measured]], ready: object) -> None:
    """Say `ready`, then run jobs until standard input ends. The set-up was read before."""
    print(json.dumps(ready), flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps(await run(json.loads(line))), flush=True)
