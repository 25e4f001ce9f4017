"""The two state machines of the bridge, as tables: the page's link, and one request.

A step that a table does not have is an `IllegalTransitionError` and changes nothing. The tables
are drawn in ARCHITECTURE.md by `render_transition_tables`, and a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, TypeVar

__all__ = [
    "ITEM_TRANSITIONS",
    "LINK_TRANSITIONS",
    "IllegalTransitionError",
    "ItemState",
    "ItemTrigger",
    "LinkState",
    "LinkTrigger",
    "render_transition_tables",
    "step",
]


class LinkState(StrEnum):
    """How the bridge stands with a page."""

    DETACHED = "detached"
    IDLE = "idle"
    """Attached, with no poll open: it is working, or about to poll."""
    POLLING = "polling"
    CHANNEL = "channel"
    """Attached, with its channel open."""
    BROKEN = "broken"
    """Its poll or channel broke off; it has a moment to come back."""
    CLOSED = "closed"


class LinkTrigger(StrEnum):
    """What moves a link."""

    CONNECT = "connect"
    POLL = "poll"
    OPEN = "open"
    ANSWER = "answer"
    BREAK = "break"
    GONE = "gone"
    SHUTDOWN = "shutdown"


class ItemState(StrEnum):
    """Where one request stands. The last four are ends."""

    QUEUED = "queued"
    LEASED = "leased"
    """It was sent to the page; it is offered again until it is acknowledged."""
    FINAL = "final"
    """The page has it, or was told that it gets it only once."""
    ANSWERED = "answered"
    TIMED_OUT = "timed out"
    ABANDONED = "abandoned"
    FAILED = "failed"


class ItemTrigger(StrEnum):
    """What moves a request."""

    LEASE = "lease"
    SETTLE = "settle"
    ANSWER = "answer"
    EXPIRE = "expire"
    ABANDON = "abandon"
    FAIL = "fail"


LINK_TRANSITIONS: Final[Mapping[tuple[LinkState, LinkTrigger], LinkState]] = MappingProxyType(
    {
        (LinkState.DETACHED, LinkTrigger.CONNECT): LinkState.IDLE,
        (LinkState.DETACHED, LinkTrigger.SHUTDOWN): LinkState.CLOSED,
        (LinkState.IDLE, LinkTrigger.POLL): LinkState.POLLING,
        (LinkState.IDLE, LinkTrigger.OPEN): LinkState.CHANNEL,
        (LinkState.IDLE, LinkTrigger.BREAK): LinkState.BROKEN,
        (LinkState.IDLE, LinkTrigger.GONE): LinkState.DETACHED,
        (LinkState.IDLE, LinkTrigger.SHUTDOWN): LinkState.CLOSED,
        (LinkState.POLLING, LinkTrigger.POLL): LinkState.POLLING,
        (LinkState.POLLING, LinkTrigger.OPEN): LinkState.CHANNEL,
        (LinkState.POLLING, LinkTrigger.ANSWER): LinkState.IDLE,
        (LinkState.POLLING, LinkTrigger.BREAK): LinkState.BROKEN,
        (LinkState.POLLING, LinkTrigger.GONE): LinkState.DETACHED,
        (LinkState.POLLING, LinkTrigger.SHUTDOWN): LinkState.CLOSED,
        (LinkState.CHANNEL, LinkTrigger.POLL): LinkState.POLLING,
        (LinkState.CHANNEL, LinkTrigger.OPEN): LinkState.CHANNEL,
        (LinkState.CHANNEL, LinkTrigger.BREAK): LinkState.BROKEN,
        (LinkState.CHANNEL, LinkTrigger.GONE): LinkState.DETACHED,
        (LinkState.CHANNEL, LinkTrigger.SHUTDOWN): LinkState.CLOSED,
        (LinkState.BROKEN, LinkTrigger.POLL): LinkState.POLLING,
        (LinkState.BROKEN, LinkTrigger.OPEN): LinkState.CHANNEL,
        (LinkState.BROKEN, LinkTrigger.GONE): LinkState.DETACHED,
        (LinkState.BROKEN, LinkTrigger.SHUTDOWN): LinkState.CLOSED,
        (LinkState.CLOSED, LinkTrigger.SHUTDOWN): LinkState.CLOSED,
    }
)

_OPEN: Final = (ItemState.QUEUED, ItemState.LEASED, ItemState.FINAL)

ITEM_TRANSITIONS: Final[Mapping[tuple[ItemState, ItemTrigger], ItemState]] = MappingProxyType(
    {
        (ItemState.QUEUED, ItemTrigger.LEASE): ItemState.LEASED,
        (ItemState.LEASED, ItemTrigger.LEASE): ItemState.LEASED,
        (ItemState.LEASED, ItemTrigger.SETTLE): ItemState.FINAL,
        (ItemState.LEASED, ItemTrigger.ANSWER): ItemState.ANSWERED,
        (ItemState.FINAL, ItemTrigger.ANSWER): ItemState.ANSWERED,
    }
    | {(state, ItemTrigger.EXPIRE): ItemState.TIMED_OUT for state in _OPEN}
    | {(state, ItemTrigger.ABANDON): ItemState.ABANDONED for state in _OPEN}
    | {(state, ItemTrigger.FAIL): ItemState.FAILED for state in _OPEN}
)


class IllegalTransitionError(RuntimeError):
    """A step that the table does not have: a fault of ours, never of a peer."""


State = TypeVar("State", bound=StrEnum)
Trigger = TypeVar("Trigger", bound=StrEnum)


def step(table: Mapping[tuple[State, Trigger], State], state: State, trigger: Trigger) -> State:
    """Return the next state. Raises `IllegalTransitionError` where the table has none."""
    try:
        return table[state, trigger]
    except KeyError:
        raise IllegalTransitionError(f"{state!r} has no step for {trigger!r}") from None


def render_transition_tables() -> str:
    """Draw both machines as Markdown tables: a row for each state, a column for each trigger."""
    return "\n\n".join(
        (
            _render(LINK_TRANSITIONS, list(LinkState), list(LinkTrigger)),
            _render(ITEM_TRANSITIONS, list(ItemState), list(ItemTrigger)),
        )
    )


def _render(
    table: Mapping[tuple[State, Trigger], State], states: list[State], triggers: list[Trigger]
) -> str:
    rows: list[list[str]] = [["", *triggers], ["---"] * (len(triggers) + 1)]
    for state in states:
        steps = [str(table.get((state, trigger), "")) for trigger in triggers]
        rows.append([f"**{state}**", *steps])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
