"""Conversations between terminals, the bridge and a page, over real sockets."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from bridge.broker.broker import Broker
from bridge.broker.events import Instant
from bridge.servers.bridge_responses import BridgeResponse
from tests.python.support.bridge_fixture import RunningBridge, running_bridge, with_limits
from tests.python.support.raw_http import connection, exchange, render
from tests.python.support.scripted_page import ScriptedPage, echo

REQUEST = {"jsonrpc": "2.0", "id": 1, "method": "agent/info"}
RESPONSE = {"jsonrpc": "2.0", "id": 1, "result": {}}


class ManualClock:
    """A clock that stands until a test moves it. The bridge looks at it when it is asked."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> Instant:
        return Instant(self.seconds, 1_700_000_000_000 + int(self.seconds * 1000))


@pytest.fixture
async def bridge() -> AsyncIterator[RunningBridge]:
    async with running_bridge() as running:
        yield running


async def test_a_call_goes_to_the_page_and_its_answer_comes_back(bridge: RunningBridge) -> None:
    page = await ScriptedPage(bridge).attach()
    call = asyncio.create_task(bridge.rpc(REQUEST, session="cli-json"))
    [item] = await page.poll()
    assert (item["session"], item["seq"], item["request"]) == ("cli-json", 1, REQUEST)
    accepted = await page.respond(item, RESPONSE)
    assert (accepted.status, accepted.json()) == (200, {"accepted": True})
    answer = await call
    assert (answer.status, answer.json()) == (200, RESPONSE)


async def test_a_request_and_its_response_pass_byte_for_byte(bridge: RunningBridge) -> None:
    client = await bridge.attach()
    request = b'{"id" : 1,\r\n "big": 12345678901234567890123, "x": 1e400, "\\u0061": 1.0}'
    body = b'{"session":"s","request":' + request + b"}"
    call = asyncio.create_task(bridge.terminal("/rpc", body))
    polled = await bridge.poll(client)
    assert request.replace(b"\r\n", b"  ") in polled.body
    response = b'{"id": 1 , "result":\n[1.0, -0, 1e400, "\xe2\x80\xa8"]}'
    identity = polled.json()["requests"][0]["id"]
    result = f'{{"client":"{client}","id":"{identity}","response":'.encode() + response + b"}"
    assert (await bridge.page("/result", result)).status == 200
    assert (await call).body == response.replace(b"\n", b" ")


async def test_a_message_without_an_id_is_accepted_with_null(bridge: RunningBridge) -> None:
    page = await ScriptedPage(bridge).attach()
    call = asyncio.create_task(bridge.rpc({"jsonrpc": "2.0", "method": "x"}))
    [item] = await page.poll()
    assert (await page.respond(item, None)).status == 200
    answer = await call
    assert (answer.status, answer.body) == (202, b"null")


async def test_with_nothing_attached_a_call_fails_at_once(bridge: RunningBridge) -> None:
    answer = await bridge.rpc(REQUEST)
    assert (answer.status, answer.code, answer.outcome) == (503, "NOT_ATTACHED", "not_delivered")


async def test_a_session_is_closed_by_the_page_and_then_unknown(bridge: RunningBridge) -> None:
    unknown = await bridge.terminal("/session/close", {"session": "s"})
    assert (unknown.status, unknown.json()) == (200, {"closed": True})
    page = await ScriptedPage(bridge).attach()
    call = asyncio.create_task(bridge.rpc(REQUEST))
    [item] = await page.poll()
    await page.respond(item, RESPONSE)
    await call
    closing = asyncio.create_task(bridge.terminal("/session/close", {"session": "s"}))
    [job] = await page.poll()
    assert (job["session"], job["closeSession"]) == ("s", True)
    assert "request" not in job
    assert (await page.respond(job, None)).status == 200
    assert (await closing).json() == {"closed": True}
    assert (await bridge.terminal("/session/close", {"session": "s"})).json() == {"closed": True}


