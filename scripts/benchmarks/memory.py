"""The bridge's memory with a full queue of the worst shape."""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path

from scripts.benchmarks.raw_page import connect_body, post
from scripts.benchmarks.shapes import largest_request
from scripts.benchmarks.tables import table
from tests.e2e.support.real_bridge import RealBridge, run_bridge

ORIGIN = "http://127.0.0.1:9"
QUEUED = 64
SECONDS = 60


def run(_rounds: int) -> str:
    """Fill the queue, and read what the process holds. Returns a table."""
    with (
        tempfile.TemporaryDirectory() as runtime,
        run_bridge(ORIGIN, ORIGIN + "/", Path(runtime)) as bridge,
    ):
        before = _resident_mib(bridge)
        queued = asyncio.run(_fill(bridge))
        after = _resident_mib(bridge)
    return table(
        ["queued requests of 1 MiB", "before", "highest", "allowed"],
        [[str(queued), f"{before:.0f} MiB", f"{after:.0f} MiB", "200 MiB"]],
    )


def _resident_mib(bridge: RealBridge) -> float:
    status = Path(f"/proc/{bridge.process.pid}/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def _queued(bridge: RealBridge) -> int:
    done = bridge.run(["status", "--json"])
    status = json.loads(done.stdout)
    return int(status["queue"]["queued"])


async def _fill(bridge: RealBridge) -> int:
    """Post until the queue is full; the page never polls. Returns how many are queued."""
    writers = []
    async with asyncio.timeout(SECONDS):
        writer, _ = await post(bridge.port, "/connect", bridge.token, connect_body(), origin=ORIGIN)
        writers.append(writer)
        body = b'{"session":"s","request":' + largest_request() + b"}"
        for number in range(1, QUEUED + 1):
            writer, _ = await post(bridge.port, "/rpc", bridge.token, body, wait=False)
            writers.append(writer)
            # Sent all at once they would be refused as busy; each is in the queue before the next.
            while await asyncio.to_thread(_queued, bridge) < number:  # noqa: ASYNC110 - a process is asked
                await asyncio.sleep(0)
    for writer in writers:
        writer.close()
    return QUEUED
