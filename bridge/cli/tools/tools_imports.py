"""The options that name MCP servers to import from, on the command line or in a file."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bridge.cli.output.json_text import JsonTextError, read_object
from bridge.cli.output.terminal_text import printable
from bridge.cli.usage_error import UsageError
from bridge.tools.outside_server import OutsideCommand

if TYPE_CHECKING:
    import argparse

__all__ = ["add_import_options", "outside_commands"]

_MAX_FILE_BYTES: Final = 1_048_576
_MAX_NAME_CHARS: Final = 64
_NAMED: Final = re.compile(r"([A-Za-z0-9_-]{1,64})=")
_KEYS: Final = ("mcpServers", "servers")
"""The second is VS Code's."""
_REMOTE: Final = ("url", "serverUrl", "httpUrl")
"""What a server has that is reached over HTTP, by clients that differ."""
_FORM: Final = (
    '{"mcpServers": {"NAME": {"command": "...", "args": [...], "env": {...}, "cwd": "..."}}}'
)


def add_import_options(parser: argparse.ArgumentParser) -> None:
    """Add `--import` and `--import-file`."""
    parser.add_argument(
        "--import",
        action="append",
        default=[],
        dest="imports",
        metavar="[NAME=]COMMAND",
        help="start an MCP server by a command and its arguments, in quotes, and serve its tools "
        "as well, under a name of your own or its program's; may be given again",
    )
    parser.add_argument(
        "--import-file",
        action="append",
        default=[],
        dest="import_files",
        type=Path,
        metavar="FILE",
        help="the same for the servers of an MCP client's configuration file, except disabled ones "
        "and those that are reached by an address",
    )


def outside_commands(args: argparse.Namespace) -> list[OutsideCommand]:
    """Return the servers that were named. Raises `UsageError`.

    Standard error is told of those that no command starts: a client's file has them too.
    """
    found: dict[str, OutsideCommand] = {}
    for number, text in enumerate(args.imports, 1):
        command = _of_words(text)
        name = command.name if command.name not in found else f"{command.name}-{number}"
        found[name] = command._replace(name=name)
    for path in args.import_files:
        for command in _of_file(path):
            if command.name in found:
                raise UsageError(f"two servers are called {printable(command.name)}")
            found[command.name] = command
    return list(found.values())


def _of_words(text: str) -> OutsideCommand:
    named = _NAMED.match(text)
    if named is not None:
        text = text[named.end() :]
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"--import: {error}") from None
    if not words:
        raise UsageError("--import: a command is missing")
    name = Path(words[0]).name[:_MAX_NAME_CHARS] if named is None else named[1]
    return OutsideCommand(name, tuple(words))


def _of_file(path: Path) -> Iterator[OutsideCommand]:
    shown = printable(str(path))
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_FILE_BYTES + 1)
    except OSError as error:
        raise UsageError(f"--import-file: {shown}: {error.strerror}") from None
    if len(data) > _MAX_FILE_BYTES:
        raise UsageError(f"--import-file: {shown}: more than {_MAX_FILE_BYTES:,} bytes")
    try:
        told_all = read_object(data)
    except JsonTextError as error:
        raise UsageError(f"--import-file: {shown}: {error}") from None
    servers = next((told_all[key] for key in _KEYS if key in told_all), None)
    if not isinstance(servers, dict) or not servers:
        raise UsageError(f"--import-file: {shown}: it is not {_FORM}")
    for name, told in servers.items():
        if isinstance(told, dict) and told.get("disabled") is True:
            continue
        if _is_remote(told):
            print(
                f"bascule tools serve: {shown}: {printable(name[:_MAX_NAME_CHARS])} is reached by "
                "an address, and left out: only servers that a command starts are imported",
                file=sys.stderr,
            )
            continue
        command = _of_entry(name, told)
        if command is None:
            raise UsageError(
                f"--import-file: {shown}: the server {printable(name[:_MAX_NAME_CHARS])} is not"
                f" started by a command: it takes {_FORM}"
            )
        yield command


def _is_remote(told: object) -> bool:
    return (
        isinstance(told, dict)
        and "command" not in told
        and any(type(told.get(key)) is str for key in _REMOTE)
    )


def _of_entry(name: str, told: Any) -> OutsideCommand | None:  # noqa: ANN401 - from a file
    if not isinstance(told, dict) or not 0 < len(name) <= _MAX_NAME_CHARS:
        return None
    program, words, environment = told.get("command"), told.get("args", []), told.get("env", {})
    directory = told.get("cwd")
    if directory is not None and type(directory) is not str:
        return None
    # Numbers are texts of a kind here, and a configuration's mistake.
    if type(program) is not str or not program or not isinstance(words, list):
        return None
    if not isinstance(environment, dict):
        return None
    if any(type(each) is not str for each in (*words, *environment.values())):
        return None
    return OutsideCommand(name, (program, *words), environment, directory)
