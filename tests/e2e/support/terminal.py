"""Runs a command in a terminal of its own and returns what a person would see, without colours."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Mapping

__all__ = ["run_in_terminal"]


def run_in_terminal(command: str, environment: Mapping[str, str], columns: int = 100) -> str:
    """Run a line of shell and return everything that it wrote, line breaks as on Unix."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen(
        ["bash", "-c", command],
        env={**environment, "NO_COLOR": "1", "TERM": "xterm", "COLUMNS": str(columns)},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    output = b""
    try:
        while piece := os.read(ours, 65_536):
            output += piece
    except OSError:
        # The other end is closed: that is how a terminal tells.
        pass
    finally:
        os.close(ours)
        process.wait(30)
    return output.decode().replace("\r\n", "\n")
