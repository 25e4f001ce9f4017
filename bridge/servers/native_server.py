"""A native app's endpoint: `serve`, and the ticks by which it accepts, reads and answers.

It listens exactly while the dispatcher is enabled. Nothing in a tick waits and everything in it
is bounded, so that it can run in a window's own loop; with asyncio the same ticks run when there
is something to do. Belongs to the dispatcher's thread. Contract: native endpoints.
"""

from __future__ import annotations

import errno
import os
import selectors
import socket
import sys
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Protocol, Self
from weakref import WeakSet

from bridge.contract.limits import NATIVE_LIMITS, NativeLimits
from bridge.contract.peer_credentials import is_same_user, peer_uid
from bridge.dispatcher.rpc_session import RpcSession
from bridge.servers.native_directory import NativeError, require_platform
from bridge.servers.native_listener import NativeListener
from bridge.servers.native_peer import NativePeer, Session
from bridge.servers.native_places import has_left, make_room, refuse

if TYPE_CHECKING:
    from bridge.dispatcher.dispatcher import Dispatcher

__all__ = ["NativeError", "NativeServer", "Waiting", "serve"]

_SO_PEERCRED: Final[int | None] = getattr(socket, "SO_PEERCRED", None)
_NO_HANDLES: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


class Waiting(Protocol):
    """Who waits for calls that do not end at once, in place of the ticks."""

    def wait_for(self, peer: NativePeer) -> None:
        """See to it that `peer.answer` is called once, and then a tick."""

    def forget(self, peer: NativePeer) -> None:
        """Wait no longer: the connection is closed."""

    def stop(self) -> None:
        """Stop waiting altogether: the server is closed, its handle not yet."""


def serve(
    dispatcher: Dispatcher, name: str | None = None, *, directory: str | Path | None = None
) -> NativeServer:
    """Let this user's terminals and programs call an app on this machine.

    `name` is what it is found by, in any script and length; without it the app's own name. The
    socket is there while the dispatcher is enabled: at once, or from `set_enabled(True)` on. Then
    either call `poll()` from the app's loop, or await `serve_forever()`. Raises `NativeError`
    where no private socket can be made; on Windows always.
    """
    require_platform(sys.platform)
    server = NativeServer(
        dispatcher, name, directory=None if directory is None else os.fspath(directory)
    )
    try:
        server.follow()
    except BaseException:
        server.close()
        raise
    return server


