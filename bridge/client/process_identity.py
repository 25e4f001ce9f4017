"""Tells whether a process that was written down still is that process.

A process id alone is not enough: it is given again after its process ended. Linux also tells when
a process started; elsewhere only that some process of this id runs.
"""

from __future__ import annotations

import os
import sys

__all__ = ["is_same_process", "process_start"]


def process_start(pid: int) -> int | None:
    """Return when a process started, in the kernel's clock ticks; None when there is none.

    None also where the platform does not tell.
    """
    try:
        # Not by pathlib, which every command that finds a bridge would wait for.
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
            text = file.read()
    except OSError:
        return None
    # The program's name is in parentheses and may itself hold spaces and parentheses.
    fields = text.rpartition(b")")[2].split()
    # A killed process whose parent has not looked yet is still listed, but its port is free.
    if len(fields) < 20 or fields[0] in {b"Z", b"X", b"x"}:
        return None
    return int(fields[19])


def is_same_process(pid: int, start: int | None) -> bool:
    """Say whether a process that was written down by id and start still runs."""
    if start is not None:
        return process_start(pid) == start
    if sys.platform == "win32":
        return _runs_on_windows(pid)
    try:
        os.kill(pid, 0)
    except (OSError, OverflowError):
        # A process that we may not signal is not ours, so it is not the one written down.
        return False
    return True


def _runs_on_windows(pid: int) -> bool:
    """Ask for a handle: on Windows the harmless signal 0 would end the process."""
    import ctypes  # noqa: PLC0415 - on this platform only

    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 - unknown to other platforms
    handle = kernel.OpenProcess(0x0010_0000, False, pid)
    if not handle:
        return False
    try:
        return bool(kernel.WaitForSingleObject(handle, 0) == 0x102)
    finally:
        kernel.CloseHandle(handle)
