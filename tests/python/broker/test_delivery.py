"""Delivery: leases, acknowledgements, results and their outcomes (Contract: delivery)."""

from __future__ import annotations

import pytest

from bridge.broker.effects import (
    Accepted,
    CloseJob,
    Failure,
    NoResponse,
    RawResponse,
    RpcItem,
    SessionClosed,
)
from bridge.contract.error_codes import BridgeErrorCode as Code
from bridge.contract.error_codes import Outcome
from bridge.contract.jsonrpc import IntegerId, InvalidId, NoId, StringId
from bridge.contract.limits import BRIDGE_LIMITS
from tests.python.support.broker_script import Conversation

NOT_DELIVERED = Outcome.NOT_DELIVERED
UNKNOWN = Outcome.UNKNOWN


@pytest.fixture(params=["poll", "channel"])
def talk(request: pytest.FixtureRequest) -> Conversation:
    return Conversation(carrier=request.param)


@pytest.fixture
def attached(talk: Conversation) -> Conversation:
    talk.connect()
    return talk


def test_a_call_reaches_a_parked_poll_and_its_response_comes_back_byte_for_byte(
    attached: Conversation,
) -> None:
    poll = attached.poll()
    assert attached.answer(poll) is None
    call = attached.call(b'{"id":"a","n":1.0}')
    (item,) = attached.items(poll)
    assert isinstance(item, RpcItem)
    assert (item.session, item.request, item.seq) == ("s", b'{"id":"a","n":1.0}', 1)
    assert attached.result(item.id, b'{"id":"a","result":1e0}') == Accepted()
    assert attached.answer(call) == RawResponse(b'{"id":"a","result":1e0}')


def test_a_queued_call_is_in_the_next_poll_at_once(attached: Conversation) -> None:
    attached.call(b"{}")
    assert [item.seq for item in attached.items(attached.poll())] == [1]


def test_a_call_with_nothing_attached_fails_at_once(talk: Conversation) -> None:
    assert talk.answer(talk.call()) == Failure(Code.NOT_ATTACHED, NOT_DELIVERED)


def test_a_poll_carries_at_most_eight_items_and_the_rest_comes_next(
    attached: Conversation,
) -> None:
    for _ in range(9):
        attached.call()
    first = attached.items(attached.poll(0))
    assert [item.seq for item in first] == list(range(1, 9))
    assert [item.seq for item in attached.items(attached.poll(8))] == [9]


def test_what_is_not_acknowledged_is_offered_again_under_the_same_id_and_seq(
    attached: Conversation,
) -> None:
    attached.call()
    attached.call()
    first = attached.items(attached.poll(0))
    again = attached.items(attached.poll(1))
    assert [(item.id, item.seq) for item in again] == [(first[1].id, 2)]
    parked = attached.poll(2)
    assert attached.answer(parked) is None


def test_seq_counts_from_1_for_each_client(attached: Conversation) -> None:
    for _ in range(2):
        for _ in range(3):
            attached.call()
        assert [item.seq for item in attached.items(attached.poll(0))] == [1, 2, 3]
        attached.disconnect()
        attached.connect()


def test_unacknowledged_items_come_before_new_ones(attached: Conversation) -> None:
    attached.call()
    attached.poll(0)
    attached.call()
    assert [item.seq for item in attached.items(attached.poll(0))] == [1, 2]


def test_an_acknowledgement_that_goes_back_takes_nothing_back(attached: Conversation) -> None:
    attached.call()
    attached.poll(0)
    attached.poll(1)
    assert attached.answer(attached.poll(0)) is None


def test_an_acknowledgement_of_what_was_never_sent_is_a_bad_request(
    attached: Conversation,
) -> None:
    assert attached.answer(attached.poll(1)) == Failure(Code.BAD_REQUEST)
    attached.call()
    attached.poll(0)
    assert attached.answer(attached.poll(1)) is None


def test_a_poll_without_acknowledgement_gets_each_item_once(attached: Conversation) -> None:
    if attached.carrier == "channel":
        pytest.skip("a channel always acknowledges")
    call = attached.call()
    poll = attached.poll(None)
    assert len(attached.items(poll)) == 1
    attached.break_off(poll)
    assert attached.answer(attached.poll(None)) is None
    attached.later(30)
    assert attached.answer(call) == Failure(Code.TIMEOUT, UNKNOWN)


def test_a_poll_without_acknowledgement_makes_earlier_leases_final(
    attached: Conversation,
) -> None:
    if attached.carrier == "channel":
        pytest.skip("a channel always acknowledges")
    attached.call()
    attached.poll(0)
    assert attached.answer(attached.poll(None)) is None
    assert attached.answer(attached.poll(0)) is None


