"""An app's `--agent-json` mode: control protocol 1 on standard input and output, no window.

For whoever started the app: nothing listens, and the end of the input ends the app. Standard
output carries answers only.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Final

from bridge.contract.limits import JSON_LIMITS
from bridge.contract.line_reader import LineReader
from bridge.dispatcher.dispatcher import Dispatcher
from bridge.dispatcher.rpc_session import RpcSession
from bridge.servers.unfinished_call import UnfinishedCall, begin

__all__ = ["AgentLines", "serve_stdio"]

_BLANK: Final = b" \t\r"
_CHUNK_BYTES: Final = 65_536
_TICK_SECONDS: Final = 0.02


class AgentLines:
    """Bytes in, answers out, for an app that answers at once. Does no input itself."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._session = RpcSession(dispatcher, "stdio")
        self._reader = LineReader(JSON_LIMITS.max_encoded_bytes)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Take what was read, no bytes at the end of it, and yield the answers."""
        for line in self._reader.feed(data) if data else self._reader.finish():
            if line is not None and not line.strip(_BLANK):
                continue
            # The session says how a line is refused that is over the limit.
            whole = bytes(JSON_LIMITS.max_encoded_bytes + 1) if line is None else line
            answer = begin(self._session.receive(whole))
            if isinstance(answer, UnfinishedCall):
                answer.close()
                raise TypeError("the app did not answer at once")
            if answer is not None:
                yield answer.encode() + b"\n"


def serve_stdio(dispatcher: Dispatcher, tick: Callable[[], bool], source: int = 0) -> None:
    """Answer lines until the input ends, or nobody reads the answers any more.

    `source` is the file descriptor of the input. `tick` does a step of what goes on between calls,
    and says whether there is more.
    """
    lines = AgentLines(dispatcher)
    chunks: queue.Queue[bytes] = queue.Queue(maxsize=4)
    # A thread, since not every system can wait for its input and a clock at once.
    threading.Thread(target=_read, args=(source, chunks), daemon=True).start()
    busy = False
    while True:
        try:
            data = chunks.get(timeout=_TICK_SECONDS if busy else None)
        except queue.Empty:
            busy = tick()
            continue
        try:
            for answer in lines.feed(data):
                sys.stdout.buffer.write(answer)
                sys.stdout.buffer.flush()
        except BrokenPipeError:
            # Python would try to write what is left at its end, and complain.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return
        if not data:
            return
        busy = tick()


def _read(source: int, chunks: queue.Queue[bytes]) -> None:
    # Not by `sys.stdin`, whose lock the interpreter would wait for at its end.
    data = b"more"
    while data:
        try:
            data = os.read(source, _CHUNK_BYTES)
        except OSError:
            data = b""
        chunks.put(data)
