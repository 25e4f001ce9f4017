"""Runs a native server's ticks in an event loop: when a handle is ready, and never otherwise.

The selector of the server is itself a handle that the loop watches, so that both ways of running
are the same code. Calls that do not end at once are tasks.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bridge.servers.native_peer import NativePeer

if TYPE_CHECKING:
    from bridge.servers.native_server import NativeServer

__all__ = ["AsyncioTicks"]


class AsyncioTicks:
    """One run of a server in one loop."""

    def __init__(self, server: NativeServer) -> None:
        self._server = server
        self._handle = server.fileno()
        self._loop = asyncio.get_running_loop()
        self._stopped = asyncio.Event()
        self._tasks: dict[NativePeer, asyncio.Task[None]] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._soon: asyncio.Handle | None = None
        self._later: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Tick until the server is closed. Cancelled, it closes the server."""
        self._loop.add_reader(self._handle, self._tick)
        try:
            self._server.hand_over(self)
            self._tick()
            await self._stopped.wait()
        finally:
            self._server.close()
            self._server.hand_over(None)
            for timer in (self._soon, self._later):
                if timer is not None:
                    timer.cancel()
            await asyncio.gather(*self._ending, return_exceptions=True)

    def wait_for(self, peer: NativePeer) -> None:
        """Answer a peer when its call has ended."""
        task = self._loop.create_task(self._finish(peer))
        self._tasks[peer] = task
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    def forget(self, peer: NativePeer) -> None:
        """Stop waiting for a call; the call itself goes on."""
        task = self._tasks.pop(peer, None)
        if task is not None:
            task.cancel()

    def stop(self) -> None:
        """End the run, while the server's handle is still its own."""
        self._loop.remove_reader(self._handle)
        self._stopped.set()

    async def _finish(self, peer: NativePeer) -> None:
        waiting = peer.waiting
        if waiting is None:
            return
        try:
            answer = await waiting
        except Exception:  # noqa: BLE001 - a session raises nothing; if it does, it has no state
            peer.close()
        else:
            peer.answer(answer)
        self._tasks.pop(peer, None)
        self._tick()

    def _tick(self) -> None:
        if self._server.closed:
            return
        self._soon = self._loop.call_soon(self._tick) if self._server.poll() else None
        if self._later is not None:
            self._later.cancel()
            self._later = None
        due = self._server.next_tick_in()
        if due is not None:
            self._later = self._loop.call_later(due, self._tick)
