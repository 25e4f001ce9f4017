"""One run of the bridge: it binds, announces, waits for a reason to stop, and ends in time."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import secrets
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import psutil  # type: ignore[import-untyped]
import pytest

from bridge.contract.limits import BRIDGE_LIMITS
from bridge.servers.bridge_process import (
    BridgeConfig,
    BridgeEndpoint,
    BridgeStartError,
    ConfigurationError,
    StopRequest,
    serve_bridge,
)
from tests.python.support.bridge_fixture import ORIGIN, RunningBridge, running_bridge
from tests.python.support.raw_http import PATIENCE_SECONDS, connection
from tests.python.support.scripted_page import ScriptedPage

TOKEN = "t" * 43
PROGRAM = """
import json, sys
from bridge.servers.bridge_process import BridgeConfig, run_bridge

def announce(endpoint):
    print(json.dumps({"url": endpoint.url, "token": endpoint.token}), flush=True)

config = BridgeConfig(**json.loads(sys.stdin.readline()))
run_bridge(config, announce=announce, withdraw=lambda: print("withdrawn", flush=True))
print("ended", flush=True)
"""


@asynccontextmanager
async def bridge_process(**config: Any) -> AsyncIterator[tuple[RunningBridge, Any]]:
    """Run a bridge in a process of its own. The token goes in by its standard input."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        PROGRAM,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[3],
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        config = {"origin": ORIGIN, "token": secrets.token_urlsafe(32), **config}
        process.stdin.write(json.dumps(config).encode() + b"\n")
        async with asyncio.timeout(PATIENCE_SECONDS):
            told = json.loads(await process.stdout.readline())
        endpoint = BridgeEndpoint(told["url"], told["token"], ORIGIN, ORIGIN)
        task: asyncio.Task[None] = asyncio.create_task(asyncio.sleep(0))
        yield RunningBridge(endpoint, StopRequest(), task), process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def rest_of(process: Any, seconds: float) -> bytes:
    """Wait for a process to end by itself, and return what it still printed."""
    async with asyncio.timeout(seconds):
        printed: bytes = await process.stdout.read()
        assert await process.wait() == 0
        return printed


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_answers_everyone_and_ends_in_time(number: signal.Signals) -> None:
    async with bridge_process() as (bridge, process), AsyncExitStack() as stack:
        page = await ScriptedPage(bridge).attach()
        leased = asyncio.create_task(bridge.rpc({"id": 1}))
        await bridge.until(lambda s: s["queue"]["queued"] == 1)
        await page.poll()
        polling = await stack.enter_async_context(connection(bridge.port))
        await polling.send(bridge.poll_bytes(page.client, page.received))
        await bridge.until(lambda s: s["link"] == "polling")
        process.send_signal(number)
        answer = await leased
        assert (answer.status, answer.code, answer.outcome) == (503, "CLOSING", "unknown")
        assert (await polling.response()).code == "CLOSING"
        assert await rest_of(process, BRIDGE_LIMITS.shutdown_seconds) == b"withdrawn\nended\n"


async def test_a_second_signal_ends_it_at_once() -> None:
    """A peer that reads nothing would hold the first signal's end up for its whole time."""
    async with bridge_process() as (bridge, process), AsyncExitStack() as stack:
        page = await ScriptedPage(bridge).attach()
        big = {"id": 1, "params": ["x" * 200_000] * 5}
        calls = [asyncio.create_task(bridge.rpc({**big, "id": n})) for n in range(8)]
        await bridge.until(lambda s: s["queue"]["queued"] == 8)
        polling = await stack.enter_async_context(connection(bridge.port))
        polling.pause_reading()
        await polling.send(bridge.poll_bytes(page.client, 0))
        await bridge.until(lambda s: s["queue"]["leased"] == 8)
        process.send_signal(signal.SIGINT)
        for call in calls:
            assert (await call).code == "CLOSING"
        process.send_signal(signal.SIGINT)
        assert (await rest_of(process, 1.0)).endswith(b"ended\n")


async def test_a_peer_that_reads_nothing_does_not_hold_up_the_end() -> None:
    async with bridge_process() as (bridge, process), AsyncExitStack() as stack:
        page = await ScriptedPage(bridge).attach()
        big = {"id": 1, "params": ["x" * 200_000] * 5}
        calls = [asyncio.create_task(bridge.rpc({**big, "id": n})) for n in range(8)]
        await bridge.until(lambda s: s["queue"]["queued"] == 8)
        polling = await stack.enter_async_context(connection(bridge.port))
        polling.pause_reading()
        await polling.send(bridge.poll_bytes(page.client, 0))
        await bridge.until(lambda s: s["queue"]["leased"] == 8)
        process.send_signal(signal.SIGTERM)
        await rest_of(process, BRIDGE_LIMITS.shutdown_seconds)
        await asyncio.gather(*calls)


