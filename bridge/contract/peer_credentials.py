"""Who is at the other end of a Unix socket, by what the kernel noted when it was dialled.

The user id alone decides: the process id may be another process's by now, and a path or a name is
what the peer says of itself. Where a platform cannot tell, nobody is trusted. Contract: native
endpoints.
"""

from __future__ import annotations

import struct
import sys
from typing import Final, Protocol

__all__ = ["OVERFLOW_UID", "Peer", "is_same_user", "peer_uid"]

OVERFLOW_UID: Final = 65_534
"""What the kernel says of a user who has no number in this user namespace: anybody, that is."""

_LINUX_CREDENTIALS: Final = struct.Struct("=iII")
"""`struct ucred`: process, user, group."""
_DARWIN_CREDENTIALS: Final = struct.Struct("=II")
"""The beginning of `struct xucred`: its version and the effective user."""
_DARWIN_BYTES: Final = 76
_DARWIN_SOL_LOCAL: Final = 0
_DARWIN_LOCAL_PEERCRED: Final = 1


class Peer(Protocol):
    """What is needed of a connected socket."""

    def getsockopt(self, level: int, name: int, size: int, /) -> bytes:
        """Return what the kernel tells of it."""


def peer_uid(
    peer: Peer, sol_socket: int, so_peercred: int | None, platform: str = sys.platform
) -> int | None:
    """Return the peer's user id; None where the platform does not tell.

    `so_peercred` is the number of Linux's option, where the running system has it: it differs
    between processors. Raises `OSError` as the socket does.
    """
    if platform == "linux" and so_peercred is not None:
        data = peer.getsockopt(sol_socket, so_peercred, _LINUX_CREDENTIALS.size)
        if len(data) != _LINUX_CREDENTIALS.size:
            return None
        uid: int = _LINUX_CREDENTIALS.unpack(data)[1]
        return uid
    if platform == "darwin":
        data = peer.getsockopt(_DARWIN_SOL_LOCAL, _DARWIN_LOCAL_PEERCRED, _DARWIN_BYTES)
        if len(data) < _DARWIN_CREDENTIALS.size:
            return None
        version, effective = _DARWIN_CREDENTIALS.unpack_from(data)
        return int(effective) if version == 0 else None
    return None


def is_same_user(peer: int | None, own: int) -> bool:
    """Say whether a peer is trusted: the very same user, and one who can be told from others."""
    return peer is not None and peer == own and peer != OVERFLOW_UID
