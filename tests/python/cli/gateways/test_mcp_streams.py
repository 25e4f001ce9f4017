"""What an MCP gateway reads and writes by: descriptors of every kind, and readers of every kind."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bridge.cli.gateways.mcp_input import ByteInput
from bridge.cli.gateways.mcp_output import LineOutput
from tests.python.support.fake_bridge import PATIENCE_SECONDS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there the system waits otherwise")
PIPE_BYTES = 65_536
"""What the system keeps of a pipe."""


class Received:
    """What an input gave."""

    def __init__(self) -> None:
        self.data = b""
        self.ended = False
        self._changed = asyncio.Event()

    def take(self, data: bytes) -> None:
        assert not self.ended, "something came after the end"
        self.data += data
        self.ended = not data
        self._changed.set()

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not holds():
                self._changed.clear()
                await self._changed.wait()


async def test_all_of_a_file_is_given_and_then_the_end(tmp_path: Path) -> None:
    whole = os.urandom(300_000)
    (tmp_path / "in").write_bytes(whole)
    received = Received()
    with (tmp_path / "in").open("rb") as file:
        ByteInput(file.fileno(), received.take).want(True)
        await received.until(lambda: received.ended)
    assert received.data == whole


async def test_all_of_a_pipe_is_given_and_then_the_end() -> None:
    reading, writing = os.pipe()
    received = Received()
    ByteInput(reading, received.take).want(True)
    for number in range(20):
        os.write(writing, b"%06d" % number * 1_000)
        expected = 6_000 * (number + 1)
        await received.until(lambda expected=expected: len(received.data) == expected)  # type: ignore[misc]
    os.close(writing)
    await received.until(lambda: received.ended)
    assert received.data == b"".join(b"%06d" % number * 1_000 for number in range(20))
    os.close(reading)


async def test_the_null_device_is_an_input_that_has_ended() -> None:
    received = Received()
    descriptor = os.open(os.devnull, os.O_RDONLY)
    ByteInput(descriptor, received.take).want(True)
    await received.until(lambda: received.ended)
    os.close(descriptor)


@pytest.mark.parametrize("kind", ["pipe", "socket"])
async def test_a_peer_that_writes_no_more_is_noticed_though_nothing_is_read(kind: str) -> None:
    if kind == "pipe":
        reading, writing = os.pipe()
    else:
        reading, writing = (end.detach() for end in socket.socketpair())
    received = Received()
    source = ByteInput(reading, received.take)
    os.write(writing, b"left")
    before = source.is_cut_off
    os.close(writing)
    assert (before, source.is_cut_off) == (False, True)
    source.want(True)
    await received.until(lambda: received.ended)
    assert (received.data, source.is_cut_off) == (b"left", False)
    os.close(reading)


async def test_nothing_is_read_while_nothing_is_wanted() -> None:
    reading, writing = os.pipe()
    received = Received()
    source = ByteInput(reading, received.take)
    os.write(writing, b"one")
    await asyncio.sleep(0)
    assert received.data == b""
    source.want(True)
    await received.until(lambda: received.data == b"one")
    source.want(False)
    os.write(writing, b"two")
    for _ in range(10):
        await asyncio.sleep(0)
    assert received.data == b"one"
    source.want(True)
    await received.until(lambda: received.data == b"onetwo")
    source.close()
    os.close(writing)
    os.close(reading)


async def test_a_file_is_read_one_chunk_ahead_at_most(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(bytes(1_000_000))
    received = Received()
    with (tmp_path / "in").open("rb") as file:
        source = ByteInput(file.fileno(), received.take)
        source.want(True)
        await received.until(lambda: bool(received.data))
        source.want(False)
        ahead = len(received.data)
        assert os.lseek(file.fileno(), 0, os.SEEK_CUR) <= ahead + 2 * PIPE_BYTES
        source.want(True)
        await received.until(lambda: received.ended)
    assert len(received.data) == 1_000_000


def written_to(descriptor: int) -> bytes:
    """Return what has been written to a pipe by now."""
    os.set_blocking(descriptor, False)
    data = b""
    try:
        while more := os.read(descriptor, 1 << 20):
            data += more
    except BlockingIOError:
        pass
    return data


async def test_a_line_that_the_system_takes_is_written_at_once() -> None:
    reading, writing = os.pipe()
    output = LineOutput(writing, lambda: None)
    output.write(b"a")
    output.write(b"b\r")
    # The loop has not run since.
    assert written_to(reading) == b"a\nb\r\n"
    assert output.waiting_bytes == 0
    output.close()
    os.close(writing)
    os.close(reading)


async def test_what_the_system_does_not_take_waits_in_order_and_bounds_are_told() -> None:
    reading, writing = os.pipe()
    output = LineOutput(writing, lambda: None, max_waiting=150_000)
    lines = [bytes([65 + number]) * 100_000 for number in range(3)]
    for line in lines:
        output.write(line)
    waiting = output.waiting_bytes
    assert output.is_full
    drained, got = asyncio.create_task(output.drained()), b""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not drained.done():
            got += written_to(reading)
            await asyncio.sleep(0)
        await output.room()
    got += written_to(reading)
    assert got == b"".join(line + b"\n" for line in lines)
    assert output.waiting_bytes < waiting
    output.close()
    os.close(writing)
    os.close(reading)


@pytest.mark.parametrize("waits", [False, True])
async def test_a_reader_that_leaves_is_noticed_once_and_frees_what_waits(*, waits: bool) -> None:
    reading, writing = os.pipe()
    told, gone = [], asyncio.Event()

    def note() -> None:
        told.append(True)
        gone.set()

    output = LineOutput(writing, note)
    if waits:
        output.write(bytes(4 * PIPE_BYTES))
        assert output.waiting_bytes > 0
    os.close(reading)
    if not waits:
        output.write(b"line")
    async with asyncio.timeout(PATIENCE_SECONDS):
        await gone.wait()
        await output.drained()
    output.write(b"more")
    assert (told, output.waiting_bytes) == ([True], 0)
    output.close()
    os.close(writing)


async def test_the_descriptor_blocks_again_in_the_end_as_it_did_before() -> None:
    reading, writing = os.pipe()
    output = LineOutput(writing, lambda: None)
    assert not os.get_blocking(writing)
    output.close()
    assert os.get_blocking(writing)
    os.close(writing)
    os.close(reading)


async def test_a_file_is_written_as_well(tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as file:
        output = LineOutput(file.fileno(), lambda: None)
        output.write(bytes(1_000_000))
        output.close()
    assert (tmp_path / "out").read_bytes() == bytes(1_000_000) + b"\n"


PRINTING = """
import os, subprocess, sys, warnings
from bridge.cli.gateways.own_stdout import borrowed_stdout
with borrowed_stdout() as own:
    print("printed", flush=True)
    warnings.warn("warned")
    subprocess.run(["echo", "of a child"])
    os.write(own, b"a line\\n")
print("after", flush=True)
"""


def test_whatever_is_printed_in_the_meantime_goes_to_standard_error() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRINTING], capture_output=True, text=True, check=True
    )
    assert done.stdout == "a line\nafter\n"
    for text in ("printed", "warned", "of a child"):
        assert text in done.stderr
