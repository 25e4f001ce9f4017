"""A call that waits for a yes of the page's owner: followed until that has been decided on.

The app says so by the progress of the deferred task, `{"reason": "consent"}`. Knows no sockets and
no clock: its time is that of the pauses. Contract: deferred calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Literal

from bridge.client.bridge_failure import BasculeError, DeadlineExceeded
from bridge.client.control_calls import Pause, Steps, call_action, task_and_revision
from bridge.client.control_results import CallResult
from bridge.contract.error_codes import Outcome

if TYPE_CHECKING:
    from bridge.client.control_results import Task

__all__ = ["call_with_consent"]

__tracebackhide__ = True
"""A failed test shows its own line and the error, not ours in between."""

_FIRST_PAUSE_SECONDS: Final = 0.02
_LONGEST_PAUSE_SECONDS: Final = 1.0
_RUNNING_SECONDS: Final = 5.0
"""A call that was let in late is waited for as long as any other is."""


def call_with_consent(
    action: str,
    input_value: object,
    expected_revision: int | Literal["latest"] | None,
    wait: bool,
) -> Steps[CallResult]:
    """Execute an action, and where its owner is asked first, return what came of that.

    Raises the call's error as `ActionError`, a no of the owner's too. What fails while they are
    asked has an unknown outcome: they may say yes later.
    """
    result = yield from call_action(action, input_value, expected_revision)
    if not wait or result.task is None or not _asks(result.task):
        return result
    return (yield from _decided(result.task.id))


def _decided(task_id: str) -> Steps[CallResult]:
    pause, running = _FIRST_PAUSE_SECONDS, 0.0
    asks = True
    try:
        while True:
            task, revision = yield from task_and_revision(task_id)
            if task.error is not None:
                break
            if task.state == "completed":
                return CallResult("completed", task.output, None, revision)
            if asks and not _asks(task):
                # Most calls end soon once they may begin.
                asks, pause = False, _FIRST_PAUSE_SECONDS
            if task.ended or running >= _RUNNING_SECONDS:
                return CallResult("deferred", None, task, revision)
            yield Pause(pause)
            running += 0.0 if asks else pause
            pause = min(pause * 1.5, _LONGEST_PAUSE_SECONDS)
    except DeadlineExceeded as late:
        raise _too_late(late.code, task_id, asks=asks) from None
    except BasculeError as error:
        # To ask for the task failed: that tells nothing of the call, which may begin yet.
        error.outcome = Outcome.UNKNOWN
        raise
    raise task.error


def _asks(task: Task) -> bool:
    progress = task.progress
    return not task.ended and isinstance(progress, Mapping) and progress.get("reason") == "consent"


def _too_late(code: str, task_id: str, *, asks: bool) -> DeadlineExceeded:
    hint = f"wait_task({task_id!r}) waits for it, cancel_task({task_id!r}) takes it back."
    text = (
        "The page's owner has not answered by the deadline; a yes still lets the call run."
        if asks
        else "The call that the page's owner allowed has not ended by the deadline; it goes on."
    )
    return DeadlineExceeded(code, text, hint=hint, outcome=Outcome.UNKNOWN)
