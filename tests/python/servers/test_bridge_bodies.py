"""Shapes of requests, at their limits and one over."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.broker.events import (
    Call,
    CallLabel,
    CloseSession,
    Connect,
    Disconnect,
    KeepSession,
    Opening,
    OversizeResult,
    PageState,
    Poll,
    Result,
    StateReport,
    Waiter,
)
from bridge.contract.jsonrpc import (
    IntegerId,
    NoId,
    NullResponse,
    StringId,
    response_answers,
)
from bridge.contract.limits import BRIDGE_LIMITS
from bridge.servers.bridge_bodies import BodyReader
from bridge.servers.bridge_gate import RequestHead
from bridge.servers.bridge_routes import ROUTES, RouteName
from bridge.servers.shapes import ShapeError

READER = BodyReader(BRIDGE_LIMITS)
W = Waiter(7)


def read(route: RouteName, value: Any) -> object:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return READER.body(route, body, W)


def poll(query: str, *acks: bytes) -> Poll:
    head = RequestHead("GET", "/poll", tuple((b"Bascule-Ack", ack) for ack in acks))
    return READER.poll(head, query, W)


def test_each_route_gives_its_event() -> None:
    request = b'{"id" : 1e0}'
    assert read(RouteName.CONNECT, {"app": "a"}) == Connect(W, "a")
    assert read(RouteName.DISCONNECT, {"client": "c"}) == Disconnect(W, "c")
    assert read(RouteName.STATE, {"client": "c", "state": "hidden", "taken": 3}) == StateReport(
        W, "c", PageState.HIDDEN, 3
    )
    assert read(RouteName.SESSION_CLOSE, {"session": "s"}) == CloseSession(W, "s")
    assert read(RouteName.SESSION_KEEP, {"session": "s"}) == KeepSession(W, "s")
    assert read(RouteName.RPC, b'{"session":"s","request":' + request + b"}") == Call(
        W, "s", request, IntegerId("1e0"), 30.0
    )
    assert read(RouteName.RPC, {"session": "s", "request": {}, "timeoutMs": 1}) == Call(
        W, "s", b"{}", NoId(), 0.001
    )
    opened = b'{"session":"s","request":{},"opening":{"id":\n"o", "n": 1.0}}'
    assert read(RouteName.RPC, opened) == Call(
        W, "s", b"{}", NoId(), 30.0, opening=Opening(b'{"id": "o", "n": 1.0}', StringId("o"))
    )
    assert read(RouteName.RESULT, {"client": "c", "id": "i", "response": None}) == Result(
        W, "c", "i", b"null", NullResponse()
    )
    assert read(RouteName.RESULT, {"client": "c", "id": "i", "tooLarge": True}) == OversizeResult(
        W, "c", "i"
    )


def test_raw_line_breaks_in_a_request_become_spaces() -> None:
    event = read(RouteName.RPC, b'{"session":"s","request":\r\n{"a":\r\n1}\n}')
    assert isinstance(event, Call)
    assert event.request == b'{"a":  1}'


GOOD: dict[RouteName, dict[str, Any]] = {
    RouteName.CONNECT: {"app": "a"},
    RouteName.RESULT: {"client": "c", "id": "i", "response": {"id": 1}},
    RouteName.STATE: {"client": "c", "state": "visible", "taken": 0},
    RouteName.DISCONNECT: {"client": "c"},
    RouteName.RPC: {"session": "s", "request": {"id": 1}, "timeoutMs": 30_000, "opening": {}},
    RouteName.SESSION_CLOSE: {"session": "s"},
    RouteName.SESSION_KEEP: {"session": "s"},
    RouteName.CALLS: {"waitMs": 0},
}
OPTIONAL = {"timeoutMs", "waitMs", "opening"}
WRONG: list[Any] = [None, True, 1.5, -1, [], "", "!", {"": 0}]


def test_every_route_with_a_body_is_in_this_table() -> None:
    # The body of `/mcp` is a message, which is read as one.
    assert {*GOOD, RouteName.MCP} == {route.name for route in ROUTES.values() if route.has_body}


@pytest.mark.parametrize("route", GOOD)
def test_unknown_members_are_ignored(route: RouteName) -> None:
    assert read(route, {**GOOD[route], "surprise": [1, {"x": None}]}) == read(route, GOOD[route])


@pytest.mark.parametrize(
    ("route", "member"), [(r, m) for r, body in GOOD.items() for m in body if m not in OPTIONAL]
)
def test_a_missing_member_is_refused(route: RouteName, member: str) -> None:
    body = {name: value for name, value in GOOD[route].items() if name != member}
    assert refusal(route, body) == "BAD_REQUEST"


@pytest.mark.parametrize(
    ("route", "member", "wrong"),
    [
        (route, member, wrong)
        for route, body in GOOD.items()
        for member in body
        for wrong in WRONG
        if not (
            member == "response" or (member in {"request", "opening"} and isinstance(wrong, dict))
        )
        and not (isinstance(wrong, str) and wrong and member in {"app", "client", "id"})
    ],
)
def test_a_member_of_the_wrong_kind_is_refused(route: RouteName, member: str, wrong: Any) -> None:
    assert refusal(route, {**GOOD[route], member: wrong}) == "BAD_REQUEST"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b'{"app":"a"',
        b'{"app":"a","app":"b"}',
        b'{"app":"\\ud800"}',
        b'\xef\xbb\xbf{"app":"a"}',
        b'{"app":"a","x":NaN}',
        b'{"app":"a"} {}',
        b'{"app":"\xff"}',
    ],
)
def test_a_body_that_is_not_a_strict_object_is_refused(body: bytes) -> None:
    assert refusal(RouteName.CONNECT, body) == "BAD_REQUEST"


@pytest.mark.parametrize(
    ("route", "member", "most", "over"),
    [
        (RouteName.CONNECT, "app", "x" * 200, "x" * 201),
        (RouteName.CONNECT, "app", "\U0001f600" * 200, "\U0001f600" * 201),
        (RouteName.RPC, "session", "x" * 128, "x" * 129),
        (RouteName.RPC, "session", "aZ09._:-", "a/b"),
        (RouteName.RPC, "session", "a", "é"),
        (RouteName.RPC, "session", "a", "a\n"),
        (RouteName.SESSION_CLOSE, "session", "x" * 128, "x" * 129),
        (RouteName.RPC, "timeoutMs", 30_000, 30_001),
        (RouteName.RPC, "timeoutMs", 1, 0),
        (RouteName.CALLS, "waitMs", 20_000, 20_001),
        (RouteName.CALLS, "after", 0, -1),
        (RouteName.CALLS, "after", None, "0"),
        (RouteName.STATE, "taken", 0, -1),
        (RouteName.STATE, "state", "frozen", "FROZEN"),
    ],
)
def test_a_limit_holds_and_one_over_is_refused(
    route: RouteName, member: str, most: Any, over: Any
) -> None:
    read(route, {**GOOD[route], member: most})
    assert refusal(route, {**GOOD[route], member: over}) == "BAD_REQUEST"


def test_an_integral_number_is_an_integer_however_it_is_written() -> None:
    event = read(RouteName.RPC, b'{"session":"s","request":{},"timeoutMs":1.5e3}')
    assert isinstance(event, Call)
    assert event.timeout_seconds == 1.5


@pytest.mark.parametrize("too_large", [False, None, 1, "true", {}])
def test_too_large_is_true_or_nothing(too_large: Any) -> None:
    assert refusal(RouteName.RESULT, {"client": "c", "id": "i", "tooLarge": too_large})
    both = {"client": "c", "id": "i", "tooLarge": True, "response": None}
    assert refusal(RouteName.RESULT, both) == "BAD_REQUEST"


@pytest.mark.parametrize(
    ("route", "member"), [(RouteName.RPC, "request"), (RouteName.RESULT, "response")]
)
def test_a_message_of_one_mib_passes_and_one_byte_more_is_too_large(
    route: RouteName, member: str
) -> None:
    for size, refused in ((1_048_576, None), (1_048_577, "TOO_LARGE")):
        texts = ",".join(['"' + "x" * 100_000 + '"'] * 10)
        message = '{"a":[' + texts + "]}"
        message = message[:-1] + " " * (size - len(message)) + message[-1]
        rest = {name: value for name, value in GOOD[route].items() if name != member}
        body = json.dumps(rest)[:-1] + f',"{member}":{message}}}'
        assert refusal(route, body.encode()) == refused


def test_another_limit_of_strict_json_is_a_bad_request() -> None:
    deep = b"[" * 33 + b"]" * 33
    body = b'{"session":"s","request":{"a":' + deep + b"}}"
    with pytest.raises(ShapeError, match="request is over the limit depth of 32"):
        read(RouteName.RPC, body)


@pytest.mark.parametrize(
    ("route", "member"), [(RouteName.RPC, "request"), (RouteName.RESULT, "response")]
)
def test_the_limits_of_strict_json_are_counted_inside_a_message_alone(
    route: RouteName, member: str
) -> None:
    rest = {name: value for name, value in GOOD[route].items() if name != member}
    for depth, refused in ((32, None), (33, "BAD_REQUEST")):
        # The body around the message is one level deeper.
        message = '{"id":' + "[" * (depth - 1) + "]" * (depth - 1) + "}"
        body = json.dumps(rest)[:-1] + f',"{member}":{message}}}'
        assert refusal(route, body.encode()) == refused


@pytest.mark.parametrize(
    ("requested", "responded", "same"),
    [
        (rb'"a\u00e9"', '"aé"'.encode(), True),
        (rb'"\ud83d\ude00"', '"\U0001f600"'.encode(), True),
        (b'"1"', b"1", False),
        (b"1", b"1", True),
        (b"1", b"1.0", False),
        (b"1e3", b"1000", False),
        (b"9007199254740993", b"9007199254740992", False),
    ],
)
def test_ids_are_the_same_by_decoded_string_or_by_number_token(
    requested: bytes, responded: bytes, *, same: bool
) -> None:
    call = read(RouteName.RPC, b'{"session":"s","request":{"id":' + requested + b"}}")
    result = read(RouteName.RESULT, b'{"client":"c","id":"i","response":{"id":' + responded + b"}}")
    assert isinstance(call, Call)
    assert isinstance(result, Result)
    assert response_answers(call.request_id, result.response_id) is same


@pytest.mark.parametrize(
    ("query", "client"),
    [("client=abc", "abc"), ("x=1&client=a%2Db&y", "a-b"), ("client=a+b", "a b")],
)
def test_a_poll_names_its_client_in_the_query(query: str, client: str) -> None:
    assert poll(query) == Poll(W, client, None)


@pytest.mark.parametrize(
    "query", ["", "client", "client=", "Client=a", "client=a&client=a", "client=%ff", "&" * 99]
)
def test_a_poll_without_exactly_one_client_is_refused(query: str) -> None:
    with pytest.raises(ShapeError):
        poll(query)


@pytest.mark.parametrize(("ack", "value"), [(b"0", 0), (b"17", 17), (b"9" * 16, int("9" * 16))])
def test_an_acknowledgement_is_one_number(ack: bytes, value: int) -> None:
    assert poll("client=c", ack).ack == value


@pytest.mark.parametrize(
    "ack", [b"", b"-1", b"01", b"1.0", b"x", b"0x1", b"1 2", b"9" * 17, b"\xb2"]
)
def test_a_malformed_acknowledgement_is_refused(ack: bytes) -> None:
    with pytest.raises(ShapeError):
        poll("client=c", ack)
    with pytest.raises(ShapeError):
        poll("client=c", b"1", b"1")


@given(st.sampled_from(list(GOOD)), st.binary(max_size=200))
def test_any_bytes_give_an_event_or_a_refusal(route: RouteName, body: bytes) -> None:
    refusal(route, body)


@given(st.text(max_size=60), st.binary(max_size=12))
def test_any_query_gives_an_event_or_a_refusal(query: str, ack: bytes) -> None:
    with suppress(ShapeError):
        assert poll(query, ack).client


def refusal(route: RouteName, value: Any) -> str | None:
    """Return the code that a body is refused with, or None when it is taken."""
    try:
        read(route, value)
    except ShapeError as error:
        return error.code
    return None


TOOL = {"name": "actions_execute", "arguments": {"action": "a.b"}}


@pytest.mark.parametrize(
    ("request_", "label"),
    [
        ({"method": "agent/info"}, CallLabel("agent/info")),
        (
            {"method": "actions/execute", "params": {"action": "a.b"}},
            CallLabel("actions/execute", "a.b"),
        ),
        ({"method": "actions/list", "params": {"action": "a.b"}}, CallLabel("actions/list")),
        ({"method": "m" * 128}, CallLabel("m" * 128)),
        ({"method": "m" * 129}, CallLabel()),
        ({"method": 1}, CallLabel()),
        ({"method": "actions/execute", "params": ["a"]}, CallLabel("actions/execute")),
        ({"method": "actions/execute", "params": {"action": 1}}, CallLabel("actions/execute")),
        ({}, CallLabel()),
        ({"method": "tools/list"}, CallLabel("tools/list")),
        ({"method": "tools/call", "params": TOOL}, CallLabel("tools/call", "a.b")),
        (
            {"method": "tools/call", "params": {**TOOL, "name": "task_status"}},
            CallLabel("tools/call"),
        ),
        (
            {"method": "tools/call", "params": {**TOOL, "arguments": {"action": "a" * 129}}},
            CallLabel("tools/call"),
        ),
        (
            {"method": "tools/call", "params": {"name": "actions_execute", "arguments": []}},
            CallLabel("tools/call"),
        ),
    ],
)
def test_a_call_is_labelled_by_what_it_names_itself(request_: Any, label: CallLabel) -> None:
    event = read(RouteName.RPC, {"session": "s", "request": request_})
    assert isinstance(event, Call)
    assert event.label == label


@pytest.mark.parametrize(
    ("response", "code"),
    [
        ({"id": 1, "result": {"error": 1}}, None),
        (None, None),
        ({"id": 1, "error": {"code": 1008, "data": {"code": "STALE_REVISION"}}}, "STALE_REVISION"),
        ({"id": 1, "error": {"code": -32601}}, "ERROR"),
        ({"id": 1, "error": {"data": {"code": "x" * 65}}}, "ERROR"),
        ({"id": 1, "error": {"data": {"code": "\x1b[31m"}}}, "ERROR"),
        ({"id": 1, "error": "text"}, "ERROR"),
    ],
)
def test_a_response_that_is_an_error_names_the_apps_code(response: Any, code: str | None) -> None:
    event = read(RouteName.RESULT, {"client": "c", "id": "i", "response": response})
    assert isinstance(event, Result)
    assert event.app_error == code


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ({"status": "deferred", "task": {"progress": {"reason": "consent"}}}, "consent"),
        ({"status": "deferred", "task": {"progress": {"reason": "x" * 65}}}, "task"),
        ({"status": "deferred", "task": {"progress": {"reason": "\x1b"}}}, "task"),
        ({"status": "deferred", "task": {"progress": [1]}}, "task"),
        ({"status": "deferred", "task": None}, "task"),
        ({"status": "completed", "task": {"progress": {"reason": "consent"}}}, None),
        ({"status": "completed", "structuredContent": {"status": "deferred"}}, None),
        ({"structuredContent": {"status": "deferred"}}, "task"),
        ({"structuredContent": "deferred"}, None),
        ("deferred", None),
    ],
)
def test_a_response_of_a_call_that_goes_on_says_why(result: Any, reason: str | None) -> None:
    response = {"jsonrpc": "2.0", "id": 1, "result": result}
    event = read(RouteName.RESULT, {"client": "c", "id": "i", "response": response})
    assert isinstance(event, Result)
    assert event.deferred == reason
