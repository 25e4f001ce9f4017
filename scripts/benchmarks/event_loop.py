"""The longest that one message, hostile ones included, holds the bridge's event loop.

The bridge's own reading of a body runs here in one process, as it does on its loop; each shape
is read several times, and the slowest counts.
"""

from __future__ import annotations

import time

from bridge.contract.raw_json import read_object
from bridge.contract.strict_json import StrictJsonError
from scripts.benchmarks.shapes import hostile_bodies
from scripts.benchmarks.tables import table


def run(rounds: int) -> str:
    """Measure every shape. Returns a table, slowest first."""
    rows = []
    for name, body in hostile_bodies().items():
        slowest = 0.0
        verdict = ""
        for _ in range(rounds):
            start = time.perf_counter()
            try:
                read_object(body, raw={"request"})
                verdict = "accepted"
            except StrictJsonError as error:
                verdict = f"refused: {error.limit or 'syntax'}"
            slowest = max(slowest, time.perf_counter() - start)
        rows.append((slowest, [name, f"{len(body):,}", verdict, f"{slowest * 1000:.0f} ms"]))
    rows.sort(reverse=True)
    return table(["body", "bytes", "verdict", "slowest of all rounds"], [row for _, row in rows])
