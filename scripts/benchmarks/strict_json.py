"""Strict JSON against the fastest readers of each language, which check far less."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import orjson

from bridge.contract.strict_json import loads
from scripts.benchmarks.tables import median, table

SIZES = {"1 KiB": 5, "64 KiB": 320}
SECONDS = 0.2


def document(records: int) -> bytes:
    """Return a document like those that travel: records with texts, numbers and lists."""
    return json.dumps(
        [
            {
                "id": n,
                "name": f"name {n}",
                "tags": ["a", "b", 1.5, True, None],
                "text": "lorem ipsum dolor sit amet " * 4,
            }
            for n in range(records)
        ]
    ).encode()


def run(rounds: int) -> str:
    """Measure both languages. Returns a table."""
    rows = []
    for size, records in SIZES.items():
        data = document(records)
        ratios = [_rate(loads, data) / _rate(orjson.loads, data) for _ in range(rounds)]
        rows.append(
            ["Python", f"{size} ({len(data):,} bytes)", "orjson.loads", f"{median(ratios):.2f} ×"]
        )
    script = Path(__file__).with_name("strict_json_peer.mjs")
    for size, records in SIZES.items():
        data = document(records)
        done = subprocess.run(
            ["node", script, str(rounds)], input=data, capture_output=True, check=True
        )
        rows.append(
            [
                "JavaScript (node)",
                f"{size} ({len(data):,} bytes)",
                "JSON.parse",
                f"{float(done.stdout):.2f} ×",
            ]
        )
    return table(["reader", "document", "peer", "speed, of the peer's"], rows)


def _rate(read: Callable[[bytes], object], data: bytes) -> float:
    count = 0
    start = time.perf_counter()
    while (passed := time.perf_counter() - start) < SECONDS:
        for _ in range(10):
            read(data)
        count += 10
    return count / passed
