"""`bascule headless`: an app of its own, without a window, for as long as there are lines.

The app is started by an array of arguments and never by a shell, in a process group of its own,
and that group is ended with the command.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from bridge.cli.line_relay import LineRelay
from bridge.cli.protocol_option import add_protocol_option, protocol
from bridge.cli.stop_signals import Stopped, stop_on_signals
from bridge.cli.usage_error import UsageError
from bridge.contract.error_codes import ExitCode

if TYPE_CHECKING:
    from bridge.cli.parsing import Parser, Subparsers

__all__ = ["add_parser", "app_arguments", "run"]

_MODE: Final = {"json": "--agent-json"}
_ENDING_SECONDS: Final = 5.0
"""What an app has for its own end, once its input has ended or it was asked to."""
_EPILOG: Final = """\
examples:
  bascule headless my-drawing --protocol json < calls.ndjson
  bascule headless python -m bridge.demo.drawing --protocol json
  bascule headless --protocol json -- my-drawing --theme dark

The app is started with --agent-json after its own arguments, and has to answer a line for each
line on standard output; what it writes to standard error is passed on. It is ended when the input
ends: it has 5 seconds for its last answers, from one to the next. Its arguments are taken as they
are, without a shell; after -- all of them are its own.
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "headless",
        help="start an app without a window and pass lines to it",
        usage="bascule headless APP [ARGUMENT ...] [--protocol json]",
        description="Start an app in its mode for programs, without a window, and pass JSON-RPC "
        "messages, one per line, between it and standard input and output.",
        epilog=_EPILOG,
    )
    add_protocol_option(parser)
    parser.add_argument(
        "app_words",
        nargs=argparse.REMAINDER,
        metavar="APP [ARGUMENT ...]",
        help="the program, and its arguments",
    )
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the app until the input ends, it ends itself, or a signal comes."""
    words, name = app_arguments(args.app_words, args.protocol)
    try:
        child = subprocess.Popen(  # noqa: S603 - what the user named, and no shell
            [*words, _MODE[name]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            bufsize=0,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"{words[0]} cannot be started: {reason}") from None
    stopped = False
    try:
        with stop_on_signals():
            LineRelay(child, _ENDING_SECONDS).serve()
    except Stopped:
        stopped = True
    finally:
        status = _end(child)
    if stopped:
        print("bascule: stopped. The last call may have run.", file=sys.stderr)
        return ExitCode.OUTCOME_UNKNOWN
    if status:
        how = f"signal {-status}" if status < 0 else f"status {status}"
        print(f"bascule: the app ended with {how}.", file=sys.stderr)
        return ExitCode.REFUSED
    return ExitCode.DONE


def app_arguments(given: list[str], chosen: str) -> tuple[list[str], str]:
    """Return the app's own words, and the protocol, which may be told after them as well.

    Raises `UsageError`.
    """
    words = list(given)
    if words[:1] == ["--"]:
        words.pop(0)
    else:
        option, value = words[-2:-1], words[-1:]
        if option == ["--protocol"]:
            chosen, words = value[0], words[:-2]
        elif value and value[0].startswith("--protocol="):
            chosen, words = value[0].partition("=")[2], words[:-1]
    try:
        chosen = protocol(chosen)
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"argument --protocol: {error}") from None
    if not words or not words[0]:
        raise UsageError("APP is missing: bascule headless APP [ARGUMENT ...] [--protocol json]")
    if _MODE[chosen] in words:
        raise UsageError(f"leave out {_MODE[chosen]}: it is added")
    return words, chosen


def _end(child: subprocess.Popen[bytes]) -> int:
    """End the app and all that it started, and return its own status; 0 where it was made to."""
    status = child.poll()
    if status is None:
        _signal(child, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            child.wait(_ENDING_SECONDS)
    # Whatever it has started keeps the group's number taken, and must not outlive the command.
    _signal(child, signal.SIGKILL)
    child.wait()
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            pipe.close()
    return status or 0


def _signal(child: subprocess.Popen[bytes], number: signal.Signals) -> None:
    try:
        os.killpg(child.pid, number)
    except (ProcessLookupError, PermissionError):
        return
