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
from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.cli.gateways.line_relay import LineRelay
from bridge.cli.gateways.protocol_option import add_protocol_options, protocol
from bridge.cli.program_start import cannot_be_started
from bridge.cli.stop_signals import Stopped, stop_on_signals
from bridge.cli.usage_error import UsageError
from bridge.contract.error_codes import ExitCode

if TYPE_CHECKING:
    from bridge.cli.parsing import Parser, Subparsers

__all__ = ["AppCommand", "add_parser", "app_command", "run"]

_MODE: Final = {"json": "--agent-json", "mcp": "--agent-mcp"}


class _Ending(NamedTuple):
    """What an app has once its input has ended."""

    answers_seconds: float
    """For its last answers."""
    renewed: bool
    """Whether that is from one answer to the next, or in all."""
    own_seconds: float
    """For its own end, once it was told to."""


_ENDINGS: Final = {"json": _Ending(5.0, True, 5.0), "mcp": _Ending(1.2, False, 0.5)}
"""An MCP client gives 2 s for all of it, and then ends this process itself and nothing else."""
_EPILOG: Final = """\
examples:
  bascule headless my-drawing --protocol json < calls.ndjson
  bascule headless python notes.py --protocol mcp
  bascule headless python -m bridge.demo.drawing --protocol json
  bascule headless --protocol json -- my-drawing --theme dark
  bascule headless my-drawing --protocol mcp

The app is started with --agent-json after its own arguments, for MCP with --agent-mcp, and has to
answer lines on standard output; what it writes to standard error is passed on. It is ended when the
input ends: it has 5 seconds for its last answers, from one to the next, for MCP 1.2 in all. Its
arguments are taken as they are, without a shell; after -- all of them are its own.
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "headless",
        help="start an app without a window and pass lines to it",
        usage="bascule headless APP [ARGUMENT ...] [--protocol json|mcp] [--accept-legacy]",
        description="Start an app in its mode for programs, without a window, and pass JSON-RPC "
        "messages, one per line, between it and standard input and output.",
        epilog=_EPILOG,
    )
    add_protocol_options(parser)
    parser.add_argument(
        "app_words",
        nargs=argparse.REMAINDER,
        metavar="APP [ARGUMENT ...]",
        help="the program, and its arguments",
    )
    return parser


class AppCommand(NamedTuple):
    """What was asked for."""

    words: list[str]
    """The app's own."""
    protocol: str
    accept_legacy: bool = False


def run(args: argparse.Namespace) -> int:
    """Run the app until the input ends, it ends itself, or a signal comes."""
    command = app_command(args.app_words, AppCommand([], args.protocol, args.accept_legacy))
    words, ending = command.words, _ENDINGS[command.protocol]
    try:
        child = subprocess.Popen(  # noqa: S603 - what the user named, and no shell
            [*words, _MODE[command.protocol]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            bufsize=0,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        more = [] if command.protocol == "json" else ["--protocol", "mcp"]
        raise UsageError(cannot_be_started([*words, *more], reason or "not known why")) from None
    stopped = False
    try:
        with stop_on_signals():
            relay = LineRelay(child, ending.answers_seconds, renewed=ending.renewed)
            if command.accept_legacy:
                _take_older_offer(relay)
            relay.serve()
    except Stopped:
        stopped = True
    finally:
        status = _end(child, ending.own_seconds)
    if stopped:
        if command.protocol == "mcp":
            # So clients end their servers, and nobody looks at what is said then.
            return ExitCode.DONE
        print("bascule: stopped. The last call may have run.", file=sys.stderr)
        return ExitCode.OUTCOME_UNKNOWN
    if status:
        how = f"signal {-status}" if status < 0 else f"status {status}"
        print(f"bascule: the app ended with {how}.", file=sys.stderr)
        return ExitCode.REFUSED
    return ExitCode.DONE


def app_command(given: list[str], chosen: AppCommand) -> AppCommand:
    """Read the app's own words. This command's options may be told after them as well.

    Raises `UsageError`.
    """
    words, name, accept_legacy = list(given), chosen.protocol, chosen.accept_legacy
    if words[:1] == ["--"]:
        words.pop(0)
    else:
        while words:
            if words[-1] == "--accept-legacy":
                accept_legacy = bool(words.pop())
            elif words[-2:-1] == ["--protocol"]:
                name, words = words[-1], words[:-2]
            elif words[-1].startswith("--protocol="):
                name = words.pop().partition("=")[2]
            else:
                break
    try:
        name = protocol(name)
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"argument --protocol: {error}") from None
    if not words or not words[0]:
        raise UsageError(
            "APP is missing: bascule headless APP [ARGUMENT ...] [--protocol json|mcp]"
        )
    if _MODE[name] in words:
        raise UsageError(f"leave out {_MODE[name]}: it is added")
    if accept_legacy and name != "mcp":
        raise UsageError("--accept-legacy is for --protocol mcp")
    return AppCommand(words, name, accept_legacy)


def _take_older_offer(relay: LineRelay) -> None:
    from bridge.cli.gateways.mcp_older_offer import OlderOffer  # noqa: PLC0415 - seldom needed

    offer = OlderOffer()
    relay.to_child, relay.from_child = offer.to_app, offer.to_client


def _end(child: subprocess.Popen[bytes], seconds: float) -> int:
    """End the app and all that it started, and return its own status; 0 where it was made to."""
    status = child.poll()
    if status is None:
        _signal(child, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            child.wait(seconds)
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
