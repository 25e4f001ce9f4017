"""Turns the signals that end a process into a request to stop."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

__all__ = ["StopRequest", "ending_signals", "stop_on_signals"]

_NAMES: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")


class StopRequest:
    """Somebody wants the bridge to stop; whoever asks twice wants it now."""

    def __init__(self) -> None:
        self.requested = asyncio.Event()
        self.hurried = asyncio.Event()

    def stop(self) -> None:
        """Ask to stop, or to hurry when that was asked before."""
        if self.requested.is_set():
            self.hurried.set()
        self.requested.set()


def ending_signals() -> list[signal.Signals]:
    """Return the signals that end a process, those of them that this system has."""
    return [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]


@contextmanager
def stop_on_signals(stop: StopRequest) -> Iterator[None]:
    """Stop on SIGINT, SIGTERM and the end of the terminal, while the context lasts."""
    loop = asyncio.get_running_loop()
    signals = ending_signals()

    def from_thread(_number: int, _frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(stop.stop)

    previous = {}
    for number in signals:
        try:
            loop.add_signal_handler(number, stop.stop)
        except NotImplementedError:
            previous[number] = signal.signal(number, from_thread)
    try:
        yield
    finally:
        for number in signals:
            if number in previous:
                signal.signal(number, previous[number])
            else:
                loop.remove_signal_handler(number)
