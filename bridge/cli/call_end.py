"""How a call ends for a command: printed, failed, or waited for as a task. Contract: exit codes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from bridge.cli.app_session import ENDED, Result, action_error
from bridge.cli.output.json_text import compact
from bridge.cli.output.results import print_line, print_revision, print_value
from bridge.client.bridge_failure import BasculeError, ClientErrorCode, DeadlineExceeded
from bridge.contract.error_codes import BRIDGE_ERROR_NUMBER, ExitCode, Outcome

if TYPE_CHECKING:
    import argparse

__all__ = [
    "MAX_WAIT_SECONDS",
    "finish_task",
    "print_failure",
    "print_result",
]

MAX_WAIT_SECONDS: Final = 86_400.0
"""How long a command may wait for a deferred result."""


def print_result(result: Result, value: Any, args: argparse.Namespace) -> int:  # noqa: ANN401
    """Print what a call gave."""
    if args.json:
        print_line(result.text)
    else:
        print_value(value, args)
        print_revision(result, args)
    return ExitCode.DONE


def print_failure(error: BasculeError, args: argparse.Namespace) -> int:
    """Print why a call failed, and return the exit status."""
    from bridge.cli.output.failure_report import error_members, report_failure  # noqa: PLC0415

    if args.json:
        print_line(compact({"error": error_members(error, BRIDGE_ERROR_NUMBER)}))
    return report_failure(error, sys.stderr)


def finish_task(result: Result, args: argparse.Namespace) -> int:
    """Print what a task that was waited for came to, and return the exit status."""
    task = result.object_at("task")
    state = task.get("state")
    if state == "failed":
        return print_failure(action_error(task.get("error")), args)
    if state not in ENDED:
        late = DeadlineExceeded(
            ClientErrorCode.DEADLINE_EXCEEDED,
            f"The task {task.get('id')} has not ended in time; it goes on.",
            outcome=Outcome.UNKNOWN,
        )
        return print_failure(late, args)
    if state == "cancelled":
        if args.json:
            print_line(result.text)
        print("bascule: The task was cancelled.", file=sys.stderr)
        return ExitCode.APP_ERROR
    return print_result(result, task.get("output"), args)
