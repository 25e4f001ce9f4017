"""A native app is introduced to a caller once on each connection, before anything else."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from bridge.client import BridgeFailure, ClientErrorCode, Outcome
from bridge.client.native_async_connection import AsyncNativeConnection
from tests.python.support.fake_bridge import PATIENCE_SECONDS
from tests.python.support.native_app import short_directory

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no native sockets")
Script = Callable[[bytes], Awaitable[bytes | None]]


async def upper(line: bytes) -> bytes:
    return line.upper()


class App:
    """A socket whose lines are answered by a script; None hangs up."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self.script: Script = upper
        self.lines: list[list[bytes]] = []
        """Of each connection."""
        self.ended: list[asyncio.Future[None]] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines: list[bytes] = []
        self.lines.append(lines)
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.ended.append(ended)
        while line := await reader.readline():
            lines.append(line.rstrip())
            answer = await self.script(line.rstrip())
            if answer is None:
                break
            writer.write(answer + b"\n")
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        ended.set_result(None)


@asynccontextmanager
async def running() -> AsyncIterator[tuple[App, AsyncNativeConnection]]:
    with short_directory() as directory:
        app = App(directory / "app.sock")
        server = await asyncio.start_unix_server(app.serve, app.path)
        connection = AsyncNativeConnection(app.path)
        yield app, connection
        connection.close()
        async with asyncio.timeout(PATIENCE_SECONDS):
            await asyncio.gather(*app.ended)
        server.close()


async def ask(connection: AsyncNativeConnection, request: bytes, **more: Any) -> bytes:
    deadline = asyncio.get_running_loop().time() + PATIENCE_SECONDS
    return await connection.respond("s", request, None, deadline, **more)


async def test_it_goes_first_once_and_its_answer_is_nobody_s() -> None:
    async with running() as (app, connection):
        assert await ask(connection, b"a", opening=b"open") == b"A"
        assert await ask(connection, b"b", opening=b"open") == b"B"
        assert await ask(connection, b"c") == b"C"
        assert app.lines == [[b"open", b"a", b"b", b"c"]]


async def test_a_connection_that_was_used_without_one_gets_it_when_it_is_first_needed() -> None:
    async with running() as (app, connection):
        await ask(connection, b"a")
        await ask(connection, b"b", opening=b"open")
        assert app.lines == [[b"a", b"open", b"b"]]


async def test_each_connection_gets_its_own() -> None:
    together = asyncio.Barrier(2)

    async def at_once(line: bytes) -> bytes:
        if line != b"open":
            await together.wait()
        return line.upper()

    async with running() as (app, connection):
        app.script = at_once
        async with asyncio.timeout(PATIENCE_SECONDS):
            answers = await asyncio.gather(
                *(ask(connection, line, opening=b"open") for line in (b"a", b"b"))
            )
        assert answers == [b"A", b"B"]
        assert sorted(app.lines) == [[b"open", b"a"], [b"open", b"b"]]


async def test_an_idle_connection_that_breaks_at_it_is_replaced_by_one_that_gets_it() -> None:
    async with running() as (app, connection):
        await ask(connection, b"a")

        async def hang_up_once(_: bytes) -> None:
            app.script = upper

        app.script = hang_up_once
        assert await ask(connection, b"b", opening=b"open") == b"B"
        assert app.lines == [[b"a", b"open"], [b"open", b"b"]]


async def test_a_failure_at_it_claims_that_the_request_was_not_delivered() -> None:
    async def hang_up(_: bytes) -> None:
        return None

    async with running() as (app, connection):
        app.script = hang_up
        with pytest.raises(BridgeFailure) as caught:
            await ask(connection, b"a", opening=b"open")
        assert caught.value.code == ClientErrorCode.UNREACHABLE
        assert caught.value.outcome is Outcome.NOT_DELIVERED
        # Whereas of what was sent whole nothing is known.
        with pytest.raises(BridgeFailure) as caught:
            await ask(connection, b"a")
        assert caught.value.outcome is Outcome.UNKNOWN


async def test_an_app_that_is_full_says_so_at_it() -> None:
    async def refuse(_: bytes) -> bytes:
        return b'{"jsonrpc":"2.0","id":null,"error":{"code":1017,"message":"full"}}'

    async with running() as (app, connection):
        app.script = refuse
        with pytest.raises(BridgeFailure) as caught:
            await ask(connection, b"a", opening=b"open")
        assert caught.value.code == "SESSION_LIMIT"
        assert caught.value.outcome is Outcome.NOT_DELIVERED
        assert app.lines == [[b"open"]]


async def test_time_that_runs_out_at_it_claims_the_same() -> None:
    never = asyncio.Event()

    async def wait(_: bytes) -> None:
        await never.wait()

    async with running() as (app, connection):
        app.script = wait
        deadline = asyncio.get_running_loop().time() + 0.01
        with pytest.raises(BridgeFailure) as caught:
            await connection.respond("s", b"a", None, deadline, opening=b"open")
        assert caught.value.code == ClientErrorCode.DEADLINE_EXCEEDED
        assert caught.value.outcome is Outcome.NOT_DELIVERED
        never.set()


async def test_a_session_lasts_as_long_as_a_connection_and_needs_no_telling() -> None:
    async with running() as (app, connection):
        assert await connection.keep_session("s", 0.0) is False
        await ask(connection, b"a")
        assert await connection.keep_session("s", 0.0) is True
        await connection.notify("s", b"n", None, 0.0)
        await connection.close_session("s", 0.0)
        assert await connection.keep_session("s", 0.0) is False
        assert app.lines == [[b"a"]]
