"""A broker with scripted peers: a test reads as a conversation, with the clock in its hand."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from bridge.broker import Broker
from bridge.broker.effects import Answer, Connected, Item, PollAnswer, Reply
from bridge.broker.events import (
    Call,
    CallerGone,
    CloseSession,
    Connect,
    Disconnect,
    Event,
    Instant,
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
from bridge.contract.jsonrpc import NullResponse, RequestId, ResponseId, StringId
from bridge.contract.limits import BRIDGE_LIMITS, BridgeLimits

__all__ = ["Conversation"]


@dataclass
class Conversation:
    """Sends events and remembers who was answered what. `at` is the monotonic clock."""

    limits: BridgeLimits = BRIDGE_LIMITS
    at: float = 1000.0
    unix_ms: int = 1_800_000_000_000
    answers: dict[Waiter, list[Answer]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ids = itertools.count(1)
        self.broker = Broker(self.limits, lambda: f"id-{next(ids)}")
        self._waiters = itertools.count(1)
        self.client = ""

    @property
    def now(self) -> Instant:
        return Instant(self.at, self.unix_ms)

    def send(self, event: Event) -> list[Reply]:
        replies = self.broker.handle(event, self.now)
        for reply in replies:
            self.answers.setdefault(reply.waiter, []).append(reply.answer)
        return replies

    def later(self, seconds: float) -> list[Reply]:
        """Let time pass, wake the broker at each moment it asked for, and return all replies."""
        end = self.at + seconds
        replies: list[Reply] = []
        while (due := self.broker.next_wakeup()) is not None and due <= end:
            self.unix_ms += int((max(due, self.at) - self.at) * 1000)
            self.at = max(due, self.at)
            replies += self.send(Tick())
        self.unix_ms += int((end - self.at) * 1000)
        self.at = end
        return replies + self.send(Tick())

    def waiter(self) -> Waiter:
        return Waiter(next(self._waiters))

    def answer(self, waiter: Waiter) -> Answer | None:
        """Return the one answer that a waiter got, or None while it waits."""
        got = self.answers.get(waiter, [])
        assert len(got) <= 1, f"waiter {waiter} was answered {len(got)} times"
        return got[0] if got else None

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
        waiter = self.waiter()
        self.send(Poll(waiter, client or self.client, ack))
        return waiter

    def items(self, waiter: Waiter) -> tuple[Item, ...]:
        """Return what a poll was answered."""
        answer = self.answer(waiter)
        assert isinstance(answer, PollAnswer), answer
        return answer.items

    def break_off(self, waiter: Waiter) -> None:
        self.send(PollBroken(waiter))

    def call(
        self,
        request: bytes = b'{"id":"a"}',
        *,
        session: str = "s",
        request_id: RequestId | None = None,
        seconds: float = 30.0,
    ) -> Waiter:
        waiter = self.waiter()
        self.send(Call(waiter, session, request, request_id or StringId("a"), seconds))
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
        waiter = self.waiter()
        self.send(
            Result(waiter, client or self.client, item_id, response, response_id or StringId("a"))
        )
        return self.answer(waiter)

    def null_result(self, item_id: str) -> Answer | None:
        return self.result(item_id, b"null", NullResponse())

    def oversize(self, item_id: str) -> Answer | None:
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
