"""The command line: one call as a whole process, and many calls by one process.

A whole process is compared with `python -c pass` of the same environment, the least that any
Python program takes; `--batch` with the relay's calls by one caller, one after the other.
"""

from __future__ import annotations

import json
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from scripts.benchmarks.browsers import running_browser
from scripts.benchmarks.caller import Measured
from scripts.benchmarks.contestants import (
    TRIVIAL,
    Contestant,
    relay,
    running_bridge,
)
from scripts.benchmarks.rounds import Figures, take_turns
from scripts.benchmarks.tables import table
from tests.e2e.support.real_bridge import environment

__all__ = ["run"]

PROCESS_BAR = 5
BATCH_BAR = 1.6
PROCESSES = 20
BATCH_CALLS = 1000
BIN = Path(sys.executable).parent
INPUT = json.dumps(TRIVIAL, separators=(",", ":"))
CALL = ["bascule", "call", "bench", "bench.echo"]
WHOLE = [
    [*CALL, "--json", "--input-json", INPUT],
    [*CALL, "--json", "n=1"],
    ["bascule", "browser-call", "actions/execute", f'{{"action":"bench.echo","input":{INPUT}}}'],
]
NOTHING = ["python", "-c", "pass"]
BATCH = ["bascule", "call", "bench", "--batch"]


def run(rounds: int) -> str:
    """Measure both. Returns two tables, and whether the bars are met."""
    with ExitStack() as stack:
        browser = stack.enter_context(running_browser("chromium"))
        peer = stack.enter_context(relay(browser))
        bridge, _ = stack.enter_context(running_bridge(browser, "channel"))
        whole = {
            _shown(command): partial(_whole, command, bridge.runtime)
            for command in [*WHOLE, NOTHING]
        }
        # One process each turn: a burst of load from elsewhere then meets all alike.
        processes = take_turns(whole, rounds * PROCESSES)
        many: dict[str, Callable[[], Figures]] = {
            _shown(BATCH): partial(_batch, bridge.runtime),
            peer.command: partial(_alone, peer),
        }
        calls = take_turns(many, rounds)
    nothing, first, batch = _shown(NOTHING), _shown(WHOLE[0]), _shown(BATCH)
    process_rows = [
        [
            f"`{name}`",
            f"{processes.middle(name, lambda f: f.p50_ms):.1f} ms",
            f"{processes.ratio(name, nothing, lambda f: f.p50_ms):.1f} ×",
            f"{processes.ratio(name, nothing, lambda f: 1 / f.rate):.1f} ×",
        ]
        for name in whole
    ]
    call_rows = [
        [
            f"`{name}`",
            f"{calls.middle(name, lambda f: f.rate):.0f}",
            f"{calls.ratio(name, peer.command, lambda f: f.rate):.2f} ×",
        ]
        for name in many
    ]
    one = processes.ratio(first, nothing, lambda f: f.p50_ms)
    rate = calls.ratio(batch, peer.command, lambda f: f.rate)
    return "\n\n".join(
        (
            table(
                ["whole process", "p50", "/ python -c pass", "processor time / python -c pass"],
                process_rows,
            ),
            table(["one caller, one call after the other", "calls/s", "of the relay's"], call_rows),
            f"call: {one:.1f} × (bar: at most {PROCESS_BAR}); "
            f"--batch: {rate:.2f} × (bar: at least {BATCH_BAR})",
        )
    )


def _shown(command: Sequence[str]) -> str:
    return shlex.join(command)


def _whole(command: Sequence[str], runtime: Path) -> Figures:
    """Run one process from its start to its end. The rate is of its processor time alone."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(
        [BIN / command[0], *command[1:]],
        env=environment(runtime),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    latency = (time.perf_counter() - start) * 1000
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Figures(latency, latency, 1 / busy)


def _batch(runtime: Path) -> Figures:
    """Time the calls of one process from its first answer to its last."""
    line = json.dumps({"action": "bench.echo", "input": TRIVIAL}) + "\n"
    with tempfile.TemporaryFile("w+", encoding="ascii") as lines:
        lines.write(line * (BATCH_CALLS + 1))
        lines.seek(0)
        process = subprocess.Popen(
            [BIN / BATCH[0], *BATCH[1:]],
            env=environment(runtime),
            stdin=lines,
            stdout=subprocess.PIPE,
        )
        assert process.stdout is not None
        process.stdout.readline()
        start = last = time.perf_counter()
        answered = []
        for _ in process.stdout:
            now = time.perf_counter()
            answered.append((now - last) * 1000)
            last = now
        process.stdout.close()
    if process.wait() != 0 or len(answered) != BATCH_CALLS:
        raise RuntimeError(f"{len(answered)} answers, exit status {process.returncode}")
    done: Measured = {"latencies_ms": answered, "seconds": last - start}
    return Figures.of(done, done)


def _alone(peer: Contestant) -> Figures:
    done = peer.measure(BATCH_CALLS)
    return Figures.of(done, done)
