"""`bascule browser-stdio`: JSON-RPC lines between standard input and output and the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bridge.cli.call_options import add_timeout_option, session_name
from bridge.cli.gateways.protocol_option import add_protocol_options
from bridge.cli.gateways.stdio_protocols import serve_stdio
from bridge.cli.target import ChosenBridge, Target, add_target_options

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers

__all__ = ["add_parser", "run"]

_EPILOG: Final = """\
examples:
  printf '%s\\n' '{"jsonrpc":"2.0","id":1,"method":"agent/info"}' | bascule browser-stdio
  bascule browser-stdio --app "My editor" < calls.ndjson > answers.ndjson

One line of at most 1 MiB is one message; every request is answered with one line, in order, and a
notification with none. Where the bridge cannot bring a call to an answer, the answer is a JSON-RPC
error -32000 whose data has the bridge's code and the outcome: not_delivered (trying again is safe)
or unknown (it may have run).

Started by an MCP client it is an MCP server, with bridge and page or without them: calls then say
what to do, run beside each other, and work as soon as a page is attached. `bascule mcp-config`
prints the entry for a client's configuration.
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "browser-stdio",
        help="pass JSON-RPC lines between standard input and the page",
        description="Pass JSON-RPC messages, one per line, between standard input and output and "
        "the page that is attached to a bridge, until the input ends.",
        epilog=_EPILOG,
    )
    add_protocol_options(parser, ("auto", "json", "mcp"))
    parser.add_argument(
        "--session",
        type=session_name,
        metavar="NAME",
        help="the protocol session in the page (default: one of its own for each run)",
    )
    add_timeout_option(parser)
    add_target_options(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Serve lines until the input ends or a signal comes."""

    def choose() -> ChosenBridge:
        # Read at each choice: a bridge that was started again has written another token.
        return Target.from_arguments(args, warn=False).choose()

    return serve_stdio(choose, args)
