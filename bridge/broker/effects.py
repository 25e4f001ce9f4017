"""What the broker asks its shell to do: answer somebody who waits. Nothing else leaves it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from bridge.broker.events import Waiter
from bridge.contract.error_codes import BridgeErrorCode, Outcome

__all__ = [
    "Accepted",
    "Answer",
    "CloseJob",
    "Connected",
    "Failure",
    "Item",
    "NoResponse",
    "PollAnswer",
    "RawResponse",
    "Reply",
    "RpcItem",
    "SessionClosed",
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


@dataclass(frozen=True, slots=True)
class PollAnswer:
    """Answers `Poll`: the offered items, oldest first, or none after the longest wait."""

    now_unix_ms: int
    items: tuple[Item, ...]


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
class Failure:
    """Answers any event with an error. `outcome` is set for `Call` and `CloseSession` only."""

    code: BridgeErrorCode
    outcome: Outcome | None = None


Answer: TypeAlias = (
    Connected | PollAnswer | Accepted | RawResponse | NoResponse | SessionClosed | Failure
)


@dataclass(frozen=True, slots=True)
class Reply:
    """Answer the waiter. Each waiter gets exactly one, unless it has gone before."""

    waiter: Waiter
    answer: Answer
