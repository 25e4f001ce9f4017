"""`bascule inspect`: the state of an app, as the app tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bridge.cli.app_target import add_app_options, open_app, take_words
from bridge.cli.call_options import add_session_option, add_timeout_option
from bridge.cli.input.input_options import add_input_options, input_text
from bridge.cli.output.results import add_json_option, print_line, print_revision, print_value
from bridge.cli.output.styles import add_color_option
from bridge.contract.error_codes import ExitCode

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers

__all__ = ["add_parser", "run"]

_OF_THE_PROTOCOL: Final = frozenset({"protocolVersion", "revision"})
_EPILOG: Final = """\
examples:
  bascule inspect my-app
  bascule inspect my-app --input-json '{"sinceRevision": 12}' --json

What there is to see, and what can be asked for, is the app's own.
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "inspect",
        help="show the state of an app",
        usage="bascule inspect [APP] [--input-json JSON] [options]",
        description="Show the state of an app, as the app tells it.",
        epilog=_EPILOG,
    )
    add_input_options(parser, "what to ask for")
    add_json_option(parser, "the app's result object")
    add_color_option(parser)
    add_timeout_option(parser)
    add_session_option(parser)
    add_app_options(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the state."""
    take_words(args)
    query = input_text(args)
    with open_app(args) as app:
        result = app.look("state/inspect", query)
    if args.json:
        print_line(result.text)
        return ExitCode.DONE
    shown = {name: value for name, value in result.value.items() if name not in _OF_THE_PROTOCOL}
    print_value(shown, args)
    print_revision(result, args)
    return ExitCode.DONE
