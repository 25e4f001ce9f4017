"""The argument parser of all commands: examples kept as written, and no secret in any error."""

from __future__ import annotations

import argparse
import re
from typing import Final, NoReturn, TypeAlias

__all__ = ["Parser", "Subparsers", "UsageError", "hide_secrets"]

_LIKE_A_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{40,}")


class UsageError(Exception):
    """The command was called in a wrong way. The message is for people and has no secret."""


class _Help(argparse.RawDescriptionHelpFormatter):
    """Keeps examples as written, and each command on one line."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26)


class Parser(argparse.ArgumentParser):
    """A parser that quotes an argument it does not understand only when it can be no token."""

    def __init__(self, **options: object) -> None:
        options.setdefault("formatter_class", _Help)
        # An abbreviation that works today is ambiguous after the next option.
        options.setdefault("allow_abbrev", False)
        super().__init__(**options)  # type: ignore[arg-type]

    def error(self, message: str) -> NoReturn:
        """Print the usage and leave with status 2."""
        super().error(hide_secrets(message))


Subparsers: TypeAlias = "argparse._SubParsersAction[Parser]"  # noqa: SLF001 - has no public name


def hide_secrets(text: str) -> str:
    """Return a text without whatever could be a token in it."""
    return _LIKE_A_TOKEN.sub("[hidden]", text)
