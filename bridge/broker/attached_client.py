"""What the broker knows of the one attached page. Decides nothing."""

from __future__ import annotations

from dataclasses import dataclass

from bridge.broker.events import PageState, Waiter
from bridge.broker.ledger import Ledger
from bridge.broker.sessions import KnownSessions

__all__ = ["AttachedClient"]


@dataclass(slots=True)
class AttachedClient:
    """One attachment, from its `/connect` to its end. Times are monotonic seconds."""

    id: str
    app: str
    ledger: Ledger
    sessions: KnownSessions
    attached_at: float
    last_seen: float
    """When its last poll ended or its last result came."""
    poll: Waiter | None = None
    poll_acknowledges: bool = False
    poll_until: float = 0.0
    answered_poll: Waiter | None = None
    """The last poll, if it was answered: its answer may still break off on the way."""
    grace_until: float = 0.0
    page_state: PageState | None = None
    hidden_since: float = 0.0
    taken: int = 0
