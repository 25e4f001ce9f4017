"""Rounds in which contestants take turns, and ratios between them.

The machine's load drifts; it drifts for all alike within a round. A ratio is therefore taken
within each round, and its median over the rounds is what counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from scripts.benchmarks.caller import Measured
from scripts.benchmarks.tables import median, percentile

__all__ = ["Figures", "Rounds", "take_turns"]


@dataclass(frozen=True, slots=True)
class Figures:
    """One contestant in one round."""

    p50_ms: float
    p99_ms: float
    rate: float
    """Calls a second."""

    @classmethod
    def of(cls, alone: Measured, crowd: Measured) -> Figures:
        """Take the latencies of one caller, and the rate of many."""
        latencies = alone["latencies_ms"]
        return cls(
            median(latencies),
            percentile(latencies, 0.99),
            len(crowd["latencies_ms"]) / crowd["seconds"],
        )


@dataclass(frozen=True, slots=True)
class Rounds:
    """All rounds of all contestants: one `Figures` of each for each round."""

    of: Mapping[str, Sequence[Figures]]

    def middle(self, name: str, what: Callable[[Figures], float]) -> float:
        """Return the median of one contestant's figures."""
        return median([what(figures) for figures in self.of[name]])

    def ratio(self, name: str, peer: str, what: Callable[[Figures], float]) -> float:
        """Return the median of the rounds' ratios of one contestant to another."""
        pairs = zip(self.of[name], self.of[peer], strict=True)
        return median([what(ours) / what(theirs) for ours, theirs in pairs])


def take_turns(contestants: Mapping[str, Callable[[], Figures]], rounds: int) -> Rounds:
    """Measure all contestants in each round; every other round goes backwards."""
    figures: dict[str, list[Figures]] = {name: [] for name in contestants}
    for number in range(rounds):
        order = list(contestants) if number % 2 == 0 else list(contestants)[::-1]
        for name in order:
            figures[name].append(contestants[name]())
    return Rounds(figures)
