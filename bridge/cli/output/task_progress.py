"""How far a task says it has come: a fraction and a text, of whatever its app reports.

An app's progress is its own object; known here are `done` or `completed` of `total`,
`fraction`, `percent`, and a text in `message`, `stage`, `phase` or `reason`. That the owner of the
page is asked is told in words of our own, which the bar has room for. Contract: tasks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from bridge.cli.consent_wait import asks_owner
from bridge.cli.output.json_text import NumberText
from bridge.cli.output.terminal_text import printable

__all__ = ["TaskProgress", "task_progress"]

_MAX_TEXT_CHARS: Final = 60
_TEXTS: Final = ("message", "stage", "phase", "reason")
_ASKS: Final = "waits for a yes in the page"


class TaskProgress(NamedTuple):
    """What can be shown of a task that has not ended."""

    fraction: float | None
    """From 0 to 1; None where that is not told."""
    text: str
    """Safe to print; the state where nothing else is told."""


def task_progress(task: Mapping[str, Any]) -> TaskProgress:
    """Read the progress of a task, which may be anything."""
    told = task.get("progress")
    progress = told if isinstance(told, Mapping) else {}
    texts = (progress.get(name) for name in _TEXTS)
    state = task.get("state")
    text = next((t for t in (*texts, state) if type(t) is str and t), "")
    if asks_owner(task):
        text = _ASKS
    return TaskProgress(_fraction(progress), printable(text[:_MAX_TEXT_CHARS]))


def _fraction(progress: Mapping[str, Any]) -> float | None:
    done, total = _number(progress.get("done")), _number(progress.get("total"))
    if done is None:
        done = _number(progress.get("completed"))
    percent, fraction = _number(progress.get("percent")), _number(progress.get("fraction"))
    if done is not None and total:
        fraction = done / total
    elif fraction is None and percent is not None:
        fraction = percent / 100
    return None if fraction is None else min(max(fraction, 0.0), 1.0)


def _number(value: object) -> float | None:
    if not isinstance(value, NumberText):
        return None
    number = float(value)
    return number if number - number == 0 else None
