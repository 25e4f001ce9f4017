"""A TCP relay before a bridge that can break what goes through it: a forwarded port that fails."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Relay", "relay_to"]


class Relay:
    """Passes connections on to a port until it is told to break them."""

    def __init__(self, port: int, listener: socket.socket) -> None:
        self._target = ("127.0.0.1", port)
        self._listener = listener
        self._lock = threading.Lock()
        self._channels: list[socket.socket] = []
        self.refuse_channels = False
        self.channels_pass = threading.Event()
        """Handshakes wait while it is not set."""
        self.channels_pass.set()

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    def cut_channels(self) -> int:
        """Reset every WebSocket that is open. Returns how many there were."""
        with self._lock:
            cut, self._channels = self._channels, []
        for each in cut:
            _end(each)
        return len(cut)

    def serve(self) -> None:
        """Accept until the listener is closed."""
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._pass_on, args=(connection,), daemon=True).start()

    def _pass_on(self, connection: socket.socket) -> None:
        with connection, socket.create_connection(self._target) as onward:
            try:
                head = connection.recv(65_536)
                if head.startswith(b"GET /channel "):
                    if self.refuse_channels or not self.channels_pass.wait(20):
                        return
                    with self._lock:
                        self._channels += [connection, onward]
                onward.sendall(head)
                back = threading.Thread(target=_copy, args=(onward, connection), daemon=True)
                back.start()
                _copy(connection, onward)
                back.join()
            except OSError:
                return


def _copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65_536):
            target.sendall(data)
    except OSError:
        pass
    _end(target)


def _end(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # it has ended already


@contextmanager
def relay_to(port: int, listener: socket.socket) -> Iterator[Relay]:
    """Run a relay to a port."""
    relay = Relay(port, listener)
    thread = threading.Thread(target=relay.serve, daemon=True)
    thread.start()
    try:
        yield relay
    finally:
        # Closing alone does not wake the thread that waits in accept.
        _end(listener)
        listener.close()
        relay.cut_channels()
        thread.join(10)
