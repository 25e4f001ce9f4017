"""Places among a native app's connections: who makes room when all are taken, and who is refused.

Contract: native endpoints.
"""

from __future__ import annotations

import socket
from collections.abc import Collection

from bridge.contract.error_codes import AppErrorCode
from bridge.dispatcher.app_error import AppError
from bridge.dispatcher.control_session import failure
from bridge.servers.native_peer import NativePeer

__all__ = ["has_left", "make_room", "refuse"]


def make_room(peers: Collection[NativePeer], latest: float) -> bool:
    """Hang up on whoever has had nothing under way for longest, and say whether there is room.

    Not on who had until after `latest`. Gateways keep a connection for as long as they live: those
    that do nothing must not lock everybody else out. Their next line goes over another.
    """
    # Who has hung up since the tick began may have done so before another dialled.
    left = [
        peer for peer in peers if not peer.closed and peer.wants_input and has_left(peer.socket)
    ]
    for peer in left:
        peer.read()
    if any(peer.closed for peer in left):
        return True
    idle = [peer for peer in peers if peer.is_idle and peer.idle_since <= latest]
    return any(peer.make_room() for peer in sorted(idle, key=lambda peer: peer.idle_since))


def has_left(opened: socket.socket) -> bool:
    """Say whether who dialled has hung up without a word, as one who only looks who listens."""
    try:
        return not opened.recv(1, socket.MSG_PEEK)
    except (BlockingIOError, InterruptedError):
        return False
    except OSError:
        return True


def refuse(opened: socket.socket) -> None:
    """Say that all connections are taken, and close. It is not waited for whether that is read."""
    error = AppError(
        AppErrorCode.SESSION_LIMIT,
        "The app has as many connections as it takes; nothing was run. Try again.",
    )
    with opened:
        try:
            opened.send(failure(None, error).encode() + b"\n")
        except OSError:
            return
