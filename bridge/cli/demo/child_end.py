"""Ends a process that the demo has started."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress

__all__ = ["end_child"]


async def end_child(child: asyncio.subprocess.Process, *, at_once: bool = False) -> None:
    """Ask a process to end, where it has not, and wait until it has. `at_once` does not ask."""
    if child.returncode is None:
        if sys.platform == "win32":
            child.kill()
        else:
            # Not by the child's own methods: they look first whether it has ended, and so take its
            # status away from asyncio, which then speaks of an unknown child on stderr.
            with suppress(ProcessLookupError):
                os.kill(child.pid, signal.SIGKILL if at_once else signal.SIGTERM)
    await child.wait()
