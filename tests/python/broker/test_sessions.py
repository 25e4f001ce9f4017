"""Sessions: what opens them in a page, and how they end unused (Contract: sessions)."""

from __future__ import annotations

import pytest

from bridge.broker.effects import (
    Accepted,
    CloseJob,
    Failure,
    Item,
    RawResponse,
    RpcItem,
    SessionClosed,
    SessionKept,
)
from bridge.broker.events import PageState, Result, Waiter
from bridge.contract.error_codes import BridgeErrorCode as Code
from bridge.contract.error_codes import Outcome
from bridge.contract.jsonrpc import StringId
from bridge.contract.limits import BRIDGE_LIMITS
from tests.python.support.broker_script import Conversation

OPENING = b'{"id":"o"}'
IDLE = BRIDGE_LIMITS.session_idle_seconds


@pytest.fixture(params=["poll", "channel"])
def talk(request: pytest.FixtureRequest) -> Conversation:
    return Conversation(carrier=request.param)


@pytest.fixture
def attached(talk: Conversation) -> Conversation:
    talk.connect()
    return talk


def call(talk: Conversation, session: str = "s", seconds: float = 30.0) -> Waiter:
    return talk.call(session=session, seconds=seconds, opening=OPENING)


def texts(items: tuple[Item, ...]) -> list[str]:
    return [item.request.decode()[7] if isinstance(item, RpcItem) else "close" for item in items]


def answer_opening(talk: Conversation, item: Item) -> None:
    assert talk.result(item.id, b'{"id":"o","result":{}}', StringId("o")) == Accepted()


def opened(talk: Conversation) -> int:
    """Open the session and return the highest seq."""
    waiter = call(talk)
    opening, item = talk.items(talk.poll(0))
    answer_opening(talk, opening)
    talk.result(item.id)
    assert isinstance(talk.answer(waiter), RawResponse)
    return item.seq


def stay(talk: Conversation, seconds: float, ack: int) -> tuple[Item, ...]:
    """Let time pass with a page that is there, and return what it was sent, acknowledged."""
    sent: list[Item] = []
    carrier = talk.poll(ack)
    end = talk.at + seconds
    while talk.at < end:
        talk.later(min(10.0, end - talk.at))
        new = talk.items(carrier) if talk.answer(carrier) is not None else ()
        sent += [item for item in new if item.seq > ack]
        ack = max([ack, *(item.seq for item in new)])
        carrier = talk.poll(ack)
    return tuple(sent)


# ---- openings


def test_an_opening_comes_before_its_call_and_its_answer_goes_to_nobody(
    attached: Conversation,
) -> None:
    waiter = call(attached)
    opening, item = attached.items(attached.poll(0))
    assert isinstance(opening, RpcItem)
    assert (opening.request, opening.session, opening.seq) == (OPENING, "s", 1)
    assert texts((opening, item)) == ["o", "a"]
    answered = dict(attached.answers)
    answer_opening(attached, opening)
    new = {w: a for w, a in attached.answers.items() if w not in answered}
    assert all(got == [Accepted()] for got in new.values())
    assert attached.answer(waiter) is None
    attached.result(item.id)
    assert attached.answer(waiter) == RawResponse(b'{"id":"a","result":{}}')


def test_an_opening_s_answer_has_to_be_of_its_own_id(attached: Conversation) -> None:
    call(attached)
    opening, _ = attached.items(attached.poll(0))
    assert attached.result(opening.id) == Failure(Code.RESULT_MISMATCH)
    answer_opening(attached, opening)


def test_a_session_is_opened_once(attached: Conversation) -> None:
    call(attached)
    call(attached)
    first = attached.items(attached.poll(0))
    assert texts(first) == ["o", "a", "a"]
    call(attached)
    second = attached.items(attached.poll(3))
    assert texts(second) == ["a"]
    answer_opening(attached, first[0])
    for item in (*first[1:], *second):
        attached.result(item.id)
    call(attached)
    assert texts(attached.items(attached.poll(4))) == ["a"]


def test_each_session_and_each_page_gets_the_opening(attached: Conversation) -> None:
    opened(attached)
    call(attached, session="t")
    assert texts(attached.items(attached.poll(2))) == ["o", "a"]
    attached.disconnect()
    attached.connect()
    call(attached)
    assert texts(attached.items(attached.poll(0))) == ["o", "a"]


