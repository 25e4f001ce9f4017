"""What those who watch are told of calls (Contract: calls)."""

from __future__ import annotations

import pytest

from bridge.broker.broker import CALLER_GONE
from bridge.broker.effects import CallsSeen, Failure
from bridge.broker.events import Call, CallerGone, CallLabel, ChannelResult, Result, Waiter, Watch
from bridge.contract.error_codes import BridgeErrorCode as Code
from bridge.contract.jsonrpc import StringId
from bridge.contract.limits import BRIDGE_LIMITS
from tests.python.support.broker_script import Carrier, Conversation

LABEL = CallLabel("actions/execute", "a.b")


@pytest.fixture
def talk() -> Conversation:
    conversation = Conversation()
    conversation.connect()
    return conversation


def call(talk: Conversation, session: str = "s") -> Waiter:
    waiter = talk.waiter()
    talk.send(Call(waiter, session, b'{"id":"a"}', StringId("a"), 30.0, LABEL))
    return waiter


def watch(talk: Conversation, after: int | None = 0, seconds: float = 0.0) -> Waiter:
    waiter = talk.waiter()
    talk.send(Watch(waiter, after, seconds))
    return waiter


def seen(talk: Conversation, waiter: Waiter) -> CallsSeen:
    answer = talk.answer(waiter)
    assert isinstance(answer, CallsSeen), answer
    return answer


def ends(talk: Conversation) -> list[str | None]:
    return [e.code for e in seen(talk, watch(talk)).events if e.duration_ms is not None]


def test_a_call_is_seen_to_begin_and_to_end(talk: Conversation) -> None:
    call(talk)
    (item,) = talk.items(talk.poll())
    talk.later(0.25)
    talk.result(item.id)
    begun, ended = seen(talk, watch(talk)).events
    assert (begun.seq, begun.call, begun.session, begun.label) == (1, 1, "s", LABEL)
    assert begun.duration_ms is None
    assert (ended.seq, ended.call, ended.code) == (2, 1, None)
    assert ended.duration_ms == pytest.approx(250)
    assert ended.at_unix_ms - begun.at_unix_ms == pytest.approx(250, abs=1)


def test_every_end_of_a_call_is_named(talk: Conversation) -> None:
    def next_item() -> str:
        items = talk.items(talk.poll(next_item.ack))  # type: ignore[attr-defined]
        next_item.ack = items[-1].seq  # type: ignore[attr-defined]
        return items[-1].id

    next_item.ack = 0  # type: ignore[attr-defined]
    call(talk)
    waiter = talk.waiter()
    refused = Result(waiter, talk.client, next_item(), b"{}", StringId("a"), "STALE_REVISION")
    talk.send(refused)
    call(talk)
    talk.oversize(next_item())
    hung_up = call(talk)
    talk.hang_up(hung_up)
    call(talk)
    talk.later(30)
    call(talk)
    talk.disconnect()
    call(talk)
    assert ends(talk) == [
        "STALE_REVISION",
        "RESULT_TOO_LARGE",
        CALLER_GONE,
        "TIMEOUT",
        "BROWSER_GONE",
        "NOT_ATTACHED",
    ]


def test_a_result_on_the_channel_is_seen_alike() -> None:
    talk = Conversation(carrier="channel")
    talk.connect()
    channel = talk.open_channel()
    call(talk)
    (item,) = talk.items(channel)
    talk.frame(ChannelResult(item.id, b"{}", StringId("a"), "UNAVAILABLE"), ack=1)
    assert ends(talk) == ["UNAVAILABLE"]


def test_closing_a_session_is_no_call(talk: Conversation) -> None:
    call(talk)
    talk.close_session("s")
    talk.disconnect()
    assert len(ends(talk)) == 1


def test_a_watcher_waits_until_something_happens_or_its_time_is_up(talk: Conversation) -> None:
    waiting = watch(talk, None, seconds=20)
    assert talk.answer(waiting) is None
    call(talk)
    assert [event.seq for event in seen(talk, waiting).events] == [1]
    again = watch(talk, 1, seconds=20)
    talk.later(19.9)
    assert talk.answer(again) is None
    talk.later(0.1)
    assert seen(talk, again) == CallsSeen(talk.unix_ms, 1, 0, ())


def test_null_means_from_now_on_and_0_from_the_beginning(talk: Conversation) -> None:
    call(talk)
    assert seen(talk, watch(talk, None)).events == ()
    assert len(seen(talk, watch(talk, 0)).events) == 1
    assert seen(talk, watch(talk, 99)).last_seq == 1


def test_who_names_a_number_that_is_yet_to_come_misses_nothing_from_now_on(
    talk: Conversation,
) -> None:
    call(talk)
    waiting = watch(talk, 99, seconds=20)
    call(talk)
    assert [event.seq for event in seen(talk, waiting).events] == [2]


def test_who_comes_too_late_is_told_how_much_was_missed() -> None:
    talk = Conversation(BRIDGE_LIMITS._replace(max_journal_events=4))
    for _ in range(5):
        call(talk)
    answer = seen(talk, watch(talk, 2))
    assert (answer.missed, [event.seq for event in answer.events]) == (4, [7, 8, 9, 10])
    assert answer.last_seq == 10


def test_four_watch_at_once_and_the_fifth_is_busy(talk: Conversation) -> None:
    waiting = [watch(talk, None, seconds=20) for _ in range(4)]
    assert talk.answer(watch(talk, None, seconds=20)) == Failure(Code.BUSY)
    talk.send(CallerGone(waiting[0]))
    assert talk.answer(watch(talk, None, seconds=20)) is None
    call(talk)
    assert all(talk.answer(waiter) for waiter in waiting[1:])
    assert talk.answer(waiting[0]) is None


def test_a_shut_down_answers_those_who_watch(talk: Conversation) -> None:
    waiting = watch(talk, None, seconds=20)
    talk.shutdown()
    assert talk.answer(waiting) == Failure(Code.CLOSING)
    assert talk.answer(watch(talk)) == Failure(Code.CLOSING)
    assert talk.broker.next_wakeup() is None


def idle_seconds(talk: Conversation) -> float:
    return talk.broker.snapshot(talk.now).idle_seconds


def test_watching_is_no_use_of_the_bridge() -> None:
    talk = Conversation()
    talk.later(0)
    talk.later(50)
    watch(talk)
    talk.later(10)
    assert idle_seconds(talk) == pytest.approx(60)
    call(talk)
    assert idle_seconds(talk) == 0


@pytest.mark.parametrize("carrier", ["poll", "channel"])
def test_a_bridge_is_in_use_until_its_page_is_gone(carrier: Carrier) -> None:
    talk = Conversation(carrier=carrier)
    talk.connect()
    if carrier == "channel":
        talk.open_channel()
    talk.later(50)
    assert idle_seconds(talk) == 0
    talk.later(30)
    assert talk.broker.snapshot(talk.now).app is None
    assert idle_seconds(talk) == pytest.approx(20)
