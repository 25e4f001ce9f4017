"""What the broker knows of the one attached page. Decides nothing."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.broker.events import PageState, Waiter
from bridge.broker.ledger import Entry, Ledger
from bridge.broker.sessions import KnownSessions
from bridge.broker.states import ItemTrigger
from bridge.broker.tickets import Tickets

__all__ = ["AttachedClient", "OpenedChannel", "ParkedPoll"]


@dataclass(slots=True)
class ParkedPoll:
    """A poll that waits for something to carry."""

    waiter: Waiter
    acknowledges: bool
    until: float


@dataclass(slots=True)
class OpenedChannel:
    """The open channel."""

    name: Waiter
    heard_at: float
    """When its last frame came."""


@dataclass(slots=True)
class AttachedClient:
    """One attachment, from its `/connect` to its end. Times are monotonic seconds."""

    id: str
    app: str
    ledger: Ledger
    sessions: KnownSessions
    tickets: Tickets
    attached_at: float
    last_seen: float
    """When its last transport ended or its last result came."""
    transport: ParkedPoll | OpenedChannel | None = None
    answered_poll: Waiter | None = None
    """The last poll, if it was answered: its answer may still break off on the way."""
    grace_until: float = 0.0
    page_state: PageState | None = None
    hidden_since: float = 0.0
    taken: int = 0

    def end(self, entry: Entry, trigger: ItemTrigger, now: float) -> None:
        """Take an entry to one of its ends, which is a sign of its session."""
        self.ledger.end(entry, trigger)
        self.sessions.touch(entry.session, now)
        if entry.request is None and entry.seq:
            self.sessions.closing(entry.session, entry.seq)