def test_a_session_in_which_the_page_has_answered_needs_no_opening(
    attached: Conversation,
) -> None:
    attached.call()
    (item,) = attached.items(attached.poll(0))
    attached.result(item.id)
    call(attached)
    assert texts(attached.items(attached.poll(1))) == ["a"]


def test_an_opening_that_the_page_refused_is_sent_again_with_the_next_call(
    attached: Conversation,
) -> None:
    call(attached)
    opening, item = attached.items(attached.poll(0))
    for refused, name in ((opening, "o"), (item, "a")):
        waiter = attached.waiter()
        response = b'{"error":{}}'
        attached.send(
            Result(waiter, attached.client, refused.id, response, StringId(name), "SESSION_LIMIT")
        )
    call(attached)
    assert texts(attached.items(attached.poll(2))) == ["o", "a"]


def test_an_opening_that_never_was_sent_is_sent_with_the_next_call(
    attached: Conversation,
) -> None:
    waiter = call(attached)
    attached.later(50)
    assert attached.answer(waiter) == Failure(Code.TIMEOUT, Outcome.NOT_DELIVERED)
    call(attached)
    assert texts(attached.items(attached.poll(0)))[-2:] == ["o", "a"]


def test_an_opening_that_may_end_before_a_later_call_does_not_serve_it(
    attached: Conversation,
) -> None:
    call(attached)
    attached.items(attached.poll(0))
    attached.later(29)
    call(attached, seconds=30)
    assert texts(attached.items(attached.poll(2))) == ["a"]
    attached.later(2)
    call(attached, seconds=30)
    assert texts(attached.items(attached.poll(3))) == ["o", "a"]


def test_after_a_close_the_session_is_opened_anew(attached: Conversation) -> None:
    seq = opened(attached)
    closing = attached.close_session("s")
    waiter = call(attached)
    items = attached.items(attached.poll(seq))
    assert texts(items) == ["close", "o", "a"]
    answer_opening(attached, items[1])
    attached.null_result(items[0].id)
    assert attached.answer(closing) == SessionClosed()
    attached.result(items[2].id)
    assert isinstance(attached.answer(waiter), RawResponse)
    call(attached)
    assert texts(attached.items(attached.poll(items[2].seq))) == ["a"]


def test_a_late_answer_from_before_a_close_opens_nothing(attached: Conversation) -> None:
    call(attached)
    opening, late = attached.items(attached.poll(0))
    answer_opening(attached, opening)
    attached.close_session("s")
    (job,) = attached.items(attached.poll(2))
    attached.null_result(job.id)
    attached.result(late.id)
    call(attached)
    assert texts(attached.items(attached.poll(3))) == ["o", "a"]


def test_an_opening_from_before_a_close_serves_no_call_after_it(attached: Conversation) -> None:
    call(attached)
    attached.items(attached.poll(0))
    attached.close_session("s")
    (job,) = attached.items(attached.poll(2))
    # The page may tell of the close before it tells of what it did first.
    attached.null_result(job.id)
    call(attached)
    assert texts(attached.items(attached.poll(3))) == ["o", "a"]


def test_an_opening_that_did_not_help_serves_no_further_call(attached: Conversation) -> None:
    call(attached)
    _, item = attached.items(attached.poll(0))
    # A page that was stuck begins nothing that is too old, and so may have dropped the opening.
    waiter = attached.waiter()
    attached.send(Result(waiter, attached.client, item.id, b'{"error":{}}', StringId("a"), "ERROR"))
    call(attached)
    assert texts(attached.items(attached.poll(2))) == ["o", "a"]


def test_an_opening_counts_among_the_64(attached: Conversation) -> None:
    for _ in range(62):
        attached.call(session="other")
    call(attached)
    assert attached.broker.snapshot(attached.now).queued == 64
    assert attached.answer(call(attached)) == Failure(Code.QUEUE_FULL, Outcome.NOT_DELIVERED)


def test_a_call_that_fits_while_its_opening_does_not_is_refused(attached: Conversation) -> None:
    for _ in range(63):
        attached.call(session="other")
    assert attached.answer(call(attached)) == Failure(Code.QUEUE_FULL, Outcome.NOT_DELIVERED)
    assert attached.broker.snapshot(attached.now).queued == 63
    assert attached.answer(attached.call()) is None


def test_an_opening_is_no_call_of_the_journal(attached: Conversation) -> None:
    opened(attached)
    _, events = attached.broker._journal.after(0)
    assert [(event.call, event.duration_ms is None) for event in events] == [(1, True), (1, False)]


