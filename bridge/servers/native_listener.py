"""A native app's listening socket: made so that at no moment anybody else can dial it.

It is bound and listened on inside a fresh private directory and only then gets its name, with
the mode of its node narrowed before it exists where the system can do that. The umask, which all
threads of the app share, is left alone. Contract: native endpoints.
"""

from __future__ import annotations

import os
import socket
import stat
import sys
import weakref
from contextlib import suppress
from typing import Final, Self

from bridge.contract.native_names import SocketName, native_slug
from bridge.contract.peer_credentials import OVERFLOW_UID
from bridge.servers.native_directory import Identity, NativeDirectory, NativeError

__all__ = ["NativeListener"]

_BACKLOG: Final = 16
_NODE: Final = "s"
"""What the socket is called until it gets its name."""


class NativeListener:
    """A listening socket and its node. Other programs that this one starts do not get it."""

    def __init__(
        self, directory: NativeDirectory, name: SocketName, opened: socket.socket, made: Identity
    ) -> None:
        self.name = name
        self.path = f"{directory.path}/{name.file_name}"
        self.socket = opened
        # Also when the interpreter ends; not in a child that the app forked.
        self._ending = weakref.finalize(
            self, _end, directory, name.file_name, opened, made, os.getpid()
        )

    @classmethod
    def open(cls, app: str, directory: str | None = None) -> Self:
        """Listen for an app of this name. Raises `NativeError`."""
        opened = NativeDirectory.open(directory)
        try:
            if os.getuid() == OVERFLOW_UID:
                raise NativeError(
                    f"user {OVERFLOW_UID} stands for anybody whom this system cannot name, "
                    "so callers could not be told apart"
                )
            name = SocketName(native_slug(app), os.getpid(), os.urandom(4).hex())
            if not opened.holds(name.file_name):
                raise NativeError(
                    f"the directory {opened.path} is too long a path for the socket "
                    f"{name.file_name}; choose a shorter one"
                )
            opened.remove_stale()
            try:
                listening, made = _listening(opened, name.file_name)
            except OSError as error:
                reason = error.strerror or type(error).__name__
                raise NativeError(f"no socket can be made in {opened.path}: {reason}") from None
        except BaseException:
            opened.close()
            raise
        return cls(opened, name, listening, made)

    def close(self) -> None:
        """Stop listening, and remove the node unless another has its name by now."""
        self._ending()


def _listening(directory: NativeDirectory, file_name: str) -> tuple[socket.socket, Identity]:
    staging = f".{os.urandom(8).hex()}"
    os.mkdir(staging, 0o700, dir_fd=directory.handle)
    # A umask can have taken our own permissions away as well, here and below.
    os.chmod(staging, 0o700, dir_fd=directory.handle)
    node = f"{staging}/{_NODE}"
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listening.setblocking(False)
        if sys.platform == "linux":
            # The node is made with no more than the mode that its socket has.
            os.fchmod(listening.fileno(), 0o600)
        listening.bind(f"{directory.path}/{node}")
        os.chmod(node, 0o600, dir_fd=directory.handle)
        listening.listen(_BACKLOG)
        os.rename(node, file_name, src_dir_fd=directory.handle, dst_dir_fd=directory.handle)
        return listening, _verified(directory, file_name)
    except BaseException:
        listening.close()
        for left in (node, file_name):
            with suppress(OSError):
                os.unlink(left, dir_fd=directory.handle)
        raise
    finally:
        with suppress(OSError):
            os.rmdir(staging, dir_fd=directory.handle)


def _verified(directory: NativeDirectory, file_name: str) -> Identity:
    """Return which node it is, once it is known to be what was meant."""
    status = os.stat(file_name, dir_fd=directory.handle, follow_symlinks=False)
    identity = directory.identity(file_name)
    if identity is None or stat.S_IMODE(status.st_mode) != 0o600:
        raise OSError(0, "the socket's node is not what was made")
    return identity


def _end(
    directory: NativeDirectory, file_name: str, opened: socket.socket, made: Identity, pid: int
) -> None:
    opened.close()
    if os.getpid() == pid:
        directory.remove(file_name, made)
    directory.close()