def test_a_result_acknowledges_its_item(attached: Conversation) -> None:
    attached.call()
    (item,) = attached.items(attached.poll(0))
    attached.result(item.id)
    assert attached.answer(attached.poll(0)) is None


def test_a_refused_result_leaves_its_request_outstanding(attached: Conversation) -> None:
    call = attached.call()
    (item,) = attached.items(attached.poll(0))
    assert attached.result(item.id, response_id=StringId("b")) == Failure(Code.RESULT_MISMATCH)
    assert attached.answer(call) is None
    assert attached.result(item.id) == Accepted()


def test_integer_ids_match_by_their_token(attached: Conversation) -> None:
    attached.call(request_id=IntegerId("1"))
    (item,) = attached.items(attached.poll(0))
    refused = attached.result(item.id, response_id=IntegerId("1.0"))
    assert refused == Failure(Code.RESULT_MISMATCH)
    assert attached.result(item.id, response_id=IntegerId("1")) == Accepted()


def test_a_request_without_a_valid_id_is_answered_by_a_null_id_or_an_error_without_one(
    attached: Conversation,
) -> None:
    attached.call(request_id=InvalidId())
    attached.call(request_id=InvalidId())
    first, second = attached.items(attached.poll(0))
    assert attached.result(first.id, response_id=StringId("a")) == Failure(Code.RESULT_MISMATCH)
    assert attached.result(first.id, response_id=InvalidId(is_null=True)) == Accepted()
    assert attached.result(second.id, response_id=NoId(is_error=True)) == Accepted()


def test_a_notification_is_answered_by_null(attached: Conversation) -> None:
    call = attached.call(request_id=NoId())
    (item,) = attached.items(attached.poll(0))
    assert attached.null_result(item.id) == Accepted()
    assert attached.answer(call) == NoResponse()


def test_null_does_not_answer_a_request(attached: Conversation) -> None:
    attached.call()
    (item,) = attached.items(attached.poll(0))
    assert attached.null_result(item.id) == Failure(Code.RESULT_MISMATCH)


def test_a_second_result_is_a_duplicate_and_reaches_nobody(attached: Conversation) -> None:
    call = attached.call()
    (item,) = attached.items(attached.poll(0))
    attached.result(item.id, b"1")
    assert attached.result(item.id, b"2") == Failure(Code.DUPLICATE_RESULT)
    assert attached.answer(call) == RawResponse(b"1")


def test_the_last_answered_ids_are_remembered_and_one_more_is_forgotten() -> None:
    talk = Conversation(BRIDGE_LIMITS._replace(max_answered_ids=2))
    talk.connect()
    ids = []
    for seq in range(3):
        talk.call()
        (item,) = talk.items(talk.poll(seq))
        talk.result(item.id)
        ids.append(item.id)
    assert talk.result(ids[1]) == Failure(Code.DUPLICATE_RESULT)
    assert talk.result(ids[0]) == Failure(Code.UNKNOWN_REQUEST)


def test_256_answered_ids_are_remembered(attached: Conversation) -> None:
    ids = []
    for seq in range(257):
        attached.call()
        (item,) = attached.items(attached.poll(seq))
        attached.result(item.id)
        ids.append(item.id)
    answers = [attached.result(answered) for answered in ids]
    assert answers[0] == Failure(Code.UNKNOWN_REQUEST)
    assert answers[1:] == [Failure(Code.DUPLICATE_RESULT)] * 256


def test_a_result_for_an_id_that_was_never_issued_is_unknown(attached: Conversation) -> None:
    assert attached.result("nothing") == Failure(Code.UNKNOWN_REQUEST)


def test_a_result_for_an_item_that_was_not_delivered_is_unknown(attached: Conversation) -> None:
    call = attached.call()
    queued = attached.issued[-1]
    assert attached.result(queued) == Failure(Code.UNKNOWN_REQUEST)
    (item,) = attached.items(attached.poll(0))
    assert item.id == queued
    assert attached.answer(call) is None


def test_the_64th_is_taken_and_the_65th_refused_at_once(attached: Conversation) -> None:
    calls = [attached.call() for _ in range(64)]
    attached.poll(0)
    assert attached.answer(attached.call()) == Failure(Code.QUEUE_FULL, NOT_DELIVERED)
    assert all(attached.answer(call) is None for call in calls)
    attached.hang_up(calls[63])
    assert attached.answer(attached.call()) is None


