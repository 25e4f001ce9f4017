"""The same call by the ways that others offer, in the same Chromium.

The WebMCP relay is driven over its stdio by a lean client of our own (`mcp_caller.py`), ours over
HTTP by one as lean (`http_caller.py`): neither an SDK nor a command line is measured.
"""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from functools import partial

from playwright.sync_api import sync_playwright

from scripts.benchmarks.calls import CALLERS, figures_of
from scripts.benchmarks.contestants import bascule, evaluate, relay, transports
from scripts.benchmarks.rounds import take_turns
from scripts.benchmarks.site import install_relay, serve_site
from scripts.benchmarks.tables import commands, table
from tests.e2e.support.browsers import launch_options, launched

__all__ = ["run"]

P50_BAR = 0.7
RATE_BAR = 1.5


def run(rounds: int) -> str:
    """Measure all ways. Returns a table, and whether the bars are met."""
    install_relay()
    with ExitStack() as stack:
        playwright = stack.enter_context(sync_playwright())
        pages = stack.enter_context(serve_site(with_relay=True))
        home = stack.enter_context(tempfile.TemporaryDirectory())
        browser = stack.enter_context(
            launched(playwright, "chromium", launch_options("chromium", home))
        )
        peer = stack.enter_context(relay(browser, pages))
        contestants = [
            *(stack.enter_context(bascule(browser, pages, way)) for way in transports()),
            peer,
            stack.enter_context(evaluate(pages)),
        ]
        done = take_turns({one.name: partial(figures_of, one) for one in contestants}, rounds)
        rows = [
            [
                one.name,
                f"{done.middle(one.name, lambda f: f.p50_ms):.2f} ms",
                f"{done.ratio(one.name, peer.name, lambda f: f.p50_ms):.2f} ×",
                f"{done.middle(one.name, lambda f: f.p99_ms):.2f} ms",
                f"{done.middle(one.name, lambda f: f.rate):.0f}",
                f"{done.ratio(one.name, peer.name, lambda f: f.rate):.2f} ×",
            ]
            for one in contestants
        ]
        ours = contestants[0].name
        p50 = done.ratio(ours, peer.name, lambda f: f.p50_ms)
        rate = done.ratio(ours, peer.name, lambda f: f.rate)
        head = ["way", "p50", "p50 / relay", "p99", f"calls/s, {CALLERS} callers", "of the relay's"]
        bars = (
            f"{ours}: p50 {p50:.2f} × (bar: at most {P50_BAR}), "
            f"calls/s {rate:.2f} × (bar: at least {RATE_BAR})"
        )
        return f"{table(head, rows)}\n\n{commands(contestants)}\n\n{bars}"
