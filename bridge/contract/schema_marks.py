"""What of an object or array was looked at, for the `unevaluated` keywords."""

from __future__ import annotations

__all__ = ["Marks"]


class Marks:
    """Members and items that some keyword evaluated."""

    __slots__ = ("all_items", "all_names", "items", "items_below", "names")

    def __init__(self) -> None:
        self.all_names = False
        self.names: set[str] = set()
        self.all_items = False
        self.items_below = 0
        self.items: set[int] = set()

    def add(self, other: Marks) -> None:
        """Take over what another check evaluated."""
        self.all_names = self.all_names or other.all_names
        self.names |= other.names
        self.all_items = self.all_items or other.all_items
        self.items_below = max(self.items_below, other.items_below)
        self.items |= other.items
