"""Package tools: calls a second, loading a thousand of them, and bounding what is far too large.

The trivial tool stands against the same one in PyPI's `mcp`, called by its own client over its
in-memory transport: neither side has a socket or another process.
"""

from __future__ import annotations

import asyncio
import gc
import json
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.server import MCPServer

from bridge.tools.bounding import bound, bound_async
from bridge.tools.package_handlers import handlers_of
from bridge.tools.package_loader import load_package
from bridge.tools.session_context import LOCAL_SESSION
from bridge.tools.tool_result import ToolResult, read_result
from bridge.tools.tool_runner import ToolRunner, runnable_tools
from scripts.benchmarks.tables import median, table

__all__ = ["run"]

RATE_BAR = 20.0
HOLD_BAR_MS = 50.0
GROWTH_BAR = 1.5
BURSTS = 60
BURST_SECONDS = 0.01
PEER = "PyPI `mcp`: `Client(MCPServer)`"
COUNTS = (250, 500, 1_000)
LARGE = 10 << 20
TICK_SECONDS = 0.001
HANDLER = """
async def handle(arguments, session, call):
    return {"structuredContent": {"n": arguments["n"]}}
"""
NUMBER: dict[str, Any] = {"n": {"type": "integer"}}
NOTE = {
    **NUMBER,
    "note": {"type": "string", "maxLength": 200},
    "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 8},
    "more": {"type": "object", "additionalProperties": True},
}
ENTRY = """(module
  (import "wasi_snapshot_preview1" "fd_write"
    (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 64) "{\\22structuredContent\\22:{\\22n\\22:1}}\\0a")
  (func (export "_start")
    (i32.store (i32.const 0) (i32.const 64))
    (i32.store (i32.const 4) (i32.const 30))
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))))"""
KINDS = {
    "on the service's loop (`NEVER_BLOCKS`)": ("first-party", f"NEVER_BLOCKS = True\n{HANDLER}"),
    "in its package's thread": ("first-party", HANDLER),
    "WebAssembly, an instance a call": ("project", ""),
}


def run(rounds: int) -> str:
    """Measure all three. Returns tables, and whether the bars are met."""
    return "\n\n".join((_calls(rounds), _loading(rounds), _bounding(rounds)))


# Calls


def _calls(rounds: int) -> str:
    theirs: list[float] = []
    ours: dict[str, list[float]] = {kind: [] for kind in KINDS}
    with tempfile.TemporaryDirectory() as directory:
        runners = {}
        for index, (kind, (tier, handler)) in enumerate(KINDS.items()):
            package = _package(Path(directory, str(index)), ["echo"], NUMBER, tier, handler)
            loaded = load_package(package)
            runners[kind] = ToolRunner(runnable_tools(loaded, handlers_of(loaded)))
        for _ in range(rounds):
            best = asyncio.run(_best_rates(runners))
            theirs.append(best[PEER])
            for kind in KINDS:
                ours[kind].append(best[kind])
    ratios = {
        kind: median([a / b for a, b in zip(rates, theirs, strict=True)])
        for kind, rates in ours.items()
    }
    rows = [
        [f"Bascule, {kind}", f"{median(ours[kind]):.0f}", f"{ratio:.1f} ×"]
        for kind, ratio in ratios.items()
    ]
    rows.append([PEER, f"{median(theirs):.0f}", "1.0 ×"])
    highest = max(ratios.values())
    head = table(["a trivial tool: gate, check, run, bound", "calls/s", "of the peer's"], rows)
    return f"{head}\n\na trivial embedded tool: {highest:.1f} × (bar: at least {RATE_BAR:g})"


async def _best_rates(runners: dict[str, ToolRunner]) -> dict[str, float]:
    """Return the best of many short bursts of each in turns: what else runs disturbs all alike."""
    server = MCPServer("echo")

    @server.tool()
    def echo(n: int) -> dict[str, int]:
        return {"n": n}

    async with Client(server) as client:

        async def theirs() -> None:
            result = await client.call_tool("echo", {"n": 1})
            if result.is_error:
                raise RuntimeError(str(result))

        def ours(runner: ToolRunner) -> Callable[[], Awaitable[None]]:
            async def call() -> None:
                result = await runner.call("echo", {"n": 1}, LOCAL_SESSION)
                if result.structured_content != {"n": 1}:
                    raise RuntimeError(str(result))

            return call

        calls = {kind: ours(runner) for kind, runner in runners.items()} | {PEER: theirs}
        best = dict.fromkeys(calls, 0.0)
        counts = dict.fromkeys(calls, 10)
        gc.collect()
        for _ in range(BURSTS):
            for kind, call in calls.items():
                start = time.perf_counter()
                for _ in range(counts[kind]):
                    await call()
                seconds = time.perf_counter() - start
                best[kind] = max(best[kind], counts[kind] / seconds)
                counts[kind] = max(10, int(best[kind] * BURST_SECONDS))
    return best


