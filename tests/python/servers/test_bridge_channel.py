"""The channel over real sockets (Contract: channel)."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import pytest
from aiohttp import ClientSession, WSServerHandshakeError

from bridge.contract.limits import BRIDGE_LIMITS
from tests.python.support.bridge_fixture import ORIGIN, RunningBridge, running_bridge, with_limits
from tests.python.support.channel_page import ChannelPage, attach_with_ticket, opened_channel
from tests.python.support.raw_http import Response, connection, render

LARGEST = BRIDGE_LIMITS.max_body_bytes


def rpc(bridge: RunningBridge, number: int = 1, **more: Any) -> asyncio.Task[Response]:
    request = {"jsonrpc": "2.0", "id": number, "method": "m", **more}
    return asyncio.create_task(bridge.rpc(request))


async def test_a_call_crosses_the_channel_byte_for_byte() -> None:
    async with running_bridge() as bridge, opened_channel(bridge) as page:
        call = rpc(bridge, params={"n": 1.0})
        item = await page.item()
        assert item["request"] == {"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"n": 1.0}}
        assert item["session"] == "s"
        raw = '{"id":1, "result": {"x": 1e0,\n "y":"\\u2028"} }'
        frame = f'{{"results":[{{"id":{json.dumps(item["id"])},"response":{raw}}}],"ack":1}}'
        await page.socket.send_str(frame)
        answer = await call
        assert (answer.status, answer.body) == (200, raw.replace("\n", " ").encode())


async def test_several_results_of_one_frame_reach_their_own_callers() -> None:
    async with running_bridge() as bridge, opened_channel(bridge) as page:
        calls = {number: rpc(bridge, number) for number in range(8)}
        items = [await page.item() for _ in calls]
        results = [
            {"id": item["id"], "response": {"id": item["request"]["id"], "result": '[,]}{\\"'}}
            for item in reversed(items)
        ]
        await page.send({"results": results})
        for number, call in calls.items():
            assert (await call).json() == {"id": number, "result": '[,]}{\\"'}


async def test_notifications_and_close_jobs_are_answered_by_null() -> None:
    async with running_bridge() as bridge, opened_channel(bridge) as page:
        call = asyncio.create_task(bridge.rpc({"method": "m"}))
        await page.answer(await page.item(), None)
        assert (await call).status == 202
        close = asyncio.create_task(bridge.terminal("/session/close", {"session": "s"}))
        job = await page.item()
        assert job["closeSession"] is True
        await page.answer(job, None)
        assert (await close).json() == {"closed": True}


async def test_a_result_that_is_refused_is_told_and_the_call_goes_on() -> None:
    async with running_bridge() as bridge, opened_channel(bridge) as page:
        call = rpc(bridge)
        item = await page.item()
        await page.answer(item, {"id": 2, "result": 0})
        assert await page.frame() == {"refused": {"id": item["id"], "code": "RESULT_MISMATCH"}}
        await page.answer(item, {"id": 1, "result": 0})
        assert (await call).status == 200
        await page.answer(item, {"id": 1, "result": 0})
        assert await page.frame() == {"refused": {"id": item["id"], "code": "DUPLICATE_RESULT"}}


async def test_a_response_over_a_limit_is_refused_alone() -> None:
    deep: Any = 0
    for _ in range(33):
        deep = [deep]
    async with running_bridge() as bridge, opened_channel(bridge) as page:
        first, second = rpc(bridge, 1), rpc(bridge, 2)
        items = sorted([await page.item(), await page.item()], key=lambda i: i["request"]["id"])
        results = [
            {"id": items[0]["id"], "response": {"id": 1, "result": deep}},
            {"id": items[1]["id"], "response": {"id": 2, "result": deep[0][0][0]}},
        ]
        await page.send({"results": results})
        assert await page.frame() == {"refused": {"id": items[0]["id"], "code": "BAD_REQUEST"}}
        assert (await second).status == 200
        await page.send({"results": [{"id": items[0]["id"], "tooLarge": True}]})
        assert (await first).json()["error"]["code"] == "RESULT_TOO_LARGE"


async def test_a_frame_of_the_largest_size_is_taken_and_one_more_byte_closes_with_1009() -> None:
    async with running_bridge() as bridge:
        attached = await attach_with_ticket(bridge)
        async with opened_channel(bridge, attached) as page:
            frame = '{"ack":0}'
            await page.socket.send_str(frame + " " * (LARGEST - len(frame)))
            call = rpc(bridge)
            await page.item()
            await page.socket.send_str(frame + " " * (LARGEST - len(frame) + 1))
            assert await page.closed() == 1009
        answer = await call
        assert answer.json()["error"]["code"] == "BROWSER_GONE"


@pytest.mark.parametrize(
    "frame",
    [
        "",
        "[]",
        "{}",
        '{"ack":-1}',
        '{"ack":1.5}',
        '{"ack":"0"}',
        '{"ack":true}',
        '{"ack":1}',
        '{"ack":0,"taken":1}',
        '{"ack":0,"taken":null}',
        '{"ack":0,"ack":0}',
        '{"ack":0,"results":{}}',
        '{"ack":0,"results":[1]}',
        '{"ack":0,"results":[{}]}',
        '{"ack":0,"results":[{"id":"a"}]}',
        '{"ack":0,"results":[{"id":"a","response":null,"tooLarge":true}]}',
        '{"ack":0,"results":[{"id":1,"response":null}]}',
        '{"alive":false}',
        '{"ack":0}x',
        '{"ack":NaN}',
        '{"ack":0,"x":"\\ud800"}',
        '{"ack":0,"results":[' + ",".join(['{"id":"a","response":null}'] * 65) + "]}",
        '{"ack":0,"x":[' + "[]," * 200_000 + "0]}",
    ],
)
async def test_a_malformed_frame_closes_with_4400(frame: str) -> None:
    async with running_bridge() as bridge, opened_channel(bridge) as page:
        await page.socket.send_str(frame)
        assert await page.closed() == 4400


async def test_unknown_members_are_ignored_and_64_results_are_looked_at() -> None:
    results = [{"id": "a", "response": None, "more": 1}] * 64
    async with running_bridge() as bridge, opened_channel(bridge) as page:
        await page.send({"results": results, "more": {"ack": []}})
        for _ in results:
            assert (await page.frame())["refused"]["code"] == "UNKNOWN_REQUEST"


async def test_binary_closes_with_1003() -> None:
    async with running_bridge() as bridge, opened_channel(bridge) as page:
        await page.socket.send_bytes(b'{"ack":0}')
        assert await page.closed() == 1003


async def test_text_that_is_no_utf_8_closes_the_channel() -> None:
    async with running_bridge() as bridge, opened_channel(bridge) as page:
        await page.socket.send_frame(b'{"ack":0,"x":"\xff"}', 1)  # type: ignore[arg-type]
        assert await page.closed() == 4400


async def refused(bridge: RunningBridge, ticket: str | None, **headers: str) -> int:
    protocols = ("bascule.1",) if ticket is None else ("bascule.1", ticket)
    async with ClientSession() as session:
        with pytest.raises(WSServerHandshakeError) as caught:
            await session.ws_connect(
                f"{bridge.endpoint.url}/channel",
                protocols=protocols,
                headers={"Origin": ORIGIN, **headers},
            )
    return caught.value.status


async def test_only_a_good_ticket_opens_and_only_once() -> None:
    async with running_bridge() as bridge:
        assert await refused(bridge, "nothing") == 401
        attached = await attach_with_ticket(bridge)
        assert await refused(bridge, None) == 401
        assert await refused(bridge, bridge.token) == 401
        assert await refused(bridge, attached[0]) == 401
        assert await refused(bridge, None, Authorization=f"Bearer {bridge.token}") == 401
        assert await refused(bridge, attached[1], Origin="http://evil.example") == 403
        async with opened_channel(bridge, attached):
            assert await refused(bridge, attached[1]) == 401


async def test_a_refused_opening_leaves_the_open_channel_alone() -> None:
    async with running_bridge() as bridge, opened_channel(bridge) as page:
        assert await refused(bridge, "nothing") == 401
        call = rpc(bridge)
        await page.answer(await page.item(), {"id": 1, "result": 0})
        assert (await call).status == 200


async def test_the_handshake_says_no_more_than_it_must_and_no_log_has_the_ticket(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    async with running_bridge() as bridge:
        _, ticket = await attach_with_ticket(bridge)
        headers = [
            ("Host", f"127.0.0.1:{bridge.port}"),
            ("Origin", ORIGIN),
            ("Connection", "Upgrade"),
            ("Upgrade", "websocket"),
            ("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="),
            ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Protocol", f"bascule.1, {ticket}"),
            ("Sec-WebSocket-Extensions", "permessage-deflate"),
        ]
        async with connection(bridge.port) as opened:
            await opened.send(render("GET", "/channel", headers))
            head = (await opened.reader.readuntil(b"\r\n\r\n")).decode().lower()
        assert head.startswith("http/1.1 101")
        assert "sec-websocket-protocol: bascule.1\r\n" in head
        for absent in ("server:", ticket.lower(), "extensions", "set-cookie", "python"):
            assert absent not in head
        await bridge.until(lambda status: status["link"] != "channel")
    assert ticket not in caplog.text
    assert bridge.token not in caplog.text


async def test_the_newest_transport_wins() -> None:
    async with running_bridge() as bridge:
        attached = await attach_with_ticket(bridge)
        async with opened_channel(bridge, attached) as page:
            call = rpc(bridge)
            item = await page.item()
            polled = (await bridge.poll(attached[0], 0)).json()
            assert [again["id"] for again in polled["requests"]] == [item["id"]]
            assert await page.closed() == 4409
            async with opened_channel(bridge, (attached[0], polled["channel"]["ticket"])) as newer:
                assert (await newer.item())["id"] == item["id"]
                await newer.answer(item, {"id": 1, "result": 0})
                assert (await call).status == 200


async def test_a_socket_that_breaks_gives_two_seconds_then_the_page_is_gone() -> None:
    async with running_bridge(limits=with_limits(client_grace_seconds=0.05)) as bridge:
        async with opened_channel(bridge) as page:
            call = rpc(bridge)
            await page.item()
            transport = page.socket.get_extra_info("socket")
            assert transport is not None
            page.socket._response.connection.transport.abort()  # type: ignore[union-attr]
            answer = await call
        assert answer.json()["error"] | {"message": "", "hint": ""} == {
            "code": "BROWSER_GONE",
            "outcome": "unknown",
            "message": "",
            "hint": "",
        }


async def test_disconnecting_closes_with_4410() -> None:
    async with running_bridge() as bridge, opened_channel(bridge) as page:
        assert (await bridge.page("/disconnect", {"client": page.client})).status == 200
        assert await page.closed() == 4410


async def test_silence_closes_with_4410_and_a_ping_is_no_word_of_the_script() -> None:
    async with running_bridge(limits=with_limits(client_expiry_seconds=0.3)) as bridge:
        async with opened_channel(bridge) as page:
            await page.socket.ping()
            assert await page.closed() == 4410
        assert not (await bridge.status())["attached"]


async def test_a_shut_down_closes_with_1001_and_answers_the_callers() -> None:
    async with running_bridge() as bridge, opened_channel(bridge) as page:
        call = rpc(bridge)
        await page.item()
        bridge.stop.stop()
        assert await page.closed() == 1001
        assert (await call).json()["error"]["code"] == "CLOSING"


async def test_a_page_that_goes_away_does_not_hear_its_own_1001_as_the_bridge_s_end() -> None:
    async with running_bridge() as bridge, opened_channel(bridge) as page:
        await page.socket.close(code=1001)
        assert page.socket.close_code == 1000


async def test_a_bridge_without_channels_offers_none() -> None:
    async with running_bridge(channel=False) as bridge:
        answer = (await bridge.page("/connect", {"app": "app"})).json()
        assert answer["channel"] is None
        assert await refused(bridge, "nothing") == 401


async def test_an_open_channel_takes_no_place_among_the_requests_at_work() -> None:
    async with running_bridge() as bridge, opened_channel(bridge) as page:
        status = await bridge.status()
        assert status["activeRequests"] == 1
        assert status["link"] == "channel"
        calls = [rpc(bridge, number) for number in range(64)]
        for _ in calls:
            item = await page.item()
            await page.answer(item, {"id": item["request"]["id"], "result": 0})
        assert [(await call).status for call in calls] == [200] * 64


async def test_the_page_that_reads_nothing_holds_nobody_up() -> None:
    """What is not read is eight items at most; everybody else is served."""
    async with running_bridge() as bridge, opened_channel(bridge) as page:
        filler = "x" * 200_000
        calls = [rpc(bridge, n, params=filler, method="m") for n in range(20)]
        status = await bridge.until(lambda s: s["queue"]["queued"] + s["queue"]["leased"] == 20)
        assert status["queue"]["leased"] == 8
        for call in calls:
            call.cancel()
        await asyncio.wait(calls)
        assert isinstance(page, ChannelPage)
