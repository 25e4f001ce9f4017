"""A command that serves until it is told to stop: signals become one exception."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

__all__ = ["TOLD", "Stopped", "stop_numbers", "stop_on_signals"]

_SIGNALS: Final = ("SIGINT", "SIGTERM", "SIGHUP")
TOLD: Final = "told"
"""An interrupt with this argument: its person has been told that nothing was run."""


class Stopped(BaseException):
    """A signal asked for the end."""


def stop_numbers() -> list[int]:
    """Return the signals that ask for the end here."""
    numbers = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    # A shell's background job and nohup ignore signals on purpose.
    return [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]


@contextmanager
def stop_on_signals() -> Iterator[None]:
    """Raise `Stopped` on the first signal; the next one ends the process as usual."""
    numbers = stop_numbers()

    def stop(_number: int, _frame: FrameType | None) -> None:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)
        raise Stopped

    previous = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in previous.items():
            if signal.getsignal(number) is stop:
                signal.signal(number, handler)
