"""`bascule describe`: what one action takes and gives, and how it is called."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from bridge.cli.app_target import add_app_options, app_word, open_app, take_words
from bridge.cli.call_options import add_session_option, add_timeout_option
from bridge.cli.input.action_example import example_words
from bridge.cli.input.action_schema import ActionSchema, Key, Path
from bridge.cli.input.input_words import written_key
from bridge.cli.output.results import add_json_option, print_line, print_revision
from bridge.cli.output.styles import Style, add_color_option
from bridge.cli.output.terminal_text import printable
from bridge.cli.suggestions import explain_unknown_action
from bridge.client.bridge_failure import BasculeError
from bridge.contract.error_codes import ExitCode

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers

__all__ = ["add_parser", "example_call", "key_lines", "run"]

_WIDEST: Final = 40
_MAX_DEPTH: Final = 3
_MAX_KEYS: Final = 256
_EPILOG: Final = """\
examples:
  bascule describe my-app document.text.insert
  bascule describe my-app document.text.insert --json | jq .action.inputSchema
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "describe",
        help="show what an action takes and gives",
        usage="bascule describe APP ACTION [options]",
        description="Show one action of an app: what it does, its input by keys, what it "
        "gives, and a call of it to start from.",
        epilog=_EPILOG,
    )
    add_json_option(parser, "the app's own description, schemas included")
    add_color_option(parser)
    add_timeout_option(parser)
    add_session_option(parser)
    add_app_options(parser, ("ACTION", "an action's name, as `bascule actions` lists it"))
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the description."""
    (name,) = take_words(args, "ACTION")
    with open_app(args) as app:
        try:
            result = app.describe(name)
        except BasculeError as error:
            explain_unknown_action(error, name, app.actions)
            raise
    if args.json:
        print_line(result.text)
        return ExitCode.DONE
    action, numbered = result.object_at("action"), result.revision is not None
    for line in description_lines(
        action, app_word(args), Style.of(args, sys.stdout), numbered=numbered
    ):
        print(line)
    print_revision(result, args)
    return ExitCode.DONE


def description_lines(
    action: dict[str, Any], app: str, style: Style, *, numbered: bool
) -> Iterator[str]:
    """Yield what is known of an action, for people. `numbered` is as for `example_call`."""
    name = printable(str(action.get("name")))
    yield f"{style(name, 'bold')}  {style(printable(str(action.get('kind'))), 'dim')}"
    if isinstance(action.get("description"), str):
        yield f"  {printable(action['description'])}"
    why = action.get("unavailable")
    if isinstance(why, dict):
        reason = printable(f"{why.get('reason')} [{why.get('code')}]")
        yield f"  {style('not available now:', 'yellow')} {reason}"
    yield ""
    yield from key_lines("input", action.get("inputSchema", True), style)
    yield from key_lines("output", action.get("outputSchema", True), style)
    yield style("call", "bold")
    yield f"  {example_call(action, app, numbered=numbered)}"


def example_call(action: dict[str, Any], app: str, *, numbered: bool) -> str:
    """Return a call of an action as it could be typed.

    `numbered` says that the state it writes to has a revision: only then a write names one.
    """
    words = ["bascule", "call", app, shlex.quote(str(action.get("name")))]
    words += [shlex.quote(word) for word in example_words(action.get("inputSchema", True))]
    if numbered and action.get("kind") == "write":
        words += ["--expected-revision", "latest"]
    return printable(" ".join(words))


def _all_keys(schema: object) -> list[Key]:
    """Return the keys of an object, each followed by those of its own members."""
    reading = ActionSchema(schema)
    found: list[Key] = []

    def add(path: Path, before: str) -> None:
        for key in reading.keys_at(path):
            if len(found) >= _MAX_KEYS:
                return
            inner = (*path, key.name)
            name = f"{before}{written_key((key.name,))}"
            found.append(key._replace(name=name))
            if len(inner) >= _MAX_DEPTH:
                continue
            if key.members:
                add(inner, f"{name}.")
            if key.elements:
                add((*inner, None), f"{name}[].")

    add((), "")
    return found


def key_lines(title: str, schema: object, style: Style) -> Iterator[str]:
    """Yield the keys of an `input` or an `output` under that title, for people.

    Numbers in the schema are `NumberText`.
    """
    keys = _all_keys(schema)
    yield style(title, "bold")
    if not keys:
        yield "  (nothing)" if title == "input" else "  (not declared)"
    rows = []
    for key in keys:
        need = f", {key.bounds}" * bool(key.bounds)
        if title == "input":
            need += ", required" if key.required else f", default {key.default}" * bool(key.default)
        rows.append((printable(key.name), printable(key.type + need), printable(key.description)))
    widths = [min(max((len(row[i]) for row in rows), default=0), _WIDEST) for i in (0, 1)]
    for name, kind, text in rows:
        # Padded before it is coloured: a terminal counts no escape sequence.
        line = f"  {style(name.ljust(widths[0]), 'cyan')}  {kind.ljust(widths[1])}  {text}"
        yield line.rstrip()
    yield ""