async def test_an_opening_reaches_the_page_before_its_call(bridge: RunningBridge) -> None:
    page = await ScriptedPage(bridge).attach()
    opening = {"jsonrpc": "2.0", "id": "o", "method": "initialize"}
    call = asyncio.create_task(bridge.rpc(REQUEST, opening=opening))
    first, item = await page.poll()
    assert (first["request"], item["request"]) == (opening, REQUEST)
    assert (first["session"], item["session"], first["seq"]) == ("s", "s", 1)
    accepted = await page.respond(first, {"jsonrpc": "2.0", "id": "o", "result": {}})
    assert accepted.json() == {"accepted": True}
    await page.respond(item, RESPONSE)
    assert (await call).json() == RESPONSE
    again = asyncio.create_task(bridge.rpc(REQUEST, opening=opening))
    [item] = await page.poll()
    assert item["request"] == REQUEST
    await page.respond(item, RESPONSE)
    assert (await again).status == 200


async def test_a_session_is_kept_by_a_sign_and_closed_without_one() -> None:
    clock = ManualClock()
    limits = with_limits(session_idle_seconds=35.0)
    async with running_bridge(clock=clock, limits=limits) as bridge:
        page = await ScriptedPage(bridge).attach()
        unknown = await bridge.terminal("/session/keep", {"session": "s"})
        assert (unknown.status, unknown.json()) == (200, {"kept": False})
        call = asyncio.create_task(bridge.rpc(REQUEST))
        [item] = await page.poll()
        await page.respond(item, RESPONSE)
        await call
        clock.seconds += 30
        kept = await bridge.terminal("/session/keep", {"session": "s"})
        assert kept.json() == {"kept": True}
        async with connection(bridge.port) as polling:
            await polling.send(bridge.poll_bytes(page.client, 1))
            await bridge.until(lambda s: s["link"] == "polling")
            clock.seconds += 20
            await bridge.status()
            assert page.take(await polling.response()) == []
        async with connection(bridge.port) as polling:
            await polling.send(bridge.poll_bytes(page.client, 1))
            await bridge.until(lambda s: s["link"] == "polling")
            clock.seconds += 16
            await bridge.status()
            [job] = page.take(await polling.response())
        assert (job["session"], job["closeSession"]) == ("s", True)
        assert (await page.respond(job, None)).status == 200
        status = await bridge.status()
        assert (status["sessions"], status["counters"]["sessions_idle"]) == (0, 1)


async def test_a_second_page_is_refused_until_the_first_lets_go(bridge: RunningBridge) -> None:
    client = await bridge.attach()
    second = await bridge.page("/connect", {"app": "other"})
    assert (second.status, second.code) == (409, "ALREADY_ATTACHED")
    assert (await bridge.page("/disconnect", {"client": client})).json() == {"accepted": True}
    assert (await bridge.page("/connect", {"app": "other"})).status == 200


async def test_a_disconnect_fails_what_is_outstanding(bridge: RunningBridge) -> None:
    page = await ScriptedPage(bridge).attach()
    call = asyncio.create_task(bridge.rpc(REQUEST))
    await page.poll()
    await bridge.page("/disconnect", {"client": page.client})
    answer = await call
    assert (answer.status, answer.code, answer.outcome) == (502, "BROWSER_GONE", "unknown")


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("/result", {"id": "i", "response": None}),
        ("/state", {"state": "visible", "taken": 0}),
        ("/disconnect", {}),
    ],
)
async def test_an_unknown_client_is_stale_on_every_route(
    bridge: RunningBridge, path: str, more: dict[str, object]
) -> None:
    answer = await bridge.page(path, {"client": "nobody", **more})
    assert (answer.status, answer.code) == (410, "STALE_CLIENT")
    assert (await bridge.poll("nobody")).code == "STALE_CLIENT"


async def test_a_wrong_result_leaves_the_request_outstanding(bridge: RunningBridge) -> None:
    page = await ScriptedPage(bridge).attach()
    call = asyncio.create_task(bridge.rpc(REQUEST))
    [item] = await page.poll()
    wrong = await page.respond(item, {**RESPONSE, "id": "1"})
    assert (wrong.status, wrong.code) == (409, "RESULT_MISMATCH")
    unknown = await page.respond({"id": "nothing"}, RESPONSE)
    assert (unknown.status, unknown.code) == (404, "UNKNOWN_REQUEST")
    assert (await page.respond(item, RESPONSE)).status == 200
    again = await page.respond(item, {**RESPONSE, "result": "other"})
    assert (again.status, again.code) == (409, "DUPLICATE_RESULT")
    assert (await call).json() == RESPONSE


