"""A command on a terminal of its own: a pseudo-terminal, and what was written to it."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.python.support.command_line import COMMAND, NOTHING_MORE, environment
from tests.python.support.fake_bridge import PATIENCE_SECONDS

_SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def plain(text: str) -> str:
    """Return what a terminal shows of a text: without colours and without line ends' padding."""
    return _SEQUENCE.sub("", text).rstrip()


class Terminal:
    """A running command and the terminal that it writes to."""

    def __init__(self, child: subprocess.Popen[bytes], descriptor: int) -> None:
        self.child = child
        self._descriptor = descriptor
        self.output = b""

    def read_until(self, enough: Callable[[str], bool]) -> str:
        """Read until there is enough, or fail; returns all that was written so far."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not enough(self.output.decode(errors="replace")):
            ready, _, _ = select.select([self._descriptor], [], [], deadline - time.monotonic())
            assert ready, self.output
            if not self._read():
                break
        return self.output.decode(errors="replace")

    def read_all(self) -> str:
        """Read until the command ends."""
        while self._read():
            pass
        self.child.wait(PATIENCE_SECONDS)
        return self.output.decode()

    def _read(self) -> bool:
        try:
            data = os.read(self._descriptor, 65_536)
        except OSError:
            return False
        self.output += data
        return bool(data)


def on_terminal(
    runtime: Path,
    *arguments: str,
    environ: Mapping[str, str] = NOTHING_MORE,
    errors: bool = False,
) -> tuple[int, str]:
    """Run a command on a terminal, and return its status and what it wrote there.

    With `errors` its standard error is the terminal as well.
    """
    with_terminal: list[str] = []

    def read(terminal: Terminal) -> None:
        with_terminal.append(terminal.read_all())

    status = run_on_terminal(runtime, read, *arguments, environ=environ, errors=errors)
    return status, with_terminal[0]


def run_on_terminal(
    runtime: Path,
    use: Callable[[Terminal], None],
    *arguments: str,
    environ: Mapping[str, str] = NOTHING_MORE,
    errors: bool = False,
) -> int:
    """Run a command on a terminal while `use` reads it, and return its status."""
    ours, theirs = pty.openpty()
    given = {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30", **environ}
    variables = {n: v for n, v in environment(runtime).items() if n not in {"NO_COLOR", "TERM"}}
    with subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs if errors else subprocess.DEVNULL,
        env={**variables, **given},
    ) as child:
        os.close(theirs)
        try:
            use(Terminal(child, ours))
            return child.wait(PATIENCE_SECONDS)
        finally:
            if child.poll() is None:
                child.kill()
            os.close(ours)
