"""Liveness: who counts as attached, and what a page that went away does to its callers."""

from __future__ import annotations

import pytest

from bridge.broker.effects import Accepted, Failure, PollAnswer
from bridge.broker.events import PageState
from bridge.contract.error_codes import BridgeErrorCode as Code
from bridge.contract.error_codes import Outcome
from tests.python.support.broker_script import Conversation

NOT_DELIVERED = Outcome.NOT_DELIVERED
UNKNOWN = Outcome.UNKNOWN
GONE_UNKNOWN = Failure(Code.BROWSER_GONE, UNKNOWN)
HOUR = 3600.0


@pytest.fixture(params=["poll", "channel"])
def talk(request: pytest.FixtureRequest) -> Conversation:
    conversation = Conversation(carrier=request.param)
    conversation.connect()
    return conversation


def test_a_second_page_is_refused_while_the_first_is_live(talk: Conversation) -> None:
    assert talk.try_connect() == Failure(Code.ALREADY_ATTACHED)
    talk.disconnect()
    assert talk.connect() != ""


def test_a_poll_is_answered_empty_after_twenty_seconds() -> None:
    talk = Conversation()
    talk.connect()
    poll = talk.poll()
    talk.later(19.9)
    assert talk.answer(poll) is None
    talk.later(0.1)
    assert talk.answer(poll) == PollAnswer(talk.unix_ms, ())


def test_a_newer_poll_ends_the_older_and_keeps_the_items(talk: Conversation) -> None:
    older = talk.poll()
    newer = talk.poll()
    assert talk.answer(older) == Failure(Code.POLL_SUPERSEDED)
    talk.call()
    assert len(talk.items(newer)) == 1


def test_a_client_expires_sixty_seconds_after_its_last_poll(talk: Conversation) -> None:
    call = talk.call(seconds=30)
    talk.poll()
    talk.later(59.9)
    assert talk.answer(call) == Failure(Code.TIMEOUT, UNKNOWN)
    assert talk.try_connect() == Failure(Code.ALREADY_ATTACHED)
    talk.later(0.1)
    assert talk.answer(talk.poll()) == Failure(Code.STALE_CLIENT)
    assert talk.connect() != ""


def test_a_parked_poll_keeps_a_client_live(talk: Conversation) -> None:
    for _ in range(5):
        talk.poll()
        talk.later(20)
    assert talk.try_connect() == Failure(Code.ALREADY_ATTACHED)


def test_a_result_keeps_a_busy_client_live(talk: Conversation) -> None:
    talk.later(50)
    talk.result("nothing")
    talk.later(50)
    assert talk.try_connect() == Failure(Code.ALREADY_ATTACHED)
    talk.later(10)
    assert talk.try_connect() != Failure(Code.ALREADY_ATTACHED)


def test_a_poll_that_breaks_off_gives_two_seconds_to_come_back(talk: Conversation) -> None:
    call = talk.call()
    talk.poll()
    parked = talk.poll(1)
    talk.break_off(parked)
    talk.later(1.9)
    assert talk.answer(call) is None
    back = talk.poll(1)
    talk.later(5)
    assert talk.answer(call) is None
    assert talk.answer(back) is None


def test_a_page_that_does_not_come_back_is_gone_within_two_seconds(talk: Conversation) -> None:
    leased = talk.call()
    talk.poll()
    parked = talk.poll(1)
    talk.break_off(parked)
    queued = talk.call()
    talk.later(2)
    assert talk.answer(leased) == GONE_UNKNOWN
    assert talk.answer(queued) == Failure(Code.BROWSER_GONE, NOT_DELIVERED)
    assert talk.answer(talk.poll(1)) == Failure(Code.STALE_CLIENT)


def test_a_poll_that_breaks_while_it_is_answered_counts_as_broken(talk: Conversation) -> None:
    poll = talk.poll()
    call = talk.call()
    assert len(talk.items(poll)) == 1
    talk.break_off(poll)
    talk.later(2)
    assert talk.answer(call) == GONE_UNKNOWN


def test_what_a_broken_poll_carried_is_offered_to_the_next(talk: Conversation) -> None:
    poll = talk.poll()
    talk.call()
    (lost,) = talk.items(poll)
    talk.break_off(poll)
    (again,) = talk.items(talk.poll(0))
    assert again.id == lost.id


def test_the_break_of_an_older_poll_means_nothing(talk: Conversation) -> None:
    older = talk.poll()
    newer = talk.poll()
    talk.break_off(older)
    talk.later(5)
    assert talk.answer(newer) is None


