"""A display that nobody sees, for windows of Tk."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def unseen_display() -> Iterator[str]:
    """Run an X server of our own and give its name; skip where there is none, or no Tk."""
    pytest.importorskip("tkinter", reason="this Python has no tkinter")
    program = shutil.which("Xvfb")
    if program is None:
        pytest.skip("no Xvfb: windows are not tested")
    reader, writer = os.pipe()
    arguments = [program, "-displayfd", str(writer), "-screen", "0", "1024x768x24"]
    with subprocess.Popen(
        [*arguments, "-nolisten", "tcp"], pass_fds=[writer], stderr=subprocess.DEVNULL
    ) as server:
        os.close(writer)
        try:
            with os.fdopen(reader) as lines:
                number = lines.readline().strip()
            if not number:
                pytest.skip("Xvfb did not start: windows are not tested")
            yield f":{number}"
        finally:
            server.terminate()
