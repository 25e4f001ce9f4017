"""The broker: brings what terminals ask to the one attached page, and the answers back.

`handle` takes one event and the time and returns the effects that follow from it; `next_wakeup`
says when to come again with a `Tick`. It first applies all that has become due, in order of
time. It parses nothing and knows no sockets. Here is the terminals' side, `page_link.py` is the
page's. Contract: delivery, liveness, size.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Final, TypeAlias, assert_never

from bridge.broker.attached_client import AttachedClient
from bridge.broker.call_journal import CallJournal
from bridge.broker.effects import Effect, SessionClosed, SessionKept
from bridge.broker.events import (
    Call,
    CallerGone,
    ChannelAlive,
    ChannelBroken,
    ChannelFrame,
    CloseSession,
    Connect,
    Disconnect,
    Event,
    Instant,
    KeepSession,
    OpenChannel,
    OversizeResult,
    PageState,
    Poll,
    PollBroken,
    Result,
    Shutdown,
    StateReport,
    Tick,
    Waiter,
    Watch,
)
from bridge.broker.ledger import Entry
from bridge.broker.page_link import PageLink
from bridge.broker.snapshot import BrokerSnapshot
from bridge.broker.states import ItemState, ItemTrigger, LinkState
from bridge.broker.turn import Turn
from bridge.broker.watchers import Watchers
from bridge.contract.error_codes import BridgeErrorCode, Outcome
from bridge.contract.jsonrpc import NoId
from bridge.contract.limits import BridgeLimits

__all__ = ["CALLER_GONE", "Broker"]

CALLER_GONE: Final = "CALLER_GONE"
"""What the journal says of a call whose caller hung up: no error of the contract."""

_PageAsks: TypeAlias = (
    Connect | Poll | OpenChannel | Result | OversizeResult | StateReport | Disconnect
)
_TerminalAsks: TypeAlias = Call | CloseSession | KeepSession | Watch


class Broker:
    """One bridge's state machine.

    `new_id` gives unguessable ids, never the same twice. With `channels` the page is offered a
    channel besides its polls.
    """

    def __init__(
        self, limits: BridgeLimits, new_id: Callable[[], str], *, channels: bool = True
    ) -> None:
        self._limits = limits
        self._new_id = new_id
        self._turn = Turn()
        self._journal = CallJournal(limits.max_journal_events)
        self._watchers = Watchers(self._journal, self._turn, limits.max_watchers)
        self._page = PageLink(limits, new_id, self._turn, self._journal, channels=channels)
        self._used_at: float | None = None
        self._due: tuple[float, Callable[[], None]] | None = None
        """What becomes due first, as things stood after the last event."""

    def handle(self, event: Event, now: Instant) -> list[Effect]:
        """Apply one event, after everything that was due before it. Returns all effects."""
        turn = self._turn
        effects = turn.begin()
        try:
            while self._due is not None and self._due[0] <= now.monotonic:
                at, act = self._due
                turn.now = Instant(max(at, turn.now.monotonic), now.unix_ms)
                self._note_use()
                act()
                self._due = self._next_due()
            # A clock that goes back is treated as one that stands still.
            if now.monotonic < turn.now.monotonic:
                now = Instant(turn.now.monotonic, now.unix_ms)
            turn.now = now
            self._note_use()
            self._apply(event)
            self._watchers.tell()
        finally:
            self._due = self._next_due()
        return effects

    def next_wakeup(self) -> float | None:
        """Return the monotonic time at which the next `Tick` is due, or None."""
        return None if self._due is None else self._due[0]

    @property
    def is_closed(self) -> bool:
        """Say whether it has shut down."""
        return self._page.state is LinkState.CLOSED

    def snapshot(self, now: Instant) -> BrokerSnapshot:
        """Describe the broker as it stands."""
        client = self._page.client
        queued = client.ledger.queued if client else 0
        moment = max(now.monotonic, self._turn.now.monotonic)
        return BrokerSnapshot(
            link=self._page.state,
            app=client.app if client else None,
            page_state=client.page_state if client else None,
            attached_seconds=moment - client.attached_at if client else None,
            idle_seconds=0.0 if client or self._used_at is None else moment - self._used_at,
            queued=queued,
            leased=client.ledger.places - queued if client else 0,
            maximum=self._limits.max_outstanding,
            sessions=len(client.sessions) if client else 0,
            watchers=len(self._watchers),
            counters=dict(self._turn.counters),
        )

    # ---- events

    def _note_use(self) -> None:
        """Count anew what nobody uses while a page is attached, and from the first event on."""
        if self._used_at is None or self._page.client is not None:
            self._used_at = self._turn.now.monotonic

    def _apply(self, event: Event) -> None:
        match event:
            case CallerGone():
                self._caller_gone(event)
            case Shutdown():
                self._page.shut_down()
                self._watchers.shut_down()
            case PollBroken():
                self._page.poll_broken(event)
            case ChannelFrame():
                self._page.frame(event)
            case ChannelAlive():
                self._page.alive(event)
            case ChannelBroken():
                self._page.channel_broken(event)
            case Tick():
                pass
            case _:
                if not isinstance(event, Watch):
                    self._used_at = self._turn.now.monotonic
                if self._page.state is LinkState.CLOSED:
                    carries_outcome = isinstance(event, Call | CloseSession)
                    self._turn.fail(
                        event.waiter,
                        BridgeErrorCode.CLOSING,
                        Outcome.NOT_DELIVERED if carries_outcome else None,
                    )
                else:
                    self._ask(event)

    def _ask(self, event: _PageAsks | _TerminalAsks) -> None:
        """Apply an event by which somebody waits for an answer."""
        match event:
            case Call():
                self._call(event)
            case CloseSession():
                self._close_session(event)
            case KeepSession():
                self._keep_session(event)
            case Watch():
                self._watchers.watch(event)
            case _:
                self._ask_page(event)

    def _ask_page(self, event: _PageAsks) -> None:
        match event:
            case Connect():
                self._page.connect(event)
            case Poll():
                self._page.poll(event)
            case OpenChannel():
                self._page.open_channel(event)
            case Result() | OversizeResult():
                self._page.result(event)
            case StateReport():
                self._page.state_report(event)
            case Disconnect():
                self._page.disconnect(event)
            case _:
                assert_never(event)

    def _call(self, event: Call) -> None:
        call = self._journal.begin(event.session, event.label, self._turn.now)
        client = self._page.client
        if client is None:
            refusal = BridgeErrorCode.NOT_ATTACHED
            self._turn.fail(event.waiter, refusal, Outcome.NOT_DELIVERED)
        else:
            entry = Entry(
                id=self._new_id(),
                waiter=event.waiter,
                session=event.session,
                deadline=self._turn.now.monotonic + event.timeout_seconds,
                request=event.request,
                request_id=event.request_id,
                call=call,
                cancellation=event.cancellation,
            )
            # Who calls is alive, whatever becomes of the call.
            client.sessions.touch(event.session, self._turn.now.monotonic)
            opening = self._opening(client, event, entry.deadline)
            refused = self._enqueue(client, entry, opening)
            if refused is None:
                return
            refusal = refused
        self._journal.end(call, refusal, self._turn.now)

    def _opening(self, client: AttachedClient, call: Call, deadline: float) -> Entry | None:
        """Return what has to be queued before a call, where the call brought it."""
        session, sessions = call.session, client.sessions
        if call.opening is None or client.ledger.opens(
            session, sessions.outdated_seq(session), deadline, opened=sessions.is_opened(session)
        ):
            return None
        # It outlives every call that comes while that one, which it was brought by, may wait.
        longest = 2 * self._limits.max_call_seconds
        return Entry(
            id=self._new_id(),
            waiter=None,
            session=call.session,
            deadline=self._turn.now.monotonic + longest,
            request=call.opening.request,
            request_id=call.opening.request_id,
            opens=True,
        )

    def _close_session(self, event: CloseSession) -> None:
        client = self._page.client
        if client is None or event.session not in client.sessions:
            self._turn.reply(event.waiter, SessionClosed())
        else:
            self._enqueue(client, self._close_job(event.session, event.waiter))

    def _close_job(self, session: str, waiter: Waiter | None) -> Entry:
        return Entry(
            id=self._new_id(),
            waiter=waiter,
            session=session,
            deadline=self._turn.now.monotonic + self._limits.max_call_seconds,
            request=None,
            request_id=None,
        )

    def _keep_session(self, event: KeepSession) -> None:
        client = self._page.client
        kept = client is not None and event.session in client.sessions
        if client is not None:
            client.sessions.touch(event.session, self._turn.now.monotonic)
        self._turn.reply(event.waiter, SessionKept(kept))

    def _enqueue(
        self, client: AttachedClient, entry: Entry, before: Entry | None = None
    ) -> BridgeErrorCode | None:
        """Queue an entry and what goes before it, or refuse both and return why."""
        entries = [entry] if before is None else [before, entry]
        refusal = None
        if client.page_state is PageState.FROZEN:
            refusal = BridgeErrorCode.TAB_SUSPENDED
        elif client.ledger.places + len(entries) > self._limits.max_outstanding:
            refusal = BridgeErrorCode.QUEUE_FULL
        if refusal is not None:
            self._turn.counters[f"failed_{refusal.lower()}"] += 1
            self._turn.fail(entry.waiter, refusal, Outcome.NOT_DELIVERED)
            return refusal
        if entry.request is not None:
            client.sessions.add(entry.session, self._turn.now.monotonic)
        for queued in entries:
            client.ledger.add(queued)
        self._turn.counters["accepted"] += len(entries)
        self._page.offer()
        return None

    def _caller_gone(self, event: CallerGone) -> None:
        self._watchers.forget(event.waiter)
        client = self._page.client
        entry = client.ledger.of_waiter(event.waiter) if client else None
        if client is not None and entry is not None:
            client.end(entry, ItemTrigger.ABANDON, self._turn.now.monotonic)
            self._journal.end(entry.call, CALLER_GONE, self._turn.now)
            self._turn.counters["abandoned"] += 1
            if entry.seq:
                self._take_back(client, entry)
            # It may have stood between the page and what is queued.
            self._page.offer()

    def _take_back(self, client: AttachedClient, entry: Entry) -> None:
        """Tell the page that a call which it has, and may not have begun, is not wanted any more.

        Not where another call has its id: callers who share a session do not know of each other,
        and the page could not tell which of the two is meant.
        """
        ledger = client.ledger
        if (
            entry.cancellation is None
            or ledger.has_request(entry.session, entry.request_id)
            or ledger.cancellations >= self._limits.max_outstanding
        ):
            return
        told = Entry(
            id=self._new_id(),
            waiter=None,
            session=entry.session,
            # Past it the page does not begin the call in any case.
            deadline=entry.deadline,
            request=entry.cancellation,
            request_id=NoId(),
            cancels=True,
        )
        ledger.add(told)
        self._turn.counters["accepted"] += 1

    # ---- what becomes due

    def _next_due(self) -> tuple[float, Callable[[], None]] | None:
        """Return what becomes due first. Asked after each event: no more than a walk."""
        first = self._next_due_of_page()
        watchers = self._watchers.due()
        if watchers is not None and (first is None or watchers < first[0]):
            return watchers, self._watchers.expire
        return first

    def _next_due_of_page(self) -> tuple[float, Callable[[], None]] | None:
        client = self._page.client
        link = self._page.due()
        if client is None or link is None:
            return link
        at, first, suspended = inf, None, False
        hidden = client.page_state is PageState.HIDDEN
        patience = self._limits.suspended_after_seconds
        for entry in client.ledger:
            if entry.deadline < at:
                at, first, suspended = entry.deadline, entry, False
            if hidden and entry.state is not ItemState.QUEUED and entry.seq > client.taken:
                limit = max(entry.leased_at, client.hidden_since) + patience
                if limit < at:
                    at, first, suspended = limit, entry, True
        idle = client.sessions.due()
        if idle is not None and idle < min(at, link[0]):
            return idle, lambda: self._session_idle(client)
        if first is None or link[0] < at:
            return link
        entry = first
        if suspended:
            code, trigger = BridgeErrorCode.TAB_SUSPENDED, ItemTrigger.FAIL
        else:
            code, trigger = BridgeErrorCode.TIMEOUT, ItemTrigger.EXPIRE
        return at, lambda: self._expire(entry, trigger, code)

    def _session_idle(self, client: AttachedClient) -> None:
        """Close a session that nobody has used for long: who had it was killed."""
        session = client.sessions.oldest()
        # Where it is still in use, or the job cannot be queued, its time begins anew.
        client.sessions.touch(session, self._turn.now.monotonic)
        if client.ledger.has_session(session):
            return
        if self._enqueue(client, self._close_job(session, None)) is None:
            self._turn.counters["sessions_idle"] += 1

    def _expire(self, entry: Entry, trigger: ItemTrigger, code: BridgeErrorCode) -> None:
        self._page.end(entry, trigger, code)
        self._page.offer()
