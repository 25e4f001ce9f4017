"""Any order of events: nothing accepted is lost, nothing runs twice, no answer goes astray.

A machine of Hypothesis plays terminals, a page and a clock against one broker. The page is a
model of the contract's: it drops repeats by id, starts nothing past its deadline, and changes
between polling and a channel as it likes, losing what is under way. Some terminals bring an
opening with each call, sessions that nobody uses are closed after a short while, and some calls
are taken back from the page when their callers hang up.
"""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from bridge.broker.effects import (
    Accepted,
    Answer,
    Connected,
    Failure,
    Item,
    NoResponse,
    PollAnswer,
    RawResponse,
    RpcItem,
    SessionClosed,
    SessionKept,
)
from bridge.broker.events import PageState, Poll, Waiter
from bridge.contract.error_codes import Outcome
from bridge.contract.jsonrpc import NoId, StringId
from bridge.contract.limits import BRIDGE_LIMITS
from tests.python.support.broker_script import Conversation

RARELY = st.integers(0, 5).map(lambda number: number == 0)
SESSIONS = st.sampled_from(["a", "b", "opened", "opened too"])
SMALL_WAIT = st.floats(0, 8, allow_nan=False)
FINAL_SECONDS = 200.0
OPENING = "open"
TAKE_BACK = "take back "
LIMITS = BRIDGE_LIMITS._replace(session_idle_seconds=10.0)


