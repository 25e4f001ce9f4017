"""A terminal's channel over real sockets (Contract: terminal channel)."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import pytest

from bridge.contract.limits import BRIDGE_LIMITS
from tests.python.support.bridge_fixture import ORIGIN, running_bridge, with_limits
from tests.python.support.channel_page import ChannelPage, attach_with_ticket, opened_channel
from tests.python.support.raw_channel import (
    BINARY,
    CLOSE,
    CONTINUED,
    PING,
    PONG,
    TEXT,
    frame,
    raw_channel,
    read_frame,
    text,
)
from tests.python.support.raw_http import PATIENCE_SECONDS, connection
from tests.python.support.terminal_channel import opened_terminal, terminal_handshake

LARGEST = BRIDGE_LIMITS.max_body_bytes


def request(number: Any = 1, **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": "m", **more}


def result(item: dict[str, Any], value: Any = 0) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": item["request"]["id"], "result": value}


async def answer_all(page: ChannelPage, count: int) -> None:
    for _ in range(count):
        item = await page.item()
        await page.answer(item, result(item, item["request"].get("params")))


async def test_a_call_crosses_byte_for_byte_both_ways() -> None:
    async with running_bridge() as bridge:
        _, ticket = await attach_with_ticket(bridge)
        async with raw_channel(bridge, ticket) as page, opened_terminal(bridge) as terminal:
            sent = b'{"id":1.0, "params" : [1e0,"\\u00e9",{}]}'
            await terminal.send(b'{"calls":[{"ref":7,"session":"s","request":' + sent + b"}]}")
            _, down = await read_frame(page)
            assert b'"request":' + sent in down
            item = json.loads(down)["requests"][0]
            raw = b'{"id":1.0, "result": {"x": 1e0,\n "y":"\\u2028"} }'
            up = b'{"results":[{"id":"%b","response":%b}],"ack":1}' % (item["id"].encode(), raw)
            await page.send(frame(TEXT, up))
            assert await read_frame(terminal.opened) == (
                TEXT,
                b'{"answers":[{"ref":7,"response":' + raw.replace(b"\n", b" ") + b"}]}",
            )


async def test_the_handshake_says_no_more_than_it_must_and_no_log_has_the_token(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    async with running_bridge() as bridge, opened_terminal(bridge) as terminal:
        assert dict(terminal.handshake.headers) == {
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            # Of RFC 6455's own way to answer a key.
            "Sec-WebSocket-Accept": "ICX+Yqv66kxgM0FcWaLWlFLwTAI=",
            "Sec-WebSocket-Protocol": "bascule.terminal.1",
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        }
        assert bridge.token not in caplog.text


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({}, 101),
        ({"Host": "evil.example"}, 421),
        ({"Origin": ORIGIN}, 403),
        ({"Origin": "null"}, 403),
        ({"Authorization": None}, 401),
        ({"Authorization": "Bearer x"}, 401),
        ({"Sec-WebSocket-Protocol": "bascule.1"}, 400),
        ({"Sec-WebSocket-Protocol": "bascule.terminal.1, bascule.1"}, 400),
        ({"Sec-WebSocket-Version": "8"}, 400),
        ({"Upgrade": None}, 400),
    ],
)
async def test_only_a_terminal_with_the_token_gets_in(
    changed: dict[str, str | None], status: int
) -> None:
    async with running_bridge() as bridge, connection(bridge.port) as opened:
        await opened.send(terminal_handshake(bridge, **changed))
        assert (await opened.response(to_head=status == 101)).status == status
        assert (await bridge.status())["terminals"] == (status == 101)


async def test_a_token_in_the_sub_protocol_opens_nothing() -> None:
    async with running_bridge() as bridge, connection(bridge.port) as opened:
        offered = {
            "Authorization": None,
            "Sec-WebSocket-Protocol": f"bascule.terminal.1, {bridge.token}",
        }
        await opened.send(terminal_handshake(bridge, **offered))
        assert (await opened.response()).status == 401


async def test_calls_of_one_frame_reach_the_page_and_their_answers_come_together() -> None:
    async with (
        running_bridge() as bridge,
        opened_channel(bridge) as page,
        opened_terminal(bridge) as terminal,
    ):
        calls = [{"ref": 10 + n, "session": "s", "request": request(n)} for n in range(8)]
        await terminal.send({"calls": calls})
        items = [await page.item() for _ in calls]
        assert [item["request"]["id"] for item in items] == list(range(8))
        results = [{"id": item["id"], "response": result(item)} for item in reversed(items)]
        await page.send({"results": results})
        answers = [await terminal.answer() for _ in calls]
        assert [answer["ref"] for answer in answers] == [17 - n for n in range(8)]
        assert [answer["response"]["id"] for answer in answers] == [7 - n for n in range(8)]
        assert terminal.frames == 1


async def test_a_notification_is_answered_by_null_and_an_invalid_call_by_an_error_of_its_own() -> (
    None
):
    deep: Any = 0
    for _ in range(33):
        deep = [deep]
    async with (
        running_bridge() as bridge,
        opened_channel(bridge) as page,
        opened_terminal(bridge) as terminal,
    ):
        good = {"session": "s", "request": request(1)}
        wrong: list[dict[str, Any]] = [
            {"session": "s p", "request": request()},
            {"session": "s", "request": []},
            {"session": "s"},
            {**good, "timeoutMs": 0},
            {**good, "timeoutMs": 30_001},
            {**good, "opening": []},
            {**good, "request": request(params=deep)},
            {**good, "request": request(params="x" * 262_145)},
        ]
        note = {"ref": 99, "session": "s", "request": {"method": "m"}}
        calls = [{"ref": n + 1, **call} for n, call in enumerate(wrong)]
        await terminal.send({"calls": [*calls, note]})
        for ref in range(1, len(wrong) + 1):
            answer = await terminal.answer()
            assert answer["ref"] == ref
            assert (answer["error"]["status"], answer["error"]["code"]) == (400, "BAD_REQUEST")
            assert "outcome" not in answer["error"]
        item = await page.item()
        assert item["request"] == {"method": "m"}
        await page.answer(item, None)
        assert await terminal.answer() == {"ref": 99, "response": None}


async def test_with_nothing_attached_every_call_is_told_so_in_one_frame() -> None:
    async with running_bridge() as bridge, opened_terminal(bridge) as terminal:
        calls = [{"ref": n, "session": "s", "request": request(n)} for n in range(1, 65)]
        await terminal.send({"calls": calls})
        answers = [await terminal.answer() for _ in calls]
        assert [answer["ref"] for answer in answers] == list(range(1, 65))
        for answer in answers:
            error = answer["error"]
            assert (error["status"], error["code"]) == (503, "NOT_ATTACHED")
            assert error["outcome"] == "not_delivered"
            assert error["hint"]
        assert terminal.frames == 1


async def test_the_broker_s_sixty_four_hold_for_channels_and_requests_together() -> None:
    async with (
        running_bridge() as bridge,
        opened_channel(bridge) as page,
        opened_terminal(bridge) as one,
        opened_terminal(bridge) as two,
    ):
        for terminal in (one, two):
            calls = [{"ref": n, "session": "s", "request": request(n)} for n in range(1, 33)]
            await terminal.send({"calls": calls})
        await bridge.until(lambda s: s["queue"]["queued"] + s["queue"]["leased"] == 64)
        await one.call(33, request(33))
        assert (await one.answer())["error"]["code"] == "QUEUE_FULL"
        assert (await bridge.rpc(request())).code == "QUEUE_FULL"
        await answer_all(page, 64)
        for terminal in (one, two):
            refs = sorted([(await terminal.answer())["ref"] for _ in range(32)])
            assert refs == list(range(1, 33))


async def test_a_call_that_is_gone_frees_its_place_and_is_not_answered() -> None:
    async with (
        running_bridge() as bridge,
        opened_channel(bridge) as page,
        opened_terminal(bridge) as terminal,
    ):
        calls = [{"ref": n, "session": "s", "request": request(n)} for n in range(1, 11)]
        await terminal.send({"calls": calls})
        items = [await page.item() for _ in range(8)]
        # One that the page has, one that it has not, and one that is unknown.
        await terminal.send({"gone": [1, 10, 77]})
        await bridge.until(lambda s: s["counters"].get("abandoned") == 2)
        # What stood behind the first one moves up.
        items.append(await page.item())
        assert items[-1]["request"]["id"] == 9
        for item in items:
            await page.answer(item, result(item))
        refused = await page.frame()
        assert refused["refused"]["code"] == "UNKNOWN_REQUEST"
        refs = sorted([(await terminal.answer())["ref"] for _ in range(8)])
        assert refs == [2, 3, 4, 5, 6, 7, 8, 9]
        # Its number is free again.
        await terminal.call(1, request("again"))
        await answer_all(page, 1)
        assert (await terminal.answer())["response"]["id"] == "again"


async def test_a_channel_that_breaks_off_hangs_up_all_its_calls() -> None:
    async with running_bridge() as bridge, opened_channel(bridge) as page:
        async with opened_terminal(bridge) as terminal:
            calls = [{"ref": n, "session": "s", "request": request(n)} for n in range(1, 11)]
            await terminal.send({"calls": calls})
            items = [await page.item() for _ in range(8)]
            terminal.opened.abort()
        status = await bridge.until(lambda s: s["terminals"] == 0)
        assert status["counters"]["abandoned"] == 10
        assert status["queue"] == {"queued": 0, "leased": 0, "maximum": 64}
        await page.answer(items[0], result(items[0]))
        assert (await page.frame())["refused"]["code"] == "UNKNOWN_REQUEST"


async def test_an_opening_holds_for_the_later_calls_of_its_session_on_its_channel() -> None:
    opening = request("o", method="initialize")
    async with running_bridge() as bridge, opened_terminal(bridge) as terminal:
        async with opened_channel(bridge) as page:
            await terminal.call(1, request(1), opening=opening)
            await terminal.call(2, request(2), session="other")
            first = [(await page.item())["request"]["id"] for _ in range(3)]
            assert first == ["o", 1, 2]
            await bridge.page("/disconnect", {"client": page.client})
        refs = sorted([(await terminal.answer())["ref"] for _ in range(2)])
        assert refs == [1, 2]
        # The next page has had nothing: the bridge repeats it, by its own rule and unasked.
        async with opened_channel(bridge) as page, opened_terminal(bridge) as another:
            await terminal.call(3, request(3))
            assert [(await page.item())["request"]["id"] for _ in range(2)] == ["o", 3]
            await another.call(1, request(4), session="third")
            assert (await page.item())["request"]["id"] == 4


async def test_deadlines_are_the_broker_s() -> None:
    async with (
        running_bridge() as bridge,
        opened_channel(bridge) as page,
        opened_terminal(bridge) as terminal,
    ):
        await terminal.call(1, request(1), timeoutMs=1)
        await page.item()
        error = (await terminal.answer())["error"]
        assert (error["status"], error["code"], error["outcome"]) == (504, "TIMEOUT", "unknown")


async def test_large_answers_are_sent_in_frames_that_are_not_too_large() -> None:
    async with running_bridge() as bridge, opened_terminal(bridge) as terminal:
        _, ticket = await attach_with_ticket(bridge)
        async with raw_channel(bridge, ticket) as page:
            calls = [{"ref": n, "session": "s", "request": request(n)} for n in range(1, 5)]
            await terminal.send({"calls": calls})
            items: list[dict[str, Any]] = []
            while len(items) < 4:
                items += json.loads((await read_frame(page))[1])["requests"]
            for item in items:
                large = {"id": item["id"], "response": result(item, ["x" * 250_000] * 4)}
                await page.send(text({"results": [large], "ack": 4}))
            refs = sorted([(await terminal.answer())["ref"] for _ in items])
            assert refs == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"[]",
        b"{}",
        b'{"calls":[]}',
        b'{"calls":{}}',
        b'{"calls":[1]}',
        b'{"calls":[{}]}',
        b'{"gone":1}',
        b'{"gone":["1"]}',
        b'{"gone":[0]}',
        b'{"calls":[{"ref":0,"session":"s","request":{}}]}',
        b'{"calls":[{"ref":-1,"session":"s","request":{}}]}',
        b'{"calls":[{"ref":1.5,"session":"s","request":{}}]}',
        b'{"calls":[{"ref":"1","session":"s","request":{}}]}',
        b'{"calls":[{"ref":true,"session":"s","request":{}}]}',
        b'{"calls":[{"ref":9007199254740992,"session":"s","request":{}}]}',
        b'{"calls":[{"session":"s","request":{}}]}',
        b'{"calls":[{"ref":1,"session":"s","request":{"id":1,"id":1}}]}',
        b'{"calls":[{"ref":1,"session":"s","request":{"x":NaN}}]}',
        b'{"calls":[{"ref":1,"session":"s","request":{"x":"\xff"}}]}',
        b'{"calls":[{"ref":1,"session":"s","request":{}},{"ref":1,"session":"s","request":{}}]}',
        b'{"gone":[1]}x',
        b'{"calls":['
        + b",".join(b'{"ref":%d,"session":"s","request":{}}' % n for n in range(1, 66))
        + b"]}",
    ],
)
async def test_a_malformed_frame_closes_with_4400_and_hangs_up(sent: bytes) -> None:
    async with (
        running_bridge() as bridge,
        opened_channel(bridge) as page,
        opened_terminal(bridge) as terminal,
    ):
        await terminal.call(5, request())
        await page.item()
        await terminal.send(sent)
        assert await terminal.closed() == 4400
        await terminal.opened.close()
        status = await bridge.until(lambda s: s["terminals"] == 0)
        assert status["queue"]["queued"] + status["queue"]["leased"] == 0


async def test_the_number_of_an_open_call_is_not_given_twice() -> None:
    async with (
        running_bridge() as bridge,
        opened_channel(bridge) as page,
        opened_terminal(bridge) as terminal,
    ):
        await terminal.call(1, request())
        await page.item()
        await terminal.call(1, request())
        assert await terminal.closed() == 4400


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (frame(BINARY, b"{}"), 1003),
        (b"\x81\xff" + (LARGEST + 1).to_bytes(8) + bytes(4), 1009),
        (frame(TEXT, b"x" * LARGEST, final=False) + frame(CONTINUED, b"x"), 1009),
        (frame(CONTINUED, b"x"), 1002),
        (frame(3, b"x"), 1002),
        (frame(PING, b"x" * 126), 1002),
        (b"\x81\x02{}", 1002),  # without a mask
        (b"\xc1" + frame(TEXT, b"{}")[1:], 1002),  # compressed, which was not agreed on
        (frame(CLOSE, b"\x03"), 1002),
        (frame(CLOSE, (1005).to_bytes(2)), 1002),
        (frame(CLOSE, (4000).to_bytes(2)), 1000),
        (frame(CLOSE), 1000),
    ],
)
async def test_frames_against_the_protocol_end_the_channel(sent: bytes, code: int) -> None:
    async with running_bridge() as bridge, opened_terminal(bridge) as terminal:
        await terminal.opened.send(sent)
        assert await terminal.closed() == code
        await terminal.opened.close()
        await bridge.until(lambda s: s["terminals"] == 0)


async def test_frames_in_pieces_with_masks_and_pings_are_read_whole() -> None:
    async with (
        running_bridge() as bridge,
        opened_channel(bridge) as page,
        opened_terminal(bridge) as terminal,
    ):
        whole = json.dumps(
            {"calls": [{"ref": 1, "session": "s", "request": request("é")}]}, ensure_ascii=False
        ).encode()
        mask = b"\x01\xfe\x80\x7f"
        masked = bytes(byte ^ mask[n % 4] for n, byte in enumerate(whole[3:]))
        first, last = frame(TEXT, whole[:3], final=False), frame(CONTINUED, masked)
        last = last[:2] + mask + last[6:] if len(masked) < 126 else last
        data = first + frame(PING, b"p") + last
        for n in range(len(data)):
            terminal.opened.writer.write(data[n : n + 1])
            await terminal.opened.writer.drain()
        assert await read_frame(terminal.opened) == (PONG, b"p")
        assert (await page.item())["request"]["id"] == "é"


async def test_no_more_channels_than_the_limit_are_open_and_one_that_ends_makes_room() -> None:
    async with running_bridge(limits=with_limits(max_terminals=1)) as bridge:
        async with opened_terminal(bridge), connection(bridge.port) as opened:
            await opened.send(terminal_handshake(bridge))
            refused = await opened.response()
            assert (refused.status, refused.code) == (503, "BUSY")
            assert refused.header("Retry-After") == "1"
            # Calls still come in by requests.
            assert (await bridge.rpc(request())).code == "NOT_ATTACHED"
        await bridge.until(lambda s: s["terminals"] == 0)
        async with opened_terminal(bridge) as terminal:
            await terminal.call(1, request())
            assert (await terminal.answer())["error"]["code"] == "NOT_ATTACHED"


async def test_open_channels_take_no_places_of_requests_at_work() -> None:
    limits = with_limits(max_active_requests=2, reserved_active_requests=1)
    async with (
        running_bridge(limits=limits) as bridge,
        opened_terminal(bridge),
        opened_terminal(bridge),
    ):
        status = await bridge.status()
        assert (status["activeRequests"], status["terminals"]) == (1, 2)


async def test_answers_that_are_never_read_are_bounded(caplog: pytest.LogCaptureFixture) -> None:
    async with running_bridge(limits=with_limits(max_unread_bytes=65_536)) as bridge:
        async with opened_terminal(bridge) as terminal:
            terminal.opened.pause_reading()
            calls = [{"ref": n, "session": "s", "request": {"id": n}} for n in range(1, 65)]
            flood = text({"calls": calls}) * 50
            with pytest.raises(ConnectionError):
                await terminal.opened.send(flood * 200)
        await bridge.until(lambda s: s["terminals"] == 0)
    assert [record.message for record in caplog.records] == [
        "the terminal does not read what it is sent"
    ]


async def test_a_terminal_that_stops_reading_is_cut_off_in_time(
    caplog: pytest.LogCaptureFixture,
) -> None:
    limits = with_limits(head_timeout_seconds=0.2)
    async with running_bridge(limits=limits) as bridge, opened_terminal(bridge) as terminal:
        terminal.opened.pause_reading()
        calls = [{"ref": n, "session": "s", "request": {"id": n}} for n in range(1, 65)]
        flood = text({"calls": calls}) * 50

        async def send_on() -> None:
            # What the system takes unread is some millions of bytes.
            async with asyncio.timeout(PATIENCE_SECONDS):
                while True:
                    await terminal.opened.send(flood)

        with pytest.raises(ConnectionError):
            await send_on()
        await bridge.until(lambda s: s["terminals"] == 0)
    assert "the terminal has stopped reading" in [record.message for record in caplog.records]


async def test_a_bridge_that_ends_answers_every_call_and_closes_with_1001() -> None:
    async with (
        running_bridge() as bridge,
        opened_channel(bridge) as page,
        opened_terminal(bridge) as terminal,
    ):
        calls = [{"ref": n, "session": "s", "request": request(n)} for n in range(1, 11)]
        await terminal.send({"calls": calls})
        for _ in range(8):
            await page.item()
        bridge.stop.stop()
        errors = [(await terminal.answer())["error"] for _ in calls]
        assert {error["code"] for error in errors} == {"CLOSING"}
        outcomes = sorted(error["outcome"] for error in errors)
        assert outcomes == ["not_delivered"] * 2 + ["unknown"] * 8
        assert await terminal.closed() == 1001
        await terminal.opened.close()
        async with asyncio.timeout(PATIENCE_SECONDS):
            await bridge.task


async def test_a_session_that_was_used_by_a_channel_is_closed_by_a_request() -> None:
    async with (
        running_bridge() as bridge,
        opened_channel(bridge) as page,
        opened_terminal(bridge) as terminal,
    ):
        await terminal.call(1, request())
        await answer_all(page, 1)
        await terminal.answer()
        close = asyncio.create_task(bridge.terminal("/session/close", {"session": "s"}))
        job = await page.item()
        assert job["closeSession"] is True
        await page.answer(job, None)
        assert (await close).json() == {"closed": True}


async def test_channels_that_give_the_same_numbers_get_their_own_answers() -> None:
    async with running_bridge() as bridge, opened_channel(bridge) as page:
        answering = asyncio.create_task(answer_all(page, 4 * 100))

        async def use(name: str) -> None:
            async with opened_terminal(bridge) as terminal:
                for _ in range(10):
                    for ref in range(1, 11):
                        await terminal.call(ref, request(ref, params=[name, ref]), session=name)
                    for _ in range(10):
                        answer = await terminal.answer()
                        assert answer["response"]["result"] == [name, answer["ref"]]

        await asyncio.gather(*(use(name) for name in "abcd"))
        await answering
