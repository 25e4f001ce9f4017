"""What the command line says of itself as a whole, and of commands that there are none of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NoReturn

from bridge import __version__
from bridge.cli.commands import COMMANDS
from bridge.cli.parsing import Parser

__all__ = ["parse_without_command"]

_EPILOG: Final = """\
example:
  bascule browser-bridge --origin http://127.0.0.1:8765 --open
  bascule actions my-app
  bascule call my-app document.text.insert text="Hello" at=0 --expected-revision latest

exit status:
  0 done   1 the app answered with an error   2 wrong usage   3 no bridge, or nothing attached
  4 outcome unknown: it may have run   5 refused by the bridge in any other way

environment:
  BASCULE_URL, BASCULE_TOKEN   the bridge to call, where it cannot be found by itself
  BASCULE_LOG                  debug, info, warning or error: what a bridge logs to standard error
  NO_COLOR                     print no colours
"""


def parse_without_command(arguments: Sequence[str]) -> NoReturn:
    """Print help, the version, or what is wrong with the command."""
    width = max(map(len, COMMANDS)) + 2
    listed = "".join(f"\n  {name:<{width}}{command.summary}" for name, command in COMMANDS.items())
    parser = Parser(
        prog="bascule",
        usage="bascule [-h] [--version] [-v] COMMAND ...",
        description="Drive a live web app in an ordinary browser, by the app's own actions.\n\n"
        f"commands:{listed}\n\nbascule COMMAND --help shows examples of each.",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"bascule {__version__}")
    parser.add_argument(
        "-v", "--verbose", action="count", default=0, help="say more on standard error; -vv: all"
    )
    if arguments and not arguments[0].startswith("-"):
        from bridge.cli.suggestions import did_you_mean  # noqa: PLC0415 - for mistakes only

        name = arguments[0]
        parser.error(f"there is no command {name!r}.{did_you_mean(name, COMMANDS)}")
    parser.parse_known_args(arguments)
    parser.error(
        f"unrecognized arguments: {arguments[0]}" if arguments else "a command is missing: COMMAND"
    )
