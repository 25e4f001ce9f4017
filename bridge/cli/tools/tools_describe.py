"""`bascule tools describe`: what one tool of a package takes, gives and asks for."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bridge.cli.describe_action import key_lines
from bridge.cli.input.action_example import example_words
from bridge.cli.output.json_text import read
from bridge.cli.output.results import add_json_option, print_line
from bridge.cli.output.styles import Style, add_color_option
from bridge.cli.output.terminal_text import printable
from bridge.cli.tools.tools_loading import load_one
from bridge.cli.usage_error import UsageError
from bridge.contract.error_codes import ExitCode
from bridge.tools.feature_gate import is_visible
from bridge.tools.published_tool import mcp_tool, published_input
from bridge.tools.session_context import LOCAL_SESSION

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers
    from bridge.tools.package import Package
    from bridge.tools.session_context import SessionContext
    from bridge.tools.tool_definition import ToolDefinition

__all__ = ["add_parser", "run", "tool_named"]

_MAX_TOLD: Final = 12
_EPILOG: Final = """\
examples:
  bascule tools describe my-tools greeting_write
  bascule tools describe my-tools greeting_write --json | jq .inputSchema
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "tools describe",
        help="show what a tool takes and gives",
        usage="bascule tools describe DIR TOOL [options]",
        description="Show one tool of a package: what it does, its input by keys, what it gives, "
        "what it asks of whoever calls, and a call of it to start from.",
        epilog=_EPILOG,
    )
    parser.add_argument("directory", type=Path, metavar="DIR", help="the package")
    # Not required: where it is missing, what there is is told.
    parser.add_argument("tool", nargs="?", metavar="TOOL", help="the tool's name")
    add_json_option(parser, "the tool as MCP lists it")
    add_color_option(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the description."""
    (package,) = load_one(args.directory, run=False).packages
    tool = tool_named(package, args.tool, LOCAL_SESSION)
    if args.json:
        print_line(json.dumps(mcp_tool(tool), ensure_ascii=False))
        return ExitCode.DONE
    for line in _lines(tool, args.directory, Style.of(args, sys.stdout)):
        print(line)
    return ExitCode.DONE


def tool_named(package: Package, name: str | None, session: SessionContext) -> ToolDefinition:
    """Return a tool that the session sees.

    Raises `UsageError` where none is named, or there is none of that name for it: a tool that it
    does not see is told in no other way than one that there is not.
    """
    tools = {each.name: each for each in package.tools.values() if is_visible(each, session)}
    if name is None:
        raise UsageError(f"TOOL is missing: {_what_there_is(package, tools)}")
    tool = tools.get(name)
    if tool is None:
        from bridge.cli.suggestions import did_you_mean  # noqa: PLC0415 - for mistakes only

        meant = did_you_mean(name, tools)
        told = _what_there_is(package, tools)
        raise UsageError(f"{package.name} has no such tool.{meant} {told}")
    return tool


def _what_there_is(package: Package, tools: Collection[str]) -> str:
    first = ", ".join(list(tools)[:_MAX_TOLD]) or "no tool"
    more = len(tools) - _MAX_TOLD
    rest = f" and {more} more, which `bascule tools list DIR` lists" if more > 0 else ""
    return f"{package.name} has {first}{rest}."


def _lines(tool: ToolDefinition, directory: Path, style: Style) -> Iterator[str]:
    yield f"{style(tool.name, 'bold')}  {style(tool.annotations.category, 'dim')}"
    yield f"  {printable(tool.description)}"
    yield ""
    schema = read(json.dumps(published_input(tool)))
    yield from key_lines("input", schema, style)
    gives = True if tool.output_schema is None else tool.output_schema
    yield from key_lines("output", read(json.dumps(gives)), style)
    yield style("says of itself", "bold")
    for name, value in _facts(tool):
        yield f"  {style(name.ljust(14), 'cyan')}  {printable(value)}"
    yield ""
    yield style("call", "bold")
    words = [str(directory), tool.name, *example_words(schema)]
    yield printable("  bascule tools call " + " ".join(map(shlex.quote, words)))


def _facts(tool: ToolDefinition) -> Iterator[tuple[str, str]]:
    said = tool.annotations
    effect = "changes nothing" if said.is_read_only else "changes things"
    if said.is_destructive:
        effect += ", and may destroy some"
    if said.idempotent and not said.is_read_only:
        effect += "; safe to repeat"
    yield "effect", effect
    if said.cancellable:
        yield "when stopped", "is told, and ends as soon as it can"
    if said.estimated_duration_ms is not None:
        yield "takes about", f"{said.estimated_duration_ms} ms"
    if tool.required_features:
        yield "needs", ", ".join(sorted(tool.required_features))
    if tool.escalations:
        yield "may ask for", ", ".join(tool.escalations)
    if tool.ask_on_keys:
        # Whoever drives the tool asks; nothing here does.
        keys = " or ".join(tool.ask_on_keys)
        yield "agent hosts", f"ask a person first where the call has {keys}; a terminal does not"
    yield "shown as", tool.ui.card_type or tool.presentation
