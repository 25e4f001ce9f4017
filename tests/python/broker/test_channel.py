"""The channel: tickets, frames, and the change between polling and channel (Contract: channel)."""

from __future__ import annotations

import pytest

from bridge.broker.effects import (
    Accepted,
    ChannelEnd,
    ChannelOpened,
    Connected,
    EndChannel,
    Failure,
    PollAnswer,
    RawResponse,
    SendItems,
    SendRefusal,
)
from bridge.broker.events import (
    ChannelAlive,
    ChannelBroken,
    ChannelFrame,
    ChannelResult,
    PageState,
    Poll,
    Result,
)
from bridge.broker.states import LinkState
from bridge.contract.error_codes import BridgeErrorCode as Code
from bridge.contract.error_codes import Outcome
from bridge.contract.jsonrpc import StringId
from tests.python.support.broker_script import Conversation

REFUSED = [Failure(Code.UNAUTHORIZED)]


@pytest.fixture
def talk() -> Conversation:
    conversation = Conversation(carrier="channel")
    conversation.connect()
    return conversation


def poll(talk: Conversation, ack: int = 0) -> PollAnswer | Failure | None:
    waiter = talk.waiter()
    talk.send(Poll(waiter, talk.client, ack))
    answer = talk.answer(waiter)
    assert answer is None or isinstance(answer, PollAnswer | Failure)
    return answer


def good(item_id: str, response: bytes = b"{}") -> ChannelResult:
    return ChannelResult(item_id, response, StringId("a"))


def test_a_bridge_without_channels_gives_no_tickets() -> None:
    talk = Conversation(carrier="poll")
    talk.connect()
    assert talk.ticket is None
    talk.call()
    answer = poll(talk)
    assert isinstance(answer, PollAnswer)
    assert answer.ticket is None


def test_connect_and_every_poll_answer_carry_a_ticket_of_their_own(talk: Conversation) -> None:
    tickets = [talk.ticket]
    for seq in range(2):
        talk.call()
        answer = poll(talk, seq)
        assert isinstance(answer, PollAnswer)
        tickets.append(answer.ticket)
    assert None not in tickets
    assert len(set(tickets)) == 3


def test_a_ticket_opens_one_channel_only(talk: Conversation) -> None:
    ticket = talk.ticket
    first = talk.open_channel(ticket)
    assert talk.answers[first] == [ChannelOpened()]
    second = talk.open_channel(ticket)
    assert talk.answers[second] == REFUSED
    assert talk.channel == first, "a refused opening harms nobody"


def test_a_ticket_is_good_for_ten_seconds(talk: Conversation) -> None:
    early, late = talk.new_ticket(), talk.new_ticket()
    talk.later(9.9)
    assert talk.answers[talk.open_channel(early)] == [ChannelOpened()]
    talk.later(0.1)
    assert talk.answers[talk.open_channel(late)] == REFUSED


def test_a_ticket_is_of_no_use_to_the_next_client(talk: Conversation) -> None:
    ticket = talk.ticket
    talk.disconnect()
    assert talk.answers[talk.open_channel(ticket)] == REFUSED
    talk.connect()
    assert talk.answers[talk.open_channel(ticket)] == REFUSED


@pytest.mark.parametrize("ticket", ["", "nothing", "id-1", "\ud800".encode("utf-8", "replace")])
def test_what_is_no_ticket_opens_nothing(talk: Conversation, ticket: str | bytes) -> None:
    text = ticket if isinstance(ticket, str) else ticket.decode()
    assert talk.answers[talk.open_channel(text)] == REFUSED


def test_only_the_newest_eight_tickets_are_kept(talk: Conversation) -> None:
    first = talk.ticket
    second = talk.new_ticket()
    for _ in range(7):
        talk.new_ticket()
    assert talk.answers[talk.open_channel(first)] == REFUSED
    assert talk.answers[talk.open_channel(second)] == [ChannelOpened()]


def test_calls_and_results_cross_an_open_channel_at_once(talk: Conversation) -> None:
    channel = talk.open_channel()
    call = talk.call(b'{"id":"a"}')
    (item,) = talk.items(channel)
    talk.frame(good(item.id, b'{"id":"a","result":1e0}'), ack=1)
    assert talk.answer(call) == RawResponse(b'{"id":"a","result":1e0}')


