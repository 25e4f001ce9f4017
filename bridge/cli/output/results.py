"""How a command prints what an app gave: for people, or as the app wrote it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from bridge.cli.app_session import Result
from bridge.cli.output.styles import Style

if TYPE_CHECKING:
    import argparse

__all__ = ["add_json_option", "print_line", "print_revision", "print_value"]


def add_json_option(parser: argparse.ArgumentParser, what: str) -> None:
    """Add `--json`."""
    parser.add_argument("--json", action="store_true", help=f"print {what}, on one line")


def print_line(text: str) -> None:
    """Print JSON as it is, on one line; a terminal gets escapes for what it should not be sent."""
    line = text.replace("\r", " ").replace("\n", " ").encode()
    if sys.stdout.isatty():
        from bridge.cli.output.terminal_text import json_for_terminal  # noqa: PLC0415 - for people only

        line = json_for_terminal(line)
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


def print_value(value: Any, args: argparse.Namespace) -> None:  # noqa: ANN401 - a JSON value
    """Print a value for people."""
    from bridge.cli.output.pretty_json import pretty  # noqa: PLC0415 - not with --json

    print(pretty(value, Style.of(args, sys.stdout)), flush=True)


def print_revision(result: Result, args: argparse.Namespace) -> None:
    """Tell which revision a result is of, where it is not in the way."""
    if result.revision is not None:
        print(Style.of(args, sys.stderr)(f"revision {result.revision}", "dim"), file=sys.stderr)
