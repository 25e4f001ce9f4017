"""One socket that is kept between exchanges: whose turn it is, and whether it can still be used.

Knows no protocol. Several threads take turns; a forked process has a socket of its own, since each
would read the other's answers.
"""

from __future__ import annotations

# The modules over these take as long to load as a call takes, for what is not used here.
import _socket as socket
import os
from _thread import TIMEOUT_MAX, allocate_lock

__all__ = ["KeptSocket"]


class KeptSocket:
    """The socket, while nobody uses it, and the turn to use it."""

    def __init__(self) -> None:
        self._socket: socket.socket | None = None
        self._turn = allocate_lock()
        self._process = os.getpid()

    def __del__(self) -> None:
        # A client that was simply dropped, as in a short script, is no leak worth a warning.
        self.drop()

    def begin_turn(self, seconds: float) -> bool:
        """Wait for the turn; False where it does not come in time. Ended by `end_turn`."""
        self._own()
        return self._turn.acquire(timeout=min(max(0.0, seconds), TIMEOUT_MAX))

    def end_turn(self) -> None:
        """Let the next one have the turn."""
        self._turn.release()

    def take(self) -> socket.socket | None:
        """Return the socket where it can still be used. Who takes it gives it back by `keep`."""
        opened, self._socket = self._socket, None
        if opened is None:
            return None
        try:
            opened.setblocking(False)
            opened.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return opened
        except OSError:
            pass
        # Closed by its peer, or it says something that nobody asked for.
        opened.close()
        return None

    def keep(self, opened: socket.socket) -> None:
        """Keep a socket for the next exchange. Within the turn."""
        self._socket = opened

    def close(self) -> None:
        """Close what is kept, when the turn comes."""
        self._own()
        with self._turn:
            self.drop()

    def _own(self) -> None:
        """Leave a parent's socket and turn to it."""
        if self._process != os.getpid():
            self._turn = allocate_lock()
            self.drop()
            self._process = os.getpid()

    def drop(self) -> None:
        """Close what is kept, if anything is. Within the turn."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