def test_opening_ends_the_parked_poll(talk: Conversation) -> None:
    ticket = talk.new_ticket()
    parked = talk.waiter()
    talk.send(Poll(parked, talk.client, 0))
    talk.open_channel(ticket)
    assert talk.answer(parked) == Failure(Code.POLL_SUPERSEDED)


def test_a_poll_ends_the_channel_and_gets_what_was_not_acknowledged(talk: Conversation) -> None:
    channel = talk.open_channel()
    talk.call()
    (item,) = talk.items(channel)
    answer = poll(talk)
    assert talk.ended == {channel: ChannelEnd.SUPERSEDED}
    assert isinstance(answer, PollAnswer)
    assert [again.id for again in answer.items] == [item.id]
    assert answer.ticket is not None


def test_what_a_poll_carried_and_lost_is_offered_on_the_channel(talk: Conversation) -> None:
    talk.call()
    answer = poll(talk)
    assert isinstance(answer, PollAnswer)
    channel = talk.open_channel()
    assert [item.id for item in talk.items(channel)] == [answer.items[0].id]
    talk.frame(ack=1)
    talk.call()
    assert [item.seq for item in talk.items(channel)] == [1, 2], "acknowledged: not offered again"


def test_at_most_eight_items_are_unacknowledged_on_a_channel(talk: Conversation) -> None:
    channel = talk.open_channel()
    for _ in range(20):
        talk.call()
    assert [item.seq for item in talk.items(channel)] == list(range(1, 9))
    talk.frame(ack=3)
    assert [item.seq for item in talk.items(channel)] == list(range(1, 12))
    last = talk.items(channel)[10]
    talk.frame(good(last.id), ack=3)
    assert [item.seq for item in talk.items(channel)] == list(range(1, 13))


def test_a_place_that_a_hang_up_or_a_time_out_frees_is_used(talk: Conversation) -> None:
    channel = talk.open_channel()
    calls = [talk.call(seconds=3) for _ in range(8)]
    waiting = [talk.call(), talk.call()]
    talk.hang_up(calls[0])
    assert len(talk.items(channel)) == 9
    talk.later(3)
    assert len(talk.items(channel)) == 10
    assert [talk.answer(call) for call in waiting] == [None, None]


def test_an_ack_or_a_taken_beyond_what_was_sent_ends_the_channel(talk: Conversation) -> None:
    for frame in ({"ack": 1}, {"ack": 0, "taken": 1}):
        channel = talk.open_channel(talk.new_ticket())
        talk.frame(**frame)
        assert talk.ended[channel] is ChannelEnd.MALFORMED
    assert talk.broker.snapshot(talk.now).link is LinkState.BROKEN


def test_each_refused_result_is_told_by_its_id_and_code(talk: Conversation) -> None:
    channel = talk.open_channel()
    call, other = talk.call(), talk.call()
    first, second = talk.items(channel)
    effects = talk.frame(
        good("nothing"),
        ChannelResult(first.id, b"{}", StringId("b")),
        good(first.id, b"1"),
        good(first.id, b"2"),
        ChannelResult(second.id, None),
        ack=2,
    )
    refusals = [effect for effect in effects if isinstance(effect, SendRefusal)]
    assert refusals == [
        SendRefusal(channel, "nothing", Code.UNKNOWN_REQUEST),
        SendRefusal(channel, first.id, Code.RESULT_MISMATCH),
        SendRefusal(channel, first.id, Code.DUPLICATE_RESULT),
    ]
    assert talk.answer(call) == RawResponse(b"1")
    assert talk.answer(other) == Failure(Code.RESULT_TOO_LARGE, Outcome.UNKNOWN)


def test_a_result_may_be_posted_while_a_channel_is_open(talk: Conversation) -> None:
    channel = talk.open_channel()
    call = talk.call()
    (item,) = talk.items(channel)
    waiter = talk.waiter()
    talk.send(Result(waiter, talk.client, item.id, b"1", StringId("a")))
    assert talk.answer(waiter) == Accepted()
    assert talk.answer(call) == RawResponse(b"1")


