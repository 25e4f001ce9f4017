"""The session names that terminals have used with the attached page.

Closing a session that the page never saw needs no round trip. Memory is bounded: after too
many names every name counts as known, and the page is asked.
"""

from __future__ import annotations

__all__ = ["KnownSessions"]


class KnownSessions:
    """A bounded set of names that forgets nothing silently."""

    def __init__(self, maximum: int) -> None:
        self._maximum = maximum
        self._names: set[str] = set()
        self._overflowed = False

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, session: str) -> bool:
        return self._overflowed or session in self._names

    def add(self, session: str) -> None:
        """Remember a name."""
        if len(self._names) < self._maximum:
            self._names.add(session)
        elif session not in self._names:
            self._overflowed = True

    def discard(self, session: str) -> None:
        """Forget a name, as its session was closed."""
        self._names.discard(session)
