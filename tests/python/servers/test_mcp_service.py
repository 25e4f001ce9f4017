"""Conversations of MCP clients with the bridge over HTTP, and with the app in its page."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bridge.contract.mcp_messages import META_SERVER_INFO
from bridge.servers.event_stream import EventStream
from tests.python.support.bridge_fixture import RunningBridge, running_bridge, with_limits
from tests.python.support.mcp_page import McpPage, call, event, modern, post
from tests.python.support.raw_http import (
    PATIENCE_SECONDS,
    RawConnection,
    Response,
    connection,
    exchange,
)
from tests.python.support.scripted_page import ScriptedPage

INSPECT = call("state_inspect")
LATER = call("actions_execute", action="later")


@pytest.fixture
async def bridge() -> AsyncIterator[RunningBridge]:
    async with running_bridge() as running:
        yield running


@asynccontextmanager
async def app_page(bridge: RunningBridge) -> AsyncIterator[McpPage]:
    page = McpPage(bridge)
    await page.attach()
    running = asyncio.create_task(page.run())
    try:
        yield page
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def ask(bridge: RunningBridge, message: Any, **headers: str) -> Response:
    return await exchange(bridge.port, post(bridge, message, **headers))


def output_of(response: Response) -> Any:
    assert (response.status, response.header("Content-Type")) == (200, "application/json")
    result = response.json()["result"]
    assert "isError" not in result, result
    return result["structuredContent"]


async def begin_task(bridge: RunningBridge) -> str:
    """Begin work that goes on, and return its name."""
    task = output_of(await ask(bridge, LATER))["task"]
    assert task["state"] == "running"
    return str(task["id"])


# ---- both revisions, with an app and without


async def test_tools_run_in_the_page_in_both_revisions(bridge: RunningBridge) -> None:
    async with app_page(bridge) as page:
        modern_answer = await ask(bridge, modern(INSPECT))
        legacy_answer = await ask(bridge, INSPECT)
        assert output_of(modern_answer) == output_of(legacy_answer)
        # It is the app that has answered, by its own name.
        info = modern_answer.json()["result"]["_meta"][META_SERVER_INFO]
        assert info["name"] == "Fixture"
        assert "_meta" not in legacy_answer.json()["result"]
        assert page.endpoint.sessions == ["mcp-http", "mcp-http-legacy"]


async def test_a_legacy_session_is_opened_once_in_each_page(bridge: RunningBridge) -> None:
    for _ in range(2):
        async with app_page(bridge) as page:
            await ask(bridge, INSPECT)
            await ask(bridge, INSPECT)
            methods = [item["request"]["method"] for item in page.items]
            assert methods == ["initialize", "tools/call", "tools/call"]
        await bridge.page("/disconnect", {"client": page.client})


async def test_with_nothing_attached_a_call_says_what_to_do_and_works_later(
    bridge: RunningBridge,
) -> None:
    for message in (INSPECT, modern(INSPECT)):
        answer = await ask(bridge, message)
        result = answer.json()["result"]
        assert (answer.status, result["isError"]) == (200, True)
        assert result["structuredContent"]["error"]["data"]["code"] == "NOT_ATTACHED"
        assert "press Attach" in result["content"][0]["text"]
    async with app_page(bridge):
        assert output_of(await ask(bridge, INSPECT))


async def test_what_needs_no_app_is_answered_and_reserves_nothing(bridge: RunningBridge) -> None:
    async with app_page(bridge) as page:
        listed = await ask(bridge, modern({"jsonrpc": "2.0", "id": 0, "method": "tools/list"}))
        assert (listed.json()["id"], len(listed.json()["result"]["tools"])) == (0, 9)
        note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        taken = await ask(bridge, note)
        assert (taken.status, taken.body, taken.header("Content-Type")) == (202, b"", None)
        assert page.endpoint.sessions == []


@pytest.mark.parametrize(
    ("body", "status"), [(b"{", 400), (b"[]", 400), (b" " * 1_048_577, 413), (b"", 400)]
)
async def test_what_is_no_message_is_refused_by_an_error_without_an_id(
    bridge: RunningBridge, body: bytes, status: int
) -> None:
    answer = await ask(bridge, body)
    assert (answer.status, "id" in answer.json()) == (status, False)
    assert answer.json()["jsonrpc"] == "2.0"


async def test_clients_that_use_the_same_id_each_get_their_own_answer(
    bridge: RunningBridge,
) -> None:
    async with app_page(bridge):
        uris = [f"note:bytes/{size}" for size in range(1, 17)]
        messages = [modern(call("resource_read", 1, uri=uri)) for uri in uris]
        answers = await asyncio.gather(*(ask(bridge, message) for message in messages))
        assert [output_of(answer)["uri"] for answer in answers] == uris


async def test_a_bridge_that_closes_answers_who_waits(bridge: RunningBridge) -> None:
    await bridge.attach()
    async with connection(bridge.port) as caller:
        await bridge.park(caller, post(bridge, modern(INSPECT)), 1)
        bridge.stop.stop()
        result = (await caller.response()).json()["result"]
        assert result["structuredContent"]["error"]["data"]["code"] == "CLOSING"


async def test_those_who_watch_see_the_tool_and_the_action(bridge: RunningBridge) -> None:
    async with app_page(bridge):
        await ask(bridge, call("actions_execute", action="note.read"))
        seen = (await bridge.terminal("/calls", {"after": 0})).json()["events"]
    told = {"method": "tools/call", "action": "note.read", "session": "mcp-http-legacy"}
    assert [{name: entry[name] for name in told} for entry in seen] == [told, told]


# ---- waiting for a task


@pytest.mark.parametrize("in_modern", [True, False])
async def test_a_wait_with_a_token_is_a_stream_of_progress_that_ends_with_the_answer(
    bridge: RunningBridge, in_modern: bool
) -> None:
    async with app_page(bridge) as page, connection(bridge.port) as caller:
        message = call("task_status", id=await begin_task(bridge), waitMs=20_000)
        if in_modern:
            message = modern(message, progressToken="t")
        else:
            message["params"]["_meta"] = {"progressToken": "t"}
        await caller.send(post(bridge, message))
        async with asyncio.timeout(PATIENCE_SECONDS):
            head = (await caller.reader.readuntil(b"\r\n\r\n")).lower()
            begun = await event(caller)
            page.app.tick()
            answer = await event(caller)
            assert (await caller.reader.readuntil(b"0\r\n\r\n")).endswith(b"0\r\n\r\n")
        assert b"content-type: text/event-stream\r\n" in head
        assert b"x-accel-buffering: no\r\n" in head
        assert b"cache-control: no-store\r\n" in head
        assert b"\r\nserver:" not in head
        assert begun == {
            "jsonrpc": "2.0",
            "method": "notifications/progress",
            "params": {"progressToken": "t", "progress": 1, "message": "running"},
        }
        assert answer["result"]["structuredContent"]["task"]["state"] == "completed"
        asked = [item["request"]["params"] for item in page.items][-1]
        assert "waitMs" not in asked["arguments"]
        # The connection goes on.
        await caller.send(post(bridge, INSPECT))
        assert output_of(await caller.response())


async def test_a_wait_without_a_token_is_one_answer(bridge: RunningBridge) -> None:
    async with app_page(bridge) as page:
        task = await begin_task(bridge)
        message = modern(call("task_status", id=task, waitMs=20_000))
        waiting = asyncio.create_task(ask(bridge, message))
        async with asyncio.timeout(PATIENCE_SECONDS):
            while sum("task_status" in json.dumps(item) for item in page.items) < 2:
                await bridge.status()
        page.app.tick()
        assert output_of(await waiting)["task"]["state"] == "completed"


async def test_a_wait_that_is_over_is_answered_with_what_is_known(bridge: RunningBridge) -> None:
    async with app_page(bridge):
        message = call("task_status", id=await begin_task(bridge), waitMs=1)
        assert output_of(await ask(bridge, message))["task"]["state"] == "running"


async def test_a_wait_for_what_is_no_task_is_answered_at_once(bridge: RunningBridge) -> None:
    async with app_page(bridge):
        message = modern(call("task_status", id="none", waitMs=20_000), progressToken=0)
        answer = await ask(bridge, message)
        assert answer.header("Content-Type") == "application/json"
        error = answer.json()["result"]["structuredContent"]["error"]
        assert error["data"]["code"] == "UNKNOWN_TASK"


async def test_a_page_that_goes_ends_the_stream_with_an_error(bridge: RunningBridge) -> None:
    page = await ScriptedPage(bridge).attach()
    async with connection(bridge.port) as caller:
        message = modern(call("task_status", id="a", waitMs=20_000), progressToken=1)
        await caller.send(post(bridge, message))
        item = await leased(page)
        await page.respond(item, answer_to(item, task={"id": "a", "state": "running"}))
        async with asyncio.timeout(PATIENCE_SECONDS):
            await event(caller)
            await bridge.page("/disconnect", {"client": page.client})
            answer = await event(caller)
    assert answer["result"]["isError"] is True


async def test_waiting_takes_no_place_from_others() -> None:
    limits = with_limits(max_active_requests=3, reserved_active_requests=2)
    async with running_bridge(limits=limits) as bridge, app_page(bridge) as page:
        message = modern(call("task_status", id=await begin_task(bridge), waitMs=20_000))
        waits = []
        for number in (1, 2):
            waits.append(asyncio.create_task(ask(bridge, {**message, "id": f"wait-{number}"})))
            async with asyncio.timeout(PATIENCE_SECONDS):
                while f"wait-{number}" not in json.dumps(page.items):
                    assert (await bridge.status())["attached"]
        page.app.tick()
        for wait in waits:
            assert output_of(await wait)["task"]["state"] == "completed"


# ---- clients that hang up


async def leased(page: ScriptedPage) -> dict[str, Any]:
    items = await page.poll()
    assert [item["request"]["method"] for item in items][-1] == "tools/call"
    return items[-1]


def answer_to(item: dict[str, Any], **structured: Any) -> dict[str, Any]:
    result = {"content": [], "structuredContent": structured, "resultType": "complete"}
    return {"jsonrpc": "2.0", "id": item["request"]["id"], "result": result}


async def test_a_modern_client_that_hangs_up_takes_back_what_is_queued(
    bridge: RunningBridge,
) -> None:
    page = await ScriptedPage(bridge).attach()
    async with connection(bridge.port) as caller:
        await bridge.park(caller, post(bridge, modern(INSPECT)), 1)
        caller.abort()
        status = await bridge.until(lambda s: s["queue"]["queued"] == 0)
    assert status["counters"]["abandoned"] == 1
    other = asyncio.create_task(ask(bridge, modern(LATER)))
    item = await leased(page)
    assert item["request"]["params"]["name"] == "actions_execute"
    await page.respond(item, answer_to(item, n=1))
    assert output_of(await other) == {"n": 1}


async def test_a_modern_client_that_hangs_up_leaves_what_runs_without_a_caller(
    bridge: RunningBridge,
) -> None:
    page = await ScriptedPage(bridge).attach()
    async with connection(bridge.port) as caller:
        await caller.send(post(bridge, modern(INSPECT)))
        item = await leased(page)
        caller.abort()
        await bridge.until(lambda s: s["queue"]["leased"] == 0)
    (told,) = await page.poll()
    assert told["session"] == item["session"]
    assert told["request"] == {
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": item["request"]["id"]},
    }
    assert (await page.respond(told, None)).status == 200
    late = await page.respond(item, answer_to(item))
    assert (late.status, late.code) == (404, "UNKNOWN_REQUEST")


@asynccontextmanager
async def held_turn(bridge: RunningBridge, page: McpPage) -> AsyncIterator[None]:
    """Have the page at work, so that what comes meanwhile waits for its turn; then let it end."""
    holder = asyncio.create_task(ask(bridge, modern(call("actions_execute", 100, action="slow"))))
    await has_come(bridge, page, 1)
    yield
    page.app.finish()
    assert output_of(await holder)["output"] == {"text": "late"}


async def has_come(bridge: RunningBridge, page: McpPage, count: int) -> None:
    """Wait until the page has so many items."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while len(page.items) < count:
            await bridge.status()


