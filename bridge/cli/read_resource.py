"""`bascule read`: a resource of an app, to a file or to standard output."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from bridge.cli.app_session import AppSession
from bridge.cli.app_target import add_app_options, app_word, open_app, take_words
from bridge.cli.call_end import print_failure
from bridge.cli.call_options import add_session_option, add_timeout_option
from bridge.cli.output.json_text import NumberText, compact
from bridge.cli.output.output_file import OutputFile
from bridge.cli.output.progress_bar import progress_bar
from bridge.cli.output.results import add_json_option, print_line
from bridge.cli.output.styles import add_color_option
from bridge.cli.output.terminal_text import printable
from bridge.cli.resource_reading import Part, read_parts
from bridge.cli.usage_error import UsageError
from bridge.client.bridge_failure import BasculeError
from bridge.contract.error_codes import ExitCode

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers

__all__ = ["add_file_options", "add_parser", "byte_offset", "print_told", "run", "save"]

_MAX_OFFSET_DIGITS: Final = 15
_EPILOG: Final = """\
examples:
  bascule read my-app app:export/1 -o export.json
  bascule read my-app app:export/1 -o export.json --resume
  bascule read my-app app:export/1 | sha256sum

It is read in parts of 64 KiB, each checked against the one before. The file has its name once it
is whole; until then it is FILE.part, which is kept where reading breaks off, and --resume goes on
from its end. A file that is there is never replaced without --force.
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "read",
        help="read a resource of an app into a file",
        usage="bascule read APP URI [-o FILE] [options]",
        description="Read a resource that an app has told of, such as an export's or a picture's.",
        epilog=_EPILOG,
    )
    add_file_options(parser)
    parser.add_argument(
        "--resume", action="store_true", help="go on from the end of an earlier FILE.part"
    )
    parser.add_argument(
        "--offset",
        type=byte_offset,
        metavar="BYTES",
        help="begin there; for standard output",
    )
    add_json_option(parser, "with -o: what was read, as an object")
    add_color_option(parser)
    add_timeout_option(parser)
    add_session_option(parser)
    add_app_options(parser, ("URI", "the resource, as the app named it"))
    return parser


def add_file_options(parser: argparse.ArgumentParser) -> None:
    """Add `--output` and `--force`."""
    parser.add_argument("-o", "--output", metavar="FILE", help="the file; - is standard output")
    parser.add_argument("--force", action="store_true", help="replace a file that is there")


def byte_offset(text: str) -> int:
    """Read a number of bytes, as an argument type."""
    if not (text.isascii() and text.isdecimal() and len(text) <= _MAX_OFFSET_DIGITS):
        from argparse import ArgumentTypeError  # noqa: PLC0415 - for mistakes only

        raise ArgumentTypeError("a number of bytes")
    return int(text)


def run(args: argparse.Namespace) -> int:
    """Read it."""
    (uri,) = take_words(args, "URI")
    to_file = args.output not in {None, "-"}
    if to_file and args.offset is not None:
        raise UsageError("--offset is for standard output; a file goes on with --resume")
    if not to_file and (args.resume or args.force or args.json):
        raise UsageError("--resume, --force and --json are for a file: add -o FILE")
    with open_app(args) as app:
        try:
            if to_file:
                print_told(args, uri, save(app, uri, args, resume=args.resume))
            else:
                _pass_on(app, uri, args)
        except BasculeError as error:
            return print_failure(error, args)
    return ExitCode.DONE


def save(app: AppSession, uri: str, args: argparse.Namespace, *, resume: bool = False) -> Part:
    """Read a resource into the file of the arguments, and return its last part."""
    with OutputFile(args.output, force=args.force, resume=resume) as file:
        with progress_bar(args) as advance:
            last = None
            try:
                for last in read_parts(app, uri, file.offset):
                    file.write(last.data)
                    advance(last.end / last.size if last.size else 1.0, f"{last.end:,} bytes")
            except BaseException:
                if last is not None:
                    again = (
                        f"bascule read {app_word(args)} {_quoted(uri)} -o {_quoted(args.output)}"
                    )
                    hint = f"bascule: {last.end:,} of {last.size:,} bytes are in {file.part_name}."
                    print(f"{printable(hint)} To go on: {again} --resume", file=sys.stderr)
                raise
        if last is None:
            raise AssertionError("a resource has at least one part")
        file.finish()
    return last


def print_told(args: argparse.Namespace, uri: str, last: Part) -> None:
    """Tell what was read, where it does not belong into the data."""
    if args.json:
        told = {
            "uri": uri,
            "mimeType": last.mime_type,
            "size": NumberText(last.size),
            "file": args.output,
        }
        print_line(compact(told))
        return
    text = f"{args.output}: {last.size:,} bytes, {last.mime_type}"
    print(printable(text), file=sys.stderr)


def _pass_on(app: AppSession, uri: str, args: argparse.Namespace) -> None:
    terminal = sys.stdout.isatty()
    sys.stdout.flush()
    for part in read_parts(app, uri, args.offset or 0):
        if terminal and not part.mime_type.startswith(("text/", "application/json")):
            raise UsageError(
                f"a terminal is no place for {printable(part.mime_type)}: add -o FILE, or a pipe"
            )
        data = part.data
        if terminal:
            data = _for_terminal(data.decode("utf-8", "replace")).encode()
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(sys.stdout.fileno(), rest) :]


def _for_terminal(text: str) -> str:
    return "".join(c if c in "\t\n" else printable(c) for c in text)


def _quoted(word: str) -> str:
    import shlex  # noqa: PLC0415 - for hints only

    return shlex.quote(word)
