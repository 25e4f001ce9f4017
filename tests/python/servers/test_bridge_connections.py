"""Hostile bytes, stalled peers and too many of them, on bare sockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import psutil  # type: ignore[import-untyped]
import pytest

from tests.python.support.bridge_fixture import ORIGIN, RunningBridge, running_bridge, with_limits
from tests.python.support.raw_http import (
    PATIENCE_SECONDS,
    RawConnection,
    Response,
    connection,
    exchange,
    render,
)

SHORT = 0.2


@pytest.fixture
async def bridge() -> AsyncIterator[RunningBridge]:
    async with running_bridge() as running:
        yield running


async def repeat(ask: Callable[[], Awaitable[Response]], status: int) -> Response:
    """Ask until the answer has a status; sockets that were opened or closed take a moment."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            answer = await ask()
            if answer.status == status:
                return answer


def peers_of(bridge: RunningBridge) -> list[int]:
    """Return the other ends of the sockets that this process holds for the bridge."""
    return [
        connection.raddr.port
        for connection in psutil.Process().net_connections("tcp4")
        if connection.laddr.port == bridge.port and connection.raddr
    ]


def host(bridge: RunningBridge) -> str:
    return f"Host: 127.0.0.1:{bridge.port}\r\n"


@pytest.mark.parametrize("target", ["http://evil.example/status", "https://127.0.0.1/status"])
@pytest.mark.parametrize("host_header", ["127.0.0.1:{port}", "evil.example"])
async def test_an_absolute_target_is_refused_whatever_the_host(
    bridge: RunningBridge, target: str, host_header: str
) -> None:
    headers = [("Host", host_header.format(port=bridge.port)), *bridge.headers(page=False)[1:]]
    answer = await exchange(bridge.port, render("GET", target, headers))
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")


@pytest.mark.parametrize("line", ["CONNECT evil.example:80", "OPTIONS *", "CONNECT 127.0.0.1:1"])
async def test_other_forms_of_a_target_are_refused(bridge: RunningBridge, line: str) -> None:
    answer = await exchange(bridge.port, f"{line} HTTP/1.1\r\n{host(bridge)}\r\n".encode())
    assert answer.status == 400
    assert answer.code == "BAD_REQUEST"


