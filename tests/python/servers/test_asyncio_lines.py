"""Lines by pipes for coroutines: order, ends, floods and readers that go away."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator

import pytest

from bridge.contract.limits import JSON_LIMITS
from bridge.servers.asyncio_lines import THREAD_NAME, serve_lines


class Pipes:
    """What a program has for standard input and output, and the other ends of it."""

    def __init__(self) -> None:
        self.source, self.writer = os.pipe()
        self.reader, self.target = os.pipe()
        self._open = {self.source, self.writer, self.reader, self.target}

    def send(self, data: bytes) -> None:
        os.write(self.writer, data)

    def send_all(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self.writer, rest) :]

    def end(self, descriptor: int) -> None:
        self._open.discard(descriptor)
        os.close(descriptor)

    def received(self) -> bytes:
        """Return all that was written, once the writing end is closed."""
        self.end(self.target)
        data = b""
        while more := os.read(self.reader, 65_536):
            data += more
        return data

    def close(self) -> None:
        if self.writer in self._open:
            self.end(self.writer)
        # One that reads late would read what has the descriptor's number by then: the next test's.
        for thread in threading.enumerate():
            if thread.name == THREAD_NAME:
                thread.join(5)
        for descriptor in list(self._open):
            self.end(descriptor)


@pytest.fixture
def pipes() -> Iterator[Pipes]:
    made = Pipes()
    yield made
    made.close()


async def upper(line: bytes) -> str | None:
    return None if line == b"quiet" else line.decode().upper()


async def serve(pipes: Pipes, receive: object = upper, **more: float) -> None:
    async with asyncio.timeout(30):
        await serve_lines(receive, pipes.source, pipes.target, **more)  # type: ignore[arg-type]


async def test_lines_are_answered_until_the_input_ends(pipes: Pipes) -> None:
    pipes.send(b"one\r\n\n  \nquiet\ntwo\nthr")
    pipes.send(b"ee")
    pipes.end(pipes.writer)
    await serve(pipes)
    assert pipes.received() == b"ONE\nTWO\nTHREE\n"


async def test_a_slow_answer_holds_no_other(pipes: Pipes) -> None:
    go_on = asyncio.Event()

    async def answer(line: bytes) -> str | None:
        if line == b"slow":
            await go_on.wait()
        else:
            go_on.set()
        return line.decode()

    pipes.send(b"slow\nfast\n")
    pipes.end(pipes.writer)
    await serve(pipes, answer, ending_seconds=30)
    assert pipes.received() == b"fast\nslow\n"


async def test_what_does_not_end_is_cancelled_after_the_input(pipes: Pipes) -> None:
    cancelled = asyncio.Event()

    async def never(_line: bytes) -> str | None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        return "never"

    pipes.send(b"one\n")
    pipes.end(pipes.writer)
    await serve(pipes, never, ending_seconds=0)
    assert cancelled.is_set()
    assert pipes.received() == b""


async def test_it_ends_when_nobody_reads_the_answers(pipes: Pipes) -> None:
    pipes.end(pipes.reader)
    pipes.send(b"one\n")
    # The input goes on.
    await serve(pipes)
    pipes.send(b"two\n")


async def test_a_line_over_the_limit_is_handed_over_as_too_long(pipes: Pipes) -> None:
    lengths: list[int] = []

    async def measure(line: bytes) -> str | None:
        lengths.append(len(line))
        return None

    most = JSON_LIMITS.max_encoded_bytes
    serving = asyncio.create_task(serve(pipes, measure))
    await asyncio.to_thread(pipes.send_all, b"x" * most + b"\n" + b"y" * (most * 3) + b"\nz\n")
    pipes.end(pipes.writer)
    await serving
    assert lengths == [most, most + 1, 1]


async def test_cancelling_it_cancels_what_goes_on(pipes: Pipes) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def never(_line: bytes) -> str | None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return None

    pipes.send(b"one\n")
    serving = asyncio.create_task(serve(pipes, never))
    async with asyncio.timeout(30):
        await begun.wait()
        serving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await serving
    assert ended.is_set()
    # Lets the thread that reads end.
    pipes.end(pipes.writer)