@pytest.mark.parametrize("hangs_up", [True, False])
async def test_what_waits_in_the_page_is_not_begun_once_its_client_has_hung_up(
    bridge: RunningBridge, hangs_up: bool
) -> None:
    async with app_page(bridge) as page, connection(bridge.port) as caller:
        async with held_turn(bridge, page):
            await caller.send(post(bridge, modern(call("actions_execute", 5, action="beep"))))
            await has_come(bridge, page, 2)
            if hangs_up:
                caller.abort()
                await has_come(bridge, page, 3)
        if not hangs_up:
            assert output_of(await caller.response())["status"] == "completed"
        # One more turn, behind all that waited for one.
        await ask(bridge, modern(call("actions_execute", 6, action="note.read")))
        ran = [] if hangs_up else ["beep"]
        assert page.app.log == ["slow", *ran, "note.read"]
        await bridge.until(lambda s: s["queue"]["queued"] + s["queue"]["leased"] == 0)


async def sent_beep(bridge: RunningBridge, page: McpPage, caller: RawConnection) -> Any:
    """Send a call that waits in the page, behind the one that has the turn; return its message."""
    message = modern(call("actions_execute", 5, action="beep"))
    await caller.send(post(bridge, message))
    await has_come(bridge, page, 2)
    return message


