"""The broker: brings what terminals ask to the one attached page, and the answers back.

`handle` takes one event and the time and returns the replies that follow from it; `next_wakeup`
says when to come again with a `Tick`. It first applies all that has become due, in order of
time. It parses nothing and knows no sockets. Contract: delivery, liveness, size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import assert_never

from bridge.broker.attached_client import AttachedClient
from bridge.broker.effects import (
    Accepted,
    Answer,
    Connected,
    Failure,
    NoResponse,
    PollAnswer,
    RawResponse,
    Reply,
    SessionClosed,
)
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
from bridge.broker.ledger import Entry, Ledger
from bridge.broker.sessions import KnownSessions
from bridge.broker.snapshot import BrokerSnapshot
from bridge.broker.states import (
    LINK_TRANSITIONS,
    ItemState,
    ItemTrigger,
    LinkState,
    LinkTrigger,
    step,
)
from bridge.contract.error_codes import BridgeErrorCode, Outcome
from bridge.contract.jsonrpc import NullResponse, RequestId
from bridge.contract.limits import BridgeLimits

__all__ = ["Broker"]


class Broker:
    """One bridge's state machine. `new_id` gives unguessable ids, never the same twice."""

    def __init__(self, limits: BridgeLimits, new_id: Callable[[], str]) -> None:
        self._limits = limits
        self._new_id = new_id
        self._link = LinkState.DETACHED
        self._client: AttachedClient | None = None
        self._now = Instant(0.0, 0)
        self._used_at: float | None = None
        self._counters: Counter[str] = Counter()
        self._replies: list[Reply] = []

    def handle(self, event: Event, now: Instant) -> list[Reply]:
        """Apply one event, after everything that was due before it. Returns all replies."""
        self._replies = []
        due = self._next_due()
        while due is not None and due[0] <= now.monotonic:
            self._now = Instant(max(due[0], self._now.monotonic), now.unix_ms)
            due[1]()
            due = self._next_due()
        # A clock that goes back is treated as one that stands still.
        self._now = Instant(max(now.monotonic, self._now.monotonic), now.unix_ms)
        self._apply(event)
        return self._replies

    def next_wakeup(self) -> float | None:
        """Return the monotonic time at which the next `Tick` is due, or None."""
        due = self._next_due()
        return None if due is None else due[0]

    def snapshot(self, now: Instant) -> BrokerSnapshot:
        """Describe the broker as it stands."""
        client = self._client
        queued = client.ledger.queued if client else 0
        moment = max(now.monotonic, self._now.monotonic)
        return BrokerSnapshot(
            link=self._link,
            app=client.app if client else None,
            page_state=client.page_state if client else None,
            attached_seconds=moment - client.attached_at if client else None,
            idle_seconds=0.0 if self._used_at is None else moment - self._used_at,
            queued=queued,
            leased=len(client.ledger) - queued if client else 0,
            maximum=self._limits.max_outstanding,
            sessions=len(client.sessions) if client else 0,
            counters=dict(self._counters),
        )

    # ---- events

    def _apply(self, event: Event) -> None:  # noqa: C901, PLR0912 - one case for each event
        if not isinstance(event, Tick | CallerGone | PollBroken | Shutdown):
            self._used_at = self._now.monotonic
            if self._link is LinkState.CLOSED:
                carries_outcome = isinstance(event, Call | CloseSession)
                self._fail(
                    event.waiter,
                    BridgeErrorCode.CLOSING,
                    Outcome.NOT_DELIVERED if carries_outcome else None,
                )
                return
        match event:
            case Connect():
                self._connect(event)
            case Poll():
                self._poll(event)
            case PollBroken():
                self._poll_broken(event)
            case Result() | OversizeResult():
                self._result(event)
            case StateReport():
                self._state_report(event)
            case Disconnect():
                self._disconnect(event)
            case Call():
                self._call(event)
            case CallerGone():
                self._caller_gone(event)
            case CloseSession():
                self._close_session(event)
            case Shutdown():
                self._shutdown()
            case Tick():
                pass
            case _:
                assert_never(event)

    def _connect(self, event: Connect) -> None:
        if self._client is not None:
            self._fail(event.waiter, BridgeErrorCode.ALREADY_ATTACHED)
            return
        self._move(LinkTrigger.CONNECT)
        now = self._now.monotonic
        self._client = AttachedClient(
            id=self._new_id(),
            app=event.app,
            ledger=Ledger(self._limits.max_answered_ids),
            sessions=KnownSessions(self._limits.max_known_sessions),
            attached_at=now,
            last_seen=now,
        )
        self._counters["attachments"] += 1
        self._reply(event.waiter, Connected(self._client.id))

    def _poll(self, event: Poll) -> None:
        client = self._current(event)
        if client is None:
            return
        if event.ack is not None and event.ack > client.ledger.highest_seq:
            self._fail(event.waiter, BridgeErrorCode.BAD_REQUEST)
            return
        if client.poll is not None:
            self._fail(client.poll, BridgeErrorCode.POLL_SUPERSEDED)
        if client.page_state is PageState.FROZEN:
            client.page_state = None
        if event.ack is None:
            client.ledger.settle()
        else:
            client.ledger.acknowledge(event.ack)
        self._move(LinkTrigger.POLL)
        self._counters["polls"] += 1
        client.poll = event.waiter
        client.poll_acknowledges = event.ack is not None
        client.poll_until = self._now.monotonic + self._limits.max_poll_seconds
        client.answered_poll = None
        self._offer()

    def _poll_broken(self, event: PollBroken) -> None:
        client = self._client
        if client is None or event.waiter not in (client.poll, client.answered_poll):
            return
        client.poll = client.answered_poll = None
        client.last_seen = self._now.monotonic
        client.grace_until = self._now.monotonic + self._limits.client_grace_seconds
        self._move(LinkTrigger.BREAK)
        self._counters["polls_broken"] += 1

    def _result(self, event: Result | OversizeResult) -> None:
        client = self._current(event)
        if client is None:
            return
        client.last_seen = self._now.monotonic
        entry = client.ledger.leased(event.item_id)
        if entry is None:
            duplicate = client.ledger.was_answered(event.item_id)
            self._refuse_result(
                event,
                BridgeErrorCode.DUPLICATE_RESULT if duplicate else BridgeErrorCode.UNKNOWN_REQUEST,
            )
            return
        if isinstance(event, Result) and not entry.is_answered_by(event.response_id):
            self._refuse_result(event, BridgeErrorCode.RESULT_MISMATCH)
            return
        client.ledger.end(entry, ItemTrigger.ANSWER)
        self._counters["answered"] += 1
        self._reply(entry.waiter, self._answer_of(client, entry, event))
        self._reply(event.waiter, Accepted())

    def _answer_of(
        self, client: AttachedClient, entry: Entry, event: Result | OversizeResult
    ) -> Answer:
        if isinstance(event, OversizeResult):
            return Failure(BridgeErrorCode.RESULT_TOO_LARGE, Outcome.UNKNOWN)
        if entry.request is None:
            if not client.ledger.has_session(entry.session):
                client.sessions.discard(entry.session)
            return SessionClosed()
        if isinstance(event.response_id, NullResponse):
            return NoResponse()
        return RawResponse(event.response)

    def _refuse_result(self, event: Result | OversizeResult, code: BridgeErrorCode) -> None:
        self._counters["results_refused"] += 1
        self._fail(event.waiter, code)

    def _state_report(self, event: StateReport) -> None:
        client = self._current(event)
        if client is None:
            return
        if event.taken > client.ledger.highest_seq:
            self._fail(event.waiter, BridgeErrorCode.BAD_REQUEST)
            return
        client.taken = max(client.taken, event.taken)
        if event.state is PageState.HIDDEN and client.page_state is not PageState.HIDDEN:
            client.hidden_since = self._now.monotonic
        client.page_state = event.state
        self._reply(event.waiter, Accepted())
        if event.state is PageState.FROZEN:
            for entry in client.ledger:
                self._end(entry, ItemTrigger.FAIL, BridgeErrorCode.TAB_SUSPENDED)

    def _disconnect(self, event: Disconnect) -> None:
        if self._current(event) is None:
            return
        self._reply(event.waiter, Accepted())
        self._client_gone()

    def _call(self, event: Call) -> None:
        client = self._client
        if client is None:
            self._fail(event.waiter, BridgeErrorCode.NOT_ATTACHED, Outcome.NOT_DELIVERED)
            return
        if self._enqueue(
            client,
            event.waiter,
            event.session,
            event.timeout_seconds,
            event.request,
            event.request_id,
        ):
            client.sessions.add(event.session)

    def _close_session(self, event: CloseSession) -> None:
        client = self._client
        if client is None or event.session not in client.sessions:
            self._reply(event.waiter, SessionClosed())
            return
        self._enqueue(
            client, event.waiter, event.session, self._limits.max_call_seconds, None, None
        )

    def _enqueue(  # noqa: PLR0913, PLR0917 - one entry's parts
        self,
        client: AttachedClient,
        waiter: Waiter,
        session: str,
        seconds: float,
        request: bytes | None,
        request_id: RequestId | None,
    ) -> bool:
        refusal = None
        if client.page_state is PageState.FROZEN:
            refusal = BridgeErrorCode.TAB_SUSPENDED
        elif len(client.ledger) >= self._limits.max_outstanding:
            refusal = BridgeErrorCode.QUEUE_FULL
        if refusal is not None:
            self._counters[f"failed_{refusal.lower()}"] += 1
            self._fail(waiter, refusal, Outcome.NOT_DELIVERED)
            return False
        client.ledger.add(
            Entry(
                id=self._new_id(),
                waiter=waiter,
                session=session,
                deadline=self._now.monotonic + seconds,
                request=request,
                request_id=request_id,
            )
        )
        self._counters["accepted"] += 1
        self._offer()
        return True

    def _caller_gone(self, event: CallerGone) -> None:
        entry = self._client.ledger.of_waiter(event.waiter) if self._client else None
        if self._client is not None and entry is not None:
            self._client.ledger.end(entry, ItemTrigger.ABANDON)
            self._counters["abandoned"] += 1

    def _shutdown(self) -> None:
        client = self._client
        if client is not None:
            if client.poll is not None:
                self._fail(client.poll, BridgeErrorCode.CLOSING)
            for entry in client.ledger:
                self._end(entry, ItemTrigger.FAIL, BridgeErrorCode.CLOSING)
        self._client = None
        self._move(LinkTrigger.SHUTDOWN)

    # ---- what becomes due

    def _next_due(self) -> tuple[float, Callable[[], None]] | None:
        return min(self._all_due(), key=lambda due: due[0], default=None)

    def _all_due(self) -> Iterator[tuple[float, Callable[[], None]]]:
        client = self._client
        if client is None:
            return
        limits = self._limits
        for entry in client.ledger:
            yield (
                entry.deadline,
                lambda entry=entry: self._end(  # type: ignore[misc]
                    entry, ItemTrigger.EXPIRE, BridgeErrorCode.TIMEOUT
                ),
            )
            if (
                client.page_state is PageState.HIDDEN
                and entry.state is not ItemState.QUEUED
                and entry.seq > client.taken
            ):
                since = max(entry.leased_at, client.hidden_since)
                yield (
                    since + limits.suspended_after_seconds,
                    lambda entry=entry: self._end(  # type: ignore[misc]
                        entry, ItemTrigger.FAIL, BridgeErrorCode.TAB_SUSPENDED
                    ),
                )
        if client.poll is not None:
            yield client.poll_until, self._answer_poll
        elif self._link is LinkState.BROKEN:
            yield client.grace_until, self._client_gone
        else:
            yield client.last_seen + limits.client_expiry_seconds, self._client_gone

    def _client_gone(self) -> None:
        client = self._client
        if client is None:
            return
        if client.poll is not None:
            self._fail(client.poll, BridgeErrorCode.STALE_CLIENT)
        for entry in client.ledger:
            self._end(entry, ItemTrigger.FAIL, BridgeErrorCode.BROWSER_GONE)
        self._client = None
        self._move(LinkTrigger.GONE)
        self._counters["detachments"] += 1

    # ---- offering

    def _offer(self) -> None:
        """Answer the parked poll, if there is one and there is something to offer."""
        client = self._client
        if client is None or client.poll is None:
            return
        offered = client.ledger.offer(self._limits.max_poll_items, self._now.monotonic)
        if offered:
            self._answer_poll(offered)
            if not client.poll_acknowledges:
                client.ledger.settle()

    def _answer_poll(self, offered: list[Entry] | None = None) -> None:
        client = self._client
        if client is None or client.poll is None:
            return
        items = tuple(entry.item(self._now) for entry in offered or ())
        self._reply(client.poll, PollAnswer(self._now.unix_ms, items))
        client.answered_poll, client.poll = client.poll, None
        client.last_seen = self._now.monotonic
        self._move(LinkTrigger.ANSWER)

    # ---- replies

    def _current(
        self, event: Poll | Result | OversizeResult | StateReport | Disconnect
    ) -> AttachedClient | None:
        """Return the attached client if it is the event's, else answer that it is stale."""
        if self._client is not None and self._client.id == event.client:
            return self._client
        self._fail(event.waiter, BridgeErrorCode.STALE_CLIENT)
        return None

    def _end(self, entry: Entry, trigger: ItemTrigger, code: BridgeErrorCode) -> None:
        if self._client is not None:
            self._client.ledger.end(entry, trigger)
            self._counters[f"failed_{code.lower()}"] += 1
            self._fail(entry.waiter, code, entry.outcome)

    def _fail(self, waiter: Waiter, code: BridgeErrorCode, outcome: Outcome | None = None) -> None:
        self._reply(waiter, Failure(code, outcome))

    def _reply(self, waiter: Waiter, answer: Answer) -> None:
        self._replies.append(Reply(waiter, answer))

    def _move(self, trigger: LinkTrigger) -> None:
        self._link = step(LINK_TRANSITIONS, self._link, trigger)
