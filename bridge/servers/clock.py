"""The clocks that the bridge is driven by, read together.

The monotonic one must also count while the machine sleeps: deadlines of calls that slept through
the night are past in the morning.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Final

from bridge.broker.events import Instant

__all__ = ["Clock", "read_instant"]

Clock = Callable[[], Instant]


def read_instant() -> Instant:
    """Read both clocks now."""
    return Instant(monotonic=_monotonic(), unix_ms=time.time_ns() // 1_000_000)


def _sleepless_clock() -> Callable[[], float]:
    # Linux's CLOCK_MONOTONIC stops in suspend and its CLOCK_BOOTTIME does not. macOS has only the
    # former, where it does not stop, and Windows neither, where time.monotonic() does not.
    for name in ("CLOCK_BOOTTIME", "CLOCK_MONOTONIC"):
        if hasattr(time, name):
            return partial(time.clock_gettime, getattr(time, name))
    return time.monotonic


_monotonic: Final = _sleepless_clock()
