"""A broker with scripted peers: a test reads as a conversation, with the clock in its hand.

Whoever carries the items, a test asks for them by `poll`: over a channel that means to say on the
open one what was received, and to open a new one, which is offered again what was not.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Literal

from bridge.broker import Broker
from bridge.broker.effects import (
    Accepted,
    Answer,
    ChannelEnd,
    ChannelOpened,
    Connected,
    Effect,
    EndChannel,
    Failure,
    Item,
    PollAnswer,
    Reply,
    SendItems,
    SendRefusal,
)
from bridge.broker.events import (
    Call,
    CallerGone,
    ChannelAlive,
    ChannelBroken,
    ChannelFrame,
    ChannelResult,
    CloseSession,
    Connect,
    Disconnect,
    Event,
    Instant,
    KeepSession,
    OpenChannel,
    Opening,
    OversizeResult,
    PageState,
    Poll,
    PollBroken,
    Result,
    Shutdown,
    StateReport,
    Tick,
    Waiter,
)
from bridge.contract.error_codes import BridgeErrorCode
from bridge.contract.jsonrpc import NullResponse, RequestId, ResponseId, StringId
from bridge.contract.limits import BRIDGE_LIMITS, BridgeLimits

__all__ = ["Carrier", "Conversation"]

Carrier = Literal["poll", "channel"]

_AS_A_POLL_IS_TOLD = {
    ChannelEnd.SUPERSEDED: BridgeErrorCode.POLL_SUPERSEDED,
    ChannelEnd.STALE: BridgeErrorCode.STALE_CLIENT,
    ChannelEnd.MALFORMED: BridgeErrorCode.BAD_REQUEST,
    ChannelEnd.CLOSING: BridgeErrorCode.CLOSING,
}


@dataclass
class Conversation:
    """Sends events and remembers who was answered what. `at` is the monotonic clock."""

    limits: BridgeLimits = BRIDGE_LIMITS
    carrier: Carrier = "poll"
    at: float = 1000.0
    unix_ms: int = 1_800_000_000_000
    answers: dict[Waiter, list[Answer]] = field(default_factory=dict)
    sent: dict[Waiter, list[Item]] = field(default_factory=dict)
    """What each channel carried."""
    ended: dict[Waiter, ChannelEnd] = field(default_factory=dict)
    channel: Waiter | None = None
    """The channel that the page holds open."""
    ticket: str | None = None
    """The newest that the page was given."""

    def __post_init__(self) -> None:
        self.issued: list[str] = []
        """Every id and ticket that the broker was given, oldest first."""
        ids = itertools.count(1)

        def new_id() -> str:
            self.issued.append(f"id-{next(ids)}")
            return self.issued[-1]

        self.broker = Broker(self.limits, new_id, channels=self.carrier == "channel")
        self._waiters = itertools.count(1)
        self.client = ""

    @property
    def now(self) -> Instant:
        return Instant(self.at, self.unix_ms)

    def send(self, event: Event) -> list[Effect]:
        effects = self.broker.handle(event, self.now)
        for effect in effects:
            match effect:
                case Reply(waiter, answer):
                    self.answers.setdefault(waiter, []).append(answer)
                    if isinstance(answer, Connected | PollAnswer):
                        self.ticket = answer.ticket
                case SendItems(channel, _, items):
                    self.sent[channel] += items
                case EndChannel(channel, reason):
                    self.ended[channel] = reason
                    if channel == self.channel:
                        self.channel = None
                case SendRefusal():
                    pass
        return effects

    def later(self, seconds: float) -> list[Effect]:
        """Let time pass, wake the broker at each moment it asked for, and return all effects."""
        end = self.at + seconds
        effects: list[Effect] = []
        while (due := self.broker.next_wakeup()) is not None and due <= end:
            self.unix_ms += int((max(due, self.at) - self.at) * 1000)
            self.at = max(due, self.at)
            effects += self.send(Tick())
        self.unix_ms += int((end - self.at) * 1000)
        self.at = end
        return effects + self.send(Tick())

    def waiter(self) -> Waiter:
        return Waiter(next(self._waiters))

    def answer(self, waiter: Waiter) -> Answer | None:
        """Return the one answer that a waiter got, or None while it waits."""
        got = self.answers.get(waiter, [])
        assert len(got) <= 1, f"waiter {waiter} was answered {len(got)} times"
        if waiter in self.ended:
            return Failure(_AS_A_POLL_IS_TOLD[self.ended[waiter]])
        if self.sent.get(waiter):
            return PollAnswer(self.unix_ms, tuple(self.sent[waiter]))
        if waiter in self.sent and got == [Failure(BridgeErrorCode.UNAUTHORIZED)]:
            return Failure(BridgeErrorCode.STALE_CLIENT)
        return got[0] if got and not isinstance(got[0], ChannelOpened) else None

    def connect(self, app: str = "App") -> str:
        waiter = self.waiter()
        self.send(Connect(waiter, app))
        answer = self.answer(waiter)
        assert isinstance(answer, Connected), answer
        self.client = answer.client
        return answer.client

    def try_connect(self) -> Answer | None:
        waiter = self.waiter()
        self.send(Connect(waiter, "Other"))
        return self.answer(waiter)

    def poll(self, ack: int | None = 0, client: str | None = None) -> Waiter:
        """Ask for items and say which were received; return the name of what will carry them."""
        if self.carrier == "channel":
            return self._take_over(ack or 0)
        waiter = self.waiter()
        self.send(Poll(waiter, client or self.client, ack))
        return waiter

    def _take_over(self, ack: int) -> Waiter:
        if self.channel is not None:
            self.frame(ack=ack)
            return self.open_channel(self.new_ticket())
        channel = self.open_channel(self.new_ticket())
        if self.answers[channel] == [ChannelOpened()]:
            self.frame(ack=ack)
        return channel

    def new_ticket(self) -> str:
        """Return a ticket, as a poll's answer would bring it."""
        client = self.broker._page.client
        return (self.broker._page._ticket(client) or "") if client else "of nobody"

    def open_channel(self, ticket: str | None = None) -> Waiter:
        """Open the channel, by the newest ticket unless another is given."""
        channel = self.waiter()
        self.sent[channel] = []
        self.send(OpenChannel(channel, self.ticket or "" if ticket is None else ticket))
        if self.answers[channel] == [ChannelOpened()]:
            self.channel = channel
        return channel

    def frame(
        self, *results: ChannelResult, ack: int = 0, taken: int | None = None
    ) -> list[Effect]:
        """Send a frame up the open channel."""
        assert self.channel is not None
        return self.send(ChannelFrame(self.channel, results, ack, taken))

    def alive(self) -> None:
        assert self.channel is not None
        self.send(ChannelAlive(self.channel))

    def items(self, carrier: Waiter) -> tuple[Item, ...]:
        """Return what a poll was answered, or what a channel has carried so far."""
        answer = self.answer(carrier)
        assert isinstance(answer, PollAnswer), answer
        return answer.items

    def break_off(self, carrier: Waiter) -> None:
        if carrier not in self.sent:
            self.send(PollBroken(carrier))
            return
        if self.channel == carrier:
            self.channel = None
        self.send(ChannelBroken(carrier))

    def call(
        self,
        request: bytes = b'{"id":"a"}',
        *,
        session: str = "s",
        request_id: RequestId | None = None,
        seconds: float = 30.0,
        opening: bytes | None = None,
        cancellation: bytes | None = None,
    ) -> Waiter:
        waiter = self.waiter()
        opens = None if opening is None else Opening(opening, StringId("o"))
        named = request_id or StringId("a")
        self.send(
            Call(
                waiter,
                session,
                request,
                named,
                seconds,
                opening=opens,
                cancellation=cancellation,
            )
        )
        return waiter

    def keep_session(self, session: str = "s") -> Waiter:
        waiter = self.waiter()
        self.send(KeepSession(waiter, session))
        return waiter

    def close_session(self, session: str = "s") -> Waiter:
        waiter = self.waiter()
        self.send(CloseSession(waiter, session))
        return waiter

    def hang_up(self, waiter: Waiter) -> None:
        self.send(CallerGone(waiter))

    def result(
        self,
        item_id: str,
        response: bytes = b'{"id":"a","result":{}}',
        response_id: ResponseId | None = None,
        client: str | None = None,
    ) -> Answer | None:
        given = response_id or StringId("a")
        if self.channel is not None and client is None:
            return self._settled(ChannelResult(item_id, response, given))
        waiter = self.waiter()
        self.send(Result(waiter, client or self.client, item_id, response, given))
        return self.answer(waiter)

    def _settled(self, result: ChannelResult) -> Answer:
        for effect in self.frame(result):
            if isinstance(effect, SendRefusal):
                assert (effect.channel, effect.item_id) == (self.channel, result.item_id)
                return Failure(effect.code)
        return Accepted()

    def null_result(self, item_id: str) -> Answer | None:
        return self.result(item_id, b"null", NullResponse())

    def oversize(self, item_id: str) -> Answer | None:
        if self.channel is not None:
            return self._settled(ChannelResult(item_id, None))
        waiter = self.waiter()
        self.send(OversizeResult(waiter, self.client, item_id))
        return self.answer(waiter)

    def report(self, state: PageState, taken: int = 0) -> Answer | None:
        waiter = self.waiter()
        self.send(StateReport(waiter, self.client, state, taken))
        return self.answer(waiter)

    def disconnect(self, client: str | None = None) -> Answer | None:
        waiter = self.waiter()
        self.send(Disconnect(waiter, client or self.client))
        return self.answer(waiter)

    def shutdown(self) -> None:
        self.send(Shutdown())
