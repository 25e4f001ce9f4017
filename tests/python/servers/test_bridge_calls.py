"""Watching calls over real sockets (Contract: calls)."""

from __future__ import annotations

import asyncio

from tests.python.support.bridge_fixture import running_bridge
from tests.python.support.channel_page import opened_channel


async def test_a_watcher_sees_a_call_begin_and_end() -> None:
    request = {"id": 1, "method": "actions/execute", "params": {"action": "a.b"}}
    async with running_bridge() as bridge, opened_channel(bridge) as page:
        watching = asyncio.create_task(bridge.terminal("/calls", {"after": None, "waitMs": 20_000}))
        await bridge.until(lambda status: status["watchers"] == 1)
        call = asyncio.create_task(bridge.rpc(request, session="me"))
        begun = (await watching).json()
        (event,) = begun["events"]
        at = event.pop("at")
        assert abs(at - begun["now"]) < 60_000
        assert event == {
            "seq": 1,
            "phase": "begin",
            "call": 1,
            "session": "me",
            "method": "actions/execute",
            "action": "a.b",
        }
        response = {"id": 1, "error": {"code": 1006, "data": {"code": "UNAVAILABLE"}}}
        await page.answer(await page.item(), response)
        await call
        ended = (await bridge.terminal("/calls", {"after": begun["next"]})).json()
        (event,) = ended["events"]
        assert (event["phase"], event["ok"], event["code"]) == ("end", False, "UNAVAILABLE")
        assert event["durationMs"] > 0
        assert (ended["missed"], ended["next"]) == (0, 2)


async def test_a_watcher_sees_that_a_call_waits_for_the_owner_whatever_the_protocol() -> None:
    asks = {"status": "deferred", "task": {"id": "t", "progress": {"reason": "consent"}}}
    answers: list[dict[str, object]] = [
        {"result": asks},
        {"result": {"structuredContent": asks}},
        {"result": {"status": "deferred", "task": {"id": "t", "state": "running"}}},
        {"result": {"status": "completed", "output": asks}},
    ]
    async with running_bridge() as bridge, opened_channel(bridge) as page:
        for answer in answers:
            call = asyncio.create_task(bridge.rpc({"id": 1, "method": "actions/execute"}))
            await page.answer(await page.item(), {"id": 1} | answer)
            await call
        events = (await bridge.terminal("/calls", {"after": 0})).json()["events"]
    ends = [event for event in events if event["phase"] == "end"]
    assert [event["ok"] for event in ends] == [True] * 4
    assert [event.get("deferred") for event in ends] == ["consent", "consent", "task", None]


async def test_a_watcher_that_hangs_up_frees_its_place() -> None:
    async with running_bridge() as bridge:
        watching = asyncio.create_task(bridge.terminal("/calls", {"waitMs": 20_000}))
        await bridge.until(lambda status: status["watchers"] == 1)
        watching.cancel()
        await bridge.until(lambda status: status["watchers"] == 0)


async def test_a_watcher_counts_neither_as_a_call_nor_as_a_request_at_work() -> None:
    async with running_bridge() as bridge:
        watching = asyncio.create_task(bridge.terminal("/calls", {"waitMs": 20_000}))
        status = await bridge.until(lambda status: status["watchers"] == 1)
        assert (status["activeRequests"], status["queue"]["queued"]) == (1, 0)
        watching.cancel()
