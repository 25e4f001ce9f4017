"""`bascule actions`: what an app can do."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from bridge.cli.app_target import add_app_options, open_app, take_words
from bridge.cli.call_options import add_session_option, add_timeout_option
from bridge.cli.output.json_text import compact
from bridge.cli.output.results import add_json_option, print_line
from bridge.cli.output.styles import add_color_option
from bridge.cli.output.tables import print_table
from bridge.contract.error_codes import ExitCode

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers

__all__ = ["add_parser", "run"]

_EPILOG: Final = """\
examples:
  bascule actions my-app
  bascule actions my-app --query "insert text"
  bascule actions --json | jq -r '.[].name'

The query's words all have to be in an action's name or description. Without a terminal the columns
are separated by tabs and have no heading.
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "actions",
        help="list what an app can do",
        usage="bascule actions [APP] [--query WORDS] [options]",
        description="List the actions of an app: what each is called and does, whether it "
        "changes anything, and whether it can be called now.",
        epilog=_EPILOG,
    )
    parser.add_argument("--query", metavar="WORDS", help="only those that have all these words")
    add_json_option(parser, "an array of objects")
    add_color_option(parser)
    add_timeout_option(parser)
    add_session_option(parser)
    add_app_options(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the list."""
    take_words(args)
    with open_app(args) as app:
        actions = app.actions(args.query)
    if args.json:
        print_line(compact(actions))
        return ExitCode.DONE
    if not actions:
        which = "no action" if args.query is None else "no such action"
        print(f"The app has {which}.", file=sys.stderr)
        return ExitCode.DONE
    rows = [
        (
            _text(action, "name"),
            _text(action, "kind"),
            _availability(action),
            _text(action, "description"),
        )
        for action in actions
    ]
    print_table(rows, ("ACTION", "KIND", "AVAILABLE", "DESCRIPTION"), args)
    return ExitCode.DONE


def _text(action: dict[str, Any], name: str) -> str:
    value = action.get(name)
    return value if isinstance(value, str) else "-"


def _availability(action: dict[str, Any]) -> str:
    if action.get("available") is True:
        return "yes"
    why = action.get("unavailable")
    reason = why.get("reason") if isinstance(why, dict) else None
    return f"no: {reason}" if isinstance(reason, str) and reason else "no"
