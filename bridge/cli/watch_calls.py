"""`bascule watch`: the calls of a bridge as they happen, until Ctrl-C."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from bridge.cli.app_target import add_app_options, choose_bridge, take_words
from bridge.cli.output.call_board import CallBoard, CallLine
from bridge.cli.output.call_words import clock, color_of
from bridge.cli.output.json_text import compact
from bridge.cli.output.results import add_json_option, print_line
from bridge.cli.output.styles import Style, add_color_option
from bridge.cli.output.terminal_text import printable
from bridge.client.bridge_failure import BasculeError
from bridge.contract.error_codes import ExitCode

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser, Subparsers
    from bridge.client.control_results import CallEvent, CallEvents

__all__ = ["add_parser", "line_of", "run"]

_WAIT_SECONDS: Final = 20.0
_LIVE_WAIT_SECONDS: Final = 0.5
"""How often durations on a terminal move on, with nothing new."""
_EPILOG: Final = """\
examples:
  bascule watch my-app
  bascule watch my-app --all | tee calls.log
  bascule watch --json | jq 'select(.phase == "end" and (.ok | not))'

On a terminal it is a table that changes; otherwise each call is a line when it has ended: when,
how long in milliseconds, how, the session, and what. Ctrl-C ends it.
"""


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "watch",
        help="watch the calls of a bridge as they happen",
        usage="bascule watch [APP] [options]",
        description="Watch who calls what, how long it takes and how it ends. Inputs and outputs "
        "are not shown.",
        epilog=_EPILOG,
    )
    parser.add_argument(
        "--all", action="store_true", help="begin with what the bridge still knows of earlier calls"
    )
    add_json_option(parser, "each event as an object")
    add_color_option(parser)
    add_app_options(parser)
    return parser


def run(args: argparse.Namespace) -> int:
    """Watch until an interrupt."""
    from bridge.client.app_client import AppClient  # noqa: PLC0415 - not for --help

    take_words(args)
    chosen = choose_bridge(args)
    try:
        with AppClient(lambda: chosen, session="cli-watch") as app, _view(args) as show:
            seen: int | None = 0 if args.all else None
            wait = _LIVE_WAIT_SECONDS if sys.stdout.isatty() and not args.json else _WAIT_SECONDS
            while True:
                # From now on at once, so that there is something to be after.
                news = app.calls(seen, 0.0 if seen is None else wait)
                seen = news.next
                show(news)
    except KeyboardInterrupt:
        return ExitCode.DONE
    except BasculeError as failure:
        # Nothing can have run: to watch changes nothing.
        failure.outcome = None
        raise


@contextmanager
def _view(args: argparse.Namespace) -> Iterator[Callable[[CallEvents], None]]:
    """Give what shows the news: lines of JSON, lines of text, or a table that changes."""
    if args.json:
        yield _show_json
    elif sys.stdout.isatty():
        from bridge.cli.output.live_calls import live_calls  # noqa: PLC0415 - for terminals only

        with live_calls(args) as show:
            yield show
    else:
        board, style = CallBoard(), Style.of(args, sys.stdout)

        def show_lines(news: CallEvents) -> None:
            if news.missed:
                print(f"bascule: {news.missed} events were missed.", file=sys.stderr)
            for line in board.take(news.events, news.missed):
                print(line_of(line, style), flush=True)

        yield show_lines


def _show_json(news: CallEvents) -> None:
    if news.missed:
        print(f"bascule: {news.missed} events were missed.", file=sys.stderr)
    for event in news.events:
        print_line(compact(_members(event)))


def _members(event: CallEvent) -> dict[str, object]:
    members: dict[str, object] = {
        "seq": int(event.seq),
        "phase": event.phase,
        "call": event.call,
        "session": event.session,
        "method": event.method,
        "action": event.action,
        "at": int(event.at),
        "ok": event.ok,
        "code": event.code,
        "durationMs": None if event.duration_ms is None else float(event.duration_ms),
        "deferred": event.deferred,
    }
    return {name: value for name, value in members.items() if value is not None}


def line_of(line: CallLine, style: Style) -> str:
    """Return the line of a call that ended."""
    duration = "-" if line.duration_ms is None else f"{line.duration_ms:.1f}"
    outcome = style(printable(line.outcome), color_of(line))
    parts = (clock(line.ended_at), duration, outcome, printable(line.session), printable(line.what))
    return "\t".join(parts)
