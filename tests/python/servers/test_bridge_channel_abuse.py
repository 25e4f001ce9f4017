"""What a page's end of the channel can do to a bridge: read nothing, flood, break off."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import pytest

from bridge.contract.web_socket import text_frame
from tests.python.support.bridge_fixture import RunningBridge, running_bridge, with_limits
from tests.python.support.channel_page import attach_with_ticket
from tests.python.support.raw_channel import (
    CLOSE,
    CONTINUED,
    PING,
    PONG,
    TEXT,
    frame,
    handshake,
    raw_channel,
    read_frame,
    text,
)
from tests.python.support.raw_http import PATIENCE_SECONDS, Response, connection

MIB = 1_048_576


def rpc(bridge: RunningBridge, number: int, params: Any = None) -> asyncio.Task[Response]:
    request = {"jsonrpc": "2.0", "id": number, "method": "m", "params": params}
    return asyncio.create_task(bridge.rpc(request))


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536, 1_052_672])
def test_a_frame_says_its_length_in_the_shortest_way(size: int) -> None:
    written = text_frame(b"x" * size)
    head = 2 if size <= 125 else 4 if size <= 65_535 else 10
    assert len(written) == head + size
    assert written[0] == 0x81
    told = written[1] if head == 2 else int.from_bytes(written[2:head])
    assert told == size


async def test_large_calls_that_come_together_arrive_whole_at_a_page_that_reads_late(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    async with running_bridge() as bridge:
        _, ticket = await attach_with_ticket(bridge)
        async with raw_channel(bridge, ticket) as page:
            page.pause_reading()
            calls = [rpc(bridge, number, ["x" * 250_000] * 4) for number in range(9)]
            await bridge.until(lambda s: s["queue"]["queued"] + s["queue"]["leased"] == 9)
            page.resume_reading()
            seen: set[int] = set()
            async with asyncio.timeout(PATIENCE_SECONDS):
                while len(seen) < 9:
                    opcode, data = await read_frame(page)
                    assert opcode == TEXT
                    for item in json.loads(data)["requests"]:
                        number = item["request"]["id"]
                        seen.add(number)
                        result = {"id": item["id"], "response": {"id": number, "result": 0}}
                        await page.send(text({"results": [result], "ack": item["seq"]}))
            assert [(await call).status for call in calls] == [200] * 9
    assert not caplog.records, caplog.text


async def test_a_page_that_reads_nothing_keeps_no_socket_once_its_channel_has_ended() -> None:
    """Its goodbye cannot be delivered, so its socket is cut off."""
    limits = with_limits(max_sockets=3, head_timeout_seconds=60.0)
    async with running_bridge(limits=limits) as bridge:
        client, ticket = await attach_with_ticket(bridge)
        async with raw_channel(bridge, ticket) as page:
            page.pause_reading()
            call = rpc(bridge, 1)
            await bridge.until(lambda s: s["queue"]["leased"] == 1)
            # Refusals fill what the kernel takes unread.
            results = [{"id": f"x{n}", "response": None} for n in range(64)]
            flood = text({"results": results, "ack": 0}) * 50
            for _ in range(40):
                await page.send(flood)
            assert (await bridge.page("/disconnect", {"client": client})).status == 200
            assert (await call).json()["error"]["code"] == "BROWSER_GONE"
            # With two others there is room for a third only when the channel's socket is gone.
            async with (
                connection(bridge.port),
                connection(bridge.port),
                asyncio.timeout(PATIENCE_SECONDS),
            ):
                statuses = [0]
                while statuses[-1] != 200:
                    async with connection(bridge.port) as probe:
                        answer = await probe.ask("GET", "/status", bridge.headers(page=False))
                        statuses.append(answer.status)
            assert 503 in statuses, "there was room before the channel's socket was gone"


async def test_answers_that_are_never_read_are_bounded(caplog: pytest.LogCaptureFixture) -> None:
    limits = with_limits(max_body_bytes=8_192)
    async with running_bridge(limits=limits) as bridge:
        _, ticket = await attach_with_ticket(bridge)
        async with raw_channel(bridge, ticket) as page:
            page.pause_reading()
            results = [{"id": f"x{n}", "response": None} for n in range(64)]
            flood = text({"results": results, "ack": 0}) * 50
            with pytest.raises(ConnectionError):
                await page.send(flood * 1_000)
        await bridge.until(lambda status: status["link"] != "channel")
    assert [record.message for record in caplog.records] == [
        "the page does not read what it is sent"
    ]


async def test_frames_in_pieces_with_pings_between_them_are_read_whole() -> None:
    async with running_bridge() as bridge:
        _, ticket = await attach_with_ticket(bridge)
        async with raw_channel(bridge, ticket) as page:
            whole = json.dumps({"results": [{"id": "a", "response": None}], "ack": 0}).encode()
            pieces = [frame(TEXT, b"", final=False)]
            for byte in whole:
                pieces += [frame(CONTINUED, bytes((byte,)), final=False), frame(PING, b"p")]
            pieces += [frame(CONTINUED, b"", final=False)] * 10_000
            await page.send(b"".join(pieces) + frame(CONTINUED, b""))
            for _ in whole:
                assert await read_frame(page) == (PONG, b"p")
            _, data = await read_frame(page)
            assert json.loads(data) == {"refused": {"id": "a", "code": "UNKNOWN_REQUEST"}}


@pytest.mark.parametrize(
    ("bytes_", "code"),
    [
        (frame(CONTINUED, b"x"), 1002),
        (frame(TEXT, b"{", final=False) + frame(TEXT, b"}"), 1002),
        (frame(PING, b"x" * 126), 1002),
        (frame(PING, final=False), 1002),
        (frame(3, b"x"), 1002),
        (b"\xc1" + frame(TEXT, b"{}")[1:], 1002),  # compressed, which was not agreed on
        (b"\x81\xff" + (2**63 - 1).to_bytes(8) + bytes(4), 1009),
        (b"\x81\xff" + (2 * MIB).to_bytes(8) + bytes(4), 1009),
        (frame(CLOSE, b"\x03"), 1002),
        (frame(CLOSE, (1005).to_bytes(2)), 1002),
    ],
)
async def test_frames_against_the_protocol_end_the_channel_and_nothing_else(
    bytes_: bytes, code: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    async with running_bridge() as bridge:
        _, ticket = await attach_with_ticket(bridge)
        async with raw_channel(bridge, ticket) as page:
            await page.send(bytes_)
            async with asyncio.timeout(PATIENCE_SECONDS):
                opcode, data = await read_frame(page)
            assert (opcode, int.from_bytes(data[:2])) == (CLOSE, code)
            await page.closed()
        assert (await bridge.status())["attached"]
    assert not caplog.records, caplog.text


async def test_of_two_sockets_with_one_ticket_exactly_one_gets_in() -> None:
    async with running_bridge() as bridge:
        _, ticket = await attach_with_ticket(bridge)
        async with connection(bridge.port) as one, connection(bridge.port) as two:
            for opened in (one, two):
                opened.writer.write(handshake(bridge, ticket))
            answers = [await opened.response(to_head=True) for opened in (one, two)]
        assert sorted(answer.status for answer in answers) == [101, 401]


async def test_a_storm_of_channels_that_end_at_once_leaves_one_that_works() -> None:
    async with running_bridge() as bridge:
        client, ticket = await attach_with_ticket(bridge)
        for number in range(200):
            async with raw_channel(bridge, ticket) as page:
                if number % 3 == 0:
                    page.abort()
                elif number % 3 == 1:
                    await page.send(frame(CLOSE, (1000).to_bytes(2)))
                else:
                    page.writer.write_eof()
            call = rpc(bridge, number)
            polled = (await bridge.poll(client, 0)).json()
            ticket = polled["channel"]["ticket"]
            await bridge.page(
                "/result",
                {
                    "client": client,
                    "id": polled["requests"][0]["id"],
                    "response": {"id": number, "result": 0},
                },
            )
            assert (await call).status == 200
        async with raw_channel(bridge, ticket) as page:
            call = rpc(bridge, 1)
            _, data = await read_frame(page)
            item = json.loads(data)["requests"][0]
            result = {"id": item["id"], "response": {"id": 1, "result": 0}}
            await page.send(text({"results": [result], "ack": item["seq"]}))
            assert (await call).status == 200
