"""The same call by the ways that others offer, in the same Chromium.

Twice: by clients of the benchmark's own that are as lean as can be, so that no client is measured
(`http_caller.py`, `mcp_caller.py`), and by the clients that people use, ours and the official MCP
client over the relay's stdio.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial

from scripts.benchmarks.browsers import running_browser
from scripts.benchmarks.calls import CALLERS, figures_of
from scripts.benchmarks.contestants import bascule, evaluate, relay
from scripts.benchmarks.rounds import take_turns
from scripts.benchmarks.tables import commands, table

__all__ = ["run"]

P50_BAR = 0.7
RATE_BAR = 1.5


def run(rounds: int) -> str:
    """Measure all ways. Returns a table, and whether the bars are met."""
    with ExitStack() as stack:
        browser = stack.enter_context(running_browser("chromium"))
        lean = stack.enter_context(relay(browser))
        official = stack.enter_context(relay(browser, public=True))
        ours = stack.enter_context(bascule(browser, "channel"))
        ours_public = stack.enter_context(bascule(browser, "channel", public=True))
        contestants = [
            ours,
            stack.enter_context(bascule(browser, "polling")),
            lean,
            ours_public,
            official,
            stack.enter_context(evaluate()),
        ]
        done = take_turns({one.name: partial(figures_of, one) for one in contestants}, rounds)
        peer_of = {ours_public.name: official, official.name: official}
        rows = []
        for one in contestants:
            peer = peer_of.get(one.name, lean).name
            rows.append(
                [
                    one.name,
                    f"{done.middle(one.name, lambda f: f.p50_ms):.2f} ms",
                    f"{done.ratio(one.name, peer, lambda f: f.p50_ms):.2f} ×",
                    f"{done.middle(one.name, lambda f: f.p99_ms):.2f} ms",
                    f"{done.middle(one.name, lambda f: f.rate):.0f}",
                    f"{done.ratio(one.name, peer, lambda f: f.rate):.2f} ×",
                ]
            )
        head = ["way", "p50", "p50 / relay", "p99", f"calls/s, {CALLERS} callers", "of the relay's"]
        bars = [
            f"{name}: p50 {done.ratio(one.name, peer.name, lambda f: f.p50_ms):.2f} × "
            f"(bar: at most {P50_BAR}), calls/s "
            f"{done.ratio(one.name, peer.name, lambda f: f.rate):.2f} × (bar: at least {RATE_BAR})"
            for name, one, peer in (
                ("lean clients", ours, lean),
                ("published clients", ours_public, official),
            )
        ]
        return f"{table(head, rows)}\n\n{commands(contestants)}\n\n" + "; ".join(bars)
