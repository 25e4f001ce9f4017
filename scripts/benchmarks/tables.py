"""Small helpers for figures: percentiles, Markdown tables, and the commands behind them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Protocol

__all__ = ["Named", "commands", "median", "percentile", "table"]


class Named(Protocol):
    """Something that a command runs."""

    @property
    def name(self) -> str:
        """What tables call it."""

    @property
    def command(self) -> str:
        """What runs it."""


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which `share` (0 to 1) of the values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def commands(ways: Iterable[Named]) -> str:
    """Return a Markdown list of what runs each way."""
    return "\n".join(f"- {way.name}: `{way.command}`" for way in ways)