MALFORMED = {
    "no HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    "unknown method": b"BREW /rpc HTTP/1.1\r\nHost: x\r\n\r\n",
    "no host": b"GET /status HTTP/1.1\r\n\r\n",
    "two hosts": b"GET /status HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
    "long line": b"GET /" + b"x" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    "long header": b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 9000 + b"\r\n\r\n",
    "many headers": b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X: x\r\n" * 200 + b"\r\n",
    "two lengths": b"POST /rpc HTTP/1.1\r\nHost: x\r\n" + b"Content-Length: 1\r\n" * 2 + b"\r\n",
    "negative length": b"POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    "length and chunks": b"POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n",
    "old line ends": b"GET /status HTTP/1.1\nHost: x\n\n",
    "space in a name": b"GET /status HTTP/1.1\r\nHost : x\r\n\r\n",
    "zero byte": b"GET /status HTTP/1.1\r\nHost: x\r\nX: a\x00b\r\n\r\n",
    "folded header": b"GET /status HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n",
}


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED)
async def test_what_cannot_be_parsed_is_answered_in_json_without_a_banner(
    bridge: RunningBridge, data: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    answer = await exchange(bridge.port, data)
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")
    assert answer.header("Content-Type") == "application/json"
    assert answer.header("Cache-Control") == "no-store"
    assert answer.header("X-Content-Type-Options") == "nosniff"
    assert answer.header("Connection") == "close"
    assert answer.header("Server") is None
    assert answer.header("Access-Control-Allow-Origin") is None
    assert b"aiohttp" not in answer.raw
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


@pytest.mark.parametrize(
    ("origins", "allowed"),
    [
        ([ORIGIN], True),
        (["http://evil.example"], False),
        (["null"], False),
        ([ORIGIN, ORIGIN], False),
        ([ORIGIN + ".evil.example"], False),
        ([], False),
    ],
)
async def test_a_parse_error_carries_cors_for_the_configured_origin_alone(
    bridge: RunningBridge, origins: list[str], allowed: bool
) -> None:
    lines = "".join(f"Origin: {origin}\r\n" for origin in origins)
    path = "x" * 9000
    data = f"GET /{path} HTTP/1.1\r\n{host(bridge)}{lines}\r\n".encode()
    answer = await exchange(bridge.port, data)
    assert answer.status == 400
    assert answer.header("Access-Control-Allow-Origin") == (ORIGIN if allowed else None)
    assert answer.header("Vary") == "Origin"


@pytest.mark.parametrize("path", ["/rpc", "/mcp"])
async def test_who_calls_a_terminal_s_route_with_an_origin_is_told_to_leave_it_out(
    bridge: RunningBridge, path: str
) -> None:
    body = b"{}"
    headers = [*bridge.headers(page=False, body=body), ("Origin", ORIGIN)]
    answer = await exchange(bridge.port, render("POST", path, headers, body))
    assert (answer.status, answer.code) == (403, "FORBIDDEN_ORIGIN")
    assert "without the header Origin" in answer.json()["error"]["hint"]
    assert "--origin" not in answer.json()["error"]["hint"]


async def test_two_origins_are_forbidden(bridge: RunningBridge) -> None:
    body = b'{"app":"a"}'
    headers = [*bridge.headers(page=True, body=body), ("Origin", ORIGIN)]
    answer = await exchange(bridge.port, render("POST", "/connect", headers, body))
    assert (answer.status, answer.code) == (403, "FORBIDDEN_ORIGIN")
    assert answer.header("Access-Control-Allow-Origin") is None


@pytest.mark.parametrize("path", ["//rpc", "/rpc/", "/rpc//", "/./rpc", "/session", "/%2e/rpc"])
async def test_nothing_redirects(bridge: RunningBridge, path: str) -> None:
    answer = await exchange(bridge.port, render("GET", path, bridge.headers(page=False)))
    assert (answer.status, answer.code) == (404, "NOT_FOUND")
    assert answer.header("Location") is None


async def test_http_1_0_without_a_host_is_refused(bridge: RunningBridge) -> None:
    answer = await exchange(bridge.port, b"GET /status HTTP/1.0\r\n\r\n")
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")


@pytest.mark.parametrize("authorised", [True, False])
async def test_expect_gets_a_final_answer_and_never_100(
    bridge: RunningBridge, authorised: bool
) -> None:
    headers = bridge.headers(page=False, body=b"x" * 10)
    if not authorised:
        headers = [pair for pair in headers if pair[0] != "Authorization"]
    async with connection(bridge.port) as opened:
        await opened.send(render("POST", "/rpc", [*headers, ("Expect", "100-continue")]))
        answer = await opened.closed()
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize("protocol", ["websocket", "h2c", "tcp"])
async def test_an_upgrade_is_refused_and_what_follows_it_is_not_served(
    bridge: RunningBridge, protocol: str
) -> None:
    headers = [*bridge.headers(page=False), ("Connection", "Upgrade"), ("Upgrade", protocol)]
    following = render("GET", "/status", bridge.headers(page=False))
    async with connection(bridge.port) as opened:
        await opened.send(render("GET", "/status", headers) + following)
        answer = await opened.closed()
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1") == 1


async def test_chunks_are_refused_before_they_are_read(bridge: RunningBridge) -> None:
    headers = [*bridge.headers(page=False), ("Content-Type", "application/json")]
    async with connection(bridge.port) as opened:
        data = render("POST", "/rpc", [*headers, ("Transfer-Encoding", "chunked")])
        await opened.send(data + b"1\r\n{\r\n")
        answer = await opened.response()
        assert (answer.status, answer.code) == (400, "BAD_REQUEST")
        await opened.closed()


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Length": "1052673"}, 413),
        ({"Authorization": "Bearer x"}, 401),
        ({"Content-Encoding": "gzip"}, 415),
    ],
)
async def test_a_refusal_comes_before_the_body_and_closes(
    bridge: RunningBridge, changes: dict[str, str], status: int
) -> None:
    headers = {**dict(bridge.headers(page=False, body=b"x" * 100)), **changes}
    async with connection(bridge.port) as opened:
        # No byte of the body is sent before the answer is there.
        await opened.send(render("POST", "/rpc", list(headers.items())))
        answer = await opened.response()
        assert answer.status == status
        assert answer.header("Connection") == "close"
        following = render("GET", "/status", bridge.headers(page=False))
        await opened.send(b"x" * 100 + following)
        assert await opened.closed() == b"", "what follows a refusal is not served"


async def test_a_body_of_the_largest_size_is_read(bridge: RunningBridge) -> None:
    body = b'{"session":"s","request":{},"pad":"' + b"x" * 200_000 + b'"' + b" " * 2_000_000
    body = body[: 1_048_576 + 4_096 - 1] + b"}"
    assert (await bridge.terminal("/rpc", body)).code == "NOT_ATTACHED"
    assert (await bridge.terminal("/rpc", body + b" ")).code == "TOO_LARGE"


