"""Strict JSON against the fastest readers of each language, which check far less, and at worst."""

from __future__ import annotations

import contextlib
import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import orjson

from bridge.contract.strict_json import StrictJsonError, loads
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


def hostile_documents() -> dict[str, bytes]:
    """Return documents of up to 1 MiB that ask for as much work as they can."""

    def lists(items: Callable[[int], bytes]) -> bytes:
        four = (b",".join(items(n) for n in range(4_000)) for _ in range(4))
        return b"[" + b",".join(b"[" + each + b"]" for each in four) + b"]"

    return {
        "commas": b"[" + b"1," * 500_000 + b"1]",
        "brackets": b"[" * 1_048_576,
        "empty objects": b"[" + b"{}," * 349_000 + b"{}]",
        "commas within a string": b'["' + b',\\"' * 300_000 + b'"]',
        "escapes": b'"' + b"\\u0041" * 170_000 + b'"',
        "long numbers": b"[" + b",".join([b"1" * 1_000] * 1_040) + b"]",
        "far powers": b"[" + b",".join([b"1e" + b"9" * 1_000] * 1_000) + b"]",
        "near powers": lists(lambda n: b"1.%de307" % n),
        "fractions": lists(lambda n: b"0.%d7" % (n * 7_919)),
        "minus zeros": lists(lambda _: b"-0"),
        "members": b"{" + b",".join(b'"%d":{}' % n for n in range(4_096)) + b"}",
        "one member again": b"{" + b",".join([b'"a":1'] * 4_000) + b"}",
    }


def run(rounds: int) -> str:
    """Measure both languages. Returns a table."""
    rows = []
    for size, records in SIZES.items():
        data = document(records)
        ratios = [_rate(loads, data) / _rate(orjson.loads, data) for _ in range(rounds)]
        rows.append(
            ["Python", f"{size} ({len(data):,} bytes)", "orjson.loads", f"{median(ratios):.2f} ×"]
        )
    slowest = max(hostile_documents().items(), key=lambda each: _seconds(each[1]))
    rows.append(
        [
            "Python",
            f"hostile: {slowest[0]} ({len(slowest[1]):,} bytes)",
            "",
            f"{1000 * _seconds(slowest[1]):.0f} ms",
        ]
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
    return table(["reader", "document", "peer", "speed, of the peer's, or time"], rows)


def _seconds(data: bytes) -> float:
    """Return how long the reader takes at best: what else the machine does is not its work."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        with contextlib.suppress(StrictJsonError):
            loads(data)
        times.append(time.perf_counter() - start)
    return min(times)


def _rate(read: Callable[[bytes], object], data: bytes) -> float:
    count = 0
    start = time.perf_counter()
    while (passed := time.perf_counter() - start) < SECONDS:
        for _ in range(10):
            read(data)
        count += 10
    return count / passed