async def test_a_client_that_hangs_up_takes_nothing_from_another_with_the_same_id(
    bridge: RunningBridge,
) -> None:
    async with app_page(bridge) as page, connection(bridge.port) as caller:
        async with held_turn(bridge, page):
            message = await sent_beep(bridge, page, caller)
            other = asyncio.create_task(ask(bridge, message))
            await has_come(bridge, page, 3)
            caller.abort()
            await bridge.until(lambda s: s["counters"].get("abandoned") == 1)
        assert output_of(await other)["status"] == "completed"
        assert "notifications/cancelled" not in json.dumps(page.items)


async def test_an_id_that_a_client_has_hung_up_on_may_be_used_again_at_once(
    bridge: RunningBridge,
) -> None:
    async with app_page(bridge) as page, connection(bridge.port) as caller:
        async with held_turn(bridge, page):
            message = await sent_beep(bridge, page, caller)
            caller.abort()
            await bridge.until(lambda s: s["counters"].get("abandoned") == 1)
            again = asyncio.create_task(ask(bridge, message))
            await has_come(bridge, page, 4)
        methods = [item["request"]["method"] for item in page.items]
        assert methods == ["tools/call", "tools/call", "notifications/cancelled", "tools/call"]
        assert output_of(await again)["status"] == "completed"
        assert page.app.log == ["slow", "beep"]


