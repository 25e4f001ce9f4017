"""The same call by the ways that others offer, in the same Chromium.

The WebMCP relay is driven over its stdio by a lean client of our own (`mcp_caller.py`), ours over
HTTP by one as lean (`http_caller.py`): neither an SDK nor a command line is measured.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial

from scripts.benchmarks.browsers import running_browser
from scripts.benchmarks.calls import CALLERS, figures_of
from scripts.benchmarks.contestants import TRANSPORTS, bascule, evaluate, relay
from scripts.benchmarks.rounds import take_turns
from scripts.benchmarks.tables import commands, table

__all__ = ["run"]

P50_BAR = 0.7
RATE_BAR = 1.5


def run(rounds: int) -> str:
    """Measure all ways. Returns a table, and whether the bars are met."""
    with ExitStack() as stack:
        browser = stack.enter_context(running_browser("chromium"))
        peer = stack.enter_context(relay(browser))
        contestants = [
            *(stack.enter_context(bascule(browser, way)) for way in TRANSPORTS),
            peer,
            stack.enter_context(evaluate()),
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