class BrokerMachine(RuleBasedStateMachine):
    """Terminals, one page at a time, and a clock that jumps."""

    def __init__(self) -> None:
        super().__init__()
        self.talk = Conversation(LIMITS, carrier="channel")
        self.calls: dict[Waiter, str] = {}
        self.calls_by_text: dict[str, Waiter] = {}
        self.gone: set[Waiter] = set()
        self.acks = True
        self.seen: dict[str, RpcItem] = {}
        """What the page's worker has received, by id, over all attachments."""
        self.received: dict[str, int] = {}
        self.runs: dict[str, int] = {}
        """How often the request of each call was run."""
        self.ready: list[Any] = []
        self.polls: list[Waiter] = []
        self.read: set[Waiter] = set()
        self.heard: dict[Waiter, int] = {}
        """How many items of each channel have reached the page's worker."""
        self.highest = 0
        self.opened: set[str] = set()
        """Sessions that this page was sent an opening of, since they were closed last."""
        self.signs: dict[str, float] = {}
        """When each session was last used with this page, as far as is known here."""

    # ---- the page

    @initialize(acks=st.booleans())
    def begin(self, acks: bool) -> None:
        self.acks = acks
        self.connect()

    @rule()
    def connect(self) -> None:
        waiter = self.talk.waiter()
        answer = self.talk.try_connect() if self._attached else None
        if answer is None:
            self.talk.connect()
            self._new_client()
        assert waiter not in self.talk.answers

    def _new_client(self) -> None:
        self.highest = 0
        self.polls = []
        self.heard = {}
        self.ready = []
        self.opened = set()
        self.signs = {}

    @property
    def _attached(self) -> bool:
        return self.talk.broker.snapshot(self.talk.now).app is not None

    @rule(lost=RARELY)
    def poll(self, lost: bool) -> None:
        """Poll, and perhaps never see the answer."""
        if not self.talk.client:
            return
        waiter = self.talk.waiter()
        self.talk.send(Poll(waiter, self.talk.client, self.highest if self.acks else None))
        self.polls.append(waiter)
        if lost:
            self.read.add(waiter)
            self.talk.break_off(waiter)
        self._receive()

    @rule(lost=RARELY)
    def open_channel(self, lost: bool) -> None:
        """Open a channel, and perhaps see nothing of what is sent down."""
        if not self.acks or not self._attached:
            return
        channel = self.talk.open_channel(self.talk.new_ticket())
        assert self.talk.channel == channel
        self.heard[channel] = 1_000 if lost else 0
        self._receive()

    @rule(kind=st.sampled_from(["ack", "alive", "old ack"]))
    def say(self, kind: str) -> None:
        if self.talk.channel is None:
            return
        if kind == "alive":
            self.talk.alive()
        else:
            self.talk.frame(ack=self.highest if kind == "ack" else 0)
        self._receive()

    @rule(really=RARELY)
    def break_channel(self, really: bool) -> None:
        if really and self.talk.channel is not None:
            self.heard[self.talk.channel] = 1_000
            self.talk.break_off(self.talk.channel)

    def _receive(self) -> None:
        """Take in what reaches the page's worker."""
        for waiter in self.polls:
            answer = self.talk.answers.get(waiter, [None])[0]
            if waiter in self.read or not isinstance(answer, PollAnswer):
                continue
            self.read.add(waiter)
            assert len(answer.items) <= 8
            for item in answer.items:
                self._take(item)
        for channel, count in self.heard.items():
            for item in self.talk.sent[channel][count:]:
                self.heard[channel] += 1
                self._take(item)

    def _take(self, item: Item) -> None:
        self.received[item.id] = self.received.get(item.id, 0) + 1
        self.highest = max(self.highest, item.seq)
        if self.received[item.id] > 1:
            return
        self.ready.append(item)
        if not isinstance(item, RpcItem):
            self.opened.discard(item.session)
            return
        self.seen[item.id] = item
        if item.request == OPENING.encode():
            self.opened.add(item.session)
        elif item.session.startswith("opened") and self.acks:
            # To a link that does not acknowledge an opening may be lost as anything else.
            assert item.session in self.opened

    @precondition(lambda self: self.ready)
    @rule(data=st.data(), kind=st.sampled_from(["good", "wrong id", "too large", "twice", "lost"]))
    def run(self, data: Any, kind: str) -> None:
        """Run one item that the page has, and post its result in some way."""
        item = self.ready.pop(data.draw(st.integers(0, len(self.ready) - 1)))
        if item.deadline_unix_ms < self.talk.unix_ms:
            return
        if not isinstance(item, RpcItem):
            self.talk.null_result(item.id)
            return
        text = item.request.decode()
        if text == OPENING:
            if kind != "lost":
                self.talk.result(item.id, b"opened", StringId("o"))
            return
        self.runs[text] = self.runs.get(text, 0) + 1
        if kind == "lost":
            return
        if text.startswith(("note", TAKE_BACK)):
            meant = self.calls_by_text[text.removeprefix(TAKE_BACK)]
            assert text.startswith("note") or meant in self.gone
            self.talk.null_result(item.id)
            return
        if kind == "wrong id":
            assert self.talk.result(item.id, b"wrong", StringId("other")) != Accepted()
        if kind == "too large":
            self.talk.oversize(item.id)
            return
        response = f"answer to {text}".encode()
        first = self.talk.result(item.id, response, StringId(text))
        if kind == "twice" and first == Accepted():
            assert isinstance(self.talk.result(item.id, b"again", StringId(text)), Failure)

    @rule(state=st.sampled_from(list(PageState)), all_taken=st.booleans(), really=RARELY)
    def report(self, state: PageState, all_taken: bool, really: bool) -> None:
        if really and self.talk.client:
            self.talk.report(state, self.highest if all_taken else 0)

    @precondition(lambda self: self.polls)
    @rule(really=RARELY)
    def break_off(self, really: bool) -> None:
        if really:
            self.talk.break_off(self.polls[-1])
            self.read.add(self.polls[-1])

    @rule(really=RARELY)
    def disconnect(self, really: bool) -> None:
        if really and self.talk.client:
            self.talk.disconnect()

    # ---- the terminals

    @rule(seconds=st.floats(0.001, 30), notification=st.booleans(), session=SESSIONS)
    def call(self, seconds: float, notification: bool, session: str) -> None:
        text = f"{'note' if notification else 'call'} {len(self.calls)}"
        request_id = NoId() if notification else StringId(text)
        waiter = self.talk.call(
            text.encode(),
            session=session,
            request_id=request_id,
            seconds=seconds,
            opening=OPENING.encode() if session.startswith("opened") else None,
            cancellation=f"{TAKE_BACK}{text}".encode() if session == "a" else None,
        )
        self.calls_by_text[text] = waiter
        self.signs[session] = self.talk.at
        self.calls[waiter] = text
        self._receive()

    @rule(session=SESSIONS)
    def close(self, session: str) -> None:
        self.calls[self.talk.close_session(session)] = ""

    @rule(session=SESSIONS)
    def keep(self, session: str) -> None:
        answer = self.talk.answer(self.talk.keep_session(session))
        assert isinstance(answer, SessionKept)
        if answer.kept:
            assert session in self.signs
            self.signs[session] = self.talk.at

    @precondition(lambda self: self.calls)
    @rule(data=st.data())
    def hang_up(self, data: Any) -> None:
        waiter = data.draw(st.sampled_from(sorted(self.calls)))
        if self.talk.answer(waiter) is None:
            self.gone.add(waiter)
            self.talk.hang_up(waiter)

    # ---- the clock

    @rule(seconds=SMALL_WAIT)
    def wait(self, seconds: float) -> None:
        self.talk.later(seconds)
        self._receive()

    @rule(hours=st.sampled_from([-1, 1]), really=RARELY)
    def jump(self, hours: int, really: bool) -> None:
        """The machine slept, or a clock was set: both clocks jump without a wake-up between."""
        if not really:
            return
        self.talk.at += max(hours, 0) * 3600
        self.talk.unix_ms += hours * 3_600_000
        self.talk.later(0)
        self._receive()

    # ---- what must always hold

    @invariant()
    def every_waiter_has_at_most_one_answer(self) -> None:
        assert all(len(answers) == 1 for answers in self.talk.answers.values())

    @invariant()
    def nobody_who_hung_up_is_answered(self) -> None:
        assert not self.gone & set(self.talk.answers)

    @invariant()
    def nothing_runs_twice(self) -> None:
        assert all(count == 1 for count in self.runs.values())

    @invariant()
    def a_link_that_does_not_acknowledge_gets_nothing_twice(self) -> None:
        if not self.acks:
            assert all(count == 1 for count in self.received.values())

    @invariant()
    def no_answer_goes_astray_and_no_outcome_is_claimed_falsely(self) -> None:
        for waiter, text in self.calls.items():
            answer = self.talk.answer(waiter)
            if isinstance(answer, RawResponse):
                assert answer.body == f"answer to {text}".encode()
                assert self.runs.get(text) == 1
            if isinstance(answer, Failure) and answer.outcome is Outcome.NOT_DELIVERED:
                assert text not in self.runs
            if isinstance(answer, Failure):
                assert answer.outcome is not None

    @invariant()
    def at_most_one_transport_is_open(self) -> None:
        open_ones = [name for name in self.heard if name not in self.talk.ended]
        parked = [name for name in self.polls if name not in self.talk.answers]
        if self.talk.channel is not None:
            assert self.talk.channel in open_ones
            assert not set(parked) - self.read

    @invariant()
    def the_queue_is_bounded_and_counts_what_waits(self) -> None:
        snapshot = self.talk.broker.snapshot(self.talk.now)
        waiting = [w for w in self.calls if w not in self.gone and self.talk.answer(w) is None]
        client = self.talk.broker._page.client
        entries = list(client.ledger) if client else []
        cancels = [entry for entry in entries if entry.cancels]
        nobody_s = [entry for entry in entries if entry.waiter is None and entry not in cancels]
        assert len(cancels) <= 64
        assert snapshot.queued + snapshot.leased == len(waiting) + len(nobody_s) <= 64

    @invariant()
    def no_session_is_closed_that_was_used_just_now(self) -> None:
        client = self.talk.broker._page.client
        for entry in client.ledger if client else ():
            if entry.waiter is None and entry.request is None and not entry.seq:
                queued_at = entry.deadline - LIMITS.max_call_seconds
                used_at = self.signs[entry.session]
                idle = LIMITS.session_idle_seconds - 1e-6
                assert queued_at - used_at >= idle or used_at >= queued_at

    @invariant()
    def the_journal_knows_what_runs(self) -> None:
        journal = self.talk.broker._journal
        calls = [w for w, text in self.calls.items() if text]
        running = [w for w in calls if w not in self.gone and self.talk.answer(w) is None]
        assert len(journal._running) == len(running)

    @invariant()
    def a_wake_up_is_never_in_the_past(self) -> None:
        due = self.talk.broker.next_wakeup()
        assert due is None or due > self.talk.at - 1e-9 or self.talk.later(0) is not None

    def teardown(self) -> None:
        """In the end everybody has an answer: nothing accepted is lost."""
        self.talk.later(FINAL_SECONDS)
        allowed: tuple[type[Answer], ...] = (RawResponse, NoResponse, SessionClosed, Failure)
        for waiter in self.calls:
            if waiter not in self.gone:
                assert isinstance(self.talk.answer(waiter), allowed)
        assert self.talk.broker.next_wakeup() is None
        assert isinstance(Connected(self.talk.connect()), Connected)


TestBroker = BrokerMachine.TestCase
TestBroker.settings = settings(max_examples=200, stateful_step_count=60, deadline=None)
