"""Entry point: finds the command, imports its module alone, and turns its end into an exit status.

A call to a running bridge is often one of many in a script, so nothing is imported that it does
not need: no event loop, no server, no other command.
"""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol, cast

from bridge import __version__
from bridge.cli.parsing import Parser, Subparsers, UsageError
from bridge.contract.error_codes import ExitCode

__all__ = ["COMMANDS", "main"]


class CommandModule(Protocol):
    """What a command's module offers."""

    def add_parser(self, subparsers: Subparsers) -> object:
        """Add the command's own parser."""

    def run(self, args: argparse.Namespace) -> int:
        """Do it, and return the exit status. May raise `UsageError` and `BridgeFailure`."""


class Command(NamedTuple):
    """Where a command is, and one line about it."""

    module: str
    summary: str


COMMANDS: Final = {
    "browser-bridge": Command(
        "bridge.cli.browser_bridge", "run a bridge for one web app, until it is stopped"
    ),
    "browser-call": Command("bridge.cli.browser_call", "send one call to the attached page"),
    "browser-stdio": Command(
        "bridge.cli.browser_stdio", "pass JSON-RPC lines between standard input and the page"
    ),
    "list": Command("bridge.cli.list_bridges", "list your running bridges"),
    "status": Command("bridge.cli.bridge_status", "show what a bridge is doing"),
    "assets": Command("bridge.cli.assets", "write out the browser modules for your app"),
    "demo": Command("bridge.cli.demo", "show a terminal editing a text that is open in a browser"),
}

_EPILOG: Final = """\
example:
  bascule browser-bridge --origin http://127.0.0.1:8765 --open
  bascule browser-call actions/list
  bascule browser-call actions/execute '{"action": "document.read"}'

exit status:
  0 done   1 the app answered with an error   2 wrong usage   3 no bridge, or nothing attached
  4 outcome unknown: it may have run   5 refused by the bridge in any other way

environment:
  BASCULE_URL, BASCULE_TOKEN   the bridge to call, where it cannot be found by itself
  BASCULE_LOG                  debug, info, warning or error: what a bridge logs to standard error
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    # Taken out, so that no program that a command starts inherits it.
    token = os.environ.pop("BASCULE_TOKEN", None)
    _fill_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        args = _parse(arguments)
        args.environment_token = token
        args.environment_url = os.environ.get("BASCULE_URL")
        return _run(args)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else ExitCode.USAGE
    except KeyboardInterrupt:
        return _interrupted(sent="browser-call" in arguments)
    except BrokenPipeError:
        # Nobody reads any more. The interpreter must not fail at its own last flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.DONE


def _fill_closed_streams() -> None:
    """Put the null device in the place of a standard stream that is closed.

    `print` falls back to standard output, where a secret may go astray, and the next file or
    socket that is opened would take over the stream's number.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = Parser(
        prog="bascule",
        description="Drive a live web app in an ordinary browser, by the app's own actions.",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"bascule {__version__}")
    parser.add_argument(
        "-v", "--verbose", action="count", default=0, help="say more on standard error; -vv: all"
    )
    subparsers = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=Parser
    )
    for name, command in COMMANDS.items():
        if name in arguments:
            _load(command).add_parser(subparsers)
        else:
            subparsers.add_parser(name, help=command.summary)
    return parser.parse_args(arguments)


def _run(args: argparse.Namespace) -> int:
    from bridge.client.bridge_failure import BridgeFailure  # noqa: PLC0415 - not for --help

    try:
        return _load(COMMANDS[args.command]).run(args)
    except UsageError as error:
        print(f"bascule {args.command}: {error}", file=sys.stderr)
        return ExitCode.USAGE
    except BridgeFailure as failure:
        from bridge.cli.failure_report import report_failure  # noqa: PLC0415 - seldom needed

        return report_failure(failure, sys.stderr)


def _load(command: Command) -> CommandModule:
    return cast(CommandModule, importlib.import_module(command.module))


def _interrupted(*, sent: bool) -> int:
    """End as a process does that a person interrupts, so that a shell's loop ends as well."""
    more = " The call may have run: inspect the state before trying it again." if sent else ""
    print(f"bascule: interrupted.{more}", file=sys.stderr)
    if sys.platform != "win32":
        sys.stderr.flush()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    return ExitCode.OUTCOME_UNKNOWN


if __name__ == "__main__":
    sys.exit(main())
