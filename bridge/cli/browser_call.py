"""`bascule browser-call`: one JSON-RPC request to the page, its response on standard output."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Final, NoReturn

from bridge.cli.call_options import add_session_option, add_timeout_option
from bridge.cli.target import Target, add_target_options
from bridge.cli.usage_error import UsageError
from bridge.client.bridge_connection import is_error_response
from bridge.contract.error_codes import ExitCode
from bridge.contract.limits import BRIDGE_LIMITS

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers

__all__ = ["add_parser", "run"]

_EPILOG: Final = """\
examples:
  bascule browser-call agent/info
  bascule browser-call actions/list '{"query": "text"}'
  bascule browser-call actions/execute \\
      '{"action": "document.text.insert", "input": {"text": "Hi", "at": 0}, "expectedRevision": 12}'
  bascule browser-call --timeout 5 state/inspect - < query.json

The response is printed as the page gave it, on one line. An error of the app is a response too:
it is printed, and the exit status is 1.
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "browser-call",
        help="send one call to the attached page",
        description="Send one call to the page that is attached to a bridge, and print its answer.",
        epilog=_EPILOG,
    )
    parser.add_argument("method", metavar="METHOD", help="such as actions/list")
    parser.add_argument(
        "params",
        metavar="PARAMS-JSON",
        nargs="?",
        help="a JSON object; - reads it from standard input",
    )
    add_session_option(parser, "cli-json")
    add_timeout_option(parser)
    add_target_options(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Do the call."""
    request = _request(args.method, args.params)
    with Target.from_arguments(args).choose().connection as connection:
        response = connection.call(args.session, request, args.timeout)
    if response is None:
        return ExitCode.DONE
    shown = response
    if sys.stdout.isatty():
        from bridge.cli.output.terminal_text import json_for_terminal  # noqa: PLC0415 - for people only

        shown = json_for_terminal(response)
    sys.stdout.buffer.write(shown + b"\n")
    sys.stdout.buffer.flush()
    return ExitCode.APP_ERROR if is_error_response(response) else ExitCode.DONE


def _request(method: str, params: str | None) -> bytes:
    if not method or method[0] in '{["' or any(c.isspace() for c in method):
        raise UsageError(
            "METHOD comes first and is a name, such as actions/list; the parameters follow it"
        )
    if params == "-":
        text = sys.stdin.buffer.read(BRIDGE_LIMITS.max_body_bytes + 1)
    else:
        # What was no UTF-8 in the argument becomes no UTF-8 again, and is refused like it.
        text = (params or "").encode("utf-8", "surrogateescape")
    member = b"" if params is None else b',"params":' + text
    if params is not None:
        _check_params(text)
    try:
        name = json.dumps(method, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise UsageError("the method's name is not valid text") from None
    # The text goes as it is, so that every number keeps its digits.
    return b'{"jsonrpc":"2.0","id":1,"method":' + name + member + b"}"


def _check_params(text: bytes) -> None:
    try:
        value = json.loads(
            text.decode(), parse_int=str, parse_float=str, parse_constant=_no_constant
        )
    except (ValueError, RecursionError) as error:
        raise UsageError(f"PARAMS-JSON is not JSON: {error}") from None
    if not isinstance(value, dict | list):
        raise UsageError("PARAMS-JSON must be an object or an array")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")
