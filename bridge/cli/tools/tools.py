"""`bascule tools`: packages of tools, from writing one to serving many. Each is a command below."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, cast

from bridge.cli.commands import Command
from bridge.cli.usage_error import UsageError
from bridge.contract.error_codes import ExitCode

if TYPE_CHECKING:
    from bridge.cli.main import CommandModule
    from bridge.cli.parsing import Parser, Subparsers

__all__ = ["TOOLS_COMMANDS", "add_parser", "run", "tools_module"]

TOOLS_COMMANDS: Final = {
    "check": Command("bridge.cli.tools.tools_check", "check packages, and tell all that is wrong"),
    "list": Command("bridge.cli.tools.tools_list", "list the tools of packages"),
    "describe": Command("bridge.cli.tools.tools_describe", "show what a tool takes and gives"),
    "call": Command("bridge.cli.tools.tools_call", "run a tool of a package", calls=True),
    "new": Command("bridge.cli.tools.tools_new", "write a package to start from"),
    "serve": Command("bridge.cli.tools.tools_serve", "serve packages to terminals, or over MCP"),
}
_EPILOG: Final = """\
examples:
  bascule tools new my-tools
  bascule tools check my-tools --explain
  bascule tools call my-tools greeting_write name=Ada
  bascule tools serve my-tools
  bascule tools serve my-tools --mcp

bascule tools COMMAND --help shows examples of each.
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    width = max(map(len, TOOLS_COMMANDS)) + 2
    listed = "".join(f"\n  {name:<{width}}{told.summary}" for name, told in TOOLS_COMMANDS.items())
    parser = subparsers.add_parser(
        "tools",
        help="write, check, call and serve packages of tools",
        usage="bascule tools COMMAND ...",
        description="Work with packages of tools: a directory with a schema and a handler for each "
        f"tool.\n\ncommands:{listed}",
        epilog=_EPILOG,
    )
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="COMMAND ...")
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the command that the words name."""
    words: Sequence[str] = args.words
    if not words:
        raise UsageError("a command is missing: " + ", ".join(TOOLS_COMMANDS))
    name, *rest = words
    if name not in TOOLS_COMMANDS:
        from bridge.cli.suggestions import did_you_mean  # noqa: PLC0415 - for mistakes only

        raise UsageError(f"there is no command {name!r}.{did_you_mean(name, TOOLS_COMMANDS)}")
    from bridge.cli.parsing import CommandParser  # noqa: PLC0415 - not for --help
    from bridge.cli.tools.tools_loading import print_problems  # noqa: PLC0415
    from bridge.tools.problems import PackageError  # noqa: PLC0415

    module, only = tools_module(name), CommandParser()
    module.add_parser(only)
    inner = only.parser.parse_args(rest, argparse.Namespace(verbose=args.verbose))
    try:
        return module.run(inner)
    except PackageError as error:
        print_problems(inner.directory, error.problems, sys.stderr)
        return ExitCode.APP_ERROR


def tools_module(name: str) -> CommandModule:
    """Return the module of a command below this one."""
    return cast("CommandModule", importlib.import_module(TOOLS_COMMANDS[name].module))
