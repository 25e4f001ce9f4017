"""One `/rpc` to a trivial action through a real browser, against a bare aiohttp echo.

Over the channel and over long polling, with the same client and the same bytes as the echo.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial

from scripts.benchmarks.browsers import running_browser
from scripts.benchmarks.contestants import TRANSPORTS, Contestant, bascule, echo
from scripts.benchmarks.rounds import Figures, take_turns
from scripts.benchmarks.tables import commands, table

__all__ = ["CALLERS", "figures_of", "run"]

CALLS = 300
CALLERS = 8
CROWD_CALLS = 100


def run(rounds: int) -> str:
    """Measure both browsers. Returns a table."""
    rows = []
    contestants: list[Contestant] = []
    for name in ("chromium", "firefox"):
        version, contestants, some = _measure(name, rounds)
        rows += [[version, *row] for row in some]
    head = ["browser", "way", "p50", "p50 / echo", "p99", "p99 / echo"]
    head += [f"calls/s, {CALLERS} callers", "of the echo's"]
    return f"{table(head, rows)}\n\n{commands(contestants)}"


def figures_of(contestant: Contestant) -> Figures:
    """Measure one contestant once: one caller, then many."""
    return Figures.of(contestant.measure(CALLS), contestant.measure(CROWD_CALLS, CALLERS))


def _measure(name: str, rounds: int) -> tuple[str, list[Contestant], list[list[str]]]:
    with ExitStack() as stack:
        browser = stack.enter_context(running_browser(name))
        peer = stack.enter_context(echo())
        ours = [stack.enter_context(bascule(browser, way)) for way in TRANSPORTS]
        all_of_them = [*ours, peer]
        done = take_turns({one.name: partial(figures_of, one) for one in all_of_them}, rounds)
        rows = [
            [
                one.name,
                f"{done.middle(one.name, lambda f: f.p50_ms):.2f} ms",
                f"{done.ratio(one.name, peer.name, lambda f: f.p50_ms):.1f} ×",
                f"{done.middle(one.name, lambda f: f.p99_ms):.2f} ms",
                f"{done.ratio(one.name, peer.name, lambda f: f.p99_ms):.1f} ×",
                f"{done.middle(one.name, lambda f: f.rate):.0f}",
                f"{done.ratio(one.name, peer.name, lambda f: f.rate):.2f} ×",
            ]
            for one in all_of_them
        ]
        return browser.version, all_of_them, rows
