"""Finds the bridges that this user runs, by what they left in the runtime directory.

An entry counts only while the very process that wrote it runs: a killed bridge leaves its entry,
and its port may belong to anybody since. Contract: secrets.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from bridge.client.process_identity import is_same_process
from bridge.client.runtime_directory import RuntimeDirectory, runtime_directory_name
from bridge.contract.runtime_entry import (
    MAX_ENTRY_BYTES,
    EntryError,
    RuntimeEntry,
    decode_entry,
    entry_pid,
)

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["is_running", "remove_stale", "running_bridges", "written_bridges"]

_LEFT_BEHIND: Final = r"\.?(?:browser-bridge|open)-([1-9][0-9]{0,9})[.-][a-z0-9.]*"
"""Every name that a bridge gives to a file here, with its process id."""


def is_running(entry: RuntimeEntry) -> bool:
    """Say whether the bridge that wrote an entry still runs. Ask before each use of its token."""
    return is_same_process(entry.pid, entry.process_start)


def running_bridges(directory: Path | None = None) -> list[RuntimeEntry]:
    """Return the entries of all running bridges of this user, oldest process id first.

    Raises `RuntimeDirectoryError` when there is a runtime directory that cannot be trusted.
    """
    return [entry for entry in written_bridges(directory) if is_running(entry)]


def written_bridges(directory: Path | None = None) -> list[RuntimeEntry]:
    """Return all entries of this user, of bridges that ended without removing theirs as well.

    What is not a file of this user's alone, or not an entry, is passed over. Raises
    `RuntimeDirectoryError`.
    """
    found: list[RuntimeEntry] = []
    try:
        opened = RuntimeDirectory.open(directory or runtime_directory_name(), create=False)
    except FileNotFoundError:
        return found
    with opened:
        for name in opened.names():
            pid = entry_pid(name)
            data = None if pid is None else opened.read(name, MAX_ENTRY_BYTES)
            if data is None:
                continue
            try:
                entry = decode_entry(data)
            except EntryError:
                continue
            if entry.pid == pid:
                found.append(entry)
    return sorted(found, key=lambda entry: entry.pid)


def remove_stale(
    directory: RuntimeDirectory, runs: Callable[[RuntimeEntry], bool] = is_running
) -> None:
    """Remove the files of this user's bridges that ended without doing so themselves."""
    for name in directory.names():
        match = re.fullmatch(_LEFT_BEHIND, name)
        if match is None:
            continue
        pid = int(match[1])
        entry = _entry(directory, name)
        alive = is_same_process(pid, None) if entry is None else entry.pid == pid and runs(entry)
        if not alive:
            directory.remove_ours(name)


def _entry(directory: RuntimeDirectory, name: str) -> RuntimeEntry | None:
    data = directory.read(name, MAX_ENTRY_BYTES) if entry_pid(name) is not None else None
    try:
        return None if data is None else decode_entry(data)
    except EntryError:
        return None
