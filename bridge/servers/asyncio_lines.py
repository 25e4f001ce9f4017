"""Lines on standard input and output for handlers that are coroutines of asyncio.

What is read comes by a thread, since not every system can watch its input in an event loop. Knows
no protocol: each line is taken by a function, and answers go out as they come about.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Final

from bridge.contract.limits import JSON_LIMITS
from bridge.contract.line_reader import LineReader
from bridge.servers.shared_descriptors import read_some, write_whole

__all__ = ["Receive", "serve_lines"]

Receive = Callable[[bytes], Awaitable[str | None]]
"""Takes a line, and gives the answer or None. Raises nothing."""

THREAD_NAME: Final = "bascule-lines"
"""Of the thread that reads."""
_CHUNK_BYTES: Final = 65_536
_BLANK: Final = b" \t\r"
_MAX_WAITING: Final = 4
"""Chunks that are read and not yet taken: whoever floods the input waits."""


async def serve_lines(
    receive: Receive, source: int, target: int, *, ending_seconds: float = 0.5
) -> None:
    """Answer lines until the input ends, or nobody reads the answers any more.

    `source` and `target` are file descriptors. What goes on when the input ends has
    `ending_seconds` for its answer, and is cancelled then. Cancelled, it cancels what goes on; the
    thread that reads ends with the process, or with the input.
    """
    reading = _Reading(source)
    lines = _Lines(receive, target, reading.stop)
    try:
        while data := await reading.chunk():
            lines.feed(data)
        lines.finish()
        await lines.settle(ending_seconds)
    finally:
        await lines.close()


class _Reading:
    """What comes from a descriptor, by a thread."""

    def __init__(self, source: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._chunks: asyncio.Queue[bytes] = asyncio.Queue()
        self._room = threading.Semaphore(_MAX_WAITING)
        threading.Thread(target=self._read, args=(source,), name=THREAD_NAME, daemon=True).start()

    async def chunk(self) -> bytes:
        """Wait for bytes; none at the end."""
        data = await self._chunks.get()
        self._room.release()
        return data

    def stop(self) -> None:
        """Let the end come after what was read."""
        self._chunks.put_nowait(b"")

    def _read(self, source: int) -> None:
        data = b"more"
        while data:
            self._room.acquire()
            data = read_some(source, _CHUNK_BYTES)
            try:
                self._loop.call_soon_threadsafe(self._chunks.put_nowait, data)
            except RuntimeError:
                # The loop has ended, and with it whoever would want this.
                return


class _Lines:
    def __init__(self, receive: Receive, target: int, on_broken: Callable[[], None]) -> None:
        self._receive = receive
        self._target = target
        self._on_broken = on_broken
        self._reader = LineReader(JSON_LIMITS.max_encoded_bytes)
        self._tasks: set[asyncio.Task[None]] = set()
        self._broken = False
        """Whether nobody reads the answers any more."""

    def feed(self, data: bytes) -> None:
        for line in self._reader.feed(data):
            self._take(line)

    def finish(self) -> None:
        for line in self._reader.finish():
            self._take(line)

    async def settle(self, seconds: float) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)

    async def close(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _take(self, line: bytes | None) -> None:
        if line is not None and not line.strip(_BLANK):
            return
        # Whoever receives it says how a line is refused that is over the limit.
        whole = bytes(JSON_LIMITS.max_encoded_bytes + 1) if line is None else line
        task = asyncio.get_running_loop().create_task(self._answer(whole))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, line: bytes) -> None:
        answer = await self._receive(line)
        if answer is None or self._broken:
            return
        try:
            write_whole(self._target, answer.encode() + b"\n")
        except OSError:
            self._broken = True
            self._on_broken()
