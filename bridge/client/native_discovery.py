"""Finds the native apps that this user runs, by their sockets in the runtime directory.

A socket counts only while somebody listens on it: a killed app leaves its node behind. Who
listens is looked at again by the connection that calls it. Contract: native endpoints.
"""

from __future__ import annotations

import _socket as socket
import os
import stat
import sys
from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.client.runtime_directory import RuntimeDirectory
from bridge.contract.native_names import native_directory, path_fits, read_socket_name

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["NativeEntry", "listens", "native_entries", "running_natives"]

_MAX_ENTRIES: Final = 1_024
"""More than anybody runs, so that a directory full of leftovers is no long wait."""


class NativeEntry(NamedTuple):
    """A native app's socket."""

    slug: str
    pid: int
    """For people: who made it, which says nothing of who answers."""
    path: str

    @property
    def endpoint(self) -> str:
        """What tells it from another instance of the same app: `SLUG.PID`."""
        return f"{self.slug}.{self.pid}"


def native_entries(directory: Path | str | None = None) -> list[NativeEntry]:
    """Return all sockets of this user, of apps that ended without removing theirs as well.

    What is not a socket of this user's is passed over. Raises `RuntimeDirectoryError` when there
    is a directory that cannot be trusted. On Windows there are none.
    """
    if sys.platform == "win32":
        return []
    uid = os.getuid()
    where = native_directory(os.environ, uid) if directory is None else str(directory)
    try:
        opened = RuntimeDirectory.open(where, create=False)
    except FileNotFoundError:
        return []
    with opened:
        names = opened.names()
    found: list[NativeEntry] = []
    for file_name in names[:_MAX_ENTRIES]:
        name = read_socket_name(file_name)
        if name is None or not path_fits(where, file_name):
            continue
        path = f"{where}/{file_name}"
        try:
            status = os.lstat(path)
        except OSError:
            continue
        if stat.S_ISSOCK(status.st_mode) and status.st_uid == uid:
            found.append(NativeEntry(name.slug, name.pid, path))
    return sorted(found)


def running_natives(directory: Path | str | None = None) -> list[NativeEntry]:
    """Return those on which somebody listens. Raises `RuntimeDirectoryError`."""
    return [entry for entry in native_entries(directory) if listens(entry)]


def listens(entry: NativeEntry) -> bool:
    """Say whether anybody listens on a socket. It is dialled for that, and nothing is sent."""
    dialled = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        dialled.setblocking(False)
        dialled.connect(entry.path)
    except BlockingIOError:
        # So many wait to be let in that no more may: somebody listens, and is busy.
        return True
    except OSError:
        return False
    finally:
        dialled.close()
    return True
