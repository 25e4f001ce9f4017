"""An MCP gateway on standard input and output, in an event loop, until its client leaves.

It ends with the input, at a signal, when nobody reads the answers, and when the parent has ended.
The session is released at the end, whichever end that is. Contract: MCP.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from bridge.cli.gateways.mcp_gateway import McpGateway
from bridge.cli.gateways.mcp_input import ByteInput
from bridge.cli.gateways.mcp_output import LineOutput
from bridge.cli.gateways.mcp_route import AppRoute
from bridge.cli.gateways.stdin_lines import LOOK_SECONDS
from bridge.cli.stop_signals import stop_numbers
from bridge.contract.limits import BRIDGE_LIMITS

if TYPE_CHECKING:
    from bridge.cli.gateways.mcp_start import McpStart
    from bridge.cli.gateways.stdin_lines import StdinLines
    from bridge.cli.gateways.stdio_service import AppChoice

__all__ = ["serve_mcp"]

_LAST_ANSWERS_SECONDS: Final = 1.5
"""How long calls in flight have when the input has ended: a client gives us 2 s to end."""
_RELEASE_SECONDS: Final = 0.3
_STALLED_SECONDS: Final = 1.0
"""How long a client that has closed its input may leave what it was answered unread."""
_LOOKS_WHILE_FULL_SECONDS: Final = 0.25


async def serve_mcp(start: McpStart, lines: StdinLines, output: int, choice: AppChoice) -> None:
    """Serve to the end, from where `start` and `lines` are now."""
    ending = asyncio.Event()
    written = LineOutput(output, ending.set)
    route = AppRoute(choice)
    seconds = choice.timeout_seconds or BRIDGE_LIMITS.max_call_seconds
    gateway = McpGateway(start.front, route, written, start.openings, seconds)
    with _signals(ending):
        try:
            if start.pending is not None:
                gateway.begin(*start.pending)
            if await _Reading(gateway, lines, written, ending).run():
                with suppress(TimeoutError):
                    async with asyncio.timeout(_LAST_ANSWERS_SECONDS):
                        await gateway.finished()
                        await written.drained()
        finally:
            gateway.stop()
            await route.close(_RELEASE_SECONDS)
            written.close()


class _Reading:
    """Reads as much as the gateway has room for, and looks whether the parent is there."""

    def __init__(
        self, gateway: McpGateway, lines: StdinLines, output: LineOutput, ending: asyncio.Event
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._gateway = gateway
        self._lines = lines
        self._output = output
        self._ending = ending
        self._input_ended = False
        self._input = ByteInput(lines.descriptor, self._take)
        self._resuming: asyncio.Task[None] | None = None
        self._stalling: asyncio.TimerHandle | None = None
        self._looking: asyncio.TimerHandle | None = None

    async def run(self) -> bool:
        """Take lines until the end, and say whether it is that of the input."""
        while self._lines.waiting:
            self._gateway.take(self._lines.waiting.popleft())
        if self._lines.ended:
            return True
        self._look()
        self._input.want(True)
        try:
            await self._ending.wait()
        finally:
            self._input.close()
            for each in (self._resuming, self._stalling, self._looking):
                if each is not None:
                    each.cancel()
        return self._input_ended

    def _take(self, data: bytes) -> None:
        reader = self._lines.reader
        for line in reader.feed(data) if data else reader.finish():
            self._gateway.take(line)
        if not data:
            self._input_ended = True
            self._ending.set()
        elif self._gateway.is_full:
            self._input.want(False)
            self._resuming = self._loop.create_task(self._resume())
            self._watch_stall(self._loop.time(), self._output.waiting_bytes)

    async def _resume(self) -> None:
        await self._gateway.room()
        if self._stalling is not None:
            self._stalling.cancel()
        self._input.want(True)

    def _watch_stall(self, since: float, waiting: int) -> None:
        """End where the client has closed its input and takes no answer: its end is not read."""
        now, left = self._loop.time(), self._output.waiting_bytes
        if left != waiting or not self._input.is_cut_off:
            since, waiting = now, left
        if now - since >= _STALLED_SECONDS:
            self._ending.set()
            return
        self._stalling = self._loop.call_later(
            _LOOKS_WHILE_FULL_SECONDS, self._watch_stall, since, waiting
        )

    def _look(self) -> None:
        if not self._lines.parent_is_there():
            self._ending.set()
        self._looking = self._loop.call_later(LOOK_SECONDS, self._look)


@contextmanager
def _signals(ending: asyncio.Event) -> Iterator[None]:
    """Let the first signal be the end; the next one ends the process as usual."""
    loop = asyncio.get_running_loop()
    numbers = stop_numbers()

    def stop() -> None:
        ending.set()
        for number in numbers:
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_DFL)

    try:
        for number in numbers:
            loop.add_signal_handler(number, stop)
    except NotImplementedError:
        # Not on this platform: whoever started the loop ends it by an exception.
        numbers.clear()
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
