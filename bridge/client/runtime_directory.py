"""The runtime directory: small secret files of one user, written and read without trust.

The directory is opened once and verified; files are then named relative to the open directory,
so that nobody can put another in its place in between. Nothing is ever repaired: what is wrong is
refused with the reason. On Windows the profile's own protection is all there is, and nothing is
verified here. Contract: secrets.
"""

from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from bridge.contract.runtime_entry import (
    directory_problem,
    file_problem,
    runtime_directory,
    windows_runtime_directory,
)

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "RuntimeDirectory",
    "RuntimeDirectoryError",
    "StoredFile",
    "runtime_directory_name",
    "runtime_directory_path",
]

_NO_FOLLOW: Final[int] = getattr(os, "O_NOFOLLOW", 0)
_BINARY: Final[int] = getattr(os, "O_BINARY", 0)
# A pipe in a file's place must not make the reader wait.
_NO_WAIT: Final[int] = getattr(os, "O_NONBLOCK", 0)
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW | _BINARY


class RuntimeDirectoryError(Exception):
    """The runtime directory cannot be used. The message is for people."""


class StoredFile(NamedTuple):
    """A file that this process wrote: its name, and which file it was."""

    name: str
    identity: tuple[int, int, int]
    """Device, inode and time of writing: an inode's number is given again at once."""


def runtime_directory_name() -> str:
    """Return where the runtime directory of this user is. Raises `RuntimeDirectoryError`."""
    if sys.platform == "win32":
        path = windows_runtime_directory(os.environ)
        if path is None:
            raise RuntimeDirectoryError("no runtime directory: LOCALAPPDATA is not set")
        return path
    return runtime_directory(os.environ, os.getuid())


def runtime_directory_path() -> Path:
    """Return the same as a path. Raises `RuntimeDirectoryError`."""
    # Loaded where it is wanted: a call only reads, by names, and would wait for it.
    from pathlib import Path  # noqa: PLC0415

    return Path(runtime_directory_name())


class RuntimeDirectory:
    """An open, verified runtime directory. A context manager; not for several threads."""

    def __init__(self, name: str, handle: int | None, uid: int | None) -> None:
        self._name = name
        self._handle = handle
        self._uid = uid

    @property
    def path(self) -> Path:
        """Where it is."""
        from pathlib import Path  # noqa: PLC0415 - see above

        return Path(self._name)

    @classmethod
    def open(cls, where: Path | str, *, create: bool) -> Self:
        """Open the directory, making it first where `create` says so.

        Raises `FileNotFoundError` when it is not there and is not to be made, and
        `RuntimeDirectoryError` when it cannot be trusted.
        """
        path = str(where)
        if create:
            _make(path)
        if sys.platform == "win32":
            os.lstat(path)
            return cls(path, None, None)
        try:
            # Looked at by name first: what is no directory cannot be opened, and deserves a reason.
            _verify(path, os.lstat(path))
            handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | _NO_FOLLOW)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise _refusal(path, error.strerror or "it cannot be opened") from None
        try:
            _verify(path, os.fstat(handle))
        except RuntimeDirectoryError:
            os.close(handle)
            raise
        return cls(path, handle, os.getuid())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the directory; it cannot be used afterwards."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def names(self) -> list[str]:
        """Return the names of all files, in order."""
        where = self._name if self._handle is None else self._handle
        return sorted(os.listdir(where))  # noqa: PTH208 - of the open directory

    def read(self, name: str, max_bytes: int) -> bytes | None:
        """Return what a file of ours holds; None when it is gone, too large or not trusted."""
        try:
            handle = os.open(
                self._at(name), os.O_RDONLY | _NO_FOLLOW | _NO_WAIT | _BINARY, dir_fd=self._handle
            )
        except OSError:
            return None
        try:
            status = os.fstat(handle)
            # Before it is made a file object: a directory cannot be one.
            if self._uid is not None and file_problem(status.st_mode, status.st_uid, self._uid):
                return None
            with os.fdopen(handle, "rb", closefd=False) as file:
                data = file.read(max_bytes + 1)
        except OSError:
            return None
        finally:
            os.close(handle)
        return data if len(data) <= max_bytes else None

    def write(self, name: str, data: bytes) -> StoredFile:
        """Write a file that only this user can read, whole or not at all, in place of any other.

        Raises `RuntimeDirectoryError`.
        """
        temporary = f".{name}.{os.urandom(8).hex()}"
        try:
            handle = os.open(self._at(temporary), _CREATE, 0o600, dir_fd=self._handle)
            try:
                with os.fdopen(handle, "wb") as file:
                    if sys.platform != "win32":
                        # A umask can have taken our own permissions away as well.
                        os.fchmod(handle, 0o600)
                    file.write(data)
                    file.flush()
                    status = os.fstat(handle)
                os.replace(
                    self._at(temporary),
                    self._at(name),
                    src_dir_fd=self._handle,
                    dst_dir_fd=self._handle,
                )
            except BaseException:
                self._unlink(temporary)
                raise
        except OSError as error:
            reason = error.strerror or "it cannot be written"
            raise RuntimeDirectoryError(f"{self.path / name}: {reason}") from None
        return StoredFile(name, _identity(status))

    def remove(self, stored: StoredFile) -> None:
        """Remove a file that this process wrote, unless another has taken its place."""
        try:
            status = os.stat(self._at(stored.name), dir_fd=self._handle, follow_symlinks=False)
        except OSError:
            return
        if _identity(status) == stored.identity:
            self._unlink(stored.name)

    def remove_ours(self, name: str) -> None:
        """Remove a regular file of this user's, whoever wrote it."""
        try:
            status = os.stat(self._at(name), dir_fd=self._handle, follow_symlinks=False)
        except OSError:
            return
        if self._uid is None or file_problem(status.st_mode, status.st_uid, self._uid) is None:
            self._unlink(name)

    def _unlink(self, name: str) -> None:
        try:
            os.unlink(self._at(name), dir_fd=self._handle)
        except OSError:
            # Gone already, or not ours to remove: either way it is not there on our account.
            return

    def _at(self, name: str) -> str:
        return str(self.path / name) if self._handle is None else name


def _identity(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_dev, status.st_ino, status.st_mtime_ns


def _make(path: str) -> None:
    from pathlib import Path  # noqa: PLC0415 - see above

    try:
        Path(path).mkdir(mode=0o700, parents=sys.platform == "win32")
    except FileExistsError:
        return
    except OSError as error:
        raise _refusal(path, error.strerror or "it cannot be made") from None


def _verify(path: str, status: os.stat_result) -> None:
    problem = directory_problem(status.st_mode, status.st_uid, os.getuid())
    if problem is not None:
        raise _refusal(path, problem)


def _refusal(path: str, reason: str) -> RuntimeDirectoryError:
    return RuntimeDirectoryError(
        f"the runtime directory {path} cannot be used: {reason}. "
        "Remove it, or set XDG_RUNTIME_DIR to a directory that only you can use."
    )