async def test_a_connection_serves_one_request_after_another(bridge: RunningBridge) -> None:
    async with connection(bridge.port) as opened:
        for _ in range(3):
            answer = await opened.ask("GET", "/status", bridge.headers(page=False))
            assert answer.status == 200
            bad = bridge.post("/rpc", {"session": "!"}, page=False)
            await opened.send(bad)
            assert (await opened.response()).status == 400


async def test_a_socket_without_a_complete_head_is_closed() -> None:
    async with running_bridge(limits=with_limits(head_timeout_seconds=SHORT)) as bridge:
        async with connection(bridge.port) as silent, connection(bridge.port) as slow:
            await slow.send(b"GET /status HTTP/1.1\r\nHost: ")
            trickle = asyncio.create_task(drip(slow))
            assert await silent.closed() == b""
            assert await slow.closed() == b""
            trickle.cancel()
        assert (await bridge.status())["activeRequests"] == 1


async def drip(opened: RawConnection) -> None:
    """Send a byte at a time, for ever: each alone must not extend the time for the head."""
    while True:
        opened.writer.write(b"x")
        await asyncio.sleep(SHORT / 10)


async def test_a_stalled_body_is_answered_and_its_socket_closed() -> None:
    async with running_bridge(limits=with_limits(head_timeout_seconds=SHORT)) as bridge:
        async with connection(bridge.port) as opened:
            headers = bridge.headers(page=False, body=b"x" * 100)
            await opened.send(render("POST", "/rpc", headers) + b"{")
            answer = await opened.response()
            assert (answer.status, answer.code) == (400, "BAD_REQUEST")
            assert await opened.closed() == b""
        assert (await bridge.status())["activeRequests"] == 1


async def test_a_body_that_trickles_does_not_last_longer_than_a_call() -> None:
    limits = with_limits(head_timeout_seconds=5.0, max_call_seconds=SHORT)
    async with running_bridge(limits=limits) as bridge, connection(bridge.port) as opened:
        headers = bridge.headers(page=False, body=b"x" * 10_000)
        await opened.send(render("POST", "/rpc", headers) + b"{")
        trickle = asyncio.create_task(drip(opened))
        assert (await opened.response()).code == "BAD_REQUEST"
        trickle.cancel()