async def test_a_response_too_large_to_send_is_told_and_the_link_stays(
    bridge: RunningBridge,
) -> None:
    page = await ScriptedPage(bridge).attach()
    call = asyncio.create_task(bridge.rpc(REQUEST))
    [item] = await page.poll()
    report = {"client": page.client, "id": item["id"], "tooLarge": True}
    assert (await bridge.page("/result", report)).json() == {"accepted": True}
    answer = await call
    assert (answer.status, answer.code, answer.outcome) == (502, "RESULT_TOO_LARGE", "unknown")
    again = asyncio.create_task(bridge.rpc(REQUEST))
    [item] = await page.poll()
    await page.respond(item, RESPONSE)
    assert (await again).status == 200


async def test_a_frozen_page_fails_calls_at_once_and_a_poll_wakes_it(
    bridge: RunningBridge,
) -> None:
    page = await ScriptedPage(bridge).attach()
    report = {"client": page.client, "state": "frozen", "taken": 0}
    assert (await bridge.page("/state", report)).json() == {"accepted": True}
    answer = await bridge.rpc(REQUEST)
    assert (answer.status, answer.code, answer.outcome) == (504, "TAB_SUSPENDED", "not_delivered")
    async with connection(bridge.port) as polling:
        await polling.send(bridge.poll_bytes(page.client, 0))
        await bridge.until(lambda s: s["link"] == "polling")
        call = asyncio.create_task(bridge.rpc(REQUEST))
        [item] = page.take(await polling.response())
    await page.respond(item, RESPONSE)
    assert (await call).status == 200


async def test_a_newer_poll_ends_the_older(bridge: RunningBridge) -> None:
    client = await bridge.attach()
    async with connection(bridge.port) as older, connection(bridge.port) as newer:
        await older.send(bridge.poll_bytes(client))
        await bridge.until(lambda s: s["link"] == "polling")
        await newer.send(bridge.poll_bytes(client))
        superseded = await older.response()
        assert (superseded.status, superseded.code) == (409, "POLL_SUPERSEDED")
        call = asyncio.create_task(bridge.rpc(REQUEST))
        [item] = (await newer.response()).json()["requests"]
    page = ScriptedPage(bridge, client=client)
    await page.respond(item, RESPONSE)
    assert (await call).status == 200


async def test_an_acknowledgement_beyond_what_was_sent_is_refused(bridge: RunningBridge) -> None:
    client = await bridge.attach()
    answer = await bridge.poll(client, ack=1)
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")


@pytest.mark.parametrize("ack", ["-1", "x", "1.0", ""])
async def test_a_malformed_acknowledgement_is_refused(bridge: RunningBridge, ack: str) -> None:
    headers = [*bridge.headers(page=True), ("Bascule-Ack", ack)]
    path = f"/poll?client={await bridge.attach()}"
    answer = await exchange(bridge.port, render("GET", path, headers))
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")


async def test_wire_ids_are_unguessable_and_not_the_caller_s(bridge: RunningBridge) -> None:
    page = await ScriptedPage(bridge).attach()
    calls = [asyncio.create_task(bridge.rpc(REQUEST)) for _ in range(8)]
    await bridge.until(lambda s: s["queue"]["queued"] == 8)
    items = await page.poll()
    assert [item["request"]["id"] for item in items] == [1] * 8
    ids = {page.client, *(item["id"] for item in items)}
    assert len(ids) == 9
    assert min(len(base64.urlsafe_b64decode(name + "==")) for name in ids) * 8 >= 128
    for item in items:
        await page.respond(item, RESPONSE)
    await asyncio.gather(*calls)


async def test_what_was_not_acknowledged_is_offered_again(bridge: RunningBridge) -> None:
    page = await ScriptedPage(bridge).attach()
    call = asyncio.create_task(bridge.rpc(REQUEST))
    await bridge.until(lambda s: s["queue"]["queued"] == 1)
    first = (await bridge.poll(page.client, ack=0)).json()["requests"]
    second = (await bridge.poll(page.client, ack=0)).json()["requests"]
    assert [(i["id"], i["seq"]) for i in first] == [(i["id"], i["seq"]) for i in second]
    await page.respond(first[0], RESPONSE)
    assert (await call).status == 200


