"""Options that calls have in common, checked before anything is sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from bridge.contract.limits import BRIDGE_LIMITS

if TYPE_CHECKING:
    import argparse

__all__ = ["add_session_option", "add_timeout_option", "revision", "session_name"]

_SESSION_CHARS: Final = frozenset(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-"
)
_MAX_REVISION_CHARS: Final = 300


def session_name(text: str) -> str:
    """Read a session's name, as an argument type."""
    longest = BRIDGE_LIMITS.max_session_chars
    if not 0 < len(text) <= longest or not _SESSION_CHARS.issuperset(text):
        raise _invalid(f"1 to {longest} of letters, digits and . _ : -")
    return text


def revision(text: str) -> str:
    """Read the revision that a write expects, as an argument type."""
    digits = text.isascii() and text.isdecimal() and len(text) <= _MAX_REVISION_CHARS
    if text != "latest" and (not digits or text != (text.lstrip("0") or "0")):
        raise _invalid("a revision's number, or latest")
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
            raise _invalid(f"a number of seconds above 0, at most {longest:g}")
        return seconds

    return read


def _invalid(message: str) -> Exception:
    from argparse import ArgumentTypeError  # noqa: PLC0415 - for mistakes only

    return ArgumentTypeError(message)
