"""One `/rpc` to a trivial action through a real browser, against a bare aiohttp echo.

Each round measures the echo and the bridge one after the other, with the same client in a
process of its own and the same bytes. Ratios are of medians over the rounds.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Playwright, expect, sync_playwright

from scripts.benchmarks.http_caller import Job, Measured
from scripts.benchmarks.tables import median, percentile, table
from tests.e2e.support.browsers import launch_options, launched
from tests.e2e.support.page_server import serve_pages
from tests.e2e.support.real_bridge import run_bridge

CALLS = 300
WARM_UP = 50
CALLERS = 8

BODY = json.dumps(
    {
        "session": "bench",
        "request": {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "actions/execute",
            "params": {"action": "test.echo", "input": {"n": 1}},
        },
    },
    separators=(",", ":"),
)


def run(rounds: int) -> str:
    """Measure both browsers. Returns a table."""
    with sync_playwright() as playwright:
        rows = [_measure_browser(playwright, name, rounds) for name in ("chromium", "firefox")]
    return table(
        [
            "browser, over long polling",
            "p50",
            "p50 / echo",
            "p99",
            "p99 / echo",
            f"calls/s, {CALLERS} callers",
            "of the echo's",
        ],
        rows,
    )


def _measure_browser(playwright: Playwright, name: str, rounds: int) -> list[str]:
    with (
        tempfile.TemporaryDirectory() as runtime,
        serve_pages() as pages,
        run_bridge(pages.origin, f"{pages.origin}/probe/probe.html", Path(runtime)) as bridge,
        _echo() as echo_port,
        tempfile.TemporaryDirectory() as home,
        launched(playwright, name, launch_options(name, home)) as browser,
    ):
        page = browser.new_page()
        page.goto(bridge.link)
        page.get_by_role("button", name="Attach", exact=True).click()
        expect(page.locator("#state")).to_have_text("attached")
        ours = [("token", bridge.token, bridge.port), ("echo", "none", echo_port)]
        for _, token, port in ours:
            _call(port, token, WARM_UP, 1)
        figures: dict[str, list[float]] = {}
        for _ in range(rounds):
            for kind, token, port in ours:
                alone = _call(port, token, CALLS, 1)
                figures.setdefault(f"{kind} p50", []).append(median(alone["latencies_ms"]))
                figures.setdefault(f"{kind} p99", []).append(
                    percentile(alone["latencies_ms"], 0.99)
                )
                crowd = _call(port, token, CALLS // CALLERS, CALLERS)
                figures.setdefault(f"{kind} rate", []).append(
                    len(crowd["latencies_ms"]) / crowd["seconds"]
                )
        middle = {key: median(values) for key, values in figures.items()}
        return [
            f"{name} {browser.version}",
            f"{middle['token p50']:.2f} ms",
            f"{middle['token p50'] / middle['echo p50']:.1f} ×",
            f"{middle['token p99']:.2f} ms",
            f"{middle['token p99'] / middle['echo p99']:.1f} ×",
            f"{middle['token rate']:.0f}",
            f"{middle['token rate'] / middle['echo rate']:.2f} ×",
        ]


def _call(port: int, token: str, calls: int, callers: int) -> Measured:
    job: Job = {"port": port, "token": token, "body": BODY, "calls": calls, "callers": callers}
    done = subprocess.run(
        [sys.executable, "-m", "scripts.benchmarks.http_caller"],
        input=json.dumps(job),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    measured: Measured = json.loads(done.stdout)
    return measured


@contextmanager
def _echo() -> Iterator[int]:
    process = subprocess.Popen(
        [sys.executable, "-m", "scripts.benchmarks.echo_server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.communicate(timeout=10)