async def test_a_peer_that_does_not_read_its_answer_is_cut_off(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with running_bridge(limits=with_limits(head_timeout_seconds=SHORT)) as bridge:
        client = await bridge.attach()
        big = {"id": 1, "params": ["x" * 200_000] * 5}
        calls = [asyncio.create_task(bridge.rpc({**big, "id": n})) for n in range(8)]
        await bridge.until(lambda s: s["queue"]["queued"] == 8)
        async with connection(bridge.port) as polling:
            polling.pause_reading()
            await polling.send(bridge.poll_bytes(client, 0))
            await bridge.until(lambda s: s["link"] == "broken")
            client_port = polling.writer.get_extra_info("sockname")[1]
            assert client_port not in peers_of(bridge), "its socket is given up"
            assert len(peers_of(bridge)) >= 8, "and those of the callers are not"
        for call in calls:
            call.cancel()
    assert not errors(caplog), "a peer that is gone is no fault of the bridge"


def errors(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]


async def test_beyond_the_active_limit_a_terminal_is_busy_and_the_page_is_not() -> None:
    async with running_bridge() as bridge, AsyncExitStack() as stack:
        client = await bridge.attach()
        head = render("POST", "/rpc", bridge.headers(page=False, body=b"x" * 100))
        for _ in range(12):
            opened = await stack.enter_async_context(connection(bridge.port))
            await opened.send(head)
        # /status counts against the same places, so it tells when all of them are taken.
        status = render("GET", "/status", bridge.headers(page=False))
        refused = await repeat(lambda: exchange(bridge.port, status), 503)
        assert refused.code == "BUSY"
        assert refused.header("Retry-After") == "1"
        call = await bridge.rpc({"id": 1})
        assert (call.status, call.code, call.outcome) == (503, "BUSY", "not_delivered")
        for _ in range(3):
            opened = await stack.enter_async_context(connection(bridge.port))
            result = bridge.headers(page=True, body=b"x" * 100)
            await opened.send(render("POST", "/result", result))
        report = {"client": client, "state": "visible", "taken": 0}
        assert (await bridge.page("/state", report)).status == 200
        opened = await stack.enter_async_context(connection(bridge.port))
        await opened.send(render("POST", "/result", bridge.headers(page=True, body=b"x" * 100)))
        full = await repeat(lambda: bridge.page("/state", report), 503)
        assert full.code == "BUSY"
        assert full.header("Retry-After") == "1"
        assert full.header("Access-Control-Expose-Headers") == "Retry-After"
        assert full.header("Access-Control-Allow-Origin") == ORIGIN


async def test_parked_requests_take_no_place() -> None:
    async with running_bridge() as bridge, AsyncExitStack() as stack:
        await bridge.attach()
        call = bridge.post("/rpc", {"session": "s", "request": {"id": 1}}, page=False)
        for parked in range(1, 41):
            opened = await stack.enter_async_context(connection(bridge.port))
            await bridge.park(opened, call, parked)
        status = await bridge.status()
        assert (status["queue"]["queued"], status["activeRequests"]) == (40, 1)


async def test_sockets_beyond_the_limit_are_told_that_the_bridge_is_busy() -> None:
    async with running_bridge() as bridge, AsyncExitStack() as stack:
        held = [await stack.enter_async_context(connection(bridge.port)) for _ in range(96)]
        request = bridge.post("/connect", {"app": "a"}, page=True)
        async with connection(bridge.port) as refused:
            await refused.send(request)
            answer = await refused.response()
            assert (answer.status, answer.code) == (503, "BUSY")
            assert answer.header("Retry-After") == "1"
            assert answer.header("Access-Control-Allow-Origin") == ORIGIN
            assert answer.header("X-Content-Type-Options") == "nosniff"
            assert answer.header("Server") is None
            assert await refused.closed() == b""
        # The sockets within the limit are served, and one that goes makes room.
        assert (await held[0].ask("GET", "/status", bridge.headers(page=False))).status == 200
        held[1].abort()
        await repeat(lambda: exchange(bridge.port, request), 200)


async def test_a_silent_socket_beyond_the_limit_is_closed() -> None:
    async with (
        running_bridge(limits=with_limits(max_sockets=1)) as bridge,
        connection(bridge.port),
        connection(bridge.port) as refused,
    ):
        assert await refused.closed() == b""


async def test_forwarding_and_private_network_headers_change_nothing(
    bridge: RunningBridge,
) -> None:
    extra = [
        ("X-Forwarded-For", "127.0.0.1"),
        ("X-Forwarded-Host", f"127.0.0.1:{bridge.port}"),
        ("Forwarded", f"host=127.0.0.1:{bridge.port}"),
        ("Access-Control-Request-Private-Network", "true"),
    ]
    good = [*bridge.headers(page=False), *extra]
    assert (await exchange(bridge.port, render("GET", "/status", good))).status == 200
    evil = [("Host", "evil.example"), *good[1:]]
    answer = await exchange(bridge.port, render("GET", "/status", evil))
    assert (answer.status, answer.code) == (421, "FORBIDDEN_HOST")
    asked = [("Host", f"127.0.0.1:{bridge.port}"), ("Origin", ORIGIN), *extra]
    preflight = await exchange(bridge.port, render("OPTIONS", "/connect", asked))
    assert preflight.status == 204
    assert preflight.header("Access-Control-Allow-Private-Network") is None


async def test_a_preflight_tells_what_the_page_may_send(bridge: RunningBridge) -> None:
    headers = [
        ("Host", f"localhost:{bridge.port}"),
        ("Origin", ORIGIN),
        ("Access-Control-Request-Method", "GET"),
        ("Access-Control-Request-Headers", "authorization,bascule-ack"),
    ]
    answer = await exchange(bridge.port, render("OPTIONS", "/poll?client=x", headers))
    assert answer.status == 204
    assert answer.header("Access-Control-Allow-Methods") == "GET"
    allowed = answer.header("Access-Control-Allow-Headers") or ""
    assert set(allowed.split(", ")) == {"authorization", "content-type", "bascule-ack"}
    assert answer.header("Access-Control-Max-Age") == "600"
    assert answer.header("Access-Control-Allow-Origin") == ORIGIN


async def test_a_forwarded_port_is_served_under_its_name() -> None:
    async with running_bridge(public_hosts=("localhost:9000",)) as bridge:
        headers = [("Host", "localhost:9000"), *bridge.headers(page=False)[1:]]
        assert (await exchange(bridge.port, render("GET", "/status", headers))).status == 200
    async with running_bridge() as bridge:
        headers = [("Host", "localhost:9000"), *bridge.headers(page=False)[1:]]
        assert (await exchange(bridge.port, render("GET", "/status", headers))).status == 421
