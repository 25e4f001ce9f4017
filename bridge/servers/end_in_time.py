"""Has a process end that was told to, whatever other people's code still does in it.

A task that swallows its cancellation, a thread that does not return and a loop that is blocked
would each keep it for good. Decides nothing about when to end.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from bridge.servers.stop_signals import ending_signals

__all__ = ["EndInTime"]


class EndInTime:
    """Ends this process so many seconds after it began to end, with a status.

    Nothing is cleaned up then; whoever ends before is not disturbed.
    """

    def __init__(self, seconds: float, status: int) -> None:
        self._timer = threading.Timer(seconds, os._exit, (status,))
        self._timer.daemon = True
        self._begun = False

    def begin(self) -> None:
        """Let the time begin. A second time changes nothing."""
        if not self._begun:
            self._begun = True
            self._timer.start()

    @contextmanager
    def after_signals(self) -> Iterator[None]:
        """Let it begin at a signal that ends processes, beside what is done at it already.

        It is heard where an event loop would not hear it, because something blocks the loop. For
        the main thread.
        """
        before = {number: signal.getsignal(number) for number in ending_signals()}

        def heard(number: int, frame: FrameType | None) -> None:
            self.begin()
            then = before[signal.Signals(number)]
            if callable(then):
                then(number, frame)

        for number in before:
            signal.signal(number, heard)
        try:
            yield
        finally:
            for number, then in before.items():
                signal.signal(number, then)