def test_a_channel_that_breaks_gives_two_seconds_to_come_back(talk: Conversation) -> None:
    channel = talk.open_channel()
    call = talk.call()
    talk.break_off(channel)
    talk.later(1.9)
    answer = poll(talk)
    assert isinstance(answer, PollAnswer)
    talk.later(5)
    assert talk.answer(call) is None


def test_a_channel_that_breaks_and_stays_away_ends_the_client(talk: Conversation) -> None:
    channel = talk.open_channel()
    call = talk.call()
    talk.break_off(channel)
    talk.later(2)
    assert talk.answer(call) == Failure(Code.BROWSER_GONE, Outcome.UNKNOWN)
    assert poll(talk) == Failure(Code.STALE_CLIENT)


def test_sixty_seconds_without_a_frame_close_the_channel_and_expire_the_client(
    talk: Conversation,
) -> None:
    channel = talk.open_channel()
    talk.later(59.9)
    talk.alive()
    talk.later(59.9)
    assert talk.ended == {}
    talk.later(0.1)
    assert talk.ended == {channel: ChannelEnd.STALE}
    assert poll(talk) == Failure(Code.STALE_CLIENT)


def test_a_sign_of_life_clears_a_freeze_whose_end_was_not_reported(talk: Conversation) -> None:
    talk.open_channel()
    talk.report(PageState.FROZEN)
    assert talk.answer(talk.call()) == Failure(Code.TAB_SUSPENDED, Outcome.NOT_DELIVERED)
    talk.alive()
    assert talk.answer(talk.call()) is None


def test_a_newer_channel_ends_the_older_and_what_the_older_still_says_means_nothing(
    talk: Conversation,
) -> None:
    older = talk.open_channel(talk.new_ticket())
    call = talk.call()
    (item,) = talk.items(older)
    newer = talk.open_channel(talk.new_ticket())
    assert talk.ended == {older: ChannelEnd.SUPERSEDED}
    for late in (
        ChannelFrame(older, (good(item.id),), 1),
        ChannelAlive(older),
        ChannelBroken(older),
    ):
        assert talk.send(late) == []
    assert talk.answer(call) is None
    assert [again.id for again in talk.items(newer)] == [item.id]


def test_disconnecting_and_shutting_down_close_the_channel(talk: Conversation) -> None:
    first = talk.open_channel()
    talk.disconnect()
    assert talk.ended == {first: ChannelEnd.STALE}
    talk.connect()
    second = talk.open_channel()
    talk.shutdown()
    assert talk.ended[second] is ChannelEnd.CLOSING
    third = talk.open_channel("any")
    assert talk.answers[third] == [Failure(Code.CLOSING)]


def test_what_the_main_thread_has_begun_is_told_by_frames(talk: Conversation) -> None:
    channel = talk.open_channel()
    talk.report(PageState.HIDDEN)
    begun, waiting = talk.call(), talk.call()
    talk.frame(ack=2, taken=1)
    talk.later(5)
    assert talk.answer(begun) is None
    assert talk.answer(waiting) == Failure(Code.TAB_SUSPENDED, Outcome.UNKNOWN)
    assert channel not in talk.ended


def test_items_carry_the_wall_clock_of_their_frame(talk: Conversation) -> None:
    channel = talk.open_channel()
    talk.unix_ms += 5_000
    waiter = talk.call(seconds=10)
    assert talk.answer(waiter) is None
    (item,) = talk.items(channel)
    assert item.deadline_unix_ms == talk.unix_ms + 10_000


def test_a_frame_is_sent_only_where_there_is_something_to_send(talk: Conversation) -> None:
    talk.open_channel()
    assert talk.frame() == []
    effects = talk.send(ChannelAlive(talk.channel)) if talk.channel else [None]
    assert effects == []
    talk.call()
    assert not any(isinstance(effect, SendItems | EndChannel) for effect in talk.frame(ack=1))


def test_a_connect_answer_names_its_client_and_ticket() -> None:
    talk = Conversation(carrier="channel")
    talk.connect()
    assert talk.answers[next(iter(talk.answers))] == [Connected("id-1", "id-2")]
