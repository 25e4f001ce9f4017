"""The options by which a command takes a JSON object: as an argument or from a file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from bridge.cli.output.json_text import JsonTextError, read_object
from bridge.cli.usage_error import UsageError
from bridge.contract.limits import JSON_LIMITS

if TYPE_CHECKING:
    import argparse

__all__ = ["add_input_options", "input_text"]


def add_input_options(parser: argparse.ArgumentParser, what: str) -> None:
    """Add `--input-json` and `--input-file`."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--input-json", metavar="JSON", help=f"{what}, as a JSON object")
    group.add_argument(
        "--input-file", metavar="FILE", help=f"{what}, from a file; - is standard input"
    )


def input_text(args: argparse.Namespace) -> str | None:
    """Return the JSON object that was given, as it was written; None without one.

    Raises `UsageError`.
    """
    if args.input_json is not None:
        option, text = "--input-json", _argument(args.input_json)
    elif args.input_file is not None:
        option, text = "--input-file", _file(args.input_file)
    else:
        return None
    try:
        read_object(text)
    except JsonTextError as error:
        raise UsageError(f"{option}: this is no JSON object: {error}") from None
    return text


def _argument(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError("--input-json: it is not valid text") from None
    return text


def _file(name: str) -> str:
    longest = JSON_LIMITS.max_encoded_bytes
    try:
        if name == "-":
            data = sys.stdin.buffer.read(longest + 1)
        else:
            with open(name, "rb") as file:  # noqa: PTH123 - pathlib costs a call its start
                data = file.read(longest + 1)
        if len(data) > longest:
            raise UsageError(f"--input-file: more than {longest:,} bytes")
        return data.decode()
    except OSError as error:
        raise UsageError(f"--input-file: {name}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"--input-file: {name}: it is not UTF-8") from None
