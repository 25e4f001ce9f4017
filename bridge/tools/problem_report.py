"""Collects what is wrong with one file, in the order in which it is found, up to a bound."""

from __future__ import annotations

from bridge.tools.loading_limits import LOADING_LIMITS
from bridge.tools.problems import Problem, Severity, pointer_to
from bridge.tools.schema_places import Place

__all__ = ["Report"]


class Report:
    """The problems of one file, so far. Passed from rule to rule."""

    def __init__(self, file: str, limit: int = LOADING_LIMITS.max_problems_per_file) -> None:
        self._file = file
        self._limit = limit
        self._found: dict[Problem, None] = {}
        self._more = 0
        self.errors = 0
        """How many errors were noted, told or not."""

    @property
    def failed(self) -> bool:
        """Whether something keeps the package from loading."""
        return self.errors > 0

    @property
    def problems(self) -> list[Problem]:
        """What was found, no two the same; the last one says how many are not told."""
        found = list(self._found)
        if self._more:
            words = f"{self._more} more problems of this file are not told: repair these first"
            found.append(Problem(self._file, "", "more-problems", words))
        return found

    def error(self, place: Place, rule: str, message: str) -> None:
        """Note what keeps the package from loading."""
        self.errors += 1
        self._note(place, rule, message, "error")

    def warn(self, place: Place, rule: str, message: str) -> None:
        """Note what the author may have meant otherwise."""
        self._note(place, rule, message, "warning")

    def _note(self, place: Place, rule: str, message: str, severity: Severity) -> None:
        problem = Problem(self._file, pointer_to(place), rule, message, severity)
        if problem in self._found:
            return
        if len(self._found) < self._limit:
            self._found[problem] = None
        elif severity == "error":
            self._more += 1
