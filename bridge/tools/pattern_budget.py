"""How much of patterns a package or a server may ask to have read.

A pattern of twenty characters can become thousands of instructions, and a schema has room for
thousands of patterns: reading them would take minutes. Each schema has a budget, and all schemas
of one author have one together. Matches no text.
"""

from __future__ import annotations

from typing import Final

from bridge.contract.schema_pattern import Pattern
from bridge.tools.loading_limits import LOADING_LIMITS, LoadingLimits

__all__ = ["PatternBudget", "SchemaPatterns"]

_UNREADABLE_STEPS: Final = 1_024
"""What a pattern counts that cannot be read: how far its reading got is not known."""


class PatternBudget:
    """What all schemas of one package, or of one server, have together.

    Contract: package tools, limits of loading.
    """

    def __init__(self, limits: LoadingLimits = LOADING_LIMITS) -> None:
        self._limits = limits
        self.left = limits.max_package_pattern_steps

    def of_schema(self) -> SchemaPatterns:
        """Return the budget of the next schema."""
        return SchemaPatterns(self, self._limits.max_schema_pattern_steps)


class SchemaPatterns:
    """What one schema has. Made by `PatternBudget.of_schema`."""

    def __init__(self, whole: PatternBudget, left: int) -> None:
        self._whole = whole
        self._left = left
        self._known: set[str] = set()

    def read(self, source: str) -> bool:
        """Read a pattern, and say whether the budget was enough for it.

        The same one counts once. Raises `PatternError` for one that cannot be used.
        """
        if self._left < 0 or self._whole.left < 0:
            return False
        if source in self._known:
            return True
        steps = _UNREADABLE_STEPS
        try:
            steps = Pattern(source).size
            self._known.add(source)
        finally:
            self._left -= steps
            self._whole.left -= steps
        return self._left >= 0 and self._whole.left >= 0
