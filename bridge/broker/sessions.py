"""The session names that terminals have used with the attached page, and when they last did.

Closing a session that the page never saw needs no round trip; one that nobody uses any more is
closed in the end; one that needs an opening is told from one that has had it. Memory is bounded:
after too many names every name counts as known, and the page is asked. Contract: sessions.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["KnownSessions"]


@dataclass(slots=True)
class _Session:
    last_sign: float
    opened: bool = False
    """The page has answered in it, and not with an error: it has had what opens it."""
    outdated_seq: int = 0
    """What was sent up to this opens nothing any more: it was a close, or failed."""


class KnownSessions:
    """A bounded set of names that forgets nothing silently. Times are monotonic seconds."""

    def __init__(self, maximum: int, idle_seconds: float) -> None:
        self._maximum = maximum
        self._idle_seconds = idle_seconds
        # In the order of their last signs, the oldest first.
        self._sessions: dict[str, _Session] = {}
        self._overflowed = False

    def __len__(self) -> int:
        return len(self._sessions)

    def __contains__(self, session: str) -> bool:
        return self._overflowed or session in self._sessions

    def add(self, session: str, now: float) -> None:
        """Remember a name, and that its session is in use."""
        if session in self._sessions:
            self.touch(session, now)
        elif len(self._sessions) < self._maximum:
            self._sessions[session] = _Session(now)
        else:
            self._overflowed = True

    def touch(self, session: str, now: float) -> None:
        """Note a sign of a session that is known by its name."""
        known = self._sessions.pop(session, None)
        if known is not None:
            known.last_sign = now
            self._sessions[session] = known

    def is_opened(self, session: str) -> bool:
        """Say whether the page is known to have had the session's opening."""
        known = self._sessions.get(session)
        return known is not None and known.opened

    def outdated_seq(self, session: str) -> int:
        """Return up to which `seq` nothing that was sent opens the session any more."""
        known = self._sessions.get(session)
        return 0 if known is None else known.outdated_seq

    def answered(self, session: str, seq: int, *, well: bool) -> None:
        """Note how what was sent as `seq` was answered.

        After an error an opening is due again: the page may have had no room for the session,
        have forgotten it, or have begun nothing in it before the error's own call.
        """
        known = self._sessions.get(session)
        if known is not None and seq > known.outdated_seq:
            known.opened = well
            if not well:
                known.outdated_seq = seq

    def closing(self, session: str, seq: int) -> None:
        """Note that a close job was sent as `seq`, whatever has become of it."""
        known = self._sessions.get(session)
        if known is not None and seq > known.outdated_seq:
            known.opened = False
            known.outdated_seq = seq

    def discard(self, session: str) -> None:
        """Forget a name, as its session was closed."""
        self._sessions.pop(session, None)

    def due(self) -> float | None:
        """Return when the first will have been unused for too long."""
        for known in self._sessions.values():
            return known.last_sign + self._idle_seconds
        return None

    def oldest(self) -> str:
        """Return the one that `due` is of. Raises `StopIteration` where there is none."""
        return next(iter(self._sessions))
