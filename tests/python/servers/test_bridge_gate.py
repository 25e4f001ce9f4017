"""The gate against an oracle that was written from the contract's order, route by route.

The oracle knows nothing of the gate's code: it says for each property of a request what a request
that fails there is answered with, and the first failure in the contract's order decides.
"""

from __future__ import annotations

import hmac
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from bridge.contract.error_codes import BRIDGE_HTTP_STATUS
from bridge.servers.bridge_gate import (
    GatePolicy,
    Passed,
    Preflight,
    Refused,
    RequestHead,
    allowed_hosts,
    check_head,
)
from bridge.servers.bridge_routes import ROUTES, CallerClass
from tests.python.support.bridge_fixture import ORIGIN, running_bridge
from tests.python.support.raw_http import exchange, render

TOKEN = "t" * 43
PORT = 7000
POLICY = GatePolicy(
    hosts=allowed_hosts(PORT, ["localhost:9000"]),
    origin=ORIGIN,
    token=TOKEN.encode(),
    max_body_bytes=100,
)


@dataclass(frozen=True)
class Case:
    """One request, by its properties. Every default passes."""

    path: str
    method: str
    origin: tuple[str, ...]
    target: str = "{path}"
    host: tuple[str, ...] = ("127.0.0.1:{port}",)
    extra: tuple[str, ...] = ()
    credential: tuple[str, ...] = ("Bearer {token}",)
    content_type: tuple[str, ...] = ("application/json",)
    length: tuple[str, ...] = ("2",)
    handshake: tuple[str, ...] = ()

    def head(self, port: int, token: str) -> tuple[str, list[tuple[str, str]]]:
        names = [
            ("Host", self.host),
            ("Origin", self.origin),
            ("Authorization", self.credential),
            ("Content-Type", self.content_type),
            ("Content-Length", self.length if self.method == "POST" else ()),
        ]
        headers = [
            (name, value.format(port=port, token=token))
            for name, values in names
            for value in values
        ]
        lines = [
            *self.extra,
            # A second length is a fault of the request's framing, which comes before the gate.
            *(x for x in self.handshake if self.method != "POST" or "Length" not in x),
        ]
        extra = [(line.split(": ")[0], line.split(": ")[1].format(token=token)) for line in lines]
        return self.target.format(path=self.path), [*headers, *extra]


METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS")
TARGETS = ("{path}", "http://127.0.0.1:7000{path}", "http://evil.example{path}")
HOSTS: tuple[tuple[str, ...], ...] = (
    ("127.0.0.1:{port}",),
    ("localhost:{port}",),
    ("127.0.0.1",),
    ("evil.example:{port}",),
    ("LOCALHOST:{port}",),
    ("127.0.0.1:{port}.evil.example",),
)
ORIGINS: tuple[tuple[str, ...], ...] = (
    (),
    (ORIGIN,),
    ("null",),
    ("http://127.0.0.1:8766",),
    ("http://127.0.0.1:8765/",),
    ("http://127.0.0.1:8765.evil.example",),
    ("HTTP://127.0.0.1:8765",),
    ("https://127.0.0.1:8765",),
    ("127.0.0.1:8765",),
    (ORIGIN, ORIGIN),
    ("",),
)
EXTRAS: tuple[tuple[str, ...], ...] = (
    (),
    ("Content-Encoding: gzip",),
    ("Content-Encoding: identity",),
    ("Expect: 100-continue",),
    ("Upgrade: websocket",),
    ("Upgrade: h2c",),
    ("X-Forwarded-For: 127.0.0.1",),
    ("X-Forwarded-Host: 127.0.0.1:7000",),
)
CREDENTIALS: tuple[tuple[str, ...], ...] = (
    ("Bearer {token}",),
    ("bearer {token}",),
    (),
    ("",),
    ("Bearer",),
    ("Bearer {token}x",),
    ("Bearer x{token}",),
    ("Bearer {token} ",),
    ("Basic {token}",),
    ("{token}",),
    ("Bearer {token}", "Bearer {token}"),
)
CONTENT_TYPES: tuple[tuple[str, ...], ...] = (
    ("application/json",),
    ("APPLICATION/JSON; charset=utf-8",),
    ("application/json; charset=latin-1",),
    (),
    ("text/plain",),
    ("text/plain; application/json",),
    ("application/json-patch+json",),
    ("text/json",),
    ("application/x-www-form-urlencoded",),
    ("application/json, text/plain",),
)
KEY = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="
VERSION = "Sec-WebSocket-Version: 13"
TICKET = "Sec-WebSocket-Protocol: bascule.1, a-ticket"
UPGRADE = ("Connection: Upgrade", "Upgrade: websocket")
GOOD_HANDSHAKES: tuple[tuple[str, ...], ...] = (
    (*UPGRADE, KEY, VERSION, TICKET),
    ("Connection: keep-alive, upgrade", "Upgrade: WebSocket", KEY, VERSION, TICKET),
    (*UPGRADE, KEY, VERSION, "Sec-WebSocket-Protocol: bascule.1"),
)
HANDSHAKES: tuple[tuple[str, ...], ...] = (
    *GOOD_HANDSHAKES,
    (),
    (KEY, VERSION, TICKET),
    ("Upgrade: websocket", KEY, VERSION, TICKET),
    ("Connection: Upgrade", "Upgrade: h2c", KEY, VERSION, TICKET),
    (*UPGRADE, VERSION, TICKET),
    (*UPGRADE, "Sec-WebSocket-Key: short", VERSION, TICKET),
    (*UPGRADE, KEY, TICKET),
    (*UPGRADE, KEY, "Sec-WebSocket-Version: 8", TICKET),
    (*UPGRADE, KEY, VERSION),
    (*UPGRADE, KEY, VERSION, "Sec-WebSocket-Protocol: a-ticket, bascule.1"),
    (*UPGRADE, KEY, VERSION, TICKET, "Content-Length: 2"),
)
CHANNEL = "/channel"
TERMINAL = "/terminal"
PROTOCOL = "Sec-WebSocket-Protocol: bascule.terminal.1"
GOOD_TERMINAL_HANDSHAKES: tuple[tuple[str, ...], ...] = (
    (*UPGRADE, KEY, VERSION, PROTOCOL),
    ("Connection: keep-alive, upgrade", "Upgrade: WebSocket", KEY, VERSION, PROTOCOL),
)
TERMINAL_HANDSHAKES: tuple[tuple[str, ...], ...] = (
    *GOOD_TERMINAL_HANDSHAKES,
    *(wrong for wrong in HANDSHAKES[3:] if TICKET not in wrong),
    (KEY, VERSION, PROTOCOL),
    ("Upgrade: websocket", KEY, VERSION, PROTOCOL),
    ("Connection: Upgrade", "Upgrade: h2c", KEY, VERSION, PROTOCOL),
    (*UPGRADE, KEY, "Sec-WebSocket-Version: 8", PROTOCOL),
    (*UPGRADE, KEY, VERSION, TICKET),
    (*UPGRADE, KEY, VERSION, PROTOCOL + ", {token}"),
    (*UPGRADE, KEY, VERSION, PROTOCOL, "Content-Length: 2"),
)
WEB_SOCKETS = {
    CHANNEL: (GOOD_HANDSHAKES, HANDSHAKES),
    TERMINAL: (GOOD_TERMINAL_HANDSHAKES, TERMINAL_HANDSHAKES),
}

GOOD_CREDENTIALS = {("Bearer {token}",), ("bearer {token}",), ("Bearer {token} ",)}
"""White space after a header's value is not part of it."""


def expected(case: Case) -> int:
    """Say how the contract answers: a status, or 0 when the head is in order."""
    route = ROUTES.get(case.path)
    browser = route is not None and route.caller is CallerClass.BROWSER
    preflight = browser and case.method == "OPTIONS"
    channel, web_socket = case.path == CHANNEL, case.path in WEB_SOCKETS
    good_handshakes = WEB_SOCKETS[case.path][0] if web_socket else ()
    sends_post = route is not None and route.method == "POST" and case.method == "POST"
    order = [
        (400, case.target != "{path}"),
        (400, len(case.host) != 1),
        (421, case.host not in {("127.0.0.1:{port}",), ("localhost:{port}",)}),
        (404, route is None),
        (403, case.origin != ((ORIGIN,) if browser else ())),
        (405, route is not None and case.method != route.method and not preflight),
        (415, any(line.startswith("Content-Encoding") for line in case.extra)),
        (400, any(line.startswith(("Transfer", "Expect")) for line in case.extra)),
        (400, not web_socket and any(line.startswith("Upgrade") for line in case.extra)),
        (204, preflight),
        (401, not channel and case.credential not in GOOD_CREDENTIALS),
        (400, web_socket and case.handshake not in good_handshakes),
        (400, web_socket and any(line.startswith("Upgrade") for line in case.extra)),
        (415, sends_post and case.content_type not in CONTENT_TYPES[:3]),
        (413, sends_post and case.length == ("101",)),
        (400, sends_post and case.length == ()),
    ]
    return next((status for status, fails in order if fails), 0)


