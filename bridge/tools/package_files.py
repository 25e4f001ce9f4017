"""Reads a package's files, and nothing outside of the package.

No symbolic link is followed below the package's directory, not even one that stays inside: what
a file is called is where it is. Only ordinary files are opened, so that no pipe or device can
hold a load. Beside it only Python's own import of handlers touches the disk.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final, NamedTuple

__all__ = [
    "ENTRY_FILE",
    "HANDLERS_DIRECTORY",
    "TOOLS_DIRECTORY",
    "Listing",
    "PackageFileError",
    "check_no_links",
    "check_package_file",
    "list_directory",
    "read_package_file",
    "tool_file",
]

TOOLS_DIRECTORY: Final = "tools"
"""Where a package has the schemas of its tools."""
HANDLERS_DIRECTORY: Final = "handlers"
"""Where a first-party package has what runs its tools."""
ENTRY_FILE: Final = "entry.wasm"
"""What runs the tools of a project package."""

# A pipe is opened without waiting for whoever writes; Windows has other flags than these.
_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_MISSING: Final = "is not there"
_LINK: Final = "is a symbolic link, which is not followed: put the file itself there"


class PackageFileError(Exception):
    """A file that cannot be read. `rule` is the id of the problem that it makes."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule


class Listing(NamedTuple):
    """The names in a directory, in their order, none with a leading dot."""

    names: tuple[str, ...]
    complete: bool
    """False where there are more than were asked for."""


def tool_file(name: str) -> str:
    """Return where a tool's schema is in its package."""
    return f"{TOOLS_DIRECTORY}/{name}.json"


def read_package_file(root: Path, relative: str, max_bytes: int) -> bytes:
    """Read one file of a package; `relative` has slashes and no `.` or `..`.

    Raises `PackageFileError`: `missing-file`, `symlink`, `not-a-file`, `file-size` or
    `unreadable`. Contract: package tools, files.
    """
    with os.fdopen(_opened(root, relative), "rb") as file:
        try:
            data = file.read(max_bytes + 1)
        except OSError as error:
            raise _refused(error) from None
    if len(data) > max_bytes:
        raise PackageFileError("file-size", f"is longer than {max_bytes:,} bytes: make it shorter")
    return data


def check_package_file(root: Path, relative: str) -> None:
    """Check that a file of a package could be read. Raises as `read_package_file`.

    For what somebody else reads by its path, as Python does what it imports.
    """
    os.close(_opened(root, relative))


def list_directory(root: Path, relative: str, max_names: int) -> Listing:
    """List a directory of a package, at most so many names; hidden ones are not counted.

    Raises `PackageFileError`, as `read_package_file`.
    """
    path = _inside(root, relative)
    names: list[str] = []
    try:
        if not stat.S_ISDIR(path.lstat().st_mode):
            raise PackageFileError("not-a-directory", "is no directory: make it one")
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if len(names) == max_names:
                    return Listing(tuple(sorted(names)), complete=False)
                names.append(entry.name)
    except OSError as error:
        raise _refused(error) from None
    return Listing(tuple(sorted(names)), complete=True)


def check_no_links(root: Path, relative: str, max_names: int) -> list[tuple[str, PackageFileError]]:
    """Return what is a symbolic link below a directory of a package, at any depth, and why not.

    For a directory in which somebody else goes by paths. Looks at so many names at most, hidden
    ones not counted; what has more is one of the errors, `package-handlers`. Raises nothing.
    """
    found: list[tuple[str, PackageFileError]] = []
    left = max_names
    waiting = [relative]
    while waiting:
        directory = waiting.pop()
        try:
            with os.scandir(_inside(root, directory)) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    left -= 1
                    if left < 0:
                        words = f"has more than {max_names:,} files: split the package"
                        return [*found, (relative, PackageFileError("package-handlers", words))]
                    place = f"{directory}/{entry.name}"
                    if entry.is_symlink():
                        found.append((place, PackageFileError("symlink", _LINK)))
                    elif entry.is_dir(follow_symlinks=False):
                        waiting.append(place)
        except (OSError, PackageFileError):
            # What cannot be listed cannot be imported from, or is told of by who lists it.
            continue
    return sorted(found, key=lambda each: each[0])


def _opened(root: Path, relative: str) -> int:
    path = _inside(root, relative)
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        raise _refused(error) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise PackageFileError("not-a-file", "is no ordinary file: remove it or rename it")
    return descriptor


def _inside(root: Path, relative: str) -> Path:
    """Return the path, where no part of it below the package is a link."""
    parts = relative.split("/")
    if not all(parts) or not {".", ".."}.isdisjoint(parts):
        raise ValueError(f"not a file's name in a package: {relative!r}")
    path = root
    for part in parts:
        path /= part
        try:
            mode = path.lstat().st_mode
        except (OSError, ValueError) as error:
            raise _refused(error) from None
        if stat.S_ISLNK(mode):
            raise PackageFileError("symlink", _LINK)
    return path


def _refused(error: Exception) -> PackageFileError:
    """Say what the system said, without a path of this machine."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return PackageFileError("missing-file", _MISSING)
    reason = error.strerror if isinstance(error, OSError) and error.strerror else "no file's name"
    return PackageFileError("unreadable", f"cannot be read ({reason}): change its permissions")
