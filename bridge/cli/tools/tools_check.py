"""`bascule tools check`: whether packages load, and all that is wrong with those that do not."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bridge.cli.output.results import add_json_option, print_line
from bridge.cli.output.styles import Style, add_color_option
from bridge.cli.output.terminal_text import printable
from bridge.cli.tools.tools_loading import Loading, counted, package_facts, print_problems
from bridge.contract.error_codes import ExitCode
from bridge.tools.package_files import tool_file

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers
    from bridge.tools.package import Package
    from bridge.tools.problems import Problem

__all__ = ["add_parser", "run"]

_NOT_RUN: Final = "its handlers were not run: when this is mended, running them may tell of more"
_EPILOG: Final = """\
examples:
  bascule tools check my-tools
  bascule tools check my-tools --explain
  bascule tools check packages/* --json | jq '.problems[]'

Every problem stands on a line of its own: the file with a JSON Pointer into it, the rule's name,
and what to do. A package with a warning loads all the same. The status is 1 where one does not.
No handler of a package that fails is run: what only running it shows is told in a second round.
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "tools check",
        help="check packages, and tell all that is wrong",
        usage="bascule tools check DIR ... [options]",
        description="Load packages as a server would, handlers included, and tell all that is "
        "wrong with them.",
        epilog=_EPILOG,
    )
    parser.add_argument("directories", type=Path, nargs="+", metavar="DIR", help="a package")
    parser.add_argument(
        "--explain", action="store_true", help="tell what loading adds to schemas, and why"
    )
    add_json_option(parser, "an object with packages, problems and changes")
    add_color_option(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Check, and print what was found."""
    loading = Loading(args.directories, run=True, look=True)
    status = ExitCode.APP_ERROR if loading.failed else ExitCode.DONE
    if args.json:
        # In ASCII: a file's name may be no text that could be written in another way.
        print_line(json.dumps(_as_json(loading, explain=args.explain)))
        return status
    style = Style.of(args, sys.stdout)
    for directory, problems in loading.failed.items():
        print_problems(directory, problems, sys.stdout)
        errors = sum(problem.severity == "error" for problem in problems)
        told = style(f"{counted(errors, 'problem')}: it does not load", "red")
        print(f"{printable(str(directory))}: {told}")
        if directory in loading.not_run:
            print(f"{printable(str(directory))}: {_NOT_RUN}")
    for package in loading.packages:
        print_problems(package.directory, package.warnings, sys.stdout)
        if args.explain:
            _explain(package, style)
        told = style("ok", "green")
        name = printable(f"{package.name} {package.version}")
        print(f"{name}: {counted(len(package.tools), 'tool')}, {told}")
    return status


def _explain(package: Package, style: Style) -> None:
    changed = False
    for tool in package.tools.values():
        for change in tool.changes:
            changed = True
            place = printable(f"{package.directory / tool_file(tool.name)}:{change.pointer}")
            print(f"{place} {style('added', 'cyan')} {json.dumps(change.value)}")
            print(f"  {change.reason}")
    if not changed:
        print(f"{printable(str(package.directory))}: loading adds nothing to its schemas")


def _as_json(loading: Loading, *, explain: bool) -> dict[str, Any]:
    warned = [(each.directory, each.warnings) for each in loading.packages]
    changes = [
        {
            "directory": str(package.directory),
            "file": tool_file(tool.name),
            "pointer": change.pointer,
            "value": change.value,
            "reason": change.reason,
        }
        for package in loading.packages
        for tool in package.tools.values()
        for change in tool.changes
    ]
    return {
        "packages": [
            {"directory": str(package.directory), **package_facts(package)}
            for package in loading.packages
        ],
        "problems": [
            each
            for directory, problems in (*loading.failed.items(), *warned)
            for each in _problems_as_json(directory, problems)
        ],
        **({"changes": changes} if explain else {}),
    }


def _problems_as_json(directory: Path, problems: Sequence[Problem]) -> list[dict[str, str]]:
    return [
        {
            "directory": str(directory),
            "file": problem.file,
            "pointer": problem.pointer,
            "rule": problem.rule,
            "message": problem.message,
            "severity": problem.severity,
        }
        for problem in problems
    ]
