"""Ctrl-C in the tests' own process, whoever started it."""

from __future__ import annotations

import signal


def heed_interrupts() -> None:
    """Heed SIGINT where a script started the tests in the background, which has it ignored.

    What is ignored stays so in every program that a test starts: those that a test ends by SIGINT
    would never end.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
