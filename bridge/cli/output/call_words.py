"""How a call of a bridge is shown, in a line or a table: its time of day, the colour of its end."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from bridge.cli.output.call_board import ASKS, GOES_ON

if TYPE_CHECKING:
    from bridge.cli.output.call_board import CallLine

__all__ = ["clock", "color_of"]


def color_of(line: CallLine) -> str:
    """Return the colour in which the outcome of a call that ended is shown."""
    if line.outcome == "ok":
        return "green"
    return "yellow" if line.outcome in {ASKS, GOES_ON} else "red"


def clock(at: int | None) -> str:
    """Return a time of day on this machine."""
    if at is None:
        return "-"
    moment = datetime.fromtimestamp(at / 1000).astimezone()
    return f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03}"
