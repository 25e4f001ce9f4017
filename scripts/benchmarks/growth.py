"""How a call's latency grows with its payload, and with callers side by side. Draws the picture."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from scripts.benchmarks.browsers import running_browser
from scripts.benchmarks.contestants import TRANSPORTS, Contestant, bascule, echo, relay
from scripts.benchmarks.plot import Chart, Series, draw
from scripts.benchmarks.rounds import Figures, Rounds, take_turns
from scripts.benchmarks.tables import commands, table

__all__ = ["payload", "run"]

PICTURE = Path(__file__).parents[2] / ".readme" / "growth.svg"
SIZES = {64 << power: label for power, label in zip(
    range(0, 15, 2), ("64 B", "256 B", "1 KiB", "4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB"),
    strict=True,
)}  # fmt: skip
CROWDS = (1, 2, 4, 8, 16, 32, 64)
ENVELOPE = 1024
"""The largest message is a mebibyte as a whole: its payload leaves room for the rest."""
LONGEST = 128 * 1024
"""Under the longest string of the contract."""
BYTES_OF_A_SERIES = 8 << 20
CALLS = 256


def payload(size: int) -> dict[str, Any]:
    """Return an input whose JSON text takes `size` bytes, a kibibyte less for the largest."""
    size = min(size, (1 << 20) - ENVELOPE)
    parts = ["x" * LONGEST] * ((size - 16) // (LONGEST + 3))
    left = size - len('{"parts":[]}') - len(parts) * (LONGEST + 3) - 2
    return {"parts": [*parts, "x" * left]}


def run(rounds: int) -> str:
    """Measure and draw. Returns two tables."""
    with ExitStack() as stack:
        browser = stack.enter_context(running_browser("chromium"))
        ways = [
            *(stack.enter_context(bascule(browser, way)) for way in TRANSPORTS),
            stack.enter_context(relay(browser)),
            stack.enter_context(echo()),
        ]
        by_size = {
            size: take_turns(
                _measures([way for way in ways if size <= way.largest], _of_size(size)), rounds
            )
            for size in SIZES
        }
        by_crowd = {
            callers: take_turns(_measures(ways, _of_crowd(callers)), rounds) for callers in CROWDS
        }
    crowd_ticks = {callers: str(callers) for callers in CROWDS}
    charts = [
        _chart("p50 by payload, there and back", "bytes of the input", SIZES, by_size, ways),
        _chart(
            "p50 by callers, trivial input", "callers side by side", crowd_ticks, by_crowd, ways
        ),
    ]
    PICTURE.write_text(draw(charts, "How the latency of a call grows"), encoding="utf-8")
    names = [way.name for way in ways]
    sizes = table(
        ["payload, there and back: p50", *names],
        [
            [label, *(_p50_of(by_size[size], name) for name in names)]
            for size, label in SIZES.items()
        ],
    )
    crowds = table(
        ["callers: p50 and calls/s", *names],
        [[str(callers), *(_both(by_crowd[callers], name) for name in names)] for callers in CROWDS],
    )
    return f"{sizes}\n\n{crowds}\n\n{commands(ways)}\n\nDrawn: {PICTURE.name}"


def _of_size(size: int) -> Callable[[Contestant], Figures]:
    calls = max(8, min(CALLS, BYTES_OF_A_SERIES // size))

    def measure(way: Contestant) -> Figures:
        done = way.measure(calls, input_=payload(size))
        return Figures.of(done, done)

    return measure


def _of_crowd(callers: int) -> Callable[[Contestant], Figures]:
    def measure(way: Contestant) -> Figures:
        done = way.measure(max(8, CALLS // callers), callers)
        return Figures.of(done, done)

    return measure


def _measures(
    ways: list[Contestant], measure: Callable[[Contestant], Figures]
) -> dict[str, Callable[[], Figures]]:
    return {way.name: partial(measure, way) for way in ways}


def _chart(
    title: str,
    x_label: str,
    x_ticks: dict[int, str],
    done: dict[int, Rounds],
    ways: list[Contestant],
) -> Chart:
    series = [
        Series(
            way.name,
            [
                (x, rounds.middle(way.name, _p50))
                for x, rounds in done.items()
                if way.name in rounds.of
            ],
        )
        for way in ways
    ]
    return Chart(title, x_label, list(x_ticks.items()), series)


def _p50(figures: Figures) -> float:
    return figures.p50_ms


def _ms(value: float) -> str:
    return f"{value:.2f} ms" if value < 10 else f"{value:.0f} ms"


def _p50_of(rounds: Rounds, name: str) -> str:
    return _ms(rounds.middle(name, _p50)) if name in rounds.of else "too large for it"


def _both(rounds: Rounds, name: str) -> str:
    return f"{_ms(rounds.middle(name, _p50))}, {rounds.middle(name, lambda f: f.rate):.0f}"