@pytest.mark.skipif(sys.platform == "win32", reason="owners cannot be watched there")
async def test_the_end_of_its_owner_ends_it() -> None:
    owner = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "input()", stdin=asyncio.subprocess.PIPE
    )
    try:
        async with bridge_process(owner_pid=owner.pid) as (bridge, process):
            assert (await bridge.status())["attached"] is False
            owner.kill()
            await owner.wait()
            assert (await rest_of(process, PATIENCE_SECONDS)).endswith(b"ended\n")
    finally:
        if owner.returncode is None:
            owner.kill()
        await owner.communicate()


@pytest.mark.parametrize("handles", [True, False])
async def test_an_owner_that_is_gone_already_ends_it(
    monkeypatch: pytest.MonkeyPatch, *, handles: bool
) -> None:
    if not handles:
        monkeypatch.setattr(os, "pidfd_open", no_handles, raising=False)
    gone = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await gone.wait()
    config = BridgeConfig(origin=ORIGIN, token=TOKEN, owner_pid=gone.pid)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await serve(config)


def no_handles(pid: int) -> int:
    """Refuse, as a container's filter of system calls may, and the kernel for a thread's id."""
    raise PermissionError(pid)


async def serve(config: BridgeConfig) -> BridgeEndpoint:
    """Run a bridge in this loop until it stops by itself."""
    told: list[BridgeEndpoint] = []
    withdrawn: list[bool] = []
    await serve_bridge(
        config,
        announce=told.append,
        withdraw=lambda: withdrawn.append(True),
        stop=StopRequest(),
    )
    assert len(told) == len(withdrawn) == 1
    return told[0]


async def test_a_bridge_that_nobody_uses_ends() -> None:
    config = BridgeConfig(origin=ORIGIN, token=TOKEN, idle_exit_seconds=0.05)
    async with asyncio.timeout(PATIENCE_SECONDS):
        endpoint = await serve(config)
    assert endpoint.page == f"{ORIGIN}/"


async def test_an_attached_page_keeps_an_idle_bridge_up_and_its_end_does_not() -> None:
    async with running_bridge(idle_exit_seconds=0.1) as bridge:
        client = await bridge.attach()
        async with connection(bridge.port) as polling:
            await polling.send(bridge.poll_bytes(client))
            await asyncio.wait({bridge.task}, timeout=0.3)
            assert not bridge.task.done()
            await bridge.page("/disconnect", {"client": client})
            await asyncio.wait({bridge.task}, timeout=PATIENCE_SECONDS)
            assert bridge.task.done()
        assert bridge.withdrawn.is_set()


async def test_it_listens_on_the_loopback_address_only() -> None:
    async with running_bridge() as bridge:
        listening = {
            connection.laddr
            for connection in psutil.Process().net_connections("inet")
            if connection.status == psutil.CONN_LISTEN and connection.laddr.port == bridge.port
        }
        assert listening == {("127.0.0.1", bridge.port)}
        assert bridge.endpoint.url == f"http://127.0.0.1:{bridge.port}"


async def test_a_port_is_taken_as_asked_or_refused_clearly() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        config = BridgeConfig(origin=ORIGIN, token=TOKEN, port=port)
        with pytest.raises(BridgeStartError, match=f"port {port} cannot be had"):
            await serve(config)
    async with running_bridge(port=port) as bridge:
        assert bridge.port == port


