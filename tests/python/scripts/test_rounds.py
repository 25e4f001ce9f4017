"""Rounds in which contestants take turns."""

from __future__ import annotations

from functools import partial

from scripts.benchmarks.caller import Measured
from scripts.benchmarks.rounds import Figures, Rounds, take_turns


def figures(p50: float, rate: float = 1) -> Figures:
    return Figures(p50, p50, rate)


def p50(of: Figures) -> float:
    return of.p50_ms


def test_the_latency_is_of_one_caller_and_the_rate_of_many() -> None:
    alone: Measured = {"latencies_ms": [3, 1, 2], "seconds": 100}
    crowd: Measured = {"latencies_ms": [50, 50, 50, 50], "seconds": 0.5}
    assert Figures.of(alone, crowd) == Figures(p50_ms=2, p99_ms=3, rate=8)


def test_contestants_take_turns_and_every_other_round_goes_backwards() -> None:
    seen: list[str] = []

    def measure(name: str) -> Figures:
        seen.append(name)
        return figures(1)

    done = take_turns({name: partial(measure, name) for name in "ab"}, 3)
    assert seen == ["a", "b", "b", "a", "a", "b"]
    assert {name: len(of) for name, of in done.of.items()} == {"a": 3, "b": 3}


def test_a_ratio_is_taken_within_each_round() -> None:
    # The machine was slower in the last rounds, for both alike.
    ours = [figures(1), figures(10), figures(100)]
    theirs = [figures(2), figures(20), figures(200)]
    assert Rounds({"ours": ours, "theirs": theirs}).ratio("ours", "theirs", p50) == 0.5


def test_one_odd_round_does_not_move_the_figures() -> None:
    rounds = Rounds({"ours": [figures(2), figures(900), figures(2)], "peer": [figures(1)] * 3})
    assert rounds.middle("ours", p50) == 2
    assert rounds.ratio("ours", "peer", p50) == 2