def good_case(path: str) -> Case:
    """Return a request for a route that passes; for none, one that only fails to exist."""
    route = ROUTES.get(path)
    browser = route is not None and route.caller is CallerClass.BROWSER
    method = route.method if route else "POST"
    handshake = WEB_SOCKETS[path][0][0] if path in WEB_SOCKETS else ()
    return Case(path, method, (ORIGIN,) if browser else (), handshake=handshake)


PATHS = [
    *ROUTES,
    "/",
    "//rpc",
    "/rpc/",
    "/RPC",
    "/mcp/",
    "/channel/",
    "/terminal/",
    "/status.json",
    "/%72pc",
]
DIMENSIONS: dict[str, tuple[object, ...]] = {
    "method": METHODS,
    "target": TARGETS,
    "host": HOSTS,
    "origin": ORIGINS,
    "extra": EXTRAS,
    "credential": CREDENTIALS,
    "content_type": CONTENT_TYPES,
    "length": (("2",), ("100",), ("101",), ()),
}


def variations(case: Case, depth: int) -> Iterator[Case]:
    """Yield every request that differs from a good one in up to `depth` properties."""
    handshakes = WEB_SOCKETS[case.path][1] if case.path in WEB_SOCKETS else ()
    dimensions = DIMENSIONS | ({"handshake": handshakes} if handshakes else {})
    for names in itertools.combinations(dimensions, depth):
        for values in itertools.product(*(dimensions[name] for name in names)):
            yield replace(case, **dict(zip(names, values, strict=True)))  # type: ignore[arg-type]


def verdict(case: Case) -> int:
    target, headers = case.head(PORT, TOKEN)
    # A parser strips the white space around a value; the gate sees what is left.
    raw = tuple((name.encode(), value.strip().encode()) for name, value in headers)
    match check_head(RequestHead(case.method, target, raw), POLICY):
        case Refused(code, _, allow):
            assert (allow is not None) == (code == "METHOD_NOT_ALLOWED")
            return BRIDGE_HTTP_STATUS[code]
        case Preflight():
            return 204
        case Passed():
            return 0


@pytest.mark.parametrize("path", PATHS)
def test_the_first_check_that_fails_decides(path: str) -> None:
    answered = set()
    for case in variations(good_case(path), 3):
        wanted = expected(case)
        assert verdict(case) == wanted, case
        answered.add(wanted)
    if path not in ROUTES:
        assert answered == {400, 404, 421}
    else:
        assert {0, 400, 403, 405, 415, 421} <= answered
        # Its ticket is the broker's to judge.
        assert (401 in answered) == (path != CHANNEL)
        assert (413 in answered) == ROUTES[path].has_body
        assert (204 in answered) == (ROUTES[path].caller is CallerClass.BROWSER)


@pytest.mark.parametrize("path", PATHS)
async def test_the_socket_gives_the_same_answers_and_nothing_gets_in(path: str) -> None:
    """The same matrix over real sockets, one and two properties away from a good request."""
    async with running_bridge() as bridge:
        for case in {*variations(good_case(path), 1), *variations(good_case(path), 2)}:
            if case.length == ("101",):
                continue
            target, headers = case.head(bridge.port, bridge.token)
            if case.length == ("100",):
                continue
            body = b"{}" if case.method == "POST" and case.length else b""
            answer = await exchange(
                bridge.port,
                render(case.method, target, headers, body),
                to_head=case.method == "HEAD",
            )
            wanted = expected(case)
            if wanted == 0:
                # Through the gate: the body {} and a poll without a client mostly have no shape.
                passes = {"/status": 200, "/calls": 200, CHANNEL: 401, TERMINAL: 101}
                wanted = passes.get(path, 400)
            assert answer.status == wanted, case
            if wanted == 101:
                continue
            assert_well_formed(case, answer.status, answer.headers, answer.body)
        status = await bridge.status()
        assert status["counters"] == {"refused_busy": 0}
        assert not status["attached"]


def assert_well_formed(case: Case, status: int, pairs: list[tuple[str, str]], body: bytes) -> None:
    """What holds for every answer, whatever it is."""
    headers = {name.lower(): value for name, value in pairs}
    assert len(headers) == len(pairs), "a header comes twice"
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["vary"] == "Origin"
    assert "server" not in headers
    assert "location" not in headers
    assert "access-control-allow-credentials" not in headers
    assert b"aiohttp" not in body
    assert b"Python" not in body
    allowed = headers.get("access-control-allow-origin")
    assert allowed == (ORIGIN if case.origin == (ORIGIN,) else None)
    assert ("access-control-expose-headers" in headers) == (allowed is not None)
    assert ("www-authenticate" in headers) == (status == 401)
    assert ("allow" in headers) == (status == 405)
    assert ("access-control-max-age" in headers) == (status == 204)
    if status == 204:
        assert body == b""
        assert "content-length" not in headers
    elif case.method != "HEAD":
        assert headers["content-type"] == "application/json"


