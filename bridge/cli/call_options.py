"""Options that calls have in common, checked before anything is sent."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Final

from bridge.contract.limits import BRIDGE_LIMITS

__all__ = ["add_session_option", "add_timeout_option", "revision", "session_name"]

_SESSION: Final = re.compile(r"[A-Za-z0-9._:-]+")
_REVISION: Final = re.compile(r"0|[1-9][0-9]{0,299}")


def session_name(text: str) -> str:
    """Read a session's name, as an argument type."""
    longest = BRIDGE_LIMITS.max_session_chars
    if not _SESSION.fullmatch(text) or len(text) > longest:
        raise argparse.ArgumentTypeError(f"1 to {longest} of letters, digits and . _ : -")
    return text


def revision(text: str) -> str:
    """Read the revision that a write expects, as an argument type."""
    if text != "latest" and not _REVISION.fullmatch(text):
        raise argparse.ArgumentTypeError("a revision's number, or latest")
    return text


def add_session_option(parser: argparse.ArgumentParser, default: str = "cli") -> None:
    """Add `--session`."""
    parser.add_argument(
        "--session",
        type=session_name,
        default=default,
        metavar="NAME",
        help="the protocol session in the page (default: %(default)s)",
    )


def add_timeout_option(
    parser: argparse.ArgumentParser, longest: float = BRIDGE_LIMITS.max_call_seconds
) -> None:
    """Add `--timeout`, in seconds; None without it."""
    parser.add_argument(
        "--timeout",
        type=_seconds(longest),
        metavar="SECONDS",
        help=f"wait for the page at most so long (and at most {longest:g})",
    )


def _seconds(longest: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            seconds = float(text)
        except ValueError:
            seconds = 0
        if not 0.001 <= seconds <= longest:
            raise argparse.ArgumentTypeError(f"a number of seconds above 0, at most {longest:g}")
        return seconds

    return read
