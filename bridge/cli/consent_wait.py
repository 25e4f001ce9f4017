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
from bridge.cli.output.json_text import compact
from bridge.cli.output.terminal_text import printable
from bridge.cli.stop_signals import TOLD, Stopped
from bridge.client.bridge_failure import BasculeError
from bridge.contract.error_codes import Outcome

__all__ = ["asks_owner", "await_decision", "say_asks", "waits_for_consent"]

_MAX_TEXT_CHARS: Final = 300
_RUNNING_SECONDS: Final = 5.0
"""A call that was let in late is waited for as long as any other is."""


def waits_for_consent(result: Result) -> bool:
    """Say whether a call was deferred because the owner has to be asked."""
    return result.value.get("status") == "deferred" and asks_owner(result.object_at("task"))


def await_decision(app: AppSession, result: Result, deadline: float | None) -> Result:
    """Wait until the owner has decided, and the call has ended or goes on for long.

    Returns the task as `tasks/get` has it. An interruption takes the question away.
    """
    task = result.object_at("task")
    task_id = str(task.get("id"))
    decided_at: float | None = None

    def is_enough(now: Mapping[str, Any]) -> bool:
        nonlocal decided_at
        if asks_owner(now):
            return False
        decided_at = decided_at or time.monotonic()
        return time.monotonic() - decided_at >= _RUNNING_SECONDS

    try:
        say_asks(task, "Ctrl-C takes the question back; --no-wait does not wait.")
        return app.await_task(task_id, deadline, until=is_enough)
    except BasculeError as error:
        # To ask for the task failed: that tells nothing of the call, which may begin yet.
        error.outcome = Outcome.UNKNOWN
        raise
    except KeyboardInterrupt:
        if _withdraw(app, task_id):
            raise KeyboardInterrupt(TOLD) from None
        raise
    except Stopped:
        _withdraw(app, task_id)
        raise


def asks_owner(task: Mapping[str, Any]) -> bool:
    """Say whether a task waits for the owner of the page."""
    progress = task.get("progress")
    return (
        task.get("state") not in ENDED
        and isinstance(progress, Mapping)
        and progress.get("reason") == "consent"
    )


def say_asks(task: Mapping[str, Any], what_to_do: str) -> None:
    """Tell a person that the page asks its owner, in the app's words, and what they can do."""
    progress = task.get("progress")
    told = progress.get("message") if isinstance(progress, Mapping) else None
    text = printable(told[:_MAX_TEXT_CHARS]) if isinstance(told, str) else ""
    print(
        f"Waiting for a yes in the page. {text}\n{what_to_do}",
        file=sys.stderr,
        flush=True,
    )


def _withdraw(app: AppSession, task_id: str) -> bool:
    """Take the question back, and say whether it is known that nothing was run."""
    try:
        task = app.request("tasks/cancel", compact({"id": task_id})).object_at("task")
    except (BasculeError, KeyboardInterrupt, Stopped):
        return False
    if task.get("state") == "cancelled" or asks_owner(task):
        print("bascule: The question was taken back; nothing was run.", file=sys.stderr)
        return True
    print("bascule: The call had begun by then; it was asked to end.", file=sys.stderr)
    return False
