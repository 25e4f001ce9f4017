"""Options that calls have in common, checked before anything is sent."""

from __future__ import annotations

import argparse
import re
from typing import Final

from bridge.contract.limits import BRIDGE_LIMITS

__all__ = ["add_timeout_option", "session_name"]

_SESSION: Final = re.compile(r"[A-Za-z0-9._:-]+")


def session_name(text: str) -> str:
    """Read a session's name, as an argument type."""
    longest = BRIDGE_LIMITS.max_session_chars
    if not _SESSION.fullmatch(text) or len(text) > longest:
        raise argparse.ArgumentTypeError(f"1 to {longest} of letters, digits and . _ : -")
    return text


def add_timeout_option(parser: argparse.ArgumentParser) -> None:
    """Add `--timeout`, in seconds; None without it."""
    parser.add_argument(
        "--timeout",
        type=_seconds,
        metavar="SECONDS",
        help=f"wait for the page at most so long (and at most {BRIDGE_LIMITS.max_call_seconds:g})",
    )


def _seconds(text: str) -> float:
    longest = BRIDGE_LIMITS.max_call_seconds
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0.001 <= seconds <= longest:
        raise argparse.ArgumentTypeError(f"a number of seconds above 0, at most {longest:g}")
    return seconds
