"""A bar on standard error while a command waits: for people at a terminal, nobody else."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from bridge.cli.output.styles import wants_color
from bridge.cli.output.task_progress import task_progress

if TYPE_CHECKING:
    import argparse

    from bridge.cli.app_session import AppSession, Result

__all__ = ["Advance", "await_with_bar", "progress_bar"]


class Advance(Protocol):
    """Shows how far it has come."""

    def __call__(self, fraction: float | None, text: str) -> None:
        """Show a fraction from 0 to 1, None where that is not known, and a safe text."""


@contextmanager
def progress_bar(args: argparse.Namespace) -> Iterator[Advance]:
    """Show a bar for the length of the context; without a terminal there is none.

    It leaves no trace: what the command has to tell comes after it.
    """
    if not sys.stderr.isatty() or args.json:
        yield lambda _fraction, _text: None
        return
    from rich.console import Console  # noqa: PLC0415 - slow, and for terminals only
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn  # noqa: PLC0415

    color = wants_color(args.color, is_terminal=True)
    console = Console(
        stderr=True,
        force_terminal=True,
        no_color=not color,
        color_system="standard" if color else None,
        highlight=False,
        legacy_windows=False,
    )
    columns = (
        BarColumn(bar_width=30),
        TaskProgressColumn(),
        TextColumn("{task.description}", markup=False),
    )
    # No thread of its own: it is drawn when there is news.
    with Progress(*columns, console=console, auto_refresh=False, transient=True) as bar:
        shown = bar.add_task("", total=None)

        def advance(fraction: float | None, text: str) -> None:
            total = None if fraction is None else 1.0
            bar.update(shown, total=total, completed=fraction or 0.0, description=text)
            bar.refresh()

        yield advance


def await_with_bar(
    app: AppSession, task_id: str, deadline: float | None, args: argparse.Namespace
) -> Result:
    """Wait for a task as `AppSession.await_task` does, and show meanwhile how far it says it is."""
    with progress_bar(args) as advance:
        return app.await_task(task_id, deadline, lambda task: advance(*task_progress(task)))
