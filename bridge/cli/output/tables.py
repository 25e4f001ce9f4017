"""Tables of a command: aligned and coloured on a terminal, tab-separated for other programs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from bridge.cli.output.styles import wants_color
from bridge.cli.output.terminal_text import printable, table

if TYPE_CHECKING:
    import argparse

    from rich.console import Console, ConsoleOptions

__all__ = ["Row", "print_table", "terminal_console"]

Row = Sequence[str]
_WIDEST: Final = 10_000
_STATE_STYLES: Final = {
    "attached": "green",
    "completed": "green",
    "ok": "green",
    "suspended": "yellow",
    "waiting": "yellow",
    "running": "cyan",
    "deferred": "cyan",
    "waits for a yes": "yellow",
    "skipped": "yellow",
    "busy": "yellow",
    "pass": "green",
    "fail": "red",
    "skip": "yellow",
    "silent": "red",
    "failed": "red",
    "write": "yellow",
    "read": "green",
}
"""How a word looks wherever it stands alone."""


def print_table(
    rows: Sequence[Row], header: Row, args: argparse.Namespace, *, folds: bool = True
) -> None:
    """Print rows: with their header and in colours on a terminal, else without either.

    Where the terminal is too narrow, cells are folded. Without `folds`, for those that are copied
    from, each row then becomes a block of lines: a heading and a cell on each.
    """
    is_terminal = sys.stdout.isatty()
    color = wants_color(args.color, is_terminal=is_terminal)
    if not is_terminal and not color:
        print(table(rows, header, for_terminal=False), end="")
        return
    from rich import box  # noqa: PLC0415 - slow, and for terminals only
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False)
    for name in header:
        shown.add_column(name, overflow="fold")
    for row in rows:
        # As text: what an app calls itself must not be read as markup.
        shown.add_row(*(Text(printable(cell), _STATE_STYLES.get(cell, "")) for cell in row))
    console = terminal_console(color=color)
    if folds or shown.__rich_measure__(console, _unbounded(console)).maximum <= console.width:
        console.print(shown)
        return
    blocks = Table.grid(padding=(0, 3))
    blocks.add_column(style="bold", no_wrap=True)
    blocks.add_column(overflow="fold")
    for number, row in enumerate(rows):
        if number:
            blocks.add_row()
        for name, cell in zip(header, row, strict=True):
            blocks.add_row(name, Text(printable(cell), _STATE_STYLES.get(cell, "")))
    console.print(blocks)


def _unbounded(console: Console) -> ConsoleOptions:
    return console.options.update(width=_WIDEST)


def terminal_console(*, color: bool) -> Console:
    """Return a console on standard output, in colours or without, whatever it finds itself."""
    from rich.console import Console  # noqa: PLC0415 - slow, and for terminals only

    return Console(
        force_terminal=True,
        no_color=not color,
        color_system="standard" if color else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
