"""Waiting for what no event tells: the state of another process, asked again and again."""

from __future__ import annotations

import time
from collections.abc import Callable

SECONDS = 20.0


def wait_until(true: Callable[[], bool], what: str = "it", seconds: float = SECONDS) -> None:
    """Ask until it is true, for at most so long."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.05)  # the only pause of these tests: another process is asked
