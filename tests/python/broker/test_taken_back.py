"""Calls that the page has when their callers hang up (Contract: delivery, MCP)."""

from __future__ import annotations

import pytest

from bridge.broker.effects import Accepted, Failure, RawResponse, RpcItem
from bridge.broker.events import PageState, Waiter
from bridge.contract.error_codes import BridgeErrorCode as Code
from bridge.contract.jsonrpc import StringId
from bridge.contract.limits import BRIDGE_LIMITS
from tests.python.support.broker_script import Conversation

MOST = BRIDGE_LIMITS.max_outstanding


@pytest.fixture(params=["poll", "channel"])
def attached(request: pytest.FixtureRequest) -> Conversation:
    conversation = Conversation(carrier=request.param)
    conversation.connect()
    return conversation


def call(talk: Conversation, name: str, session: str = "s", *, seconds: float = 30.0) -> Waiter:
    """Make a call by the id `name`, which says how it is taken back."""
    return talk.call(
        name.encode(),
        session=session,
        request_id=StringId(name),
        seconds=seconds,
        cancellation=b"not " + name.encode(),
    )


def given(talk: Conversation, ack: int = 0) -> list[RpcItem]:
    """Return what the page gets now."""
    items = talk.items(talk.poll(ack))
    assert all(isinstance(item, RpcItem) for item in items)
    return [item for item in items if isinstance(item, RpcItem)]


def requests(talk: Conversation, ack: int = 0) -> list[bytes]:
    return [item.request for item in given(talk, ack)]


def nothing(talk: Conversation, ack: int = 0) -> bool:
    """Say whether there is nothing that the page would get."""
    return talk.answer(talk.poll(ack)) is None


def test_a_call_that_the_page_has_is_taken_back_when_its_caller_hangs_up(
    attached: Conversation,
) -> None:
    caller = call(attached, "a", seconds=20)
    (item,) = given(attached)
    attached.later(5)
    attached.hang_up(caller)
    (told,) = given(attached, item.seq)
    # In its own session, and only for as long as the page could still begin the call.
    assert (told.request, told.session) == (b"not a", item.session)
    assert told.deadline_unix_ms == attached.unix_ms + 15_000
    assert attached.null_result(told.id) == Accepted()
    assert attached.result(item.id, b"late", StringId("a")) == Failure(Code.UNKNOWN_REQUEST)
    assert attached.answer(caller) is None
    assert nothing(attached, told.seq)


def test_a_call_that_is_queued_or_answered_has_nothing_to_be_taken_back(
    attached: Conversation,
) -> None:
    answered = call(attached, "a")
    (item,) = given(attached)
    assert attached.result(item.id, b"{}", StringId("a")) == Accepted()
    attached.hang_up(answered)
    assert attached.answer(answered) == RawResponse(b"{}")
    if attached.carrier == "poll":
        attached.hang_up(call(attached, "b"))
    assert nothing(attached, item.seq)


def test_a_call_that_cannot_be_taken_back_is_only_let_go(attached: Conversation) -> None:
    caller = attached.call()
    (item,) = given(attached)
    attached.hang_up(caller)
    assert nothing(attached, item.seq)


def test_a_call_with_an_id_that_another_caller_uses_too_is_not_taken_back(
    attached: Conversation,
) -> None:
    first, second = call(attached, "a"), call(attached, "a")
    elsewhere, other = call(attached, "a", "other session"), call(attached, "b")
    given(attached)
    attached.hang_up(first)
    # It would take back the second one as well.
    assert nothing(attached, 4)
    attached.hang_up(elsewhere)
    attached.hang_up(other)
    assert requests(attached, 4) == [b"not a", b"not b"]
    # Once nobody wants the second one either, both can go.
    attached.hang_up(second)
    assert requests(attached, 6) == [b"not a"]


def test_a_call_by_the_same_id_that_comes_later_comes_behind_it(attached: Conversation) -> None:
    attached.hang_up(_leased(attached, "a"))
    later = call(attached, "a")
    told, asked = given(attached, 1)
    assert (told.request, asked.request) == (b"not a", b"a")
    # Both were lost on their way: they come again, and in this order.
    assert requests(attached, 1) == [b"not a", b"a"]
    attached.null_result(told.id)
    attached.result(asked.id, b"its own", StringId("a"))
    assert attached.answer(later) == RawResponse(b"its own")


def test_what_takes_back_a_call_takes_no_place_from_others(attached: Conversation) -> None:
    told: list[bytes] = []
    for _ in range(2):
        callers = [call(attached, f"{number}") for number in range(MOST)]
        assert all(attached.answer(caller) is None for caller in callers)
        told += _all_requests(attached)
        for caller in callers:
            attached.hang_up(caller)
        snapshot = attached.broker.snapshot(attached.now)
        assert (snapshot.queued, snapshot.leased) == (0, 0)
    told += _all_requests(attached)
    # The page has answered none of them, and so there is an end to their number, too.
    assert sum(request.startswith(b"not ") for request in told) == MOST


def _all_requests(talk: Conversation) -> list[bytes]:
    """Let the page take all that there is."""
    found: list[bytes] = []
    ack = 0
    while not nothing(talk, ack):
        items = given(talk, ack)
        found += [item.request for item in items]
        ack = items[-1].seq
    return found


def _leased(talk: Conversation, name: str) -> Waiter:
    caller = call(talk, name)
    given(talk)
    return caller


def test_it_is_forgotten_when_the_page_would_not_begin_the_call_any_more(
    attached: Conversation,
) -> None:
    attached.hang_up(_leased(attached, "a"))
    attached.later(29)
    assert requests(attached, 1) == [b"not a"]
    attached.later(1)
    assert nothing(attached, 1)


@pytest.mark.parametrize("end", ["disconnect", "shutdown", "freeze"])
def test_nobody_hears_of_it_whatever_ends_the_page(attached: Conversation, end: str) -> None:
    caller = _leased(attached, "a")
    attached.hang_up(caller)
    if end == "shutdown":
        attached.shutdown()
    elif end == "freeze":
        attached.report(PageState.FROZEN)
    else:
        attached.disconnect()
        attached.connect()
        assert nothing(attached)
    assert attached.answer(caller) is None
    snapshot = attached.broker.snapshot(attached.now)
    assert (snapshot.queued, snapshot.leased) == (0, 0)


def test_a_hidden_page_that_does_not_take_it_up_fails_nobody(attached: Conversation) -> None:
    caller = _leased(attached, "a")
    attached.report(PageState.HIDDEN)
    attached.hang_up(caller)
    attached.poll(1)
    attached.later(6)
    assert attached.answer(caller) is None
    # The next call is tried as ever.
    other = call(attached, "b")
    assert attached.answer(other) is None
