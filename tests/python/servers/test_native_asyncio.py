"""A native endpoint in an event loop: the same ticks, and calls that take their time."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bridge.contract.limits import NATIVE_LIMITS
from bridge.servers.asyncio_runtime import AsyncioRuntime
from bridge.servers.native_server import NativeServer, serve
from tests.python.support.dispatchers import HandRuntime, dispatcher_of
from tests.python.support.fake_bridge import PATIENCE_SECONDS
from tests.python.support.native_app import INFO, call_of, echo, short_directory

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no native sockets")


@pytest.fixture
def directory() -> Iterator[Path]:
    with short_directory() as path:
        yield path


def names_in(path: Path) -> list[str]:
    return [entry.name for entry in path.iterdir()]


async def until(happened: Callable[[], bool]) -> None:
    """Let the loop go on until something has happened; the caller bounds it."""
    while not happened():  # noqa: ASYNC110 - nothing tells of it
        await asyncio.sleep(0)


async def line_from(path: Path | None, data: bytes) -> Any:
    async with asyncio.timeout(PATIENCE_SECONDS):
        reader, writer = await asyncio.open_unix_connection(str(path), limit=1 << 21)
        try:
            writer.write(data)
            return json.loads(await reader.readline())
        finally:
            writer.close()
            await writer.wait_closed()


async def run(server: NativeServer, client: Callable[[], Any]) -> None:
    """Serve while a client does its part."""
    serving = asyncio.create_task(server.serve_forever())
    try:
        await client()
    finally:
        server.close()
        async with asyncio.timeout(PATIENCE_SECONDS):
            await serving


async def test_an_event_loop_serves_an_asynchronous_host(directory: Path) -> None:
    runtime = AsyncioRuntime()
    gate = asyncio.Event()

    async def slow(given: Any) -> Any:
        await gate.wait()
        return given

    dispatcher = dispatcher_of(
        lambda action, given, _context: slow(given) if action == "a" else given,
        runtime=runtime,
        concurrent=True,
    )
    server = serve(dispatcher, directory=directory)

    async def client() -> None:
        path = server.path
        waiting = asyncio.create_task(line_from(path, call_of(1, n=1)))
        assert (await line_from(path, call_of(2, "b", n=2)))["result"]["output"] == {"n": 2}
        assert not waiting.done()
        gate.set()
        assert (await waiting)["result"]["output"] == {"n": 1}

    await run(server, client)
    await runtime.close()
    assert names_in(directory) == []


async def test_many_lines_at_once_are_all_answered_in_a_loop(directory: Path) -> None:
    server = serve(echo(), directory=directory)

    async def client() -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            reader, writer = await asyncio.open_unix_connection(str(server.path))
            writer.write(b"".join(call_of(n) for n in range(200)))
            assert [json.loads(await reader.readline())["id"] for _ in range(200)] == list(
                range(200)
            )
            writer.close()
            await writer.wait_closed()

    await run(server, client)


async def test_a_cancelled_server_closes_and_waits_for_nobody(directory: Path) -> None:
    runtime = AsyncioRuntime()
    begun = asyncio.Event()

    async def never(*_: object) -> Any:
        begun.set()
        await asyncio.Event().wait()

    server = serve(dispatcher_of(never, runtime=runtime), directory=directory)
    serving = asyncio.create_task(server.serve_forever())
    async with asyncio.timeout(PATIENCE_SECONDS):
        reader, writer = await asyncio.open_unix_connection(str(server.path))
        writer.write(call_of(1))
        await begun.wait()
        serving.cancel()
        await asyncio.wait({serving})
        assert serving.cancelled()
        assert await reader.read() == b""
        writer.close()
        await writer.wait_closed()
    assert server.closed
    assert names_in(directory) == []
    await runtime.close()


async def test_who_reads_nothing_is_cut_off_though_nothing_happens(directory: Path) -> None:
    server = NativeServer(
        dispatcher_of(lambda *_: {"text": "x" * 250_000}),
        directory=str(directory),
        limits=NATIVE_LIMITS._replace(max_unread_seconds=0.05),
    )
    server.follow()

    async def client() -> None:
        with socket.socket(socket.AF_UNIX) as deaf:
            deaf.connect(str(server.path))
            deaf.sendall(b"".join(call_of(n) for n in range(8)))
            async with asyncio.timeout(PATIENCE_SECONDS):
                await until(lambda: server.connections == 1)
                await until(lambda: server.connections == 0)

    await run(server, client)


async def test_a_closed_server_is_not_served(directory: Path) -> None:
    server = serve(echo(), directory=directory)
    server.close()
    async with asyncio.timeout(PATIENCE_SECONDS):
        await server.serve_forever()


async def test_disabling_in_a_loop_hangs_up_and_enabling_listens_again(directory: Path) -> None:
    dispatcher = echo()
    server = serve(dispatcher, directory=directory)

    async def client() -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            reader, writer = await asyncio.open_unix_connection(str(server.path))
            writer.write(INFO + b"\n")
            assert await reader.readline()
            dispatcher.set_enabled(False)
            assert await reader.read() == b""
            writer.close()
            await writer.wait_closed()
            dispatcher.set_enabled(True)
            assert "result" in await line_from(server.path, INFO + b"\n")

    await run(server, client)


async def test_a_call_whose_caller_is_gone_is_not_begun(directory: Path) -> None:
    runtime = AsyncioRuntime()
    gate = asyncio.Event()
    begun: list[Any] = []

    async def execute(_action: str, given: Any, _context: Any) -> Any:
        begun.append(given["n"])
        if given["n"] == 1:
            await gate.wait()
        return {}

    server = serve(dispatcher_of(execute, runtime=runtime), directory=directory)

    async def client() -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            first = asyncio.create_task(line_from(server.path, call_of(1, n=1)))
            await until(lambda: bool(begun))
            _, gone = await asyncio.open_unix_connection(str(server.path))
            gone.write(call_of(2, n=2))
            third = asyncio.create_task(line_from(server.path, call_of(3, n=3)))
            await until(lambda: server.connections == 3)
            gone.close()
            await gone.wait_closed()
            await until(lambda: server.connections == 2)
            gate.set()
            await first
            await third
        assert begun == [1, 3]

    await run(server, client)
    await runtime.close()


async def test_whoever_leaves_in_mid_call_leaves_its_place_to_another(directory: Path) -> None:
    begun: list[str] = []

    async def execute(action: str, _given: Any, _context: Any) -> Any:
        begun.append(action)
        if action == "a":
            await asyncio.Event().wait()
        return {}

    runtime = HandRuntime()
    server = serve(dispatcher_of(execute, runtime=runtime, concurrent=True), directory=directory)
    most = NATIVE_LIMITS.max_connections

    async def client() -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            callers = [socket.socket(socket.AF_UNIX) for _ in range(most)]
            for number, caller in enumerate(callers):
                caller.connect(str(server.path))
                caller.sendall(call_of(number))
            await until(lambda: len(begun) == most)
            refused = await line_from(server.path, b"")
            assert refused["error"]["data"]["code"] == "SESSION_LIMIT", "the control"
            callers[0].shutdown(socket.SHUT_WR)
            for caller in callers[1:]:
                caller.close()
            await until(lambda: server.connections == 1)
            assert "result" in await line_from(server.path, call_of(1, "b"))
            callers[0].close()

    try:
        await run(server, client)
    finally:
        await runtime.close()


async def test_a_server_runs_in_one_loop_only_once_at_a_time(directory: Path) -> None:
    server = serve(echo(), directory=directory)

    async def client() -> None:
        await asyncio.sleep(0)
        with pytest.raises(RuntimeError, match="already"):
            await server.serve_forever()
        assert "result" in await line_from(server.path, INFO + b"\n")

    await run(server, client)
