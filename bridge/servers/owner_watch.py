"""Notices that the process that owns the bridge is gone."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Final

from bridge.servers.origins import ConfigurationError

__all__ = ["wait_for_exit"]

_LOOK_SECONDS: Final = 1.0


async def wait_for_exit(pid: int) -> None:
    """Return once no process has this id. Raises `ConfigurationError` where nobody can tell."""
    if sys.platform == "win32":
        raise ConfigurationError("an owner's process cannot be watched on Windows yet")
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    except (AttributeError, OSError):
        # Not on this platform, or not for this process, or not in this container.
        while _exists(pid):  # noqa: ASYNC110 - nothing tells of a process's end here
            await asyncio.sleep(_LOOK_SECONDS)
    else:
        await _wait_for_handle(handle)


async def _wait_for_handle(handle: int) -> None:
    """Wait on a handle of the process, which no later process of the same id can take over."""
    loop = asyncio.get_running_loop()
    gone = asyncio.Event()
    loop.add_reader(handle, gone.set)
    try:
        await gone.wait()
    finally:
        loop.remove_reader(handle)
        os.close(handle)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
