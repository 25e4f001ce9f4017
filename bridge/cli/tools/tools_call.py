"""`bascule tools call`: one tool of a package, run in this process and by nobody else's leave."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bridge.cli.input.input_options import add_input_options, input_text
from bridge.cli.input.input_words import read_words
from bridge.cli.input.typed_input import typed_input
from bridge.cli.output.json_text import compact, read, read_object
from bridge.cli.output.results import add_json_option, print_line, print_value
from bridge.cli.output.styles import add_color_option
from bridge.cli.output.terminal_text import printable
from bridge.cli.tools.tools_describe import tool_named
from bridge.cli.tools.tools_features import add_features_option, session_of
from bridge.cli.tools.tools_loading import load_one, report_handler
from bridge.cli.usage_error import UsageError
from bridge.contract.error_codes import ExitCode
from bridge.contract.strict_json import StrictJsonError, dumps, loads
from bridge.servers.end_in_time import EndInTime
from bridge.servers.stop_signals import StopRequest, stop_on_signals
from bridge.tools.published_tool import published_input
from bridge.tools.result_limits import RUN_LIMITS
from bridge.tools.tool_result import error_result, failure_code, to_wire
from bridge.tools.tool_runner import ToolRunner

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers
    from bridge.tools.session_context import SessionContext
    from bridge.tools.tool_result import ToolResult

__all__ = ["add_parser", "run"]

_MARGIN_SECONDS: Final = 2.0
"""For a handler that was told to end and does not."""
_EPILOG: Final = """\
examples:
  bascule tools call my-tools greeting_write name=Ada
  bascule tools call my-tools greeting_write 'name:="Ada"' --json
  bascule tools call my-tools greeting_write --input-json '{"name": "Ada"}'

Input is written as for `bascule call`: key=value by the tool's own schema, the key again for each
element of a list, key.member=value for a member of an object, key:=JSON for a value just as it is.

What the tool gives to programs is printed as JSON, or its text where it gives nothing else; an
error's text goes to standard error, and the status is 1. The call has every feature there is,
unless --features names those it has.

Ctrl-C tells a tool that declares `cancellable`, and waits 2 seconds for it; again, and it does not
wait. Nobody asks before the call: what `askOnKeys` names is for agent hosts.
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "tools call",
        help="run a tool of a package",
        usage="bascule tools call DIR TOOL [key=value ...] [options]",
        description="Run a tool of a package here and now, checked and bounded as anywhere else, "
        "and print what it gives.",
        epilog=_EPILOG,
        intermixed=True,
    )
    parser.add_argument("directory", type=Path, metavar="DIR", help="the package")
    parser.add_argument("tool", nargs="?", metavar="TOOL", help="the tool's name")
    parser.add_argument(
        "input_words",
        nargs="*",
        # Without one argparse calls it required.
        default=[],
        metavar="key=value",
        help="its input, as `tools describe` shows",
    )
    add_input_options(parser, "the input that words add to")
    add_features_option(parser)
    add_json_option(parser, "the whole result as MCP has it")
    add_color_option(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the tool, and print what it gave."""
    if args.tool is None:
        # To name what there is, no code of the package is needed.
        (package,) = load_one(args.directory, run=False).packages
        tool_named(package, None, session_of(args))
    given = input_text(args)
    words = read_words(args.input_words)
    loading = load_one(args.directory, run=True)
    (package,) = loading.packages
    session = session_of(args)
    tool = tool_named(package, args.tool, session)
    base = {} if given is None else read_object(given)
    schema = read(json.dumps(published_input(tool)))
    arguments = typed_input(words, schema, base) if words else base
    try:
        plain: Any = loads(compact(arguments).encode())
    except StrictJsonError as error:
        raise UsageError(f"the input cannot be sent: {error}") from None
    runner = ToolRunner(loading.runnable, observe_failure=report_handler)
    # What a handler prints is for its author, and no part of what the tool gives.
    with redirect_stdout(sys.stderr):
        result, stopped = asyncio.run(_call(runner, tool.name, plain, session))
    if not stopped:
        return _print(result, args)
    if failure_code(result) != "INTERRUPTED":
        # It was told, and has ended by itself.
        _print(result, args)
    elif not tool.annotations.is_read_only:
        more = "the tool may have done its work, or part of it: look before you call it again"
        print(f"bascule tools call: {more}", file=sys.stderr)
    raise KeyboardInterrupt


async def _call(
    runner: ToolRunner,
    tool: str,
    arguments: Any,  # noqa: ANN401
    session: SessionContext,
) -> tuple[ToolResult, bool]:
    """Call, and say whether a signal has stopped it: the handler is told then, and has the grace.

    A second signal does not wait for that.
    """
    stop = StopRequest()
    ending = EndInTime(RUN_LIMITS.grace_seconds + _MARGIN_SECONDS, ExitCode.OUTCOME_UNKNOWN)
    with stop_on_signals(stop), ending.after_signals():
        calling = asyncio.create_task(runner.call(tool, arguments, session))
        stopping = asyncio.create_task(stop.requested.wait())
        await asyncio.wait({calling, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if calling.done():
            return calling.result(), False
        ended = asyncio.create_task(runner.stop())
        hurry = asyncio.create_task(stop.hurried.wait())
        await asyncio.wait({calling, hurry}, return_when=asyncio.FIRST_COMPLETED)
        for task in (ended, hurry):
            task.cancel()
        if calling.done():
            return calling.result(), True
        calling.cancel()
        return error_result("", "INTERRUPTED"), True


def _print(result: ToolResult, args: argparse.Namespace) -> int:
    texts = [_printable_lines(each["text"]) for each in result.content if each["type"] == "text"]
    if args.json:
        print_line(dumps(to_wire(result)).decode())
    elif result.is_error:
        told = "\n".join(texts)
        print(f"bascule tools call: {told or 'the tool failed'}", file=sys.stderr)
    elif result.structured_content is not None:
        print_value(read(dumps(result.structured_content)), args)
    else:
        for text in texts:
            print(text)
    return ExitCode.APP_ERROR if result.is_error else ExitCode.DONE


def _printable_lines(text: str) -> str:
    """Return a tool's text for a terminal: its line breaks stay."""
    return "\n".join(map(printable, text.split("\n")))
