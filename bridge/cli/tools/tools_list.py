"""`bascule tools list`: the tools of packages."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bridge.cli.output.results import add_json_option, print_line
from bridge.cli.output.styles import add_color_option
from bridge.cli.output.tables import print_table
from bridge.cli.tools.tools_features import add_features_option, session_of
from bridge.cli.tools.tools_loading import load_all
from bridge.contract.error_codes import ExitCode
from bridge.tools.feature_gate import is_visible

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers
    from bridge.tools.package import Package
    from bridge.tools.tool_definition import ToolDefinition

__all__ = ["add_parser", "run"]

_EPILOG: Final = """\
examples:
  bascule tools list my-tools
  bascule tools list my-tools --features weather.read,drive.write
  bascule tools list packages/* --json | jq -r '.[] | select(.category == "write").name'

Without a terminal the columns are separated by tabs and have no heading.
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "tools list",
        help="list the tools of packages",
        usage="bascule tools list DIR ... [options]",
        description="List the tools of packages: what each is called and does, and the category "
        "by which it is approved.",
        epilog=_EPILOG,
    )
    parser.add_argument("directories", type=Path, nargs="+", metavar="DIR", help="a package")
    add_features_option(parser)
    add_json_option(parser, "an array of objects")
    add_color_option(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the list. A package that does not load is told on standard error."""
    loading = load_all(args.directories, run=False)
    status = ExitCode.APP_ERROR if loading.failed else ExitCode.DONE
    session = session_of(args)
    found = [
        (package, tool)
        for package in loading.packages
        for tool in package.tools.values()
        if is_visible(tool, session)
    ]
    if args.json:
        listed = [_as_json(package, tool) for package, tool in found]
        print_line(json.dumps(listed, ensure_ascii=False))
        return status
    if not found:
        print("There is no tool.", file=sys.stderr)
        return status
    rows = [
        (
            tool.name,
            tool.annotations.category,
            package.name,
            tool.description,
            ", ".join(sorted(tool.required_features)),
        )
        for package, tool in found
    ]
    print_table(rows, ("TOOL", "CATEGORY", "PACKAGE", "DESCRIPTION", "NEEDS"), args)
    return status


def _as_json(package: Package, tool: ToolDefinition) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "package": package.name,
        "category": tool.annotations.category,
        "readOnly": tool.annotations.is_read_only,
        "destructive": tool.annotations.is_destructive,
        "features": sorted(tool.required_features),
    }
