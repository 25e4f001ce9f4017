"""Waits in the app itself for the end of a task, and tells of its progress meanwhile.

Holds no turn. Where no time passes it does not wait. Contract: MCP, `task_status`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from bridge.dispatcher.dispatcher import Dispatcher
from bridge.dispatcher.in_flight import CallMark
from bridge.dispatcher.methods import task_view
from bridge.dispatcher.runtime import NoRuntimeError
from bridge.dispatcher.task_progress import TaskProgressLines
from bridge.dispatcher.task_table import Task

__all__ = ["TaskWatch"]


class TaskWatch:
    """One wait.

    It ends when the task has ended, when `mark` says that the caller does not want it any more,
    and when calls from outside are shut out.
    """

    def __init__(
        self,
        dispatcher: Dispatcher,
        mark: CallMark,
        progress: TaskProgressLines,
        notify: Callable[[str], None] | None,
    ) -> None:
        self._dispatcher = dispatcher
        self._mark = mark
        self._progress = progress
        self._notify = notify

    async def wait(self, task: Task, seconds: float) -> None:
        """Wait for so long at most."""
        if task.ended or seconds <= 0 or self._mark.cancelled:
            return
        runtime = self._dispatcher.runtime
        try:
            over = runtime.event()
        except NoRuntimeError:
            return

        def look(task: Task) -> None:
            if task.ended:
                over.set()
            else:
                self._tell(task)

        ends = (
            runtime.after(seconds, over.set),
            task.on_change(look),
            self._dispatcher.on_enabled_change(lambda _enabled: over.set()),
            self._mark.on_cancel(over.set),
        )
        try:
            self._tell(task)
            await over
        finally:
            for end in ends:
                end()

    def _tell(self, task: Task) -> None:
        line = self._progress.line(task_view(task))
        if line is not None and self._notify is not None and not self._mark.cancelled:
            # Who takes the lines only listens.
            with suppress(Exception):
                self._notify(line)