def test_a_call_times_out_and_frees_its_place_and_its_late_result_is_unknown(
    attached: Conversation,
) -> None:
    call = attached.call(seconds=3)
    (item,) = attached.items(attached.poll(0))
    attached.later(2.9)
    assert attached.answer(call) is None
    attached.later(0.1)
    assert attached.answer(call) == Failure(Code.TIMEOUT, UNKNOWN)
    assert attached.result(item.id) == Failure(Code.UNKNOWN_REQUEST)
    assert attached.broker.snapshot(attached.now).leased == 0


def test_a_call_that_was_never_leased_times_out_as_not_delivered(attached: Conversation) -> None:
    call = attached.call(seconds=3)
    attached.later(3)
    assert attached.answer(call) == Failure(Code.TIMEOUT, NOT_DELIVERED)
    assert attached.answer(attached.poll(0)) is None


def test_a_terminal_that_hangs_up_frees_its_place_and_its_item_is_not_offered(
    attached: Conversation,
) -> None:
    queued = attached.call()
    attached.hang_up(queued)
    assert attached.answer(attached.poll(0)) is None
    leased = attached.call()
    attached.hang_up(leased)
    assert attached.answer(attached.poll(0)) is None
    assert attached.answer(queued) is None
    assert attached.answer(leased) is None


def test_deadlines_are_told_by_the_wall_clock_of_the_poll_that_carries_them(
    attached: Conversation,
) -> None:
    attached.call(seconds=10)
    attached.later(4)
    attached.unix_ms -= 3_600_000
    (item,) = attached.items(attached.poll(0))
    assert item.deadline_unix_ms == attached.unix_ms + 6_000


def test_a_result_that_is_too_large_fails_its_caller_and_keeps_the_link(
    attached: Conversation,
) -> None:
    call = attached.call()
    (item,) = attached.items(attached.poll(0))
    assert attached.oversize(item.id) == Accepted()
    assert attached.answer(call) == Failure(Code.RESULT_TOO_LARGE, UNKNOWN)
    assert attached.oversize(item.id) == Failure(Code.DUPLICATE_RESULT)
    assert attached.answer(attached.poll(0)) is None


def test_closing_a_session_that_the_page_knows_is_a_job_of_its_own(
    attached: Conversation,
) -> None:
    attached.call()
    (item,) = attached.items(attached.poll(0))
    attached.result(item.id)
    close = attached.close_session("s")
    (job,) = attached.items(attached.poll(1))
    assert isinstance(job, CloseJob)
    assert (job.session, job.seq) == ("s", 2)
    assert attached.result(job.id) == Failure(Code.RESULT_MISMATCH)
    assert attached.null_result(job.id) == Accepted()
    assert attached.answer(close) == SessionClosed()
    assert attached.answer(attached.close_session("s")) == SessionClosed()


def test_closing_with_nothing_attached_or_an_unknown_session_is_done_at_once(
    talk: Conversation,
) -> None:
    assert talk.answer(talk.close_session()) == SessionClosed()
    talk.connect()
    assert talk.answer(talk.close_session()) == SessionClosed()


def test_after_too_many_session_names_the_page_is_asked_for_every_one() -> None:
    talk = Conversation(BRIDGE_LIMITS._replace(max_known_sessions=2))
    talk.connect()
    for name in "ab":
        talk.call(session=name)
    assert talk.answer(talk.close_session("x")) == SessionClosed()
    talk.call(session="c")
    assert talk.answer(talk.close_session("x")) is None


def test_a_session_that_is_used_again_while_its_close_runs_stays_known(
    attached: Conversation,
) -> None:
    attached.call()
    (item,) = attached.items(attached.poll(0))
    attached.result(item.id)
    attached.close_session("s")
    attached.call()
    job, _ = attached.items(attached.poll(1))
    attached.null_result(job.id)
    assert attached.answer(attached.close_session("s")) is None


def test_shutdown_answers_everyone_and_everyone_who_comes_later(attached: Conversation) -> None:
    leased = attached.call()
    attached.poll(0)
    parked = attached.poll(1)
    attached.shutdown()
    assert attached.answer(leased) == Failure(Code.CLOSING, UNKNOWN)
    assert attached.answer(parked) == Failure(Code.CLOSING)
    assert attached.answer(attached.call()) == Failure(Code.CLOSING, NOT_DELIVERED)
    assert attached.try_connect() == Failure(Code.CLOSING)
    assert attached.broker.next_wakeup() is None


def test_shutdown_says_of_a_queued_call_that_it_was_not_delivered(
    attached: Conversation,
) -> None:
    queued = attached.call()
    attached.shutdown()
    assert attached.answer(queued) == Failure(Code.CLOSING, NOT_DELIVERED)
