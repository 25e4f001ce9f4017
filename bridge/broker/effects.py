"""What the broker asks its shell to do: answer somebody who waits, or send on the open channel.

Nothing else leaves it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from bridge.broker.call_journal import CallSeen
from bridge.broker.events import Waiter
from bridge.contract.error_codes import BridgeErrorCode, Outcome

__all__ = [
    "Accepted",
    "Answer",
    "CallsSeen",
    "ChannelEnd",
    "ChannelOpened",
    "CloseJob",
    "Connected",
    "Effect",
    "EndChannel",
    "Failure",
    "Item",
    "NoResponse",
    "PollAnswer",
    "RawResponse",
    "Reply",
    "RpcItem",
    "SendItems",
    "SendRefusal",
    "SessionClosed",
    "SessionKept",
]


@dataclass(frozen=True, slots=True)
class RpcItem:
    """One request in a poll's answer."""

    id: str
    seq: int
    session: str
    request: bytes
    deadline_unix_ms: int


@dataclass(frozen=True, slots=True)
class CloseJob:
    """One session to be closed, in a poll's answer."""

    id: str
    seq: int
    session: str
    deadline_unix_ms: int


Item: TypeAlias = RpcItem | CloseJob


@dataclass(frozen=True, slots=True)
class Connected:
    """Answers `Connect`."""

    client: str
    ticket: str | None = None
    """Opens the channel once; None where the bridge offers none."""


@dataclass(frozen=True, slots=True)
class PollAnswer:
    """Answers `Poll`: the offered items, oldest first, or none after the longest wait."""

    now_unix_ms: int
    items: tuple[Item, ...]
    ticket: str | None = None
    """As in `Connected`."""


@dataclass(frozen=True, slots=True)
class ChannelOpened:
    """Answers `OpenChannel`: its waiter is the channel's name from now on."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """Answers `Result`, `OversizeResult`, `StateReport` and `Disconnect`."""


@dataclass(frozen=True, slots=True)
class RawResponse:
    """Answers `Call`: the page's response, byte for byte."""

    body: bytes


@dataclass(frozen=True, slots=True)
class NoResponse:
    """Answers a `Call` without an id: the page took it, and there is nothing to answer."""


@dataclass(frozen=True, slots=True)
class SessionClosed:
    """Answers `CloseSession`."""


@dataclass(frozen=True, slots=True)
class SessionKept:
    """Answers `KeepSession`."""

    kept: bool
    """False where the attached page knows of no such session, or none is attached."""


@dataclass(frozen=True, slots=True)
class CallsSeen:
    """Answers `Watch`: `last_seq` is what to ask after next."""

    now_unix_ms: int
    last_seq: int
    missed: int
    events: tuple[CallSeen, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """Answers any event with an error. `outcome` is set for `Call` and `CloseSession` only."""

    code: BridgeErrorCode
    outcome: Outcome | None = None


Answer: TypeAlias = (
    Connected
    | PollAnswer
    | ChannelOpened
    | Accepted
    | RawResponse
    | NoResponse
    | SessionClosed
    | SessionKept
    | CallsSeen
    | Failure
)


@dataclass(frozen=True, slots=True)
class Reply:
    """Answer the waiter. Each waiter gets exactly one, unless it has gone before."""

    waiter: Waiter
    answer: Answer


@dataclass(frozen=True, slots=True)
class SendItems:
    """Send offered items down the channel."""

    channel: Waiter
    now_unix_ms: int
    items: tuple[Item, ...]
    alone: bool = False
    """Nothing else is outstanding: there is nothing to gather it with."""


@dataclass(frozen=True, slots=True)
class SendRefusal:
    """Tell the page that a result which came up the channel was not taken."""

    channel: Waiter
    item_id: str
    code: BridgeErrorCode


class ChannelEnd(Enum):
    """Why the bridge ends a channel."""

    SUPERSEDED = "superseded"
    """A newer transport of the same client has taken over."""
    STALE = "stale"
    """The client is gone: it was disconnected, or nothing came for too long."""
    MALFORMED = "malformed"
    """A frame said what cannot be."""
    CLOSING = "closing"
    """The bridge is shutting down."""


@dataclass(frozen=True, slots=True)
class EndChannel:
    """Close the channel. Nothing that still comes from it is looked at."""

    channel: Waiter
    reason: ChannelEnd


Effect: TypeAlias = Reply | SendItems | SendRefusal | EndChannel
