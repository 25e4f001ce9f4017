"""What can happen to the broker: one frozen value for each kind of event.

A `Waiter` is the shell's own name for somebody who waits for an answer. The broker only ever
gives it back, in exactly one `Reply` for each event that carries a new one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NewType, TypeAlias

from bridge.contract.jsonrpc import RequestId, ResponseId

__all__ = [
    "Call",
    "CallLabel",
    "CallerGone",
    "ChannelAlive",
    "ChannelBroken",
    "ChannelFrame",
    "ChannelResult",
    "CloseSession",
    "Connect",
    "Disconnect",
    "Event",
    "Instant",
    "KeepSession",
    "OpenChannel",
    "Opening",
    "OversizeResult",
    "PageState",
    "Poll",
    "PollBroken",
    "Result",
    "Shutdown",
    "StateReport",
    "Tick",
    "Waiter",
    "Watch",
]

Waiter = NewType("Waiter", int)


@dataclass(frozen=True, slots=True)
class Instant:
    """One reading of the two clocks that the broker is driven by."""

    monotonic: float
    """Seconds, from a clock that also counts while the machine sleeps. Decides everything."""
    unix_ms: int
    """Wall clock in milliseconds. Only told to the page, never compared with an older one."""


class PageState(StrEnum):
    """What the page last said of itself in `POST /state`."""

    VISIBLE = "visible"
    HIDDEN = "hidden"
    FROZEN = "frozen"


@dataclass(frozen=True, slots=True)
class Connect:
    """`POST /connect`: a page wants to be the attached one."""

    waiter: Waiter
    app: str


@dataclass(frozen=True, slots=True)
class Poll:
    """`GET /poll`: the attached page asks for work, or waits for it."""

    waiter: Waiter
    client: str
    ack: int | None
    """The highest `seq` that the page's worker has received; None from a link that does not
    acknowledge, which makes all that is leased final."""


@dataclass(frozen=True, slots=True)
class PollBroken:
    """The peer broke off a poll, parked or being answered. `waiter` is the poll's own."""

    waiter: Waiter


@dataclass(frozen=True, slots=True)
class OpenChannel:
    """`GET /channel`: somebody wants to open the channel with a ticket.

    Its waiter is the channel's name in the events and effects that follow.
    """

    waiter: Waiter
    ticket: str


@dataclass(frozen=True, slots=True)
class ChannelResult:
    """One result inside a frame. `response` is None for one that is too large to be sent."""

    item_id: str
    response: bytes | None
    response_id: ResponseId | None = None
    app_error: str | None = None
    """As in `Result`."""
    deferred: str | None = None
    """As in `Result`."""


@dataclass(frozen=True, slots=True)
class ChannelFrame:
    """What the page's worker sent up the channel."""

    channel: Waiter
    results: tuple[ChannelResult, ...]
    ack: int
    """The highest `seq` that the worker has received."""
    taken: int | None = None
    """The highest `seq` that the page's main thread has begun, where the frame tells it."""


@dataclass(frozen=True, slots=True)
class ChannelAlive:
    """The worker's script runs, and has nothing else to say."""

    channel: Waiter


@dataclass(frozen=True, slots=True)
class ChannelBroken:
    """The channel is no more, whoever ended it."""

    channel: Waiter


@dataclass(frozen=True, slots=True)
class Result:
    """`POST /result` with a response."""

    waiter: Waiter
    client: str
    item_id: str
    response: bytes
    """Exactly as the page wrote it, raw line breaks replaced by spaces."""
    response_id: ResponseId
    app_error: str | None = None
    """The app's own error code where the response is an error; for people who watch."""
    deferred: str | None = None
    """Why the call goes on as a task, where it does; for them as well."""


@dataclass(frozen=True, slots=True)
class OversizeResult:
    """`POST /result` with `tooLarge: true`: the action ran, its response cannot be sent."""

    waiter: Waiter
    client: str
    item_id: str


@dataclass(frozen=True, slots=True)
class StateReport:
    """`POST /state`: what the page's main thread says of itself."""

    waiter: Waiter
    client: str
    state: PageState
    taken: int
    """The highest `seq` that the page's main thread has begun."""


@dataclass(frozen=True, slots=True)
class Disconnect:
    """`POST /disconnect`: the page lets go."""

    waiter: Waiter
    client: str


@dataclass(frozen=True, slots=True)
class CallLabel:
    """What a call names itself, for people who watch; nothing is decided by it."""

    method: str | None = None
    action: str | None = None


NO_LABEL = CallLabel()


@dataclass(frozen=True, slots=True)
class Opening:
    """What a page has to be sent first in a session, by whoever uses the session first."""

    request: bytes
    request_id: RequestId


@dataclass(frozen=True, slots=True)
class Call:
    """`POST /rpc`: a terminal wants one message answered by the page."""

    waiter: Waiter
    session: str
    request: bytes
    request_id: RequestId
    timeout_seconds: float
    label: CallLabel = NO_LABEL
    opening: Opening | None = None
    cancellation: bytes | None = None
    """A notification that takes the call back from a page that has not begun it. It names the call
    by the call's own id. None where a caller who hangs up takes nothing back."""


@dataclass(frozen=True, slots=True)
class CallerGone:
    """A terminal hung up while its call, its session's close or its watch was waiting.

    What is queued is dropped. What the page has is taken back, where the call says how, by a
    notification to which nobody gets an answer.
    """

    waiter: Waiter


@dataclass(frozen=True, slots=True)
class CloseSession:
    """`POST /session/close`: a terminal releases its session in the page."""

    waiter: Waiter
    session: str


@dataclass(frozen=True, slots=True)
class KeepSession:
    """`POST /session/keep`: a terminal still needs its session in the page."""

    waiter: Waiter
    session: str


@dataclass(frozen=True, slots=True)
class Watch:
    """`POST /calls`: a terminal wants to see the calls of others."""

    waiter: Waiter
    after: int | None
    """The last event that it has seen; None for only what comes from now on."""
    wait_seconds: float


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed. Due at `Broker.next_wakeup()`, harmless at any other time."""


@dataclass(frozen=True, slots=True)
class Shutdown:
    """The bridge is going: everyone who waits gets `CLOSING`, and so does who comes later."""


Event: TypeAlias = (
    Connect
    | Poll
    | PollBroken
    | OpenChannel
    | ChannelFrame
    | ChannelAlive
    | ChannelBroken
    | Result
    | OversizeResult
    | StateReport
    | Disconnect
    | Call
    | CallerGone
    | CloseSession
    | KeepSession
    | Watch
    | Tick
    | Shutdown
)
