"""The token is a canary: it is looked for in everything that leaves the bridge."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterator

import pytest

from bridge.contract.error_codes import BridgeErrorCode
from bridge.servers.bridge_answers import ERROR_TEXTS
from bridge.servers.bridge_process import BridgeConfig, BridgeEndpoint
from tests.python.support.bridge_fixture import ORIGIN, RunningBridge, running_bridge
from tests.python.support.raw_http import connection, render

CANARY = secrets.token_urlsafe(32)


def attacks(bridge: RunningBridge) -> Iterator[bytes]:
    """Yield requests that carry the token where it might be repeated from."""
    token, good = bridge.token, bridge.headers(page=True)
    post = [*good, ("Content-Type", "application/json"), ("Content-Length", "2")]
    host = [("Host", f"127.0.0.1:{bridge.port}")]
    yield render("GET", f"/{token}", good)
    yield render("GET", f"/poll?client={token}", good)
    yield render("GET", f"/poll?client={token}&client={token}", good)
    yield render("GET", f"http://{token}/", good)
    yield render("GET", "/status", [("Host", token), *good[1:]])
    yield render("GET", "/status", [*host, ("Origin", f"http://{token}")])
    yield render("GET", "/status", [*host, ("Authorization", f"Basic {token}")])
    yield render("GET", "/poll?client=c", [*good, ("Bascule-Ack", token)])
    yield render("GET", "/poll", [*good, ("Expect", token)])
    yield render("GET", "/poll", [*good, ("Upgrade", token)])
    yield render("GET", "/poll", [*good, ("Content-Encoding", token)])
    yield render("POST", "/connect", [*post[:-2], ("Content-Type", token)])
    yield render("POST", "/connect", [*good, ("Content-Length", token)])
    yield render("PUT", "/connect", good)
    yield render(token, "/connect", good)
    yield f"{token}\r\n\r\n".encode()
    yield f"GET / HTTP/1.1\r\nHost: x\r\nAuthorization : Bearer {token}\r\n\r\n".encode()
    yield f"GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\x00\r\n\r\n".encode()
    yield f"GET / HTTP/1.1\r\nHost: x\r\n{token}\r\n\r\n".encode()
    yield f"GET / HTTP/1.1\r\nHost: x\r\nX: {token * 300}\r\n\r\n".encode()
    for path in ("/connect", "/result", "/state", "/disconnect"):
        for body in (
            f'{{"{token}"',
            f'{{"{token}":1,"{token}":2}}',
            f'{{"app":["{token}"]}}',
            f'{{"client":"{token}","id":"{token}","response":null}}',
            f'{{"client":"{token}","state":"{token}","taken":0}}',
            f'{{"client":"{token}","state":"hidden","taken":0}}',
        ):
            yield bridge.post(path, body.encode(), page=True)
    for path in ("/rpc", "/session/close"):
        for body in (
            f"{token}",
            f'{{"session":"{token}/","request":{{}}}}',
            f'{{"session":"s","request":{{"id":"{token}"}},"timeoutMs":"{token}"}}',
            f'{{"session":"s","request":{{"id":"{token}"}}}}',
        ):
            yield bridge.post(path, body.encode(), page=False)


async def test_no_output_at_any_error_carries_the_token(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    codes: set[str] = set()
    async with running_bridge(token=CANARY) as bridge:
        for attack in attacks(bridge):
            assert CANARY.encode() in attack
            async with connection(bridge.port) as opened:
                await opened.send(attack)
                answer = await opened.response()
            assert CANARY.encode() not in answer.raw, attack
            codes.add(answer.code or "")
        ok = await bridge.status()
    assert ok["attached"] is False
    printed = capfd.readouterr()
    assert CANARY not in printed.out + printed.err
    assert CANARY not in caplog.text
    assert "answered with" in caplog.text, "the log was on"
    assert codes >= {
        "BAD_REQUEST",
        "UNAUTHORIZED",
        "FORBIDDEN_ORIGIN",
        "FORBIDDEN_HOST",
        "NOT_FOUND",
        "METHOD_NOT_ALLOWED",
        "UNSUPPORTED_MEDIA_TYPE",
        "STALE_CLIENT",
        "NOT_ATTACHED",
    }


def test_the_texts_of_all_errors_are_fixed() -> None:
    """What is never formatted cannot carry anything."""
    for code in BridgeErrorCode:
        text = ERROR_TEXTS[code]
        assert "{" not in text.message + (text.hint or "")


def test_neither_configuration_nor_endpoint_shows_the_token() -> None:
    config = BridgeConfig(origin=ORIGIN, token=CANARY)
    endpoint = BridgeEndpoint("http://127.0.0.1:1", CANARY, ORIGIN, ORIGIN)
    assert CANARY not in repr(config) + repr(endpoint)
