"""The same MCP call through our stdio server and through the WebMCP relay's, in the same Chromium.

Each by a lean client of the benchmark's own and by the official one, both in the legacy revision,
which is all that the relay speaks. Then the start of our server up to its first answers, which a
client waits for, and starts a second time to throw away.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from scripts.benchmarks.browsers import running_browser
from scripts.benchmarks.calls import CALLERS, figures_of
from scripts.benchmarks.contestants import (
    TRIVIAL,
    bascule_mcp,
    browser_stdio,
    relay,
    running_bridge,
)
from scripts.benchmarks.rounds import Figures, take_turns
from scripts.benchmarks.tables import commands, table

__all__ = ["run"]

P50_BAR = 0.8
RATE_BAR = 1.5
START_BAR = 10
STARTS = 20
NOTHING = "python -c pass"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
FIRST_LINES = {
    "server/discover": {"_meta": META},
    "initialize": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
    "tools/call": {
        "name": "actions_execute",
        "arguments": {"action": "bench.echo", "input": TRIVIAL},
        "_meta": META,
    },
}

OPENINGS = ("server/discover", "initialize")
"""With one of these a client begins; neither needs the app."""


def run(rounds: int) -> str:
    """Measure both. Returns two tables, and whether the bars are met."""
    with ExitStack() as stack:
        browser = stack.enter_context(running_browser("chromium"))
        pairs = [
            (
                f"{kind} client",
                stack.enter_context(bascule_mcp(browser, public=public)),
                stack.enter_context(relay(browser, public=public)),
            )
            for kind, public in (("lean", False), ("official", True))
        ]
        all_of_them = [one for _, ours, theirs in pairs for one in (ours, theirs)]
        done = take_turns({one.name: partial(figures_of, one) for one in all_of_them}, rounds)
        bridge, _ = stack.enter_context(running_bridge(browser, "channel"))
        starts = take_turns(
            {method: partial(_start, method, bridge.runtime) for method in FIRST_LINES}
            | {NOTHING: _nothing},
            rounds * STARTS,
        )
    rows = [
        [
            one.name,
            f"{done.middle(one.name, lambda f: f.p50_ms):.2f} ms",
            f"{done.ratio(one.name, theirs.name, lambda f: f.p50_ms):.2f} ×",
            f"{done.middle(one.name, lambda f: f.p99_ms):.2f} ms",
            f"{done.middle(one.name, lambda f: f.rate):.0f}",
            f"{done.ratio(one.name, theirs.name, lambda f: f.rate):.2f} ×",
        ]
        for _, ours, theirs in pairs
        for one in (ours, theirs)
    ]
    head = ["way", "p50", "p50 / relay", "p99", f"calls/s, {CALLERS} in flight", "of the relay's"]
    start_rows = [
        [
            name if name == NOTHING else f"`bascule browser-stdio` to its answer to `{name}`",
            f"{starts.middle(name, lambda f: f.p50_ms):.1f} ms",
            f"{starts.ratio(name, NOTHING, lambda f: f.p50_ms):.1f} ×",
        ]
        for name in starts.of
    ]
    bars = [
        f"{kind}: p50 {done.ratio(ours.name, theirs.name, lambda f: f.p50_ms):.2f} × "
        f"(bar: at most {P50_BAR}), calls/s "
        f"{done.ratio(ours.name, theirs.name, lambda f: f.rate):.2f} × (bar: at least {RATE_BAR})"
        for kind, ours, theirs in pairs
    ]
    answers = [starts.ratio(name, NOTHING, lambda f: f.p50_ms) for name in OPENINGS]
    first = max(answers)
    bars.append(f"start to the first answer: {first:.1f} × (bar: at most {START_BAR})")
    return "\n\n".join(
        (
            table(head, rows),
            commands(all_of_them),
            table(["start", "p50", f"/ {NOTHING}"], start_rows),
            "; ".join(bars),
        )
    )


def _start(method: str, runtime: Path) -> Figures:
    """Time a server from its start to its first answer, and end it as clients do."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": FIRST_LINES[method]}
    start = time.perf_counter()
    process = subprocess.Popen(
        browser_stdio(runtime), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    answer = process.stdout.readline()
    latency = (time.perf_counter() - start) * 1000
    process.communicate(timeout=20)
    if "result" not in json.loads(answer) or b'"isError":true' in answer:
        raise RuntimeError(answer.decode())
    return Figures(latency, latency, 1000 / latency)


def _nothing() -> Figures:
    start = time.perf_counter()
    # By the same way in as ours, which takes its time as well.
    subprocess.run(["env", sys.executable, "-c", "pass"], env=os.environ, check=True)
    latency = (time.perf_counter() - start) * 1000
    return Figures(latency, latency, 1000 / latency)
