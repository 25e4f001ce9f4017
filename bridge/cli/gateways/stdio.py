"""`bascule stdio`: JSON-RPC lines between standard input and output and any app."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from bridge.cli.app_target import add_app_options, choose_app_quietly, take_words
from bridge.cli.call_options import add_timeout_option, session_name
from bridge.cli.gateways.protocol_option import add_protocol_options
from bridge.cli.gateways.stdio_protocols import serve_stdio

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers

__all__ = ["add_parser", "run"]

_EPILOG: Final = """\
examples:
  printf '%s\\n' '{"jsonrpc":"2.0","id":1,"method":"agent/info"}' | bascule stdio my-app
  bascule stdio my-app --protocol json < calls.ndjson > answers.ndjson
  bascule stdio my-app --protocol mcp

One line of at most 1 MiB is one message; every request is answered with one line, in order, and a
notification with none. Where a call cannot be brought to an answer, the answer is a JSON-RPC error
-32000 whose data has a code and the outcome: not_delivered (trying again is safe) or unknown (it
may have run). An app that ended is looked for again.

With --protocol mcp it is an MCP server, started by an MCP client: what a server is, it says whether
the app is there or not, calls run at once and beside each other, and no app at the start is no
error. `bascule mcp-config` prints the entry for a client's configuration.
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "stdio",
        help="pass JSON-RPC lines between standard input and an app",
        usage="bascule stdio [APP] [--protocol json|mcp] [options]",
        description="Pass JSON-RPC messages, one per line, between standard input and output and "
        "an app, in a browser or native, until the input ends.",
        epilog=_EPILOG,
    )
    add_protocol_options(parser, ("json", "mcp", "auto"))
    parser.add_argument(
        "--session",
        type=session_name,
        metavar="NAME",
        help="the protocol session in a page (default: one of its own for each run)",
    )
    add_timeout_option(parser)
    add_app_options(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Serve lines until the input ends or a signal comes."""
    take_words(args)
    return serve_stdio(partial(choose_app_quietly, args), args)
