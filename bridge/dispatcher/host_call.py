"""One call of a host's `execute`, from its start to its answer.

An output, or a task where it waits for a person or lasts too long. Contract: the dispatcher,
deferred calls.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from bridge.contract.limits import PROTOCOL_LIMITS
from bridge.dispatcher.action_spec import ActionSpec
from bridge.dispatcher.app_error import AppError
from bridge.dispatcher.checked_host import CheckedHost
from bridge.dispatcher.eventually import Eventually, Later
from bridge.dispatcher.host import CallContext
from bridge.dispatcher.runtime import Runtime
from bridge.dispatcher.task_table import Task, TaskTable, progress_copy
from bridge.dispatcher.turn_queue import GiveUp

__all__ = ["Executed", "HostCall", "Surroundings"]


class Executed(NamedTuple):
    """How a call was answered: by its output, or by the task as which it goes on."""

    output: Any = None
    task: Task | None = None
    revision: int | None = None
    """For a caller outside: the state's, read before the next call could move it."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a call needs of its dispatcher."""

    host: CheckedHost
    tasks: TaskTable
    runtime: Runtime
    on_host_error: Callable[[BaseException], None]
    """Told what a host raised after its call was answered."""
    completed: Callable[[ActionSpec, object], Executed]
    """Checks what a host answered."""


_SLOW: Final = {"reason": "slow", "message": "The app is still working on it; ask for the task."}


class HostCall:
    """One running call.

    A call that is not `external` is never answered as deferred: it only gives up its turn.
    """

    _task: Task | None = None
    _over = False
    _asked: dict[str, Any] | None = None
    """What the handler asked for before its awaitable was there."""
    _answer: Later[Executed] | None = None

    def __init__(
        self,
        around: Surroundings,
        spec: ActionSpec,
        *,
        session: str | None,
        external: bool,
        give_up: GiveUp,
    ) -> None:
        self._around = around
        self._spec = spec
        self._session = session
        self._external = external
        self._give_up = give_up

    def run(self, data: Any) -> Eventually[Executed]:  # noqa: ANN401 - plain data
        """Call the host."""
        around = self._around
        context = CallContext(self._session, self._cancel_requested, self._defer_as)
        given = around.host.execute(self._spec.name, data, context)
        value = around.host.eventually(given)
        if not isinstance(value, Later):
            self._over = True
            return around.completed(self._spec, value)
        later = value
        answer: Later[Executed] = Later(around.runtime)
        self._answer = answer
        cancel_timer = around.runtime.after(PROTOCOL_LIMITS.max_turn_seconds, self._defer_as_slow)

        def end() -> None:
            self._over = True
            cancel_timer()
            if self._task is not None:
                self._finish(self._task, later)
            else:
                answer.follow(later.then(lambda given: around.completed(self._spec, given)))

        if self._asked is not None and not later.settled:
            self._defer(self._asked)
        later.when_settled(end)
        return answer

    def _cancel_requested(self) -> bool:
        return self._task is not None and self._task.cancel_requested

    def _defer_as(self, reason: str, message: str) -> None:
        self._defer(progress_copy({"reason": str(reason), "message": str(message)}))

    def _defer_as_slow(self) -> None:
        # What it waits for was told already, and is still what it waits for.
        if self._task is None:
            self._defer(_SLOW)

    def _defer(self, progress: dict[str, Any]) -> None:
        """Give up the turn and, where it was asked from outside, answer with a task."""
        if self._over:
            return
        if self._answer is None:
            self._asked = progress
            return
        if self._external and self._task is None:
            try:
                task = self._around.tasks.create(self._spec.name)
            except AppError:
                pass  # No place for another task: the caller waits for the call itself.
            else:
                self._task = task
                task.start()
                task.report_waiting(progress)
                self._answer.settle(Executed(task=task))
        elif self._task is not None:
            self._task.report_waiting(progress)
        self._give_up()

    def _finish(self, task: Task, later: Later[object]) -> None:
        try:
            value = later.result()
        except Exception as error:  # noqa: BLE001 - it is the host's, and told as the task's
            # A call that fails after it was asked to cancel has stopped as it was asked to.
            if not task.checkpoint():
                self._fail(task, error)
            return
        try:
            executed = self._around.completed(self._spec, value)
            if executed.task is not None:
                raise TypeError("a deferred call gave another task")
            task.complete(executed.output)
        except Exception as error:  # noqa: BLE001 - as above
            self._fail(task, error)

    def _fail(self, task: Task, error: Exception) -> None:
        task.fail(error)
        self._around.on_host_error(error)