class NativeServer:
    """An app's native endpoint. A context manager, which closes it in the end."""

    def __init__(  # noqa: PLR0913 - each can be left out
        self,
        dispatcher: Dispatcher,
        name: str | None = None,
        *,
        directory: str | None = None,
        new_session: Callable[[str], Session] | None = None,
        clock: Callable[[], float] = time.monotonic,
        limits: NativeLimits = NATIVE_LIMITS,
    ) -> None:
        self.name = dispatcher.app.name if name is None else name
        self.problem: NativeError | None = None
        """Why there is no socket although the dispatcher was enabled later on."""
        self._dispatcher = dispatcher
        self._directory = directory
        self._new_session = new_session or (lambda name: RpcSession(dispatcher, name))
        self._clock = clock
        self._limits = limits
        self._selector = selectors.DefaultSelector()
        self._listener: NativeListener | None = None
        self._peers: deque[NativePeer] = deque()
        self._accepted = 0
        self._accept_at: float | None = None
        """When connections are accepted again, where the system had no handle left."""
        self._ticking = False
        self._waiting: Waiting | None = None
        self.closed = False
        self._unwatch = dispatcher.on_enabled_change(self._changed)
        _OPEN.add(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def path(self) -> Path | None:
        """Where the socket is; None while the dispatcher is disabled."""
        return None if self._listener is None else Path(self._listener.path)

    @property
    def connections(self) -> int:
        """How many are open."""
        return len(self._peers)

    @property
    def answering(self) -> bool:
        """Whether a call goes on for a caller, or its answer is being written."""
        return any(peer.waiting is not None or peer.wants_output for peer in self._peers)

    def fileno(self) -> int:
        """Return a handle that is readable when `poll` has something to do.

        For loops that watch handles. What a call of an asynchronous host waits for is not seen
        there: those need a tick from time to time as well.
        """
        return self._selector.fileno()

    def follow(self) -> None:
        """Listen if the dispatcher is enabled, hang up if it is not. Raises `NativeError`."""
        if not self._dispatcher.enabled or self.closed:
            self._shut()
        elif self._listener is None:
            self._listener = NativeListener.open(self.name, self._directory)
            self._selector.register(self._listener.socket, selectors.EVENT_READ)
            self.problem = None

    def close(self) -> None:
        """Remove the socket and hang up, for good. Calls that have begun go on. Again is nothing.

        At once, also from within an action.
        """
        if self.closed:
            return
        self.closed = True
        self._unwatch()
        self._shut()
        if self._waiting is not None:
            self._waiting.stop()
        self._selector.close()

    def drop(self) -> None:
        """Let go of every handle, in a child that was forked: all of them are the parent's.

        Nothing is stopped or taken back: a selector is shared with the parent, which would hear
        of its callers no more. What the child kept, the parent could not hang up on.
        """
        if self.closed:
            return
        self.closed = True
        self._unwatch()
        with suppress(OSError):  # where it is not inherited
            self._selector.close()
        listener, self._listener = self._listener, None
        if listener is not None:
            listener.close()
        for peer in self._peers:
            peer.close()
            peer.socket.close()
        self._peers.clear()
        self._waiting = None

    def poll(self, timeout: float = 0.0) -> bool:
        """Do what there is to do, at most one tick's worth, and say whether there is more.

        `timeout` is how many seconds it waits for something to do. Called from within an action,
        by a dialog's own loop say, it does nothing.
        """
        if self.closed or self._ticking:
            return False
        self._ticking = True
        if timeout > 0:
            due = self.next_tick_in()
            timeout = 0.0 if self._has_work() else timeout if due is None else min(timeout, due)
        try:
            self._tick(timeout)
        finally:
            self._ticking = False
        return self._has_work()

    async def serve_forever(self) -> None:
        """Run in an event loop of asyncio until the server is closed; cancelling closes it.

        Hosts may be asynchronous: the dispatcher then needs a runtime for asyncio. Raises
        `RuntimeError` where it runs already.
        """
        from bridge.servers.native_asyncio import AsyncioTicks  # noqa: PLC0415 - an event loop

        if self._waiting is not None:
            raise RuntimeError("the server runs in an event loop already")
        if not self.closed:
            await AsyncioTicks(self).run()

    def hand_over(self, waiting: Waiting | None) -> None:
        """Let somebody else wait for calls that do not end at once; None for the ticks again."""
        self._waiting = waiting
        if waiting is not None:
            for peer in self._peers:
                if peer.waiting is not None:
                    waiting.wait_for(peer)

    def next_tick_in(self) -> float | None:
        """Return in how many seconds there is something to do even if nothing happens."""
        times = [peer.cut_off_at() for peer in self._peers]
        at = min((at for at in (*times, self._accept_at) if at is not None), default=None)
        return None if at is None else max(0.0, at - self._clock())

    def _changed(self, _enabled: bool) -> None:
        try:
            self.follow()
        except NativeError as error:
            self.problem = error

    def _shut(self) -> None:
        listener, self._listener = self._listener, None
        if listener is not None:
            self._stop_accepting(listener)
            listener.close()
        for peer in tuple(self._peers):
            peer.close()
        self._sweep()

    def _has_work(self) -> bool:
        return any(peer.has_work for peer in self._peers)

    def _tick(self, timeout: float) -> None:
        dialled = False
        for key, events in self._selector.select(timeout):
            peer: NativePeer | None = key.data
            if peer is None:
                dialled = True
                continue
            if events & selectors.EVENT_WRITE:
                peer.write()
            if events & selectors.EVENT_READ and not peer.closed:
                peer.read()
        self._look_at_clock()
        if dialled:
            # After the others: whoever hung up has made room.
            self._accept()
        if self._waiting is None:
            for peer in tuple(self._peers):
                peer.step()
        self._handle_lines()
        self._sweep()
        # Whoever came first does not always come first.
        self._peers.rotate(-1)

    def _handle_lines(self) -> None:
        """Handle lines of all connections by turns, as many as one tick may."""
        left = self._limits.max_tick_lines
        while left > 0:
            busy = [peer for peer in self._peers if peer.has_work][:left]
            if not busy:
                return
            left -= len(busy)
            for peer in busy:
                if not peer.has_work:
                    continue
                peer.handle_line()
                if peer.waiting is not None and not peer.closed and self._waiting is not None:
                    self._waiting.wait_for(peer)

    def _sweep(self) -> None:
        """Forget what is closed, and watch of the others what they are ready for."""
        for peer in tuple(self._peers):
            if peer.closed:
                self._peers.remove(peer)
                self._watch(peer, 0)
                _hang_up(peer.socket)
                if self._waiting is not None:
                    self._waiting.forget(peer)
            else:
                self._watch(
                    peer,
                    (selectors.EVENT_READ if peer.wants_input else 0)
                    | (selectors.EVENT_WRITE if peer.wants_output else 0),
                )

    def _watch(self, peer: NativePeer, events: int) -> None:
        if events == peer.watched:
            return
        if not events:
            self._selector.unregister(peer.socket)
        elif peer.watched:
            self._selector.modify(peer.socket, events, peer)
        else:
            self._selector.register(peer.socket, events, peer)
        peer.watched = events

    def _accept(self) -> None:
        for _ in range(self._limits.max_connections):
            if self._listener is None:
                return
            try:
                opened, _address = self._listener.socket.accept()
            except OSError as error:
                if error.errno in _NO_HANDLES:
                    # It stays ready to be accepted, and would be asked for again without end.
                    self._stop_accepting(self._listener)
                    self._accept_at = self._clock() + self._limits.accept_pause_seconds
                return
            self._take(opened)

    def _take(self, opened: socket.socket) -> None:
        opened.setblocking(False)
        try:
            uid = peer_uid(opened, socket.SOL_SOCKET, _SO_PEERCRED)
        except OSError:
            uid = None
        if not is_same_user(uid, os.getuid()):
            # Before a byte is read.
            opened.close()
            return
        if self._is_full():
            if has_left(opened):
                opened.close()
                return
            if not self._make_room():
                refuse(opened)
                return
        self._accepted += 1
        session = self._new_session(f"native-{self._accepted}")
        peer = NativePeer(opened, session, self._clock, self._limits)
        self._peers.append(peer)
        # What it has sent already is read in this tick.
        peer.read()

    def _is_full(self) -> bool:
        return sum(not peer.closed for peer in self._peers) >= self._limits.max_connections

    def _make_room(self) -> bool:
        return make_room(self._peers, self._clock() - self._limits.min_idle_seconds)

    def _stop_accepting(self, listener: NativeListener) -> None:
        self._accept_at = None
        if listener.socket in self._selector.get_map():
            self._selector.unregister(listener.socket)

    def _look_at_clock(self) -> None:
        now = self._clock()
        if self._accept_at is not None and now >= self._accept_at:
            self._accept_at = None
            if self._listener is not None:
                self._selector.register(self._listener.socket, selectors.EVENT_READ)
        for peer in self._peers:
            at = peer.cut_off_at()
            if at is not None and now >= at:
                peer.close()


_OPEN: Final[WeakSet[NativeServer]] = WeakSet()


def _drop_all() -> None:
    for server in list(_OPEN):
        server.drop()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_drop_all)


def _hang_up(opened: socket.socket) -> None:
    """End a connection, also where a program that was started has a copy of its handle."""
    with suppress(OSError):
        opened.shutdown(socket.SHUT_RDWR)
    opened.close()
