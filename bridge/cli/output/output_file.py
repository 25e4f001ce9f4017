"""A file that a command fills part by part: whole under its name, or not there at all.

Until it is whole it is `NAME.part` beside it, which is kept where reading breaks off, so that it
can go on from there. What is there under the name already is replaced only when that is allowed.
"""

from __future__ import annotations

import errno
import os
import stat
from types import TracebackType
from typing import Final, Self

from bridge.cli.usage_error import UsageError

__all__ = ["OutputFile"]

_FLAGS: Final = os.O_WRONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)


class OutputFile:
    """A context manager. Raises `UsageError` where it cannot be made."""

    def __init__(self, name: str, *, force: bool = False, resume: bool = False) -> None:
        self.name = name
        self.part_name = f"{name}.part"
        self.offset = 0
        """How many bytes are there from an earlier time."""
        self._force = force
        self._resume = resume
        self._handle = -1
        self._special = False

    def __enter__(self) -> Self:
        try:
            self._open()
        except OSError as error:
            raise self._cannot(error) from None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
            if error is not None and not self._special and self._is_empty():
                os.unlink(self.part_name)  # noqa: PTH108 - pathlib costs a call its start

    def write(self, data: bytes) -> None:
        """Add bytes."""
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._handle, rest) :]

    def finish(self) -> None:
        """Give it its name: it is whole."""
        if self._special:
            return
        os.close(self._handle)
        self._handle = -1
        try:
            if self._force:
                os.replace(self.part_name, self.name)  # noqa: PTH105
            else:
                # A link fails where something has taken the name since; a rename replaces it.
                self._link()
        except OSError as error:
            raise self._cannot(error) from None

    def _open(self) -> None:
        try:
            mode = os.stat(self.name).st_mode  # noqa: PTH116
        except FileNotFoundError:
            mode = None
        if mode is not None and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            # A device or a pipe is written to as it is.
            self._special = True
            self._handle = os.open(self.name, _FLAGS)
            return
        if mode is not None and (stat.S_ISDIR(mode) or not self._force):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        if self._resume:
            try:
                self._handle = os.open(self.part_name, _FLAGS | os.O_APPEND)
                self.offset = os.fstat(self._handle).st_size
                return
            except FileNotFoundError:
                pass
        self._handle = os.open(self.part_name, _FLAGS | os.O_CREAT | os.O_TRUNC, 0o666)

    def _link(self) -> None:
        try:
            os.link(self.part_name, self.name)
        except FileExistsError:
            raise
        except OSError:
            # Not every file system has links.
            if os.path.lexists(self.name):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
            os.rename(self.part_name, self.name)  # noqa: PTH104
        else:
            os.unlink(self.part_name)  # noqa: PTH108

    def _is_empty(self) -> bool:
        try:
            return os.stat(self.part_name).st_size == 0  # noqa: PTH116
        except OSError:
            return False

    def _cannot(self, error: OSError) -> UsageError:
        if isinstance(error, FileExistsError):
            return UsageError(f"{self.name} is there already; --force replaces it")
        return UsageError(f"{self.name} cannot be written: {error.strerror}")
