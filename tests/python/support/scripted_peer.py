"""A listening port whose connections are scripted one by one, down to the bytes."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from tests.python.support.fake_bridge import PATIENCE_SECONDS

Script = Callable[[socket.socket], None]


class ScriptedPeer:
    """What came on each connection, in order of arrival."""

    def __init__(self, scripts: tuple[Script, ...]) -> None:
        self._scripts = scripts
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._listening.settimeout(PATIENCE_SECONDS)
        self.port = int(self._listening.getsockname()[1])
        self.accepted = 0
        self.ended = threading.Event()
        """That all scripts have come to their end."""
        self._peer: socket.socket | None = None
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        with suppress(OSError):
            for script in self._scripts:
                peer, _ = self._listening.accept()
                peer.settimeout(PATIENCE_SECONDS)
                self.accepted += 1
                self._peer = peer
                with peer:
                    script(peer)
        self.ended.set()

    def stop(self) -> None:
        # Wakes whoever accepts or reads.
        for waiting in (self._listening, self._peer):
            with suppress(OSError, AttributeError):
                waiting.shutdown(socket.SHUT_RDWR)  # type: ignore[union-attr]
        self._listening.close()
        self._thread.join(PATIENCE_SECONDS)


@contextmanager
def scripted_peer(*scripts: Script) -> Iterator[ScriptedPeer]:
    """Listen for as many connections as there are scripts."""
    peer = ScriptedPeer(scripts)
    try:
        yield peer
    finally:
        peer.stop()


def read_request(peer: socket.socket) -> bytes:
    """Read one whole request; nothing when the peer has hung up."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = peer.recv(65_536)
        if not piece:
            return data
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    length = 0
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    while len(body) < length:
        body += peer.recv(65_536)
    return head + b"\r\n\r\n" + body


def response(body: bytes = b"{}", status: int = 200, *headers: bytes) -> bytes:
    lines = [b"HTTP/1.1 %d Reason" % status, b"Content-Length: %d" % len(body), *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def answers(*bodies: bytes) -> Script:
    """Answer so many requests, then hang up."""

    def script(peer: socket.socket) -> None:
        for body in bodies:
            if not read_request(peer):
                return
            peer.sendall(response(body))

    return script


def hangs_up_after_request(peer: socket.socket) -> None:
    """Take a request and say nothing."""
    read_request(peer)
