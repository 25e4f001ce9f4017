"""A call that waits for the owner's yes in the page: followed until it has been decided on.

The app says so by the progress of the deferred task, `{"reason": "consent"}`.
Contract: deferred calls.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import Any, Final

from bridge.cli.app_session import ENDED, AppSession, Result
from bridge.cli.json_text import compact
from bridge.cli.stop_signals import Stopped
from bridge.cli.terminal_text import printable
from bridge.client.bridge_failure import BasculeError

__all__ = ["await_decision", "waits_for_consent"]

_MAX_TEXT_CHARS: Final = 300
_RUNNING_SECONDS: Final = 5.0
"""A call that was let in late is waited for as long as any other is."""


def waits_for_consent(result: Result) -> bool:
    """Say whether a call was deferred because the owner has to be asked."""
    return result.value.get("status") == "deferred" and _asks(result.object_at("task"))


def await_decision(app: AppSession, result: Result, deadline: float | None) -> Result:
    """Wait until the owner has decided, and the call has ended or goes on for long.

    Returns the task as `tasks/get` has it. An interruption takes the question away: nothing has
    begun by then.
    """
    task = result.object_at("task")
    task_id = str(task.get("id"))
    decided_at: float | None = None

    def is_enough(now: Mapping[str, Any]) -> bool:
        nonlocal decided_at
        if _asks(now):
            return False
        decided_at = decided_at or time.monotonic()
        return time.monotonic() - decided_at >= _RUNNING_SECONDS

    try:
        _say(task)
        return app.await_task(task_id, deadline, until=is_enough)
    except (KeyboardInterrupt, Stopped):
        _withdraw(app, task_id)
        raise


def _asks(task: Mapping[str, Any]) -> bool:
    progress = task.get("progress")
    return (
        task.get("state") not in ENDED
        and isinstance(progress, Mapping)
        and progress.get("reason") == "consent"
    )


def _say(task: Mapping[str, Any]) -> None:
    progress = task.get("progress")
    told = progress.get("message") if isinstance(progress, Mapping) else None
    text = printable(told[:_MAX_TEXT_CHARS]) if isinstance(told, str) else ""
    print(
        f"Waiting for a yes in the page. {text}\n"
        "Ctrl-C takes the question back; --no-wait does not wait.",
        file=sys.stderr,
        flush=True,
    )


def _withdraw(app: AppSession, task_id: str) -> None:
    try:
        app.request("tasks/cancel", compact({"id": task_id}))
    except (BasculeError, KeyboardInterrupt, Stopped):
        return
    print("bascule: The question was taken back; nothing was run.", file=sys.stderr)
