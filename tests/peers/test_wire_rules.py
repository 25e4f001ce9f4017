"""The judge is judged: each rule finds what breaks it, and passes what does not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.peers.support.record import Connection, HttpExchange, Line, connection_of_exchange
from tests.peers.support.wire_rules import LEGACY, MODERN, faults, schema_faults

META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}
SERVER = {"_meta": {"io.modelcontextprotocol/serverInfo": {"name": "bascule", "version": "1"}}}
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "t"}}
MODERN_CALL = CALL | {"params": {"name": "t", "_meta": META}}
RESULT: dict[str, Any] = {"content": []}
MODERN_RESULT = {**RESULT, "resultType": "complete", **SERVER}


def answer(result: Any, request_id: Any = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def progress(value: float, token: Any = "t") -> dict[str, Any]:
    params = {"progressToken": token, "progress": value}
    return {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}


def told(asked: Any, *said: Any) -> list[str]:
    """Return what is wrong with answers to one request, given as messages or as bytes."""
    lines = [Line("client", json.dumps(asked).encode())]
    for one in said:
        data = one if isinstance(one, bytes) else json.dumps(one).encode()
        lines.append(Line("server", data))
    return faults(Connection(lines))


FOLLOWED = CALL | {"params": {"name": "t", "_meta": {"progressToken": "t"}}}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (CALL, [answer(RESULT)]),
        (MODERN_CALL, [answer(MODERN_RESULT)]),
        (CALL, [{"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "No."}}]),
        (CALL, [{"jsonrpc": "2.0", "error": {"code": -32700, "message": "?"}}, answer(RESULT)]),
        (FOLLOWED, [progress(1), progress(2), answer(RESULT)]),
    ],
)
def test_what_obeys_is_passed(asked: Any, said: list[Any]) -> None:
    assert told(asked, *said) == []


@pytest.mark.parametrize(
    ("why", "asked", "said"),
    [
        ("no answer", CALL, []),
        ("second", CALL, [answer(RESULT), answer(RESULT)]),
        ("an answer to nothing", CALL, [answer(RESULT, "1"), answer(RESULT)]),
        ("no JSON", CALL, [b"hello", answer(RESULT)]),
        ("no JSON", CALL, [b"", answer(RESULT)]),
        ("carriage return", CALL, [json.dumps(answer(RESULT)).encode() + b"\r"]),
        ("no message", CALL, [[answer(RESULT)]]),
        ("a request of the server's", CALL, [CALL, answer(RESULT)]),
        ("nobody asked for", CALL, [{"jsonrpc": "2.0", "method": "x"}, answer(RESULT)]),
        ("content", CALL, [answer({})]),
        ("legacy result", CALL, [answer(MODERN_RESULT)]),
        ("without resultType", MODERN_CALL, [answer({**RESULT, **SERVER})]),
        ("without resultType", MODERN_CALL, [answer(MODERN_RESULT | {"resultType": "other"})]),
        ("names no server", MODERN_CALL, [answer({**RESULT, "resultType": "complete"})]),
        ("cacheable", MODERN_CALL, [answer({**MODERN_RESULT, "ttlMs": 0})]),
        ("JSONRPCErrorResponse", CALL, [{"jsonrpc": "2.0", "id": 1, "error": {"code": 1}}]),
        ("JSONRPCErrorResponse", CALL, [{"jsonrpc": "2.0", "error": {}}, answer(RESULT)]),
        ("no call that is open", FOLLOWED, [progress(1, "u"), answer(RESULT)]),
        ("no call that is open", FOLLOWED, [answer(RESULT), progress(1)]),
        ("does not rise", FOLLOWED, [progress(1), progress(1), answer(RESULT)]),
        ("ProgressNotification", FOLLOWED, [progress(1, None), answer(RESULT)]),
    ],
)
def test_what_breaks_a_rule_is_found(why: str, asked: Any, said: list[Any]) -> None:
    assert [fault for fault in told(asked, *said) if why in fault], told(asked, *said)


def test_an_answer_to_what_was_cancelled_is_found_and_its_absence_is_not() -> None:
    cancel = {"method": "notifications/cancelled", "params": {"requestId": 1}}
    lines = [Line("client", json.dumps(message).encode()) for message in (CALL, cancel)]
    assert faults(Connection(lines)) == []
    lines.append(Line("server", json.dumps(answer(RESULT)).encode()))
    assert "cancelled" in faults(Connection(lines))[0]


def test_a_line_without_an_end_is_found() -> None:
    lines = [
        Line("client", json.dumps(CALL).encode()),
        Line("server", json.dumps(answer(RESULT)).encode(), whole=False),
    ]
    assert "without an end" in faults(Connection(lines), cut_off=True)[0]


def test_messages_of_a_stream_of_events_are_read() -> None:
    first, second = json.dumps(progress(1)), json.dumps(answer(RESULT))
    stream = f"event: message\ndata: {first}\n\n: note\n\ndata: {second}\n\ndata: cut o"
    exchange = HttpExchange("POST", {}, json.dumps(FOLLOWED).encode(), 200)
    exchange.answer = stream.encode()
    exchange.answer_headers = {"content-type": "text/event-stream; charset=utf-8"}
    connection = connection_of_exchange(exchange)
    assert [line.message() for line in connection.sent_by("server")] == [
        progress(1),
        answer(RESULT),
    ]
    assert faults(connection) == []


@pytest.mark.parametrize("revision", [MODERN, LEGACY])
def test_the_official_schemas_refuse_what_is_not_theirs(revision: str) -> None:
    assert schema_faults(revision, "ListToolsResult", {"tools": [{"name": "t"}]}) != []