async def test_a_poll_whose_answer_breaks_off_in_the_middle_loses_nothing() -> None:
    """The peer reads nothing of a large answer and goes: the items come again."""
    async with running_bridge() as bridge:
        page = await ScriptedPage(bridge).attach()
        big = {**REQUEST, "params": ["x" * 200_000] * 5}
        calls = [asyncio.create_task(bridge.rpc({**big, "id": n})) for n in range(8)]
        await bridge.until(lambda s: s["queue"]["queued"] == 8)
        async with connection(bridge.port) as polling:
            polling.pause_reading()
            await polling.send(bridge.poll_bytes(page.client, 0))
            await bridge.until(lambda s: s["queue"]["leased"] == 8)
            polling.abort()
        await bridge.until(lambda s: s["link"] == "broken")
        items = page.take(await bridge.poll(page.client, 0))
        assert len(items) == 8
        for item in items:
            await page.respond(item, await echo(item))
        for number, call in enumerate(calls):
            assert json.loads((await call).body)["id"] == number


async def test_a_page_whose_poll_breaks_off_is_gone_after_its_grace() -> None:
    clock = ManualClock()
    async with running_bridge(clock=clock) as bridge:
        page = await ScriptedPage(bridge).attach()
        taken = asyncio.create_task(bridge.rpc(REQUEST))
        await page.poll()
        async with connection(bridge.port) as polling:
            await polling.send(bridge.poll_bytes(page.client, 1))
            await bridge.until(lambda s: s["link"] == "polling")
            polling.abort()
        await bridge.until(lambda s: s["link"] == "broken")
        waiting = asyncio.create_task(bridge.rpc(REQUEST))
        await bridge.until(lambda s: s["queue"]["queued"] == 1)
        clock.seconds += 2.0
        await bridge.until(lambda s: not s["attached"])
        assert ((await taken).code, (await taken).outcome) == ("BROWSER_GONE", "unknown")
        assert ((await waiting).code, (await waiting).outcome) == ("BROWSER_GONE", "not_delivered")
        assert (await bridge.poll(page.client)).code == "STALE_CLIENT"


async def test_a_poll_on_a_connection_that_closes_after_it_is_no_break() -> None:
    """Only an open poll can break off: a link may use one connection for each."""
    clock = ManualClock()
    async with running_bridge(clock=clock) as bridge:
        page = await ScriptedPage(bridge).attach()
        call = asyncio.create_task(bridge.rpc(REQUEST))
        [item] = await page.poll()
        clock.seconds += 25.0
        await bridge.until(lambda s: s["link"] == "idle")
        assert (await page.respond(item, RESPONSE)).status == 200
        assert (await call).status == 200


async def test_a_terminal_that_hangs_up_frees_its_place(bridge: RunningBridge) -> None:
    page = await ScriptedPage(bridge).attach()
    async with connection(bridge.port) as caller:
        call = bridge.post("/rpc", {"session": "s", "request": REQUEST}, page=False)
        await bridge.park(caller, call, 1)
        caller.abort()
    await bridge.until(lambda s: s["counters"].get("abandoned") == 1)
    assert (await bridge.status())["queue"]["queued"] == 0
    waiting = asyncio.create_task(bridge.rpc({**REQUEST, "id": 2}))
    [item] = await page.poll()
    assert item["request"]["id"] == 2
    await page.respond(item, {**RESPONSE, "id": 2})
    assert (await waiting).status == 200


