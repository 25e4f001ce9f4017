"""One exchange with a scripted bridge: what is sent, what is given, and every way to fail."""

from __future__ import annotations

import _socket
import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from bridge.client.async_bridge_connection import AsyncBridgeConnection
from bridge.client.bridge_address import BridgeAddress
from bridge.client.bridge_connection import BridgeConnection, is_error_response
from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode, DeadlineExceeded
from bridge.contract.error_codes import BridgeErrorCode, Outcome
from bridge.contract.limits import BRIDGE_LIMITS
from tests.python.support.fake_bridge import (
    PATIENCE_SECONDS,
    Answer,
    Bytes,
    FakeBridge,
    error,
    fake_bridge,
    result,
    status_of,
)

REQUEST = b'{"jsonrpc":"2.0","id":1.0,"method":"m"}'


@pytest.fixture
def bridge() -> Iterator[FakeBridge]:
    with fake_bridge() as running:
        yield running


def connect(bridge: FakeBridge, host: str = "127.0.0.1") -> BridgeConnection:
    return BridgeConnection(BridgeAddress(host, bridge.port), bridge.token)


def awaiting(bridge: FakeBridge) -> AsyncBridgeConnection:
    address = BridgeAddress("127.0.0.1", bridge.port)
    return AsyncBridgeConnection(address, bridge.token, lambda: True)


def failure(bridge: FakeBridge, timeout: float | None = None) -> BridgeFailure:
    with pytest.raises(BridgeFailure) as caught:
        connect(bridge).call("s", REQUEST, timeout)
    assert bridge.token not in str(caught.value) + str(caught.value.hint)
    return caught.value


def test_a_call_is_sent_whole_and_exactly(bridge: FakeBridge) -> None:
    bridge.script = lambda _: result(7)
    assert json.loads(connect(bridge).call("a:1", REQUEST, 1.5) or b"")["result"] == 7
    (received,) = bridge.received
    assert (received.method, received.path) == ("POST", "/rpc")
    assert received.body == b'{"session":"a:1","timeoutMs":1500,"request":' + REQUEST + b"}"
    assert received.headers == {
        "host": f"127.0.0.1:{bridge.port}",
        "authorization": f"Bearer {bridge.token}",
        "content-type": "application/json",
        "content-length": str(len(received.body)),
    }


def test_without_a_timeout_the_bridge_s_own_holds(bridge: FakeBridge) -> None:
    connect(bridge).call("s", REQUEST)
    assert bridge.received[0].json() == {"session": "s", "request": json.loads(REQUEST)}


def test_an_opening_goes_with_the_call_exactly(bridge: FakeBridge) -> None:
    bridge.script = lambda _: result(7)
    opening = b'{"id": 1.0, "method":"initialize"}'
    connect(bridge).call("s", REQUEST, 1.5, opening)
    connect(bridge).respond("s", REQUEST, 1.5, time.monotonic() + 5, opening=opening)
    body = b'{"session":"s","timeoutMs":1500,"request":' + REQUEST + b',"opening":' + opening + b"}"
    assert [received.body for received in bridge.received] == [body, body]


def test_a_session_is_kept_or_not_known(bridge: FakeBridge) -> None:
    assert connect(bridge).keep_session("s:1") is True
    assert [(r.path, r.json()) for r in bridge.received] == [("/session/keep", {"session": "s:1"})]
    bridge.script = lambda _: Answer(body=b'{"kept":false}')
    assert connect(bridge).keep_session("s:1") is False


@pytest.mark.parametrize("body", [b"", b"null", b"[]", b"{}", b'{"kept":1}', b'{"kept":null}'])
def test_who_does_not_say_whether_a_session_is_kept_is_no_bridge(
    bridge: FakeBridge, body: bytes
) -> None:
    bridge.script = lambda _: Answer(body=body)
    with pytest.raises(BridgeFailure) as caught:
        connect(bridge).keep_session("s")
    assert caught.value.code == ClientErrorCode.NOT_A_BRIDGE


def test_a_notification_is_taken_and_one_that_is_answered_is_no_bridge_s(
    bridge: FakeBridge,
) -> None:
    note, deadline = b'{"jsonrpc":"2.0","method":"m"}', time.monotonic() + 5
    connect(bridge).notify("s", note, None, deadline, opening=b"{}")
    assert bridge.received[0].body == b'{"session":"s","request":' + note + b',"opening":{}}'
    bridge.script = lambda _: result(7)
    with pytest.raises(BridgeFailure) as caught:
        connect(bridge).notify("s", note, None, deadline)
    assert caught.value.code == ClientErrorCode.NOT_A_BRIDGE