async def test_a_port_that_is_taken_between_binding_and_listening_is_no_crash(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two that start at once may both bind a port; the second to listen on it is refused."""

    def taken(_socket: socket.socket, _backlog: int = 0) -> None:
        raise OSError(errno.EADDRINUSE, "Address already in use")

    monkeypatch.setattr(socket.socket, "listen", taken)
    with pytest.raises(BridgeStartError, match="cannot be had: Address already in use"):
        await serve(BridgeConfig(origin=ORIGIN, token=TOKEN))


@pytest.mark.parametrize("version", ["3.14.4", "3.9.99", "2.0.0", "x"])
async def test_an_aiohttp_with_open_advisories_is_refused(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aiohttp, "__version__", version)
    with pytest.raises(BridgeStartError, match=r"3\.14\.5 is needed"):
        await serve(BridgeConfig(origin=ORIGIN, token=TOKEN))


@pytest.mark.parametrize("version", ["3.14.5", "3.15.0a1", "4.0.0"])
async def test_a_newer_aiohttp_is_taken(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aiohttp, "__version__", version)
    async with running_bridge() as bridge:
        assert (await bridge.status())["attached"] is False


async def test_what_announce_raises_stops_the_bridge_and_comes_out() -> None:
    ports: list[int] = []
    withdrawn: list[bool] = []

    def refuse(endpoint: BridgeEndpoint) -> None:
        ports.append(int(endpoint.url.rpartition(":")[2]))
        raise PermissionError("the directory is somebody else's")

    with pytest.raises(PermissionError):
        await serve_bridge(
            BridgeConfig(origin=ORIGIN, token=TOKEN),
            announce=refuse,
            withdraw=lambda: withdrawn.append(True),
            stop=StopRequest(),
        )
    assert withdrawn == []
    with pytest.raises(OSError, match=r"refused|Connect call failed"):
        await asyncio.open_connection("127.0.0.1", ports[0])


async def test_it_withdraws_before_it_tells_anybody_that_it_closes() -> None:
    async with running_bridge() as bridge:
        client = await bridge.attach()
        async with connection(bridge.port) as polling:
            await polling.send(bridge.poll_bytes(client))
            await bridge.until(lambda s: s["link"] == "polling")
            assert not bridge.withdrawn.is_set()
            bridge.stop.stop()
            assert (await polling.response()).code == "CLOSING"
            assert bridge.withdrawn.is_set()


GOOD: dict[str, Any] = {"origin": ORIGIN, "token": TOKEN}


@pytest.mark.parametrize(
    "change",
    [
        {"origin": "http://127.0.0.1:8765/"},
        {"page": "http://elsewhere.example/"},
        {"public_hosts": ("evil.example:80",)},
        {"token": "t" * 42},
        {"token": "t" * 43 + "\n"},
        {"token": "é" * 43},
        {"port": -1},
        {"port": 65_536},
        {"idle_exit_seconds": 0.0},
        {"idle_exit_seconds": float("nan")},
        {"owner_pid": 0},
        {"owner_pid": 2**31},
    ],
)
def test_a_configuration_that_cannot_work_is_refused(change: dict[str, Any]) -> None:
    BridgeConfig(**GOOD)
    with pytest.raises(ConfigurationError):
        BridgeConfig(**{**GOOD, **change})


async def test_a_full_queue_of_the_largest_bodies_stays_within_bounded_memory() -> None:
    async with bridge_process() as (bridge, process):
        await bridge.attach()
        before = psutil.Process(process.pid).memory_info().rss
        texts = ",".join(['"' + "\\u0041" * 40_000 + '"'] * 4)
        deep = "[" * 29 + "]" * 29
        pad = ",".join([deep] * 500)
        request = f'{{"id":1,"params":[[{texts}],[{pad}]]}}'.encode()
        request = request[:-1] + b" " * (1_048_576 - len(request)) + b"}"
        call = bridge.post("/rpc", b'{"session":"s","request":' + request + b"}", page=False)
        calls = []
        for number in range(64):
            calls.append(asyncio.create_task(ask(bridge, call)))
            await bridge.until(lambda s, n=number: s["queue"]["queued"] == n + 1)  # type: ignore[misc]
        assert psutil.Process(process.pid).memory_info().rss - before < 150 * 1024 * 1024
        assert (await bridge.rpc({"id": 2})).code == "QUEUE_FULL"
        process.send_signal(signal.SIGTERM)
        assert {answer.code for answer in await asyncio.gather(*calls)} == {"CLOSING"}
        await rest_of(process, PATIENCE_SECONDS)


async def ask(bridge: RunningBridge, call: bytes) -> Any:
    async with connection(bridge.port) as opened:
        await opened.send(call)
        return await opened.response(seconds=30)


async def test_values_beyond_the_limits_never_reach_the_queue() -> None:
    async with running_bridge() as bridge:
        await bridge.attach()
        body = b'{"session":"s","request":{"id":1,"params":[' + b"[]," * 340_000 + b"[]]}}"
        answer = await bridge.terminal("/rpc", body)
        assert (answer.status, answer.code) == (400, "BAD_REQUEST")
        assert "accepted" not in (await bridge.status())["counters"]


async def test_the_process_shows_no_token_in_its_arguments() -> None:
    async with bridge_process() as (bridge, process):
        arguments = psutil.Process(process.pid).cmdline()
        assert any("run_bridge" in argument for argument in arguments), "they are the bridge's"
        assert not any(bridge.token in argument for argument in arguments)
