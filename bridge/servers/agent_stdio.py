"""An app's `--agent-json` and `--agent-mcp` modes: lines on standard input and output, no window.

For whoever started the app: nothing listens, and the end of the input ends the app. What was
standard output carries the protocol's lines only: whatever the app or a child of it prints goes to
standard error.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from bridge.contract.limits import JSON_LIMITS
from bridge.contract.line_reader import LineReader
from bridge.dispatcher.dispatcher import Dispatcher
from bridge.dispatcher.rpc_session import Protocol, RpcSession
from bridge.servers.own_stdout import own_stdout
from bridge.servers.shared_descriptors import read_some, write_whole
from bridge.servers.unfinished_call import UnfinishedCall, begin

__all__ = ["AgentLines", "serve_stdio"]

_BLANK: Final = b" \t\r"
_CHUNK_BYTES: Final = 65_536
_TICK_SECONDS: Final = 0.02
_ENDING_SECONDS: Final[Mapping[Protocol, float]] = {"control": 5.0, "mcp": 0.5}
"""For the last answers once the input has ended. MCP clients wait 2 s, all in all."""


class AgentLines:
    """Bytes in, lines out, in the order in which they come about. Does no input itself.

    A call that does not end at once goes on at `step`; others are answered meanwhile.
    """

    def __init__(self, dispatcher: Dispatcher, protocol: Protocol = "control") -> None:
        self._out: list[str] = []
        self._session = RpcSession(dispatcher, "stdio", protocol=protocol, notify=self._out.append)
        self._reader = LineReader(JSON_LIMITS.max_encoded_bytes)
        self._unfinished: list[UnfinishedCall[str | None]] = []

    @property
    def busy(self) -> bool:
        """Whether a call goes on."""
        return bool(self._unfinished)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Take what was read, no bytes at the end of it, and yield lines."""
        for line in self._reader.feed(data) if data else self._reader.finish():
            if line is not None and not line.strip(_BLANK):
                continue
            # The session says how a line is refused that is over the limit.
            whole = bytes(JSON_LIMITS.max_encoded_bytes + 1) if line is None else line
            self._take(begin(self._session.receive(whole)))
            yield from self._lines()

    def step(self) -> Iterator[bytes]:
        """Let go on what can go on now, and yield lines."""
        unfinished, self._unfinished = self._unfinished, []
        for call in unfinished:
            self._take(call.step())
        yield from self._lines()

    def close(self) -> None:
        """Wait for nothing more."""
        for call in self._unfinished:
            call.close()
        self._unfinished.clear()

    def _take(self, answer: UnfinishedCall[str | None] | str | None) -> None:
        if isinstance(answer, UnfinishedCall):
            self._unfinished.append(answer)
        elif answer is not None:
            self._out.append(answer)

    def _lines(self) -> Iterator[bytes]:
        out = self._out.copy()
        self._out.clear()
        return (line.encode() + b"\n" for line in out)


def serve_stdio(  # noqa: PLR0913 - where from, where to, and how
    dispatcher: Dispatcher,
    tick: Callable[[], bool],
    source: int = 0,
    *,
    protocol: Protocol = "control",
    target: int | None = None,
    ending_seconds: float | None = None,
) -> None:
    """Answer lines until the input ends, or nobody reads the answers any more.

    `source` is the file descriptor of the input. `tick` does a step of what goes on between calls,
    and says whether there is more; a dispatcher whose handlers are coroutines, or over which MCP
    clients wait for tasks, needs a `TickRuntime` that it ticks. `target` is a descriptor for the
    lines, of `own_stdout`; without one standard output is taken for them now, and must not have
    been printed to. `ending_seconds` is what unfinished calls have
    for their answers once the input has ended.
    """
    if ending_seconds is None:
        ending_seconds = _ENDING_SECONDS[protocol]
    own = own_stdout() if target is None else target
    lines = AgentLines(dispatcher, protocol)
    chunks: queue.Queue[bytes] = queue.Queue(maxsize=4)
    # A thread, since not every system can wait for its input and a clock at once.
    threading.Thread(target=_read, args=(source, chunks), daemon=True).start()
    busy = False
    try:
        while True:
            try:
                data = chunks.get(timeout=_TICK_SECONDS if busy else None)
            except queue.Empty:
                data = None
            if data is not None:
                _write(own, lines.feed(data))
            if data == b"":
                _end(lines, tick, own, ending_seconds)
                return
            busy = tick()
            _write(own, lines.step())
            busy = busy or lines.busy
    except BrokenPipeError:
        return
    finally:
        lines.close()


def _end(lines: AgentLines, tick: Callable[[], bool], own: int, seconds: float) -> None:
    """Give the calls that go on some time for their answers."""
    until = time.monotonic() + seconds
    while lines.busy and time.monotonic() < until:
        tick()
        _write(own, lines.step())
        if lines.busy:
            # A loop that only ticks has nobody who would tell it of an end.
            time.sleep(_TICK_SECONDS)


def _write(own: int, lines: Iterator[bytes]) -> None:
    for line in lines:
        write_whole(own, line)


def _read(source: int, chunks: queue.Queue[bytes]) -> None:
    # Not by `sys.stdin`, whose lock the interpreter would wait for at its end.
    data = b"more"
    while data:
        data = read_some(source, _CHUNK_BYTES)
        chunks.put(data)
