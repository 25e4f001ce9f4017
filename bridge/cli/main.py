"""Entry point: finds the command, imports its module alone, and turns its end into an exit status.

A call to a running bridge is often one of many in a script, so nothing is imported that it does
not need: no event loop, no server, no other command.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import signal
import sys
from collections.abc import Sequence
from typing import Final, NamedTuple, NoReturn, Protocol, cast

from bridge import __version__
from bridge.cli.parsing import CommandParser, Parser, Subparsers, UsageError
from bridge.contract.error_codes import ExitCode

__all__ = ["COMMANDS", "main"]

_VERBOSE: Final = re.compile(r"-v+")


class CommandModule(Protocol):
    """What a command's module offers."""

    def add_parser(self, subparsers: Subparsers) -> object:
        """Make the command's own parser, by one call of `subparsers.add_parser`."""

    def run(self, args: argparse.Namespace) -> int:
        """Do it, and return the exit status. May raise `UsageError` and `BridgeFailure`."""


class Command(NamedTuple):
    """Where a command is, one line about it, and whether it makes calls that change things."""

    module: str
    summary: str
    calls: bool = False


COMMANDS: Final = {
    "browser-bridge": Command(
        "bridge.cli.browser_bridge", "run a bridge for one web app, until it is stopped"
    ),
    "list": Command("bridge.cli.list_bridges", "list your running bridges"),
    "open": Command("bridge.cli.open_page", "open a bridge's page again, ready to attach"),
    "actions": Command("bridge.cli.list_actions", "list what an attached app can do"),
    "describe": Command("bridge.cli.describe_action", "show what an action takes and gives"),
    "call": Command("bridge.cli.call_action", "run an action of an attached app", calls=True),
    "inspect": Command("bridge.cli.inspect_state", "show the state of an attached app"),
    "task": Command("bridge.cli.show_task", "show, await or cancel a deferred result"),
    "watch": Command("bridge.cli.watch_calls", "watch the calls of a bridge as they happen"),
    "status": Command("bridge.cli.bridge_status", "show what a bridge is doing"),
    "browser-call": Command(
        "bridge.cli.browser_call", "send one call to the attached page", calls=True
    ),
    "browser-stdio": Command(
        "bridge.cli.browser_stdio",
        "pass JSON-RPC lines between standard input and the page",
        calls=True,
    ),
    "assets": Command("bridge.cli.assets", "write out the browser modules for your app"),
    "completion": Command("bridge.cli.completion_script", "print a completion script for a shell"),
    "demo": Command("bridge.cli.demo", "show a terminal editing a text that is open in a browser"),
}
_HIDDEN: Final = {"__complete": Command("bridge.cli.complete", "what completion scripts ask")}

_EPILOG: Final = """\
example:
  bascule browser-bridge --origin http://127.0.0.1:8765 --open
  bascule actions my-app
  bascule call my-app document.text.insert text="Hello" at=0 --expected-revision latest

exit status:
  0 done   1 the app answered with an error   2 wrong usage   3 no bridge, or nothing attached
  4 outcome unknown: it may have run   5 refused by the bridge in any other way

environment:
  BASCULE_URL, BASCULE_TOKEN   the bridge to call, where it cannot be found by itself
  BASCULE_LOG                  debug, info, warning or error: what a bridge logs to standard error
  NO_COLOR                     print no colours
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
    running = ""
    try:
        name, args = _parse(arguments)
        running = name
        args.environment_token = token
        args.environment_url = os.environ.get("BASCULE_URL")
        return _run(name, args)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else ExitCode.USAGE
    except KeyboardInterrupt:
        return _interrupted(sent=running in COMMANDS and COMMANDS[running].calls)
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


def _parse(arguments: Sequence[str]) -> tuple[str, argparse.Namespace]:
    """Return the command's name and its arguments, read by its own parser alone."""
    verbose, rest = 0, list(arguments)
    while rest and (rest[0] == "--verbose" or _VERBOSE.fullmatch(rest[0])):
        word = rest.pop(0)
        verbose += 1 if word == "--verbose" else len(word) - 1
    command = (COMMANDS.get(rest[0]) or _HIDDEN.get(rest[0])) if rest else None
    if command is None:
        _parse_without_command(rest)
    only = CommandParser()
    _load(command).add_parser(only)
    args = only.parser.parse_args(rest[1:], argparse.Namespace(verbose=verbose, command=rest[0]))
    return rest[0], args


def _parse_without_command(arguments: Sequence[str]) -> NoReturn:
    """Print help, the version, or what is wrong with the command."""
    width = max(map(len, COMMANDS)) + 2
    listed = "".join(f"\n  {name:<{width}}{command.summary}" for name, command in COMMANDS.items())
    parser = Parser(
        prog="bascule",
        usage="bascule [-h] [--version] [-v] COMMAND ...",
        description="Drive a live web app in an ordinary browser, by the app's own actions.\n\n"
        f"commands:{listed}\n\nbascule COMMAND --help shows examples of each.",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"bascule {__version__}")
    parser.add_argument(
        "-v", "--verbose", action="count", default=0, help="say more on standard error; -vv: all"
    )
    if arguments and not arguments[0].startswith("-"):
        from bridge.cli.suggestions import did_you_mean  # noqa: PLC0415 - for mistakes only

        name = arguments[0]
        parser.error(f"there is no command {name!r}.{did_you_mean(name, COMMANDS)}")
    parser.parse_known_args(arguments)
    parser.error(
        f"unrecognized arguments: {arguments[0]}" if arguments else "a command is missing: COMMAND"
    )


def _run(name: str, args: argparse.Namespace) -> int:
    from bridge.client.bridge_failure import BasculeError  # noqa: PLC0415 - not for --help

    try:
        return _load(COMMANDS.get(name) or _HIDDEN[name]).run(args)
    except UsageError as error:
        print(f"bascule {name}: {error}", file=sys.stderr)
        return ExitCode.USAGE
    except BasculeError as failure:
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
