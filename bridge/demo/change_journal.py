"""Remembers which parts of a drawing each of the last revisions changed, so many and no more.

A value. It says what has to be told again, or that it cannot say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bridge.demo.picture import Picture

__all__ = ["EMPTY_JOURNAL", "Change", "ChangeJournal", "change_between"]

_MAX_ENTRIES: Final = 256


@dataclass(frozen=True, slots=True)
class Change:
    """What one revision, or several, changed."""

    shapes: frozenset[str] = frozenset()
    """Ids of shapes that came, went or became others."""
    layers: bool = False
    order: bool = False
    """Whether shapes came, went, or lie in another order."""

    def __or__(self, other: Change) -> Change:
        return Change(
            self.shapes | other.shapes, self.layers or other.layers, self.order or other.order
        )


def change_between(before: Picture, after: Picture) -> Change:
    """Compare two pictures."""
    old = {shape.id: shape for shape in before.shapes}
    new = {shape.id: shape for shape in after.shapes}
    return Change(
        frozenset(
            shape_id
            for shape_id in old.keys() | new.keys()
            if old.get(shape_id) is not new.get(shape_id) and old.get(shape_id) != new.get(shape_id)
        ),
        before.layers != after.layers,
        list(old) != list(new),
    )


@dataclass(frozen=True, slots=True)
class ChangeJournal:
    """The changes of the last 256 revisions, each with the revision that it led to."""

    entries: tuple[tuple[int, Change], ...] = ()
    start: int = 0
    """The revision from which on all changes are known."""

    def added(self, revision: int, change: Change) -> ChangeJournal:
        """Return the journal with one more change, and without the oldest where there are too many.

        Revisions only grow.
        """
        entries = (*self.entries, (revision, change))
        if len(entries) <= _MAX_ENTRIES:
            return ChangeJournal(entries, self.start)
        return ChangeJournal(entries[1:], entries[0][0])

    def since(self, revision: int) -> Change | None:
        """Return everything that changed after a revision; None where that is no longer known."""
        if revision < self.start:
            return None
        change = Change()
        for reached, one in reversed(self.entries):
            if reached <= revision:
                break
            change |= one
        return change


EMPTY_JOURNAL: Final = ChangeJournal()
