"""What a failed test shows of its bridge: the log since it began, and the last calls."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from bridge.client.bridge_failure import BasculeError
from bridge.client.bridge_runner import StartedBridge
from bridge.client.control_results import CallEvent

__all__ = ["call_lines", "failure_sections"]

_MAX_CALLS: Final = 20
_MAX_LINES: Final = 100


def failure_sections(bridge: StartedBridge, logged: int, since_ms: int) -> list[tuple[str, str]]:
    """Return titles and texts for a report: the log after so many lines, calls since a moment.

    `since_ms` is in Unix milliseconds. What is empty is left out.
    """
    try:
        with bridge.connect() as client:
            calls = call_lines(client.calls(0).events, since_ms)
    except BasculeError as error:
        calls = [f"(the bridge could not be asked: {error.message})"]
    log = bridge.log[logged:][-_MAX_LINES:]
    sections = [("bascule bridge log", "\n".join(log)), ("bascule calls", "\n".join(calls))]
    return [section for section in sections if section[1]]


def call_lines(events: Iterable[CallEvent], since_ms: int) -> list[str]:
    """Return one line for each of the last calls: when, what, and how it ended if it did."""
    recent = [event for event in events if event.at >= since_ms]
    ended = {event.call for event in recent if event.phase == "end"}
    shown = [event for event in recent if event.phase == "end" or event.call not in ended]
    return [_line(event, since_ms) for event in shown[-_MAX_CALLS:]]


def _line(event: CallEvent, since_ms: int) -> str:
    what = event.what if event.action is None else f"{event.method} {event.action}"
    at = f"+{(event.at - since_ms) / 1000:.3f} s"
    if event.phase == "begin":
        return f"{at}  {what}  not answered"
    took = "" if event.duration_ms is None else f" in {event.duration_ms:g} ms"
    return f"{at}  {what}  {'ok' if event.ok else event.code or 'failed'}{took}"