def test_while_a_client_may_come_back_nobody_takes_its_place(talk: Conversation) -> None:
    talk.break_off(talk.poll())
    assert talk.try_connect() == Failure(Code.ALREADY_ATTACHED)


def test_disconnecting_fails_what_is_outstanding_and_makes_the_client_stale(
    talk: Conversation,
) -> None:
    call = talk.call()
    talk.poll()
    parked = talk.poll(1)
    assert talk.disconnect() == Accepted()
    assert talk.answer(call) == GONE_UNKNOWN
    assert talk.answer(parked) == Failure(Code.STALE_CLIENT)
    for answer in (
        talk.answer(talk.poll()),
        talk.result("x"),
        talk.oversize("x"),
        talk.report(PageState.VISIBLE),
        talk.disconnect(),
    ):
        assert answer == Failure(Code.STALE_CLIENT)


def test_an_unknown_client_is_stale(talk: Conversation) -> None:
    if talk.carrier == "poll":
        assert talk.answer(talk.poll(client="nobody")) == Failure(Code.STALE_CLIENT)
    assert talk.disconnect("nobody") == Failure(Code.STALE_CLIENT)
    assert talk.answer(talk.poll()) is None


def test_a_frozen_page_fails_every_call_at_once(talk: Conversation) -> None:
    leased = talk.call()
    talk.poll()
    talk.poll(1)
    assert talk.report(PageState.FROZEN) == Accepted()
    assert talk.answer(leased) == Failure(Code.TAB_SUSPENDED, UNKNOWN)
    assert talk.answer(talk.call()) == Failure(Code.TAB_SUSPENDED, NOT_DELIVERED)


@pytest.mark.parametrize("wake", ["report", "poll"])
def test_a_report_or_a_poll_clears_a_freeze(talk: Conversation, wake: str) -> None:
    talk.report(PageState.FROZEN)
    if wake == "report":
        talk.report(PageState.VISIBLE)
    else:
        talk.poll()
    assert talk.answer(talk.call()) is None


def test_an_item_that_a_hidden_page_does_not_take_within_five_seconds_fails(
    talk: Conversation,
) -> None:
    talk.report(PageState.HIDDEN)
    call = talk.call()
    talk.poll()
    talk.later(4.9)
    assert talk.answer(call) is None
    talk.later(0.1)
    assert talk.answer(call) == Failure(Code.TAB_SUSPENDED, UNKNOWN)


def test_an_item_that_a_hidden_page_has_taken_goes_on(talk: Conversation) -> None:
    call = talk.call()
    talk.poll()
    talk.report(PageState.HIDDEN, taken=1)
    talk.later(10)
    assert talk.answer(call) is None


def test_the_five_seconds_of_a_leased_item_begin_when_the_page_hides(talk: Conversation) -> None:
    call = talk.call()
    talk.poll()
    talk.later(10)
    talk.report(PageState.HIDDEN)
    talk.later(4.9)
    assert talk.answer(call) is None
    talk.later(0.2)
    assert talk.answer(call) == Failure(Code.TAB_SUSPENDED, UNKNOWN)


def test_a_visible_page_may_take_its_time(talk: Conversation) -> None:
    call = talk.call()
    talk.poll()
    talk.report(PageState.VISIBLE)
    talk.later(20)
    assert talk.answer(call) is None


def test_a_page_cannot_have_taken_what_it_was_never_given(talk: Conversation) -> None:
    assert talk.report(PageState.VISIBLE, taken=1) == Failure(Code.BAD_REQUEST)
    talk.call()
    talk.poll()
    assert talk.report(PageState.VISIBLE, taken=1) == Accepted()


def test_a_clock_that_jumps_an_hour_ends_each_call_and_leases_nothing_stale(
    talk: Conversation,
) -> None:
    queued = talk.call()
    talk.at += HOUR
    poll = talk.poll()
    assert talk.answer(queued) == Failure(Code.TIMEOUT, NOT_DELIVERED)
    assert talk.answer(poll) == Failure(Code.STALE_CLIENT)
    talk.connect()
    assert talk.answer(talk.poll()) is None


def test_a_clock_that_goes_back_stands_still(talk: Conversation) -> None:
    call = talk.call(seconds=10)
    talk.at -= HOUR
    talk.later(0)
    assert talk.answer(call) is None
    talk.at += HOUR + 10
    talk.later(0)
    assert talk.answer(call) == Failure(Code.TIMEOUT, NOT_DELIVERED)


def test_a_wall_clock_that_jumps_changes_no_time_out(talk: Conversation) -> None:
    call = talk.call()
    talk.unix_ms += 3_600_000
    talk.later(29)
    assert talk.answer(call) is None
