"""The last calls, as they began and ended: for people who watch. Names and times, no contents.

Bounded: who comes too late is told how much was missed. Contract: calls.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import islice

from bridge.broker.events import CallLabel, Instant

__all__ = ["CallJournal", "CallSeen"]


@dataclass(frozen=True, slots=True)
class CallSeen:
    """A call began, or ended. `duration_ms` is None where it began."""

    seq: int
    """Counts events, from 1."""
    call: int
    """Counts calls; the same where it begins and where it ends."""
    session: str
    label: CallLabel
    at_unix_ms: int
    duration_ms: float | None = None
    code: str | None = None
    """What the error is called, the app's own or the bridge's; None of one that went well."""
    deferred: str | None = None
    """Why it goes on as a task, where it does."""


class CallJournal:
    """Remembers so many events."""

    def __init__(self, capacity: int) -> None:
        self._events: deque[CallSeen] = deque(maxlen=capacity)
        self._calls = 0
        self._running: dict[int, tuple[str, CallLabel, float]] = {}
        self.last_seq = 0

    def begin(self, session: str, label: CallLabel, now: Instant) -> int:
        """Note that a call begins, and return its number."""
        self._calls += 1
        self._running[self._calls] = (session, label, now.monotonic)
        self._add(self._calls, session, label, now)
        return self._calls

    def end(self, call: int, code: str | None, now: Instant, deferred: str | None = None) -> None:
        """Note that a call ends; 0 is a call that nobody is told of."""
        if call:
            session, label, began = self._running.pop(call)
            lasted = (now.monotonic - began) * 1000
            self._add(call, session, label, now, lasted, code, deferred)

    def after(self, seq: int) -> tuple[int, list[CallSeen]]:
        """Return how many events after `seq` are forgotten, and the others, oldest first."""
        wanted = max(0, self.last_seq - max(0, seq))
        kept = min(wanted, len(self._events))
        return wanted - kept, list(islice(self._events, len(self._events) - kept, None))

    def _add(  # noqa: PLR0913, PLR0917 - one event's parts
        self,
        call: int,
        session: str,
        label: CallLabel,
        now: Instant,
        duration_ms: float | None = None,
        code: str | None = None,
        deferred: str | None = None,
    ) -> None:
        self.last_seq += 1
        self._events.append(
            CallSeen(self.last_seq, call, session, label, now.unix_ms, duration_ms, code, deferred)
        )
