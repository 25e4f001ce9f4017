"""Colours, where whoever reads wants them: on a terminal, unless it is told otherwise."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, TextIO

if TYPE_CHECKING:
    import argparse

__all__ = ["Style", "add_color_option", "wants_color"]

CHOICES: Final = ("auto", "always", "never")
_CODES: Final = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
}


def add_color_option(parser: argparse.ArgumentParser) -> None:
    """Add `--color`."""
    parser.add_argument(
        "--color",
        choices=CHOICES,
        default="auto",
        metavar="WHEN",
        help="auto, always or never; auto is on a terminal, unless NO_COLOR is set",
    )


def wants_color(
    choice: str, *, is_terminal: bool, environ: Mapping[str, str] | None = None
) -> bool:
    """Say whether to colour. What is asked for by an argument comes before the environment."""
    if choice != "auto":
        return choice == "always"
    variables = os.environ if environ is None else environ
    return is_terminal and not variables.get("NO_COLOR") and variables.get("TERM") != "dumb"


class Style:
    """Colours text, or leaves it as it is."""

    def __init__(self, *, on: bool) -> None:
        self.on = on

    @classmethod
    def of(cls, args: argparse.Namespace, stream: TextIO) -> Style:
        """Return the style for a stream, by the options of `add_color_option`."""
        return cls(on=wants_color(args.color, is_terminal=stream.isatty()))

    def __call__(self, text: str, *names: str) -> str:
        """Return text in colours, by their names."""
        if not self.on or not text:
            return text
        codes = ";".join(_CODES[name] for name in names)
        return f"\x1b[{codes}m{text}\x1b[0m"