async def test_the_twin_for_an_event_loop_sends_the_same(bridge: FakeBridge) -> None:
    note, opening = b'{"jsonrpc":"2.0","method":"m"}', b'{"id":"o"}'
    deadline = asyncio.get_running_loop().time() + 5
    blocking, awaited = connect(bridge), awaiting(bridge)
    blocking.respond("s", REQUEST, 2.0, time.monotonic() + 5, opening=opening)
    await awaited.respond("s", REQUEST, 2.0, deadline, opening=opening)
    blocking.notify("s", note, 2.0, time.monotonic() + 5, opening=opening)
    await awaited.notify("s", note, 2.0, deadline, opening=opening)
    assert blocking.keep_session("s") is await awaited.keep_session("s", deadline) is True
    sent = [(received.path, received.body) for received in bridge.received]
    assert sent[::2] == sent[1::2]
    bridge.script = lambda _: result(7)
    with pytest.raises(BridgeFailure):
        await awaited.notify("s", note, None, deadline)
    awaited.close()


def test_localhost_is_dialled_as_the_address_and_named_as_given(bridge: FakeBridge) -> None:
    connect(bridge, "localhost").call("s", REQUEST)
    assert bridge.received[0].headers["host"] == f"localhost:{bridge.port}"


def test_names_are_not_resolved_and_proxies_not_asked(
    bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialled: list[object] = []
    asked: list[object] = []

    class Recording(_socket.socket):
        def connect(self, address: Any) -> None:
            dialled.append(address)
            super().connect(address)

    monkeypatch.setattr("bridge.client.http_connection.socket.socket", Recording)
    for name in ("getaddrinfo", "gethostbyname"):
        monkeypatch.setattr(socket, name, lambda *given: asked.append(given))
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    connect(bridge, "localhost").call("s", REQUEST)
    assert dialled == [("127.0.0.1", bridge.port)]
    assert asked == []


def test_the_response_is_given_byte_for_byte_on_one_line(bridge: FakeBridge) -> None:
    bridge.script = lambda _: Answer(body=b'{"id":1e3,\r\n"result": 0.10}')
    assert connect(bridge).call("s", REQUEST) == b'{"id":1e3,  "result": 0.10}'


def test_a_notification_has_no_response(bridge: FakeBridge) -> None:
    assert connect(bridge).call("s", b'{"jsonrpc":"2.0","method":"m"}') is None


def test_a_session_is_released(bridge: FakeBridge) -> None:
    connect(bridge).close_session("s:1")
    assert [(r.method, r.path, r.json()) for r in bridge.received] == [
        ("POST", "/session/close", {"session": "s:1"})
    ]


def test_the_status_is_given_as_it_is(bridge: FakeBridge) -> None:
    bridge.script = lambda _: status_of("App")
    assert connect(bridge).status() == status_of("App").body
    assert [(r.method, r.path, r.body) for r in bridge.received] == [("GET", "/status", b"")]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(bridge: FakeBridge, status: int) -> None:
    with fake_bridge() as elsewhere:
        headers = {"Location": f"{elsewhere.url}/rpc"}
        bridge.script = lambda _: Answer(status, b"", headers)
        failed = failure(bridge)
        assert elsewhere.connections == 0
        # Delivery is possible: the other one does answer.
        connect(elsewhere).call("s", REQUEST)
        assert elsewhere.connections == 1
    assert (failed.code, failed.outcome) == (ClientErrorCode.NOT_A_BRIDGE, Outcome.UNKNOWN)
    assert "redirects" in failed.message
    assert len(bridge.received) == 1


@pytest.mark.parametrize("outcome", [None, *Outcome])
@pytest.mark.parametrize("code", BridgeErrorCode)
def test_the_bridge_s_errors_come_as_they_are(
    bridge: FakeBridge, code: BridgeErrorCode, outcome: Outcome | None
) -> None:
    bridge.script = lambda _: error(code, outcome, hint="Do this.")
    failed = failure(bridge)
    assert (failed.code, failed.message, failed.hint) == (code, f"This is {code}.", "Do this.")
    if outcome is not None:
        assert failed.outcome is outcome


@pytest.mark.parametrize(
    "code", ["BAD_REQUEST", "UNAUTHORIZED", "FORBIDDEN_HOST", "TOO_LARGE", "NOT_FOUND"]
)
def test_a_refusal_before_the_call_has_no_outcome(bridge: FakeBridge, code: str) -> None:
    bridge.script = lambda _: error(code)
    assert failure(bridge).outcome is None


@pytest.mark.parametrize("code", ["TIMEOUT", "BROWSER_GONE", "SOMETHING_NEW"])
def test_an_error_that_leaves_the_outcome_open_may_have_run(bridge: FakeBridge, code: str) -> None:
    bridge.script = lambda _: error(code)
    assert failure(bridge).outcome is Outcome.UNKNOWN


NOT_A_BRIDGE = {
    "an error page": Answer(500, b"<h1>Oops</h1>"),
    "an error without a reason": Answer(404, b"{}"),
    "an error of another shape": Answer(400, b'{"error": {"code": 7, "message": []}}'),
    "no JSON": Answer(200, b"hello"),
    "no object": Answer(200, b"[]"),
    "a raw lone surrogate": Answer(200, b'{"a":"\xed\xa0\x80"}'),
    "UTF-16": Answer(200, '{"a":1}'.encode("utf-16")),
    "deep nesting": Answer(200, b"[" * 100_000),
    "another success": Answer(201, b"{}"),
    "no length": Bytes(b"HTTP/1.1 200 OK\r\n\r\n{}"),
    "chunks": Bytes(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
    "no HTTP": Bytes(b"SSH-2.0-OpenSSH_9.2\r\n"),
    "endless headers": Bytes(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n"),
    "a long header": Bytes(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 70_000 + b"\r\n\r\n"),
}


@pytest.mark.parametrize("answer", NOT_A_BRIDGE.values(), ids=NOT_A_BRIDGE.keys())
def test_what_no_bridge_answers_is_told_and_may_have_run(
    bridge: FakeBridge, answer: Answer | Bytes
) -> None:
    bridge.script = lambda _: answer
    failed = failure(bridge)
    assert (failed.code, failed.outcome) == (ClientErrorCode.NOT_A_BRIDGE, Outcome.UNKNOWN)


def test_an_answer_is_read_up_to_the_limit_and_not_beyond(bridge: FakeBridge) -> None:
    longest = BRIDGE_LIMITS.max_body_bytes
    body = b"{}".ljust(longest)
    bridge.script = lambda _: Answer(body=body)
    assert connect(bridge).call("s", REQUEST) == body
    bridge.script = lambda _: Answer(body=body + b" ")
    assert failure(bridge).code == ClientErrorCode.NOT_A_BRIDGE


@pytest.mark.parametrize(
    "data", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}"], ids=["at once", "half-way"]
)
def test_a_lost_connection_leaves_the_outcome_unknown(bridge: FakeBridge, data: bytes) -> None:
    bridge.script = lambda _: Bytes(data)
    failed = failure(bridge)
    assert (failed.code, failed.outcome) == (ClientErrorCode.CONNECTION_LOST, Outcome.UNKNOWN)


def test_a_refused_connection_has_delivered_nothing(bridge: FakeBridge) -> None:
    port = bridge.port
    bridge.stop()
    bridge.start = lambda: None  # type: ignore[method-assign]
    with pytest.raises(BridgeFailure) as caught:
        BridgeConnection(BridgeAddress("127.0.0.1", port), bridge.token).call("s", REQUEST)
    assert caught.value.code == ClientErrorCode.UNREACHABLE
    assert caught.value.outcome is Outcome.NOT_DELIVERED


def test_no_answer_in_time_leaves_the_outcome_unknown(
    bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.client.bridge_connection._MARGIN_SECONDS", 0.0)
    done = threading.Event()

    def wait(_: object) -> Answer:
        done.wait(PATIENCE_SECONDS)
        return Answer()

    bridge.script = wait
    failed = failure(bridge, 0.05)
    done.set()
    assert isinstance(failed, DeadlineExceeded)
    assert (failed.code, failed.outcome) == (ClientErrorCode.DEADLINE_EXCEEDED, Outcome.UNKNOWN)


def test_a_refusal_before_the_body_is_read_is_understood() -> None:
    """The peer answers the head and closes with the body unread, which resets the connection."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def refuse() -> None:
            peer, _ = listening.accept()
            with peer:
                peer.recv(1)
                body = error("BUSY", Outcome.NOT_DELIVERED).body
                head = f"HTTP/1.1 503 Busy\r\nContent-Length: {len(body)}\r\n\r\n"
                peer.sendall(head.encode() + body)
                peer.shutdown(socket.SHUT_WR)
                while peer.recv(65_536):
                    pass

        thread = threading.Thread(target=refuse)
        thread.start()
        address = BridgeAddress("127.0.0.1", listening.getsockname()[1])
        with pytest.raises(BridgeFailure) as caught, BridgeConnection(address, "t") as connection:
            connection.call("s", b'{"p":"' + b"x" * 1_000_000 + b'"}')
        thread.join(PATIENCE_SECONDS)
    assert (caught.value.code, caught.value.outcome) == ("BUSY", Outcome.NOT_DELIVERED)


def test_a_request_that_could_not_be_sent_whole_was_not_delivered() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)

        def hang_up() -> None:
            peer, _ = listening.accept()
            peer.recv(1)
            peer.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        address = BridgeAddress("127.0.0.1", listening.getsockname()[1])
        with pytest.raises(BridgeFailure) as caught:
            BridgeConnection(address, "t").call("s", b'{"p":"' + b"x" * 16_000_000 + b'"}')
        thread.join(PATIENCE_SECONDS)
    assert caught.value.code == ClientErrorCode.UNREACHABLE
    assert caught.value.outcome is Outcome.NOT_DELIVERED


def test_neither_a_connection_nor_a_failure_shows_the_token() -> None:
    connection = BridgeConnection(BridgeAddress("127.0.0.1", 1), "canary-token")
    assert "canary" not in repr(connection)


@pytest.mark.parametrize(
    ("response", "is_error"),
    [
        (b'{"id":1,"error":{"code":1}}', True),
        (b'{"id":1,"result":{"error":1}}', False),
        (b'{"id":1,"result":' + b"9" * 6_000 + b"}", False),
    ],
)
def test_an_error_of_the_app_is_told_from_a_result(response: bytes, *, is_error: bool) -> None:
    assert is_error_response(response) is is_error
