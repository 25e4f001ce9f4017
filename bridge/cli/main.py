"""Entry point: finds the command, imports its module alone, and turns its end into an exit status.

A call to a running bridge is often one of many in a script, so nothing is imported that it does
not need: no event loop, no server, no other command.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol, cast

from bridge.cli.commands import COMMANDS, HIDDEN, Command
from bridge.cli.quick_parser import QuickCommand
from bridge.cli.usage_error import UsageError
from bridge.contract.error_codes import ExitCode

__all__ = ["COMMANDS", "main"]

_CANNOT_BE_WRITTEN: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""The disk is full, the file may not grow, or the terminal is gone."""

_SERVING: Final = frozenset({"browser-stdio", "stdio", "headless"})
"""Commands that clients start and end as they like, and whose standard error they show."""

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Subparsers

    class CommandModule(Protocol):
        """What a command's module offers."""

        def add_parser(self, subparsers: Subparsers) -> object:
            """Make the command's own parser, by one call of `subparsers.add_parser`."""

        def run(self, args: argparse.Namespace) -> int:
            """Do it, and return the exit status. May raise `UsageError` and `BasculeError`."""


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
    if arguments and arguments[0] in _SERVING:
        _end_at_once_on_interrupts()
    try:
        name, args = _parse(arguments)
        running = name
        args.environment_token = token
        args.environment_url = os.environ.get("BASCULE_URL")
        status = _run(name, args)
        # Here, where it can still be told that it fails.
        sys.stdout.flush()
        return status
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else ExitCode.USAGE
    except KeyboardInterrupt as interrupt:
        calls = running in COMMANDS and COMMANDS[running].calls
        return _interrupted(sent=calls and not interrupt.args)
    except BrokenPipeError:
        # Nobody reads any more. The interpreter must not fail at its own last flush.
        _write_no_more()
        return ExitCode.DONE
    except OSError as error:
        if error.errno not in _CANNOT_BE_WRITTEN:
            raise
        _write_no_more()
        print(f"bascule: the output cannot be written: {error.strerror}", file=sys.stderr)
        # Whoever called has not been told how it ended.
        called = running in COMMANDS and COMMANDS[running].calls
        return ExitCode.OUTCOME_UNKNOWN if called else ExitCode.REFUSED


def _end_at_once_on_interrupts() -> None:
    """Leave SIGINT to the system until the command takes it: nothing has begun that could end."""
    # At once: the whole module takes longer to load.
    import _signal as signal  # type: ignore[import-not-found] # noqa: PLC0415

    # A shell's background job ignores it on purpose, and a thread cannot change it.
    with suppress(ValueError):
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


def _write_no_more() -> None:
    """Send what is still buffered nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
    while rest and (rest[0] == "--verbose" or (rest[0][:1] == "-" and set(rest[0][1:]) == {"v"})):
        word = rest.pop(0)
        verbose += 1 if word == "--verbose" else len(word) - 1
    command = (COMMANDS.get(rest[0]) or HIDDEN.get(rest[0])) if rest else None
    if command is None:
        from bridge.cli.general_help import parse_without_command  # noqa: PLC0415 - not for commands

        parse_without_command(rest)
    name, module = rest[0], _load(command)
    quick = QuickCommand()
    module.add_parser(quick)
    args = quick.parser.parse(rest[1:])
    if args is None:
        import argparse  # noqa: PLC0415 - slow, and only needed for help and for mistakes

        from bridge.cli.parsing import CommandParser  # noqa: PLC0415

        only = CommandParser()
        module.add_parser(only)
        return name, only.parser.parse_args(
            rest[1:], argparse.Namespace(verbose=verbose, command=name)
        )
    args.verbose, args.command = verbose, name
    return name, args


def _run(name: str, args: argparse.Namespace) -> int:
    from bridge.client.bridge_failure import BasculeError  # noqa: PLC0415 - not for --help

    try:
        return _load(COMMANDS.get(name) or HIDDEN[name]).run(args)
    except UsageError as error:
        print(f"bascule {name}: {error}", file=sys.stderr)
        return ExitCode.USAGE
    except BasculeError as failure:
        from bridge.cli.output.failure_report import report_failure  # noqa: PLC0415 - seldom needed

        return report_failure(failure, sys.stderr)


def _load(command: Command) -> CommandModule:
    return cast("CommandModule", importlib.import_module(command.module))


def _interrupted(*, sent: bool) -> int:
    """End as a process does that a person interrupts, so that a shell's loop ends as well."""
    told = (
        " The call may have run, or go on: what is not answered yet cannot be cancelled from here."
        " Inspect the state before trying it again."
    )
    more = told if sent else ""
    print(f"bascule: interrupted.{more}", file=sys.stderr)
    if sys.platform != "win32":
        import signal  # noqa: PLC0415 - for an interrupt only

        sys.stderr.flush()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    return ExitCode.OUTCOME_UNKNOWN


if __name__ == "__main__":
    sys.exit(main())
