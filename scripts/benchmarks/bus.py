"""The bus of a workspace, in one headless Chromium: against the leanest way to do as much.

A trivial call between two frames through the kernel, with both validations, against `penpal`
directly between page and frame (one hop; the bus has two). An attachment of 16 MiB there and back
against bare ports over the same two hops. And what 1,000 mounts leave behind.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from scripts.benchmarks.site import install_peer, serve_site
from scripts.benchmarks.tables import median, percentile, table
from tests.e2e.support.browsers import CHROMIUM, CHROMIUM_ARGS
from tests.e2e.support.raw_chromium import RawChromium, Tab

__all__ = ["run"]

CALL_BAR = 2.5
TRANSFER_BAR = 1.3
GROWTH_BAR_BYTES = 100
"""Of heap for each mount: less than anything that would be kept of one."""

CALLS = {"samples": 200, "each": 20}
TRANSFERS = {"samples": 20, "bytes": 16 * 1024 * 1024}
MOUNTS = 1_000
MOUNTS_AT_ONCE = 100
"""Between two looks; as many are made before the first, so that what is made once has been made."""


def run(rounds: int) -> str:
    """Measure all three. Returns tables, and whether the bars are met."""
    install_peer("penpal")
    with (
        serve_site(peer="penpal") as pages,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
        RawChromium(CHROMIUM, CHROMIUM_ARGS, Path(profile)) as chromium,
    ):
        tab = chromium.open(f"{pages.origin}/bench/bus/bus.html")
        tab.wait_for("globalThis.bench !== undefined")
        calls = _compared(tab, rounds, ("busCalls", "penpalCalls"), CALLS)
        transfers = _compared(tab, rounds, ("busTransfers", "bareTransfers"), TRANSFERS)
        rows = [
            ["a trivial call, against penpal over one hop", *calls, f"≤ {CALL_BAR}"],
            ["16 MiB there and back, against bare ports", *transfers, f"≤ {TRANSFER_BAR}"],
        ]
        head = ["what", "p50", "p99", "peer's p50", "p99", "ratio of p50", "bar"]
        return f"{table(head, rows)}\n\n{_mounts(tab)}"


def _compared(tab: Tab, rounds: int, names: tuple[str, str], size: dict[str, int]) -> list[str]:
    """Return p50 and p99 of the bus and of its peer, and the ratio within a round."""
    ask = {name: f"bench.{name}({', '.join(map(str, size.values()))})" for name in names}
    for name in names:
        _answer(tab, ask[name])
    samples: dict[str, list[float]] = {name: [] for name in names}
    ratios: list[float] = []
    for number in range(rounds):
        # The machine's load drifts: for both alike within a round.
        order = names if number % 2 == 0 else names[::-1]
        taken: dict[str, list[float]] = {name: _answer(tab, ask[name]) for name in order}
        ratios.append(median(taken[names[0]]) / median(taken[names[1]]))
        for name in names:
            samples[name] += taken[name]
    figures = [
        f"{figure:.2f} ms"
        for name in names
        for figure in (median(samples[name]), percentile(samples[name], 0.99))
    ]
    return [*figures, f"{median(ratios):.2f} ×"]


def _mounts(tab: Tab) -> str:
    _mount(tab, MOUNTS_AT_ONCE)
    before = _counted(tab)
    looks = [before]
    for _ in range(MOUNTS // MOUNTS_AT_ONCE):
        _mount(tab, MOUNTS_AT_ONCE)
        looks.append(_counted(tab))
    head = ["mounts", *before]
    rows = [
        [str(number * MOUNTS_AT_ONCE), *(f"{value:,}" for value in look.values())]
        for number, look in enumerate(looks)
        if number in (0, 1, len(looks) // 2, len(looks) - 1)
    ]
    after = looks[-1]
    growth = (after["heap bytes"] - before["heap bytes"]) / MOUNTS
    others = [name for name in before if name != "heap bytes" and after[name] > before[name]]
    flat = f"what grew besides: {', '.join(others)}" if others else "nothing else grew"
    return (
        f"{table(head, rows)}\n\nheap: {growth:.0f} bytes a mount "
        f"(bar: at most {GROWTH_BAR_BYTES}); {flat}"
    )


def _mount(tab: Tab, count: int) -> None:
    left = _answer(tab, f"bench.mounts({count})")
    if left != 0:
        raise RuntimeError(f"{left} endpoints are left after {count} mounts")


def _counted(tab: Tab) -> dict[str, int]:
    """Count what is alive in the page after its garbage is gone."""
    for _ in range(3):
        tab.send("HeapProfiler.collectGarbage")
    tab.send("Performance.enable")
    metrics = {
        each["name"]: each["value"] for each in tab.send("Performance.getMetrics")["metrics"]
    }
    return {
        "heap bytes": int(tab.send("Runtime.getHeapUsage")["usedSize"]),
        "ports": _alive(tab, "MessagePort"),
        "frames": _alive(tab, "HTMLIFrameElement"),
        "documents": int(metrics["Documents"]),
        "listeners": int(metrics["JSEventListeners"]),
    }


def _alive(tab: Tab, kind: str) -> int:
    prototype = tab.send("Runtime.evaluate", expression=f"{kind}.prototype", objectGroup="count")
    found = tab.send(
        "Runtime.queryObjects",
        prototypeObjectId=prototype["result"]["objectId"],
        objectGroup="count",
    )
    count = tab.send(
        "Runtime.callFunctionOn",
        objectId=found["objects"]["objectId"],
        functionDeclaration="function () { return this.length; }",
        returnByValue=True,
    )
    tab.send("Runtime.releaseObjectGroup", objectGroup="count")
    return int(count["result"]["value"])


def _answer(tab: Tab, expression: str) -> Any:  # noqa: ANN401 - whatever the page says
    answer = tab.send(
        "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
    )
    if "exceptionDetails" in answer:
        raise RuntimeError(json.dumps(answer["exceptionDetails"]))
    return answer["result"]["value"]