def test_a_page_that_goes_takes_openings_with_it(attached: Conversation) -> None:
    waiter = call(attached)
    attached.disconnect()
    assert attached.answer(waiter) == Failure(Code.BROWSER_GONE, Outcome.NOT_DELIVERED)
    assert attached.broker.next_wakeup() is None


# ---- keeping and ending


def keep(talk: Conversation, session: str = "s") -> object:
    return talk.answer(talk.keep_session(session))


def test_a_session_is_kept_where_the_page_knows_of_it(talk: Conversation) -> None:
    assert keep(talk) == SessionKept(kept=False)
    talk.connect()
    assert keep(talk) == SessionKept(kept=False)
    talk.call()
    assert keep(talk) == SessionKept(kept=True)
    assert keep(talk, "other") == SessionKept(kept=False)
    talk.shutdown()
    assert keep(talk) == Failure(Code.CLOSING)


def test_keeping_reserves_nothing(attached: Conversation) -> None:
    keep(attached)
    assert attached.broker.snapshot(attached.now).sessions == 0
    assert attached.answer(attached.poll(0)) is None


def test_a_session_without_a_sign_for_15_minutes_is_closed_in_the_page(
    attached: Conversation,
) -> None:
    seq = opened(attached)
    assert stay(attached, IDLE - 1, seq) == ()
    (job,) = stay(attached, 2, seq)
    assert isinstance(job, CloseJob)
    assert job.session == "s"
    assert attached.null_result(job.id) == Accepted()
    assert attached.broker.snapshot(attached.now).sessions == 0
    assert keep(attached) == SessionKept(kept=False)
    assert attached.broker.snapshot(attached.now).counters["sessions_idle"] == 1


def test_keeping_and_calls_are_signs_and_each_session_has_its_own_time(
    attached: Conversation,
) -> None:
    seq = opened(attached)
    attached.call(session="left")
    (item,) = attached.items(attached.poll(seq))
    attached.result(item.id)
    assert stay(attached, 600, item.seq) == ()
    keep(attached)
    (job,) = stay(attached, 302, item.seq)
    assert (job.session, attached.null_result(job.id)) == ("left", Accepted())
    assert stay(attached, 250, job.seq) == ()
    attached.call(session="s")
    (item,) = attached.items(attached.poll(job.seq))
    attached.result(item.id)
    assert stay(attached, IDLE - 1, item.seq) == ()
    (job,) = stay(attached, 2, item.seq)
    assert job.session == "s"


def test_a_call_in_flight_is_a_sign() -> None:
    talk = Conversation(BRIDGE_LIMITS._replace(session_idle_seconds=5.0))
    talk.connect()
    talk.call(seconds=30)
    poll = talk.poll(0)
    assert len(talk.items(poll)) == 1
    parked = talk.poll(1)
    talk.later(12)
    assert talk.answer(parked) is None
    talk.result("id-2")
    talk.later(6)
    (job,) = talk.items(parked)
    assert isinstance(job, CloseJob)


def test_a_close_that_the_page_did_not_answer_is_tried_again(attached: Conversation) -> None:
    seq = opened(attached)
    (job,) = stay(attached, IDLE + 1, seq)
    assert stay(attached, IDLE, job.seq) == ()
    (again,) = stay(attached, 60, job.seq)
    assert (again.session, again.id != job.id) == ("s", True)


def test_a_frozen_page_is_not_asked_and_loses_no_close(attached: Conversation) -> None:
    seq = opened(attached)
    stay(attached, IDLE - 5, seq)
    attached.report(PageState.FROZEN)
    attached.later(8)
    assert attached.broker.snapshot(attached.now).sessions == 1
    (job,) = stay(attached, IDLE + 10, seq)
    assert job.session == "s"


def test_a_session_used_again_while_its_idle_close_runs_is_opened_anew(
    attached: Conversation,
) -> None:
    seq = opened(attached)
    (job,) = stay(attached, IDLE + 1, seq)
    call(attached)
    items = attached.items(attached.poll(job.seq))
    assert texts(items) == ["o", "a"]
    attached.null_result(job.id)
    assert keep(attached) == SessionKept(kept=True)


def test_the_signs_of_sessions_hold_no_page_alive(attached: Conversation) -> None:
    opened(attached)
    for _ in range(10):
        attached.later(9)
        keep(attached)
    assert attached.broker.snapshot(attached.now).app is None
    assert attached.broker.next_wakeup() is None
