"""Work that goes on after its call was answered.

The host drives a task at points where it is safe to stop; a request to cancel is `cancelling`
first and `cancelled` at such a point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from bridge.contract.error_codes import AppErrorCode
from bridge.contract.limits import JSON_LIMITS
from bridge.dispatcher.app_error import AppError
from bridge.dispatcher.json_copy import json_copy, output_error
from bridge.dispatcher.observers import Observers

__all__ = ["Task", "TaskState", "TaskTable", "progress_copy"]


class TaskState(StrEnum):
    """How a task stands."""

    QUEUED = "queued"
    RUNNING = "running"
    CANCELLING = "cancelling"
    """It was asked to stop and has not come to a safe point yet."""
    CANCELLED = "cancelled"
    COMPLETED = "completed"
    FAILED = "failed"


_ENDS: Final = frozenset({TaskState.COMPLETED, TaskState.FAILED})
_STEPS: Final[Mapping[TaskState, frozenset[TaskState]]] = MappingProxyType(
    {
        TaskState.QUEUED: _ENDS | {TaskState.RUNNING, TaskState.CANCELLING},
        TaskState.RUNNING: _ENDS | {TaskState.CANCELLING},
        TaskState.CANCELLING: _ENDS | {TaskState.CANCELLED},
        TaskState.CANCELLED: frozenset(),
        TaskState.COMPLETED: frozenset(),
        TaskState.FAILED: frozenset(),
    }
)
_MAX_TASKS: Final = 256
_PROGRESS_LIMITS: Final = JSON_LIMITS._replace(max_encoded_bytes=4_096, max_depth=8)


def progress_copy(progress: object) -> dict[str, Any]:
    """Copy what is told of a task. Raises `ValueError` for no object of at most 4 KiB of JSON."""
    copy = json_copy(progress, _PROGRESS_LIMITS)
    if not isinstance(copy, dict):
        raise ValueError("progress is an object")
    return copy


class Task:
    """One piece of work. Made by `TaskTable.create`."""

    def __init__(self, task_id: str, action: str) -> None:
        self.id = task_id
        self.action = action
        self.state = TaskState.QUEUED
        self.progress: dict[str, Any] | None = None
        self._waits = False
        self.output: Any = None
        self.error: Exception | None = None
        self._judge: Callable[[Any], None] = lambda _output: None
        self._observers: Observers[Task] = Observers()

    def on_change(self, observer: Callable[[Task], object]) -> Callable[[], None]:
        """Watch it; the result ends the watching. What the observer raises changes nothing."""
        return self._observers.add(observer)

    @property
    def ended(self) -> bool:
        """Whether it has come to an end."""
        return not _STEPS[self.state]

    @property
    def cancel_requested(self) -> bool:
        """Whether somebody asked to cancel it and it has not come to a checkpoint since."""
        return self.state is TaskState.CANCELLING

    def start(self) -> bool:
        """Say that work has begun."""
        return self._move(TaskState.RUNNING)

    def report(self, progress: Mapping[str, Any]) -> None:
        """Say how it goes on, to whoever asks: an object of at most 4 KiB of JSON.

        Raises `ValueError` for anything else: it is the app's mistake.
        """
        self._report(progress, waits=False)

    def report_waiting(self, progress: Mapping[str, Any]) -> None:
        """Say, as by `report`, what its caller waits for: that ends with the task."""
        self._report(progress, waits=True)

    def _report(self, progress: Mapping[str, Any], *, waits: bool) -> None:
        copy = progress_copy(progress)
        if not self.ended:
            self.progress, self._waits = copy, waits
            self._observers.notify(self)

    def checkpoint(self) -> bool:
        """Say that it is safe to stop here. True: stop now; the task is then cancelled."""
        return self._move(TaskState.CANCELLED)

    def complete(self, output: object) -> None:
        """End it with its output, a copy of plain data.

        It has failed instead where the output is not what the action promises.
        """
        try:
            copy = json_copy(output)
            self._judge(copy)
        except Exception as error:  # noqa: BLE001 - the output may do anything when it is read
            self.fail(output_error(error, output))
            return
        self._move(TaskState.COMPLETED, output=copy)

    def judge_output(self, judge: Callable[[Any], None]) -> None:
        """Bind the task to what its action promises; it may have been completed before.

        The dispatcher does this when it is given the task. `judge` raises for an output that
        breaks the promise.
        """
        self._judge = judge
        if self.state is not TaskState.COMPLETED:
            return
        try:
            judge(self.output)
        except Exception as error:  # noqa: BLE001 - told to whoever asks for the task
            self.state = TaskState.FAILED
            self.output = None
            self.error = error
            self._observers.notify(self)

    def fail(self, error: Exception) -> None:
        """End it. An `AppError` is told as it is, anything else as `HOST_ERROR`."""
        self._move(TaskState.FAILED, error=error)

    def cancel(self) -> None:
        """Ask to cancel; what has ended stays as it is."""
        self._move(TaskState.CANCELLING)

    def _move(
        self,
        following: TaskState,
        *,
        output: Any = None,  # noqa: ANN401 - any JSON
        error: Exception | None = None,
    ) -> bool:
        """Take a step, where there is such a step."""
        if following not in _STEPS[self.state]:
            return False
        self.state, self.output, self.error = following, output, error
        # Of a task that was cancelled it would say that somebody is asked still.
        if self.ended and self._waits:
            self.progress = None
        self._observers.notify(self)
        return True


class TaskTable:
    """The tasks of one app, the newest 256 of them."""

    def __init__(self) -> None:
        self._tasks: dict[str, Task] = {}
        self._count = 0

    def __len__(self) -> int:
        return len(self._tasks)

    def create(self, action: str) -> Task:
        """Make a task. Ended ones make room, oldest first.

        Raises `AppError` `LIMIT_EXCEEDED` when every place holds unfinished work.
        """
        if len(self._tasks) >= _MAX_TASKS:
            ended = next((task for task in self._tasks.values() if task.ended), None)
            if ended is None:
                raise AppError(
                    AppErrorCode.LIMIT_EXCEEDED,
                    "Too many tasks are unfinished; wait for one.",
                    {"limit": "tasks", "maximum": _MAX_TASKS},
                )
            del self._tasks[ended.id]
        self._count += 1
        task = Task(f"task-{self._count}", action)
        self._tasks[task.id] = task
        return task

    def owns(self, task: Task) -> bool:
        """Say whether a task was made here and is still kept."""
        return self._tasks.get(task.id) is task

    def get(self, task_id: str) -> Task:
        """Find a task. Raises `AppError` `UNKNOWN_TASK`."""
        task = self._tasks.get(task_id)
        if task is None:
            raise AppError(AppErrorCode.UNKNOWN_TASK, "No task has this id (any more).")
        return task