async def test_a_call_that_is_not_answered_in_time_says_so_and_its_late_result_is_unknown() -> None:
    clock = ManualClock()
    async with running_bridge(clock=clock) as bridge:
        page = await ScriptedPage(bridge).attach()
        call = asyncio.create_task(bridge.rpc(REQUEST, timeoutMs=1500))
        [item] = await page.poll()
        assert item["deadline"] == clock().unix_ms + 1500
        never = asyncio.create_task(bridge.rpc(REQUEST))
        await bridge.until(lambda s: s["queue"]["queued"] == 1)
        clock.seconds += 1.5
        await bridge.until(lambda s: s["queue"]["leased"] == 0)
        answer = await call
        assert (answer.status, answer.code, answer.outcome) == (504, "TIMEOUT", "unknown")
        assert (await page.respond(item, RESPONSE)).code == "UNKNOWN_REQUEST"
        clock.seconds += 28.5
        await bridge.until(lambda s: s["queue"]["queued"] == 0)
        assert ((await never).code, (await never).outcome) == ("TIMEOUT", "not_delivered")


async def test_a_machine_that_slept_starts_nothing_stale() -> None:
    clock = ManualClock()
    async with running_bridge(clock=clock) as bridge:
        page = await ScriptedPage(bridge).attach()
        call = asyncio.create_task(bridge.rpc(REQUEST))
        await bridge.until(lambda s: s["queue"]["queued"] == 1)
        clock.seconds += 3600.0
        assert (await bridge.poll(page.client)).code == "STALE_CLIENT"
        assert (await call).outcome == "not_delivered"
        clock.seconds -= 3600.0
        await page.attach()
        call = asyncio.create_task(bridge.rpc(REQUEST))
        [item] = await page.poll()
        await page.respond(item, RESPONSE)
        assert (await call).status == 200


async def test_time_passes_without_anybody_asking() -> None:
    """The bridge's own timer ends a poll and a call; nothing else wakes it."""
    async with running_bridge(limits=with_limits(max_poll_seconds=0.05)) as bridge:
        page = await ScriptedPage(bridge).attach()
        assert await page.poll() == []
        answer = await bridge.rpc(REQUEST, timeoutMs=20)
        assert (answer.code, answer.outcome) == ("TIMEOUT", "not_delivered")


async def test_the_65th_call_is_refused_at_once() -> None:
    async with running_bridge() as bridge:
        page = await ScriptedPage(bridge).attach()
        calls = [asyncio.create_task(bridge.rpc({**REQUEST, "id": n})) for n in range(64)]
        await bridge.until(lambda s: s["queue"]["queued"] == 64)
        full = await bridge.rpc(REQUEST)
        assert (full.status, full.code, full.outcome) == (429, "QUEUE_FULL", "not_delivered")
        items: list[dict[str, object]] = []
        while len(items) < 64:
            batch = await page.poll()
            assert len(batch) == 8
            items += batch
        assert (await bridge.rpc(REQUEST)).code == "QUEUE_FULL"
        for item in items:
            await page.respond(item, await echo(item))
        assert {answer.status for answer in await asyncio.gather(*calls)} == {200}


async def test_a_page_that_leaves_before_its_connect_is_answered_blocks_nobody(
    bridge: RunningBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It never learnt its name, so nobody could detach it before it expires."""
    send = BridgeResponse.send

    async def broken(self: BridgeResponse, request: web.BaseRequest, stall: float) -> None:
        if request.path == "/connect":
            raise ConnectionResetError
        await send(self, request, stall)

    monkeypatch.setattr(BridgeResponse, "send", broken)
    async with connection(bridge.port) as leaving:
        await leaving.send(bridge.post("/connect", {"app": "leaving"}, page=True))
        assert await leaving.closed() == b""
    monkeypatch.undo()
    assert (await bridge.status())["counters"]["attachments"] == 1
    assert (await bridge.page("/connect", {"app": "next"})).status == 200


async def test_a_fault_of_ours_closes_the_connection_and_tells_nothing(
    bridge: RunningBridge, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fault(*_: object) -> None:
        raise RuntimeError("what the peer wrote")

    caplog.set_level("DEBUG")
    monkeypatch.setattr(Broker, "_call", fault)
    async with connection(bridge.port) as caller:
        await caller.send(bridge.post("/rpc", {"session": "s", "request": REQUEST}, page=False))
        assert await caller.closed() == b""
    monkeypatch.undo()
    assert "RuntimeError at fault" in caplog.text
    assert "what the peer wrote" not in caplog.text
    assert (await bridge.status())["activeRequests"] == 1, "its own"
