"""The argument parser of all commands: examples kept as written, and no secret in any error."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from typing import Any, Final, NoReturn, TypeAlias

from bridge.cli.quick_parser import WORDS, QuickCommand
from bridge.cli.usage_error import UsageError

__all__ = ["CommandParser", "Parser", "Subparsers", "UsageError", "hide_secrets"]

_LONG_WORD: Final = r"[A-Za-z0-9_-]{40,}"


class _Help(argparse.RawDescriptionHelpFormatter):
    """Keeps examples as written, and each command on one line."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Fill paragraphs, and keep examples and lists as they are written."""
        import textwrap  # noqa: PLC0415 - for help only

        blocks = text.rstrip().split("\n\n")
        filled = [block if "\n " in block else textwrap.fill(block, width) for block in blocks]
        return textwrap.indent("\n\n".join(filled), indent)

    def add_argument(self, action: argparse.Action) -> None:
        """Leave out the words, which the command describes one by one."""
        if action.dest != WORDS:
            super().add_argument(action)

    def __init__(self, prog: str) -> None:
        # Given here, since argparse makes one for each argument, and loads shutil to ask for it.
        super().__init__(prog, max_help_position=26, width=_terminal_width() - 2)


def _terminal_width() -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdecimal() and int(columns[:5]) > 0:
        return int(columns[:5])
    try:
        stream = sys.__stdout__
        return 80 if stream is None else os.get_terminal_size(stream.fileno()).columns or 80
    except (ValueError, OSError):
        return 80


class Parser(argparse.ArgumentParser):
    """A parser that quotes an argument it does not understand only when it can be no token.

    `intermixed` lets options stand between the words of a command that takes any number of them.
    """

    def __init__(self, *, intermixed: bool = False, **options: object) -> None:
        options.setdefault("formatter_class", _Help)
        # An abbreviation that works today is ambiguous after the next option.
        options.setdefault("allow_abbrev", False)
        super().__init__(**options)  # type: ignore[arg-type]
        self._intermixed = intermixed

    def parse_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        """Parse, and name the options that an unknown one may have been meant for."""
        parse = self.parse_known_intermixed_args if self._intermixed else self.parse_known_args
        parsed, rest = parse(args, namespace)
        if rest:
            meant = self._meant(rest)
            self.error(f"unrecognized arguments: {' '.join(rest)}{'.' if meant else ''}{meant}")
        return parsed

    def option_strings(self) -> dict[str, argparse.Action]:
        """Return every option and what it does."""
        return {
            option: action
            for action in self._actions
            for option in action.option_strings
            if action.help != argparse.SUPPRESS
        }

    def error(self, message: str) -> NoReturn:
        """Print the usage and leave with status 2."""
        super().error(hide_secrets(message))

    def _meant(self, words: Sequence[str]) -> str:
        from bridge.cli.suggestions import did_you_mean  # noqa: PLC0415 - for mistakes only

        for word in words:
            option = word.partition("=")[0]
            if option.startswith("--") and (
                meant := did_you_mean(option, [o for o in self.option_strings() if o[1] == "-"])
            ):
                return meant
        return ""


class CommandParser:
    """Stands in for argparse's subparsers where one command's parser is all that is needed."""

    parser: Parser
    """What a command made by its one call of `add_parser`."""

    def add_parser(self, name: str, *, help: str, **options: Any) -> Parser:  # noqa: A002, ANN401
        """Make the parser of one command, under its own name."""
        del help
        self.parser = Parser(prog=f"bascule {name}", **options)
        return self.parser


Subparsers: TypeAlias = "CommandParser | QuickCommand | argparse._SubParsersAction[Parser]"  # noqa: SLF001


def hide_secrets(text: str) -> str:
    """Return a text without whatever could be a token in it."""
    return re.sub(_LONG_WORD, "[hidden]", text)
