"""The three ways to call a bridge, by one suite: blocking, awaited, and by a channel.

Whatever the way, a program decides by the same codes and outcomes. Contract: delivery, errors,
terminal channel.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Protocol

import pytest

from bridge.client.async_bridge_connection import AsyncBridgeConnection
from bridge.client.bridge_address import BridgeAddress
from bridge.client.bridge_connection import BridgeConnection
from bridge.client.bridge_failure import BridgeFailure
from bridge.contract.error_codes import Outcome
from tests.python.support.bridge_fixture import RunningBridge, running_bridge, with_limits
from tests.python.support.channel_page import attach_with_ticket
from tests.python.support.fake_bridge import PATIENCE_SECONDS
from tests.python.support.raw_channel import raw_channel, read_frame, text
from tests.python.support.raw_http import RawConnection
from tests.python.support.scripted_page import ScriptedPage, echo


class Way(Protocol):
    async def respond(
        self,
        session: str,
        request: bytes,
        seconds: float | None = None,
        deadline: float = PATIENCE_SECONDS,
        *,
        opening: bytes | None = None,
    ) -> bytes: ...

    async def notify(self, session: str, message: bytes) -> None: ...

    def close(self) -> None: ...


class Blocking:
    """Each call in a thread, with a connection of its own: that is how programs use it."""

    cancels = False

    def __init__(self, bridge: RunningBridge) -> None:
        self.address, self.token = BridgeAddress("127.0.0.1", bridge.port), bridge.token

    def connect(self) -> BridgeConnection:
        return BridgeConnection(self.address, self.token)

    async def respond(
        self,
        session: str,
        request: bytes,
        seconds: float | None = None,
        deadline: float = PATIENCE_SECONDS,
        *,
        opening: bytes | None = None,
    ) -> bytes:
        def call() -> bytes:
            connection, until = self.connect(), time.monotonic() + deadline
            try:
                return connection.respond(session, request, seconds, until, opening=opening)
            finally:
                connection.close()

        return await asyncio.to_thread(call)

    async def notify(self, session: str, message: bytes) -> None:
        def call() -> None:
            connection, until = self.connect(), time.monotonic() + PATIENCE_SECONDS
            connection.notify(session, message, None, until)
            connection.close()

        await asyncio.to_thread(call)

    def close(self) -> None: ...


class Awaited:
    channel = False

    def __init__(self, bridge: RunningBridge) -> None:
        self.connection = AsyncBridgeConnection(
            BridgeAddress("127.0.0.1", bridge.port),
            bridge.token,
            lambda: True,
            channel=self.channel,
        )

    async def respond(
        self,
        session: str,
        request: bytes,
        seconds: float | None = None,
        deadline: float = PATIENCE_SECONDS,
        *,
        opening: bytes | None = None,
    ) -> bytes:
        until = asyncio.get_running_loop().time() + deadline
        return await self.connection.respond(session, request, seconds, until, opening=opening)

    async def notify(self, session: str, message: bytes) -> None:
        until = asyncio.get_running_loop().time() + PATIENCE_SECONDS
        await self.connection.notify(session, message, None, until)

    def close(self) -> None:
        self.connection.close()


class ByChannel(Awaited):
    channel = True


WAYS = pytest.mark.parametrize("kind", [Blocking, Awaited, ByChannel])
AWAITED = pytest.mark.parametrize("kind", [Awaited, ByChannel])


@asynccontextmanager
async def called(kind: Any, bridge: RunningBridge) -> AsyncIterator[Way]:
    way: Way = kind(bridge)
    try:
        yield way
        # That a channel was used, and was not used, is what the suite is about.
        terminals = (await bridge.status())["terminals"] if not bridge.task.done() else 0
        assert terminals == 0 or kind is ByChannel
    finally:
        way.close()
        await asyncio.sleep(0)


@asynccontextmanager
async def page(bridge: RunningBridge, answer: Any = echo) -> AsyncIterator[ScriptedPage]:
    attached = await ScriptedPage(bridge, answer).attach()
    running = asyncio.create_task(attached.run())
    try:
        yield attached
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


@asynccontextmanager
async def channel_echo(bridge: RunningBridge) -> AsyncIterator[None]:
    """Attach a page that answers at once, over its channel."""
    _, ticket = await attach_with_ticket(bridge)

    async def run(opened: RawConnection) -> None:
        while True:
            _, data = await read_frame(opened)
            items = json.loads(data)["requests"]
            results = [{"id": item["id"], "response": await echo(item)} for item in items]
            await opened.send(text({"results": results, "ack": items[-1]["seq"]}))

    async with raw_channel(bridge, ticket) as opened:
        running = asyncio.create_task(run(opened))
        try:
            yield
        finally:
            running.cancel()


def request(number: Any = 1, params: Any = None) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "m", "params": params}).encode()


async def failure(way: Way, *args: Any, **more: Any) -> tuple[str, Outcome | None]:
    with pytest.raises(BridgeFailure) as caught:
        await way.respond("s", *args, **more)
    return caught.value.code, caught.value.outcome


def never(release: asyncio.Event) -> Any:
    async def answer(item: dict[str, Any]) -> Any:
        await release.wait()
        return await echo(item)

    return answer


@WAYS
async def test_a_request_is_answered_and_a_notification_taken(kind: Any) -> None:
    async with running_bridge() as bridge, page(bridge), called(kind, bridge) as way:
        answer = json.loads(await way.respond("s", request("é", [1.0, "\u2028"])))
        assert answer == {"jsonrpc": "2.0", "id": "é", "result": [1.0, "\u2028"]}
        await way.notify("s", b'{"jsonrpc":"2.0","method":"m"}')


@WAYS
async def test_with_nothing_attached_nothing_was_delivered(kind: Any) -> None:
    async with running_bridge() as bridge, called(kind, bridge) as way:
        assert await failure(way, request()) == ("NOT_ATTACHED", Outcome.NOT_DELIVERED)


@WAYS
@pytest.mark.parametrize(
    ("session", "sent", "code"),
    [
        ("no good", request(), "BAD_REQUEST"),
        ("s" * 129, request(), "BAD_REQUEST"),
        ("s", b"[1]", "BAD_REQUEST"),
        ("s", b'{"id":1,"params":' + b"[" * 33 + b"]" * 33 + b"}", "BAD_REQUEST"),
        ("s", b'{"params":"' + b"x" * 262_145 + b'"}', "BAD_REQUEST"),
        ("s", b'{"params":[' + b",".join([b'"' + b"x" * 250_000 + b'"'] * 5) + b"]}", "TOO_LARGE"),
    ],
)
async def test_what_is_no_call_is_refused_and_the_next_call_works(
    kind: Any, session: str, sent: bytes, code: str
) -> None:
    async with running_bridge() as bridge, page(bridge), called(kind, bridge) as way:
        await way.respond("s", request())
        with pytest.raises(BridgeFailure) as caught:
            await way.respond(session, sent)
        assert (caught.value.code, caught.value.outcome) == (code, None)
        assert json.loads(await way.respond("s", request(2)))["id"] == 2


@WAYS
async def test_the_largest_messages_pass(kind: Any) -> None:
    params = ["x" * 250_000] * 4
    async with running_bridge() as bridge, page(bridge), called(kind, bridge) as way:
        await way.respond("s", request())
        sent = request(1, params)
        sent += b" " * (1_048_576 - len(sent))
        assert json.loads(await way.respond("s", sent, opening=request("o")))["result"] == params


@WAYS
async def test_an_opening_goes_first_and_once_and_to_every_new_page(kind: Any) -> None:
    seen: list[Any] = []

    async def note(item: dict[str, Any]) -> Any:
        seen.append(item.get("request", {}).get("id"))
        return await echo(item)

    async with running_bridge() as bridge, called(kind, bridge) as way:
        for number in (1, 3):
            async with page(bridge, note) as attached:
                for more in (0, 1):
                    await way.respond("s", request(number + more), opening=request("o"))
                await bridge.page("/disconnect", {"client": attached.client})
        assert seen == ["o", 1, 2, "o", 3, 4]


@WAYS
async def test_a_call_is_late_by_the_bridge_s_clock_and_by_the_caller_s(kind: Any) -> None:
    release = asyncio.Event()
    async with (
        running_bridge() as bridge,
        page(bridge, never(release)),
        called(kind, bridge) as way,
    ):
        assert await failure(way, request(), 0.05) == ("TIMEOUT", Outcome.UNKNOWN)
        late = await failure(way, request(), None, 0.2)
        assert late == ("DEADLINE_EXCEEDED", Outcome.UNKNOWN)
        unsent = await failure(way, request(), None, -1.0)
        assert unsent == ("DEADLINE_EXCEEDED", Outcome.NOT_DELIVERED)
        # What nobody waits for any more has freed its place.
        await bridge.until(lambda s: s["queue"]["queued"] + s["queue"]["leased"] == 0)
        release.set()


@AWAITED
async def test_a_cancelled_call_frees_its_place(kind: Any) -> None:
    release = asyncio.Event()
    async with (
        running_bridge() as bridge,
        page(bridge, never(release)),
        called(kind, bridge) as way,
    ):
        calls = [asyncio.create_task(way.respond("s", request(n))) for n in range(3)]
        await bridge.until(lambda s: s["queue"]["leased"] == 3)
        calls[1].cancel()
        await bridge.until(lambda s: s["queue"]["leased"] == 2)
        release.set()
        assert json.loads(await calls[0])["id"] == 0
        assert json.loads(await calls[2])["id"] == 2
        assert calls[1].cancelled()


@WAYS
async def test_a_page_that_goes_leaves_open_what_it_had(kind: Any) -> None:
    release = asyncio.Event()
    async with (
        running_bridge() as bridge,
        page(bridge, never(release)) as attached,
        called(kind, bridge) as way,
    ):
        call = asyncio.create_task(failure(way, request()))
        await bridge.until(lambda s: s["queue"]["leased"] == 1)
        await bridge.page("/disconnect", {"client": attached.client})
        assert await call == ("BROWSER_GONE", Outcome.UNKNOWN)
        release.set()


@WAYS
async def test_a_bridge_that_closes_says_so_and_its_successor_is_not_called(kind: Any) -> None:
    release = asyncio.Event()
    async with (
        running_bridge() as bridge,
        page(bridge, never(release)),
        called(kind, bridge) as way,
    ):
        call = asyncio.create_task(failure(way, request()))
        await bridge.until(lambda s: s["queue"]["leased"] == 1)
        bridge.stop.stop()
        assert await call == ("CLOSING", Outcome.UNKNOWN)
        async with asyncio.timeout(PATIENCE_SECONDS):
            await bridge.task
        assert await failure(way, request()) == ("UNREACHABLE", Outcome.NOT_DELIVERED)
        release.set()


@AWAITED
async def test_more_calls_than_the_bridge_takes_wait_their_turn(kind: Any) -> None:
    async with running_bridge() as bridge, page(bridge), called(kind, bridge) as way:
        calls = [asyncio.create_task(way.respond("s", request(n, [n]))) for n in range(300)]
        for number, call in enumerate(calls):
            assert json.loads(await call)["result"] == [number]
        counters = (await bridge.status())["counters"]
        assert counters["answered"] == 300
        assert not any(name.startswith("failed") for name in counters)


@AWAITED
async def test_who_waits_for_a_turn_may_leave_or_be_too_late(kind: Any) -> None:
    release = asyncio.Event()
    async with (
        running_bridge() as bridge,
        page(bridge, never(release)),
        called(kind, bridge) as way,
    ):
        calls = [asyncio.create_task(way.respond("s", request(n))) for n in range(34)]
        await bridge.until(lambda s: s["queue"]["queued"] + s["queue"]["leased"] == 32)
        late = await failure(way, request(), None, 0.05)
        assert late == ("DEADLINE_EXCEEDED", Outcome.NOT_DELIVERED)
        calls.pop(32).cancel()
        release.set()
        for call in calls:
            await call


async def test_ten_thousand_calls_of_sixteen_callers_get_their_own_answers() -> None:
    async with (
        running_bridge() as bridge,
        channel_echo(bridge),
        called(ByChannel, bridge) as way,
    ):

        async def caller(number: int) -> None:
            for count in range(625):
                answer = json.loads(
                    await way.respond(f"s{number % 3}", request(count, [number, count]))
                )
                assert (answer["id"], answer["result"]) == (count, [number, count])

        async with asyncio.timeout(300):
            await asyncio.gather(*(caller(number) for number in range(16)))
        status = await bridge.status()
        assert (status["counters"]["answered"], status["terminals"]) == (10_000, 1)


async def test_where_no_channel_is_free_calls_go_by_requests() -> None:
    limits = with_limits(max_terminals=0)
    async with (
        running_bridge(limits=limits) as bridge,
        page(bridge),
        called(ByChannel, bridge) as w,
    ):
        for number in range(3):
            assert json.loads(await w.respond("s", request(number)))["id"] == number
        # It is asked for once in a while, not for every call.
        assert (await bridge.status())["counters"]["refused_busy"] == 1
