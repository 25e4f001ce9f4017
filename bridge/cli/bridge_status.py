"""`bascule status`: what one bridge is doing, for people or as JSON."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Final

from bridge.cli.app_target import add_app_options, choose_bridge, take_words
from bridge.cli.output.terminal_text import json_for_terminal, printable
from bridge.client.bridge_failure import BridgeFailure
from bridge.contract.error_codes import ExitCode

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers

__all__ = ["add_parser", "run"]

_EPILOG: Final = """\
examples:
  bascule status
  bascule status my-app
  bascule status --origin http://127.0.0.1:8765 --json
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "status",
        help="show what a bridge is doing",
        usage="bascule status [APP] [--json] [options]",
        description="Show what a bridge is doing: the attached page, the calls in hand, counters.",
        epilog=_EPILOG,
    )
    parser.add_argument("--json", action="store_true", help="print the bridge's own JSON")
    add_app_options(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the status."""
    take_words(args)
    try:
        with choose_bridge(args).connection as connection:
            answer = connection.status()
    except BridgeFailure as failure:
        # Nothing can have run: to look changes nothing.
        raise BridgeFailure(failure.code, failure.message, hint=failure.hint) from None
    if args.json:
        line = answer.replace(b"\r", b" ").replace(b"\n", b" ")
        sys.stdout.buffer.write((json_for_terminal(line) if sys.stdout.isatty() else line) + b"\n")
        sys.stdout.buffer.flush()
        return ExitCode.DONE
    status = json.loads(answer)
    rows = {
        "bridge": f"{connection.address.url}, version {_text(status, 'version')}",
        "origin": _text(status, "origin"),
        "up": _duration(status.get("uptimeSeconds")),
        "page": _page(status),
        "calls": _calls(status.get("queue")),
        "sessions": _text(status, "sessions"),
        "counters": _counters(status.get("counters")),
    }
    for name, value in rows.items():
        print(f"{name + ':':<10}{printable(value)}")
    return ExitCode.DONE


def _text(status: dict[str, object], name: str) -> str:
    value = status.get(name)
    return "unknown" if value is None else str(value)


def _page(status: dict[str, object]) -> str:
    app = status.get("app")
    if not isinstance(app, str):
        return "none attached; open the attach link in your browser"
    since = _duration(status.get("attachedSeconds"))
    state = status.get("pageState")
    return f"{app}, attached for {since}" + (f", {state}" if isinstance(state, str) else "")


def _calls(queue: object) -> str:
    if not isinstance(queue, dict):
        return "unknown"
    counts = (queue.get("queued"), queue.get("leased"), queue.get("maximum"))
    return "{} waiting, {} in the page, {} at most".format(*counts)


def _counters(counters: object) -> str:
    if not isinstance(counters, dict):
        return "none"
    return ", ".join(f"{name} {count}" for name, count in counters.items())


def _duration(seconds: object) -> str:
    if not isinstance(seconds, int | float):
        return "unknown"
    whole = int(seconds)
    hours, minutes = divmod(whole // 60, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {whole % 60} s" if minutes else f"{whole} s"
