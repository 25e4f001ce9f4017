"""The live view of `bascule watch` on a terminal: running calls, the last ones, sessions."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from bridge.cli.output.call_board import CallBoard, CallLine
from bridge.cli.output.call_words import clock, color_of
from bridge.cli.output.styles import wants_color
from bridge.cli.output.tables import terminal_console
from bridge.cli.output.terminal_text import printable

if TYPE_CHECKING:
    import argparse

    from bridge.client.control_results import CallEvents

__all__ = ["board_view", "live_calls"]


@contextmanager
def live_calls(
    args: argparse.Namespace, now: Callable[[], float] = time.time
) -> Iterator[Callable[[CallEvents], None]]:
    """Show a table for the length of the context; what is given takes the news."""
    console = terminal_console(color=wants_color(args.color, is_terminal=True))
    board = CallBoard(keep=max(5, console.height - 12))
    # No thread of its own: it is drawn when there is news, and at every wait's end.
    with Live(board_view(board, None), console=console, auto_refresh=False) as live:
        ahead = 0.0

        def show(news: CallEvents) -> None:
            nonlocal ahead
            ahead = news.now - now() * 1000
            board.take(news.events, news.missed)
            if news.events or news.missed or board.running:
                live.update(board_view(board, now() * 1000 + ahead), refresh=True)

        yield show


def board_view(board: CallBoard, now_ms: float | None) -> Group:
    """Return what is drawn. `now_ms` is the bridge's clock; None before it has told it."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False)
    for name, justify in (("AT", "left"), ("MS", "right"), ("OUTCOME", "left")):
        table.add_column(name, justify="right" if justify == "right" else "left", no_wrap=True)
    table.add_column("SESSION", overflow="ellipsis", no_wrap=True, max_width=24)
    table.add_column("CALL", overflow="ellipsis", no_wrap=True)
    for line in reversed(board.running.values()):
        lasts = None if now_ms is None or line.began_at is None else max(0, now_ms - line.began_at)
        _add(table, line, line.began_at, lasts, "cyan")
    for line in board.ended:
        _add(table, line, line.ended_at, line.duration_ms, color_of(line))
    return Group(table, _summary(board))


def _add(table: Table, line: CallLine, at: int | None, ms: float | None, style: str) -> None:
    table.add_row(
        clock(at),
        "-" if ms is None else f"{ms:.1f}",
        Text(printable(line.outcome), style),
        Text(printable(line.session)),
        Text(printable(line.what)),
    )


def _summary(board: CallBoard) -> Text:
    if not board.running and not board.ended:
        return Text("No call yet. Ctrl-C ends.", "dim")
    sessions = ", ".join(
        f"{printable(name)} ({count})" for name, count in reversed(board.sessions.items())
    )
    missed = f"; {board.missed} events missed" if board.missed else ""
    running = len(board.running)
    return Text(f"{running} running; sessions: {sessions or 'none'}{missed}. Ctrl-C ends.", "dim")