async def test_a_legacy_client_that_hangs_up_cancels_nothing(bridge: RunningBridge) -> None:
    page = await ScriptedPage(bridge).attach()
    async with connection(bridge.port) as caller:
        await bridge.park(caller, post(bridge, INSPECT), 2)
        caller.abort()
        await bridge.until(lambda s: s["activeRequests"] == 1)
    async with connection(bridge.port) as caller:
        await bridge.park(caller, post(bridge, modern(INSPECT)), 3)
        caller.abort()
        await bridge.until(lambda s: s["queue"]["queued"] == 2)
    item = await leased(page)
    assert (await page.respond(item, answer_to(item))).status == 200


async def test_a_client_that_closes_its_stream_ends_the_wait(bridge: RunningBridge) -> None:
    page = await ScriptedPage(bridge).attach()
    async with connection(bridge.port) as caller:
        message = modern(call("task_status", id="a", waitMs=20_000), progressToken=1)
        await caller.send(post(bridge, message))
        item = await leased(page)
        await page.respond(item, answer_to(item, task={"id": "a", "state": "running"}))
        async with asyncio.timeout(PATIENCE_SECONDS):
            await event(caller)
        again = await leased(page)
        caller.abort()
        await bridge.until(lambda s: s["queue"]["leased"] == 0)
    late = await page.respond(again, answer_to(again))
    assert (late.status, late.code) == (404, "UNKNOWN_REQUEST")


async def test_a_client_that_does_not_read_its_stream_is_cut_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def stuck(self: EventStream, data: bytes) -> None:
        await asyncio.Event().wait()

    async with running_bridge(limits=with_limits(head_timeout_seconds=0.2)) as bridge:
        page = await ScriptedPage(bridge).attach()
        async with connection(bridge.port) as caller:
            message = modern(call("task_status", id="a", waitMs=20_000), progressToken=1)
            await caller.send(post(bridge, message))
            item = await leased(page)
            monkeypatch.setattr(EventStream, "write", stuck)
            await page.respond(item, answer_to(item, task={"id": "a", "state": "running"}))
            assert await caller.closed() == b""