# Loading


def _loading(rounds: int) -> str:
    times: dict[int, list[float]] = {count: [] for count in COUNTS}
    with tempfile.TemporaryDirectory() as directory:
        packages = {
            count: _package(Path(directory, str(count)), [f"tool_{n}" for n in range(count)], NOTE)
            for count in COUNTS
        }
        for _ in range(rounds):
            for count, package in packages.items():
                gc.collect()
                start = time.perf_counter()
                loaded = load_package(package)
                times[count].append(time.perf_counter() - start)
                if len(loaded.tools) != count:
                    raise RuntimeError(str(len(loaded.tools)))
    # The best of all rounds: what else runs only ever adds.
    best = {count: min(times[count]) for count in COUNTS}
    rows = [
        [f"{count:,}", f"{best[count] * 1000:.0f} ms", f"{best[count] / count * 1e6:.0f} µs"]
        for count in COUNTS
    ]
    growth = (best[COUNTS[-1]] / COUNTS[-1]) / (best[COUNTS[0]] / COUNTS[0])
    head = table(["tools loaded and checked", "in all", "each"], rows)
    return f"{head}\n\na tool of 1,000 against one of 250: {growth:.2f} × (bar: {GROWTH_BAR:g})"


def _package(
    directory: Path,
    names: list[str],
    properties: dict[str, Any],
    tier: str = "project",
    handler: str = "",
) -> Path:
    (directory / "tools").mkdir(parents=True)
    (directory / "package.toml").write_text(
        f'name = "bench"\nversion = "1.0.0"\ntier = "{tier}"\n', encoding="utf-8"
    )
    for name in names:
        schema = {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "additionalProperties": False,
            "description": "Give n back.",
            "properties": properties,
            "required": ["n"],
            "x-bascule": {"annotations": {"category": "read", "readOnlyHint": True}},
        }
        Path(directory, "tools", f"{name}.json").write_text(json.dumps(schema), encoding="utf-8")
        if handler:
            (directory / "handlers").mkdir(exist_ok=True)
            Path(directory, "handlers", f"{name}.py").write_text(handler, encoding="utf-8")
    if not handler:
        import wasmtime  # noqa: PLC0415 - an extra

        (directory / "entry.wasm").write_bytes(wasmtime.wat2wasm(ENTRY))
    return directory


# Bounding


def _large_results() -> Iterator[tuple[str, object]]:
    """Yield results of about 10 MiB, by what they are made of."""
    row = {"id": 1, "name": "x" * 40, "tags": ["a", "b"], "at": {"x": 1.5, "y": None}}
    rows = LARGE // len(json.dumps(row))
    yield "one text", "x" * LARGE
    yield "one text of astral characters", "\N{GRINNING FACE}" * (LARGE // 4)
    yield "a text of control characters", "\0" * LARGE
    yield "small numbers", {"structuredContent": {"v": [1] * (LARGE // 2)}}
    yield "empty lists", {"structuredContent": {"v": [[]] * (LARGE // 3)}}
    yield "rows", {"structuredContent": {"rows": [row] * rows, "total": rows}}
    yield "texts", {"structuredContent": {"v": ["x" * 60_000] * (LARGE // 60_000)}}
    yield "members", {"structuredContent": {f"key_{n}": n for n in range(LARGE // 16)}}
    yield (
        "lists in lists",
        {"structuredContent": {"v": [[[1] * 64] * 64] * (LARGE // (64 * 64 * 2))}},
    )


def _bounding(rounds: int) -> str:
    rows, holds = [], []
    for name, value in _large_results():
        result = read_result(value)
        hold = median([asyncio.run(_longest_hold(result)) for _ in range(rounds)])
        alone = median([_seconds(partial(bound, result)) for _ in range(rounds)])
        holds.append(hold)
        rows.append([name, f"{hold * 1000:.1f} ms", f"{alone * 1000:.1f} ms"])
    head = table(["10 MiB of", "the loop is held for", "bounding takes, alone"], rows)
    worst = max(holds) * 1000
    return f"{head}\n\nlongest hold of the loop: {worst:.1f} ms (bar: below {HOLD_BAR_MS:g})"


async def _longest_hold(result: ToolResult) -> float:
    longest = 0.0

    async def tick() -> None:
        nonlocal longest
        last = time.perf_counter()
        while True:
            await asyncio.sleep(TICK_SECONDS)
            now = time.perf_counter()
            longest = max(longest, now - last - TICK_SECONDS)
            last = now

    with _no_collection():
        ticking = asyncio.create_task(tick())
        await asyncio.sleep(10 * TICK_SECONDS)
        await bound_async(result)
        await asyncio.sleep(2 * TICK_SECONDS)
        ticking.cancel()
    return longest


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep the collector, which would walk the result itself, out of the figures."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
