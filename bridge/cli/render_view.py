"""`bascule render`: an app draws what it shows, and the picture is read into a file."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Final

from bridge.cli.app_session import AppSession, Result
from bridge.cli.app_target import add_app_options, app_word, open_app, take_words
from bridge.cli.call_end import print_failure
from bridge.cli.call_options import add_session_option, add_timeout_option
from bridge.cli.input.action_schema import ActionSchema, closed_set
from bridge.cli.input.input_options import add_input_options, input_text
from bridge.cli.output.json_text import compact, read_object
from bridge.cli.output.results import add_json_option, print_line
from bridge.cli.output.styles import add_color_option
from bridge.cli.output.terminal_text import printable
from bridge.cli.read_resource import add_file_options, print_told, save
from bridge.cli.resource_reading import read_parts
from bridge.cli.usage_error import UsageError
from bridge.client.bridge_failure import BasculeError
from bridge.contract.error_codes import ExitCode

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers

__all__ = ["RENDER_ACTION", "add_parser", "run"]

RENDER_ACTION: Final = "ui.render"
_TYPES: Final = {
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".gif": "image/gif",
    ".pdf": "application/pdf",
}
_FORMAT_KEYS: Final = ("format", "mimeType", "type")
_EPILOG: Final = """\
examples:
  bascule render my-app -o picture.png
  bascule render my-app -o picture.svg scale=2
  bascule render my-app > picture.png

What can be asked for is told by: bascule describe APP ui.render. Where the app can draw in several
formats, the file's ending chooses. A file that is there is never replaced without --force. Without
-o the picture goes to a pipe, and a terminal is told where the app has it.
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "render",
        help="have an app draw what it shows, as a picture",
        usage="bascule render APP [-o FILE] [key=value ...] [options]",
        description="Have an app draw what it shows, and read the picture.",
        epilog=_EPILOG,
        intermixed=True,
    )
    add_file_options(parser)
    add_input_options(parser, "what to ask for, that words add to")
    add_json_option(parser, "the app's result object; with -o: what was read")
    add_color_option(parser)
    add_timeout_option(parser)
    add_session_option(parser)
    add_app_options(parser, ("key=value", "what to ask for"))
    return parser


def run(args: argparse.Namespace) -> int:
    """Render it."""
    words = take_words(args, rest="key=value") if _has_app(args) else list(args.words)
    to_file = args.output not in {None, "-"}
    if args.force and not to_file:
        raise UsageError("--force is for a file: add -o FILE")
    with open_app(args) as app:
        try:
            result = app.look("view/render", _params(args, app, words))
            uri, mime_type = result.text_at("resource"), result.text_at("mimeType")
            if to_file:
                _check_name(args.output, mime_type)
                print_told(args, uri, save(app, uri, args))
            elif args.json:
                print_line(result.text)
            elif sys.stdout.isatty() and args.output is None:
                _tell(result, uri, mime_type, args)
            else:
                _pass_on(app, uri)
        except BasculeError as error:
            return print_failure(error, args)
    return ExitCode.DONE


def _has_app(args: argparse.Namespace) -> bool:
    """Say whether the first word is an app: the only one may be left out, and keys still given."""
    return not args.words or "=" not in args.words[0] or "://" in args.words[0]


def _params(args: argparse.Namespace, app: AppSession, words: list[str]) -> str | None:
    given = input_text(args)
    ending = os.path.splitext(args.output or "")[1].lower()  # noqa: PTH122 - as below
    if not words and ending not in _TYPES:
        return given
    schema = app.describe(RENDER_ACTION).object_at("action").get("inputSchema", True)
    base: dict[str, Any] = {} if given is None else read_object(given)
    made = base
    if words:
        from bridge.cli.input.input_words import read_words  # noqa: PLC0415 - not without words
        from bridge.cli.input.typed_input import typed_input  # noqa: PLC0415

        made = typed_input(read_words(words), schema, base)
    return compact({**_format(ActionSchema(schema), ending), **made})


def _format(schema: ActionSchema, ending: str) -> dict[str, str]:
    """Return what asks for the format of a file's ending, where the app can be asked for it."""
    wanted = {ending[1:], _TYPES.get(ending, "")}
    for key in _FORMAT_KEYS:
        for form in schema.forms_at((key,)):
            for value in closed_set(form):
                if isinstance(value, str) and value.lower() in wanted:
                    return {key: value}
    return {}


def _check_name(name: str, mime_type: str) -> None:
    """Refuse to give a picture the ending of another format."""
    ending = os.path.splitext(name)[1].lower()  # noqa: PTH122 - pathlib costs a call its start
    meant = _TYPES.get(ending)
    drawn = mime_type.partition(";")[0].strip().lower()
    if meant is not None and drawn in _TYPES.values() and drawn != meant:
        fitting = next(end for end, type_ in _TYPES.items() if type_ == drawn)
        raise UsageError(f"the app drew {printable(drawn)}: give the file the ending {fitting}")


def _tell(result: Result, uri: str, mime_type: str, args: argparse.Namespace) -> None:
    import shlex  # noqa: PLC0415 - for people only

    size = f"{result.value.get('width')} by {result.value.get('height')}"
    print(printable(f"{uri}  {mime_type}  {size}"))
    command = f"bascule read {app_word(args)} {shlex.quote(uri)} -o FILE"
    print(printable(f"To have it in a file: {command}"), file=sys.stderr)


def _pass_on(app: AppSession, uri: str) -> None:
    sys.stdout.flush()
    for part in read_parts(app, uri):
        rest = memoryview(part.data)
        while rest:
            rest = rest[os.write(sys.stdout.fileno(), rest) :]
