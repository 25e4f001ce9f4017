"""What can be told of the broker at one moment: for `/status` and for logs. No secret among it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bridge.broker.events import PageState
from bridge.broker.states import LinkState

__all__ = ["BrokerSnapshot"]


@dataclass(frozen=True, slots=True)
class BrokerSnapshot:
    """The broker as it stands."""

    link: LinkState
    app: str | None
    page_state: PageState | None
    attached_seconds: float | None
    idle_seconds: float
    """Since a page or a terminal last did anything, watching apart; 0 while a page is attached."""
    queued: int
    leased: int
    maximum: int
    sessions: int
    watchers: int
    counters: Mapping[str, int]
