"""The directory of native sockets: made for one user, verified, and used by an open handle.

Nothing is ever repaired: a directory that somebody else may use is refused with the reason.
Contract: native endpoints.
"""

from __future__ import annotations

import os
import socket
import stat
from contextlib import suppress
from typing import Final, Self

from bridge.contract.native_names import native_directory, path_fits, read_socket_name
from bridge.contract.runtime_entry import directory_problem

__all__ = ["Identity", "NativeDirectory", "NativeError", "require_platform"]

Identity = tuple[int, int, int]
"""Device, inode and time of making: an inode's number is given again at once."""

_NO_FOLLOW: Final[int] = getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY: Final[int] = getattr(os, "O_DIRECTORY", 0)
_STALE_LOOKS: Final = 64
"""How many sockets of ended processes are looked at, so that a start is never slow."""


class NativeError(Exception):
    """No native endpoint can be opened. The message is for people, and says why."""


def require_platform(platform: str) -> None:
    """Raise `NativeError` where nobody can tell who calls."""
    if platform == "win32":
        raise NativeError(
            "native endpoints are not there on Windows yet: named pipes are not built. "
            "A browser app's bridge works."
        )
    if platform not in {"linux", "darwin"}:
        raise NativeError(f"this platform ({platform}) does not tell which user calls")


class NativeDirectory:
    """An open, verified directory. Everything in it is named relative to its handle."""

    def __init__(self, path: str, handle: int) -> None:
        self.path = path
        self.handle = handle

    @classmethod
    def open(cls, path: str | None = None) -> Self:
        """Open the given directory, or this user's own, and make it where it is missing.

        Raises `NativeError` where it cannot be trusted.
        """
        uid = os.getuid()
        if path is None:
            path = native_directory(os.environ, uid)
            # The runtime directory around it is as private, and made and verified alike.
            os.close(_opened(path.rpartition("/")[0], uid))
        return cls(path, _opened(path, uid))

    def close(self) -> None:
        """Close the handle; the directory cannot be used afterwards."""
        os.close(self.handle)

    def holds(self, file_name: str) -> bool:
        """Say whether a socket of this name can be dialled here."""
        return path_fits(self.path, file_name)

    def identity(self, file_name: str) -> Identity | None:
        """Return which socket has this name now; None where none does."""
        try:
            status = os.stat(file_name, dir_fd=self.handle, follow_symlinks=False)
        except OSError:
            return None
        if not stat.S_ISSOCK(status.st_mode):
            return None
        return status.st_dev, status.st_ino, status.st_mtime_ns

    def remove(self, file_name: str, identity: Identity) -> None:
        """Remove a socket, unless another has taken its place."""
        if self.identity(file_name) == identity:
            with suppress(OSError):
                os.unlink(file_name, dir_fd=self.handle)

    def remove_stale(self) -> None:
        """Remove the sockets of processes that ended without doing so.

        A socket is listened on before it gets its name here, so that one which refuses is dead.
        """
        looks = 0
        for file_name in os.listdir(self.handle):  # noqa: PTH208 - of the open directory
            name = read_socket_name(file_name)
            if name is None or _runs(name.pid):
                continue
            looks += 1
            if looks > _STALE_LOOKS:
                return
            identity = self.identity(file_name)
            if identity is not None and self._refuses(file_name):
                self.remove(file_name, identity)

    def _refuses(self, file_name: str) -> bool:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as dialled:
            dialled.setblocking(False)
            try:
                dialled.connect(f"{self.path}/{file_name}")
            except ConnectionRefusedError:
                return True
            except OSError:
                return False
        return False


def _opened(path: str, uid: int) -> int:
    """Open a directory of this user's alone. Raises `NativeError`."""
    try:
        made = False
        with suppress(FileExistsError):
            os.mkdir(path, 0o700)  # noqa: PTH102 - texts all the way down to `sun_path`
            made = True
        # Looked at by name first: what is no directory cannot be opened, and deserves a reason.
        try:
            _verify(path, os.lstat(path), uid)
        except NativeError:
            if made:
                # A umask took our own permissions away: the next start must not find it so.
                os.rmdir(path)  # noqa: PTH106 - as above
            raise
        handle = os.open(path, os.O_RDONLY | _DIRECTORY | _NO_FOLLOW)
    except OSError as error:
        raise _refusal(path, error.strerror or "it cannot be opened") from None
    try:
        _verify(path, os.fstat(handle), uid)
    except NativeError:
        os.close(handle)
        raise
    return handle


def _verify(path: str, status: os.stat_result, uid: int) -> None:
    problem = directory_problem(status.st_mode, status.st_uid, uid)
    if problem is not None:
        raise _refusal(path, problem)


def _refusal(path: str, reason: str) -> NativeError:
    return NativeError(
        f"the directory {path} cannot hold a socket: {reason}. "
        "Remove it, or set XDG_RUNTIME_DIR to a directory that only you can use."
    )


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True
