"""Of the connections that overlapping exchanges need, one is kept when they are over."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from bridge.client.bridge_failure import DeadlineExceeded
from bridge.client.native_async_connection import AsyncNativeConnection
from tests.python.support.fake_bridge import PATIENCE_SECONDS
from tests.python.support.native_app import short_directory

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no native sockets")
MOST = 4


class App:
    """Answers each line when it is let, and counts connections."""

    def __init__(self) -> None:
        self.dialled = 0
        self.ended = 0
        self.lines = 0
        self.may_answer = asyncio.Event()
        self._changed = asyncio.Condition()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.dialled += 1
        while line := await reader.readline():
            self.lines += 1
            await self._tell()
            await self.may_answer.wait()
            writer.write(line)
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        self.ended += 1
        await self._tell()

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def until(self, *, lines: int = 0, ended: int = 0) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS), self._changed:
            await self._changed.wait_for(lambda: self.lines >= lines and self.ended >= ended)


@asynccontextmanager
async def running() -> AsyncIterator[tuple[App, AsyncNativeConnection]]:
    with short_directory() as directory:
        app = App()
        path = str(directory / "app.sock")
        server = await asyncio.start_unix_server(app.serve, path)
        connection = AsyncNativeConnection(path)
        yield app, connection
        app.may_answer.set()
        connection.close()
        await app.until(ended=app.dialled)
        server.close()


def begin(connection: AsyncNativeConnection, count: int) -> list[asyncio.Task[bytes]]:
    deadline = asyncio.get_running_loop().time() + PATIENCE_SECONDS
    return [
        asyncio.create_task(connection.respond("s", b"%d" % number, None, deadline))
        for number in range(count)
    ]


async def test_all_but_one_are_hung_up_after_a_burst() -> None:
    async with running() as (app, connection):
        calls = begin(connection, MOST)
        await app.until(lines=MOST)
        assert app.dialled == MOST, "the control: each has one of its own"
        app.may_answer.set()
        assert await asyncio.gather(*calls) == [b"0", b"1", b"2", b"3"]
        await app.until(ended=MOST - 1)
        assert await asyncio.gather(*begin(connection, 1)) == [b"0"]
        assert (app.dialled, app.ended) == (MOST, MOST - 1), "the one is used"


async def test_those_that_wait_need_no_new_ones() -> None:
    async with running() as (app, connection):
        calls = begin(connection, MOST * 5)
        await app.until(lines=MOST)
        app.may_answer.set()
        await asyncio.gather(*calls)
        assert app.dialled == MOST
        await app.until(ended=MOST - 1)


async def test_those_that_waited_in_vain_keep_nothing_open() -> None:
    async with running() as (app, connection):
        calls = begin(connection, MOST)
        await app.until(lines=MOST)
        waiting = begin(connection, MOST)
        with pytest.raises(DeadlineExceeded):
            await connection.respond("s", b"late", None, 0.0)
        for call in waiting:
            call.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        app.may_answer.set()
        await asyncio.gather(*calls)
        await app.until(ended=MOST - 1)
        assert (app.dialled, app.lines) == (MOST, MOST)