async def test_every_failure_of_the_token_is_the_same_answer() -> None:
    async with running_bridge() as bridge:
        bodies = set()
        for credential in CREDENTIALS:
            if credential in GOOD_CREDENTIALS:
                continue
            case = replace(good_case("/rpc"), credential=credential)
            target, headers = case.head(bridge.port, bridge.token)
            answer = await exchange(bridge.port, render("POST", target, headers, b"{}"))
            bodies.add((answer.status, answer.body, answer.header("WWW-Authenticate")))
        assert len(bodies) == 1
        assert bodies.pop()[::2] == (401, "Bearer")


@pytest.mark.parametrize(
    ("credential", "status"),
    [
        (b"Bearer " + TOKEN.encode(), 0),
        (b"Bearer x" + TOKEN.encode(), 401),
        (b"Bearer t", 401),
        (b"Bearer \xc3\xa9\xff", 401),
        (b"Basic x", 401),
        (None, 401),
    ],
)
def test_a_token_is_compared_as_bytes_once_and_in_constant_time_whatever_was_sent(
    credential: bytes | None, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    compare = hmac.compare_digest
    compared: list[tuple[type, bytes]] = []

    def recording(given: bytes, expected: bytes) -> bool:
        compared.append((type(given), expected))
        return compare(given, expected)

    monkeypatch.setattr("bridge.servers.bridge_gate.hmac.compare_digest", recording)
    headers = [(b"Host", b"localhost:7000")]
    if credential is not None:
        headers.append((b"Authorization", credential))
    verdict = check_head(RequestHead("GET", "/status", tuple(headers)), POLICY)
    answered = BRIDGE_HTTP_STATUS[verdict.code] if isinstance(verdict, Refused) else 0
    assert answered == status
    assert compared == [(bytes, TOKEN.encode())]


@pytest.mark.parametrize(
    "value",
    [
        b"application/json",
        b"application/json;charset=UTF-8",
        b'application/json; charset="utf-8"',
        b"application/json ; profile=x;",
        b'application/json; note="a; b"',
        b"application/json; charset=utf-7",
        b"application/json; charset=bogus",
    ],
)
def test_well_formed_parameters_of_the_media_type_are_ignored(value: bytes) -> None:
    assert media_type_passes(value)


@pytest.mark.parametrize(
    "value",
    [
        b"application/json charset=utf-8",
        b"application/jsonx",
        b"application/json; =x",
        b'application/json; a="',
        b"application/json; \xff=1",
        b"application/json" + b" ; " * 2000 + b"!",
    ],
)
def test_a_media_type_that_is_not_well_formed_is_refused(value: bytes) -> None:
    assert not media_type_passes(value)


def media_type_passes(value: bytes) -> bool:
    headers = (
        (b"Host", b"localhost:7000"),
        (b"Authorization", b"Bearer " + TOKEN.encode()),
        (b"Content-Type", value),
        (b"Content-Length", b"2"),
    )
    return isinstance(check_head(RequestHead("POST", "/rpc", headers), POLICY), Passed)


def test_a_length_of_a_million_digits_is_too_large_and_not_converted() -> None:
    headers = (
        (b"Host", b"localhost:7000"),
        (b"Authorization", b"Bearer " + TOKEN.encode()),
        (b"Content-Type", b"application/json"),
    )
    for length, status in ((b"9" * 5000, 413), (b"0" * 5000 + b"101", 413), (b"-1", 400)):
        head = RequestHead("POST", "/rpc", (*headers, (b"Content-Length", length)))
        refused = check_head(head, POLICY)
        assert isinstance(refused, Refused)
        assert BRIDGE_HTTP_STATUS[refused.code] == status


def test_a_forwarded_port_is_reached_by_its_own_name_only() -> None:
    assert allowed_hosts(7000, ["localhost:9000"]) == {
        b"127.0.0.1:7000", b"localhost:7000", b"localhost:9000",
    }  # fmt: skip


def test_on_port_80_clients_leave_the_port_out() -> None:
    assert allowed_hosts(80, []) == {
        b"127.0.0.1:80", b"localhost:80", b"127.0.0.1", b"localhost",
    }  # fmt: skip


def test_neither_the_policy_nor_a_head_shows_the_token() -> None:
    head = RequestHead("GET", "/status", ((b"Authorization", TOKEN.encode()),))
    assert TOKEN not in repr(POLICY) + repr(head)
