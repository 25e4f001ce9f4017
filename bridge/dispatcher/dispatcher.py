"""Runs an app's actions through one set of checks, for the app's own buttons and for terminals.

It starts disabled; who may reach it from outside is the app's explicit decision. Knows actions,
revisions, turns and tasks; knows no protocol and no event loop. Belongs to one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, Literal, NamedTuple

from bridge.contract.error_codes import AppErrorCode
from bridge.dispatcher.action_spec import ActionSpec
from bridge.dispatcher.app_error import AppError, contract_code
from bridge.dispatcher.batch import BatchResult, OrderedBatch
from bridge.dispatcher.call_checks import (
    CallChecks,
    Expired,
    ExternalCall,
    action_named,
)
from bridge.dispatcher.call_observers import CallEvent, CallObservers
from bridge.dispatcher.checked_host import CheckedHost
from bridge.dispatcher.eventually import Eventually, Later, and_then, called, watched
from bridge.dispatcher.host import Host, Resource, Unavailability
from bridge.dispatcher.host_call import Executed, HostCall, Surroundings
from bridge.dispatcher.host_reading import AsOf, HostReading
from bridge.dispatcher.observers import Observers
from bridge.dispatcher.outputs import checked_output, judge_output
from bridge.dispatcher.params import ABSENT, Absent
from bridge.dispatcher.runtime import TIMELESS, Runtime
from bridge.dispatcher.task_table import Task, TaskTable
from bridge.dispatcher.transaction import Transaction, TransactionPowers
from bridge.dispatcher.turn_queue import GiveUp, TurnQueue

__all__ = ["RENDER_ACTION", "AppName", "Dispatcher"]

RENDER_ACTION: Final = "ui.render"
"""The action that gives a picture of the app."""


class AppName(NamedTuple):
    """What an app calls itself, whole and in any script, and its version."""

    name: str
    version: str


class Dispatcher:
    """The one way to an app's actions.

    Without a `runtime` no call is deferred for being slow, and no handler may wait for anything.
    `on_host_error` is told what a caller outside sees as `HOST_ERROR` only: for the app's own log.

    Where a method here may return an awaitable, what it stands for goes on whether or not anybody
    awaits it, and a caller who is cancelled cancels nothing but its own waiting.
    """

    def __init__(
        self,
        host: Host,
        *,
        app: AppName,
        runtime: Runtime = TIMELESS,
        on_host_error: Callable[[BaseException], object] | None = None,
    ) -> None:
        self.host = host
        self.app = AppName(*app)
        self.tasks = TaskTable()
        self.runtime = runtime
        self._on_host_error = on_host_error
        self._checked_host = CheckedHost(host, runtime)
        self._checks = CallChecks(self._checked_host)
        self._turns = TurnQueue(runtime)
        self.reading = HostReading(self._checked_host, self._turns, runtime, self.require_enabled)
        self._enabled = False
        self.times_disabled = 0
        """How often the way from outside was shut: what was agreed before counts no more."""
        self._observers = CallObservers(runtime.now)
        self._enabled_observers: Observers[bool] = Observers()
        self._around = Surroundings(
            self._checked_host, self.tasks, runtime, self.report_host_error, self._completed
        )

    @property
    def enabled(self) -> bool:
        """Whether calls from outside are taken."""
        return self._enabled

    def set_enabled(self, enabled: bool) -> None:
        """Open or shut the way from outside, at once. Local calls work either way."""
        enabled = enabled is True
        if enabled is not self._enabled:
            self._enabled = enabled
            self.times_disabled += not enabled
            self._enabled_observers.notify(enabled)

    def on_enabled_change(self, observer: Callable[[bool], object]) -> Callable[[], None]:
        """Watch `set_enabled`; the result ends the watching. What it raises changes nothing."""
        return self._enabled_observers.add(observer)

    def on_call(self, observer: Callable[[CallEvent], object]) -> Callable[[], None]:
        """Watch calls as they happen; the result ends that. What it raises changes nothing."""
        return self._observers.add(observer)

    def report_host_error(self, error: BaseException) -> None:
        """Pass on what a host raised, and nothing of the contract's own errors."""
        if self._on_host_error is None or contract_code(error) is not None:
            return
        with suppress(Exception):  # who is told only listens
            called(self._on_host_error, error)

    def require_enabled(self) -> None:
        """Raise `AppError` `DISABLED` unless calls from outside are taken."""
        if not self._enabled:
            raise AppError(
                AppErrorCode.DISABLED,
                "The app does not take calls from outside now; enable it there.",
            )

    def actions(self) -> Eventually[Mapping[str, ActionSpec]]:
        """Return the app's actions by name, in its own order."""
        return self._checked_host.actions()

    def action(self, name: str) -> Eventually[ActionSpec]:
        """Find an action. Raises `AppError` `UNKNOWN_ACTION`."""
        specs = self._checked_host.actions()
        if isinstance(specs, Later):
            return specs.then(lambda found: action_named(found, name))
        return action_named(specs, name)

    def revision(self, action: str | None = None) -> int | None:
        """Return the state number of the app or of one action, always read from the host."""
        return self._checked_host.revision(action)

    def capabilities(self) -> int:
        """Return the capability bits that the host holds now."""
        return self._checked_host.capabilities()

    def unavailable(self, action: str) -> Unavailability | None:
        """Say why an action cannot run now."""
        return self._checked_host.unavailable(action)

    def execute_local(self, action: str, input: Any | Literal[Absent.ABSENT] = ABSENT) -> Any:  # noqa: A002, ANN401
        """Run an action for the app's own interface.

        The same checks, but no endpoint has to be enabled and no revision is asked for. Returns
        the output, a copy, or a `Task` where the host deferred it; over a host that takes its
        time, or while another call has the turn, an awaitable of that. Raises `AppError`, and
        what the host raises.
        """
        call = ExternalCall(action, input)

        def result(executed: Executed) -> Any:  # noqa: ANN401 - any JSON, or a Task
            return executed.output if executed.task is None else executed.task

        return and_then(
            self.action(action),
            lambda spec: and_then(self._run(spec, call, None), result),
        )

    def execute_command(
        self,
        command_id: int,
        input: Any | Literal[Absent.ABSENT] = ABSENT,  # noqa: A002, ANN401
    ) -> Any:  # noqa: ANN401 - as execute_local
        """Run the action of a command id, as `execute_local` does."""

        def run(specs: Mapping[str, ActionSpec]) -> Any:  # noqa: ANN401 - as execute_local
            for spec in specs.values():
                if spec.command_id == command_id and command_id is not True:
                    return self.execute_local(spec.name, input)
            raise AppError(
                AppErrorCode.UNKNOWN_ACTION, "The app has no action with this command id."
            )

        return and_then(self.actions(), run)

    def execute(self, call: ExternalCall) -> Eventually[Executed]:
        """Run an action for a caller outside. Contract: the checks and their order.

        Raises `AppError`, and what the host raises.
        """
        return self._execute(call, call.action)

    def render(
        self,
        input: Any,  # noqa: A002, ANN401 - as parsed
        *,
        session: str | None = None,
        expired: Expired | None = None,
    ) -> Eventually[Executed]:
        """Run the app's own `ui.render` for a caller outside. The revision is the app's.

        Raises as `execute` does.
        """
        call = ExternalCall(RENDER_ACTION, input, session=session, expired=expired)
        return self._execute(call, None)

    def _execute(self, call: ExternalCall, revision_of: str | None) -> Eventually[Executed]:
        self.require_enabled()
        spec = self.action(call.action)
        if isinstance(spec, Later):
            return spec.then(lambda spec: self._run(spec, call, (revision_of,)))
        return self._run(spec, call, (revision_of,))

    def batch(
        self,
        calls: Sequence[ExternalCall],
        *,
        atomic: bool = False,
        stop_on_error: bool = True,
        session: str | None = None,
        expired: Expired | None = None,
    ) -> Eventually[BatchResult]:
        """Run several calls for a caller outside. Contract: batches.

        In order, each with its own turn, checks and end, up to the first that fails or to the
        last; or `atomic`, as one unit in one turn. `session` and `expired`, where they are given,
        are those of every call. Raises `AppError` `DISABLED`, and for an atomic
        batch what `Transaction.run` says.
        """
        self.require_enabled()
        if session is not None or expired is not None:
            calls = [call._replace(session=session, expired=expired) for call in calls]
        if not atomic:
            batch = OrderedBatch(self.execute, self.report_host_error, self.runtime)
            return batch.run(calls, stop_on_error=stop_on_error)

        def run(specs: Mapping[str, ActionSpec]) -> Eventually[BatchResult]:
            return self._turns.run(lambda _give_up: begin(specs))

        def begin(specs: Mapping[str, ActionSpec]) -> BatchResult:
            # Its turn may have come long after it was asked for.
            self.require_enabled()
            powers = TransactionPowers(
                self._checked_host,
                self._checks,
                self._observers,
                self._completed,
                self.report_host_error,
                self.require_enabled,
                lambda: self.set_enabled(False),
            )
            return Transaction(powers).run(specs, calls)

        return and_then(self.actions(), run)

    def inspect(self, query: dict[str, Any]) -> Eventually[Mapping[str, Any]]:
        """Ask for a view of the app's state, in turn, for the app itself.

        Raises what `HostReading.inspect` raises.
        """
        return and_then(self.reading.inspect(query, external=False), lambda seen: seen.value)

    def inspect_at_revision(
        self, query: dict[str, Any], *, expired: Expired | None = None
    ) -> Eventually[AsOf[Mapping[str, Any]]]:
        """Ask for the same for a caller outside, and for the revision that it is of."""
        return self.reading.inspect(query, expired=expired)

    def read_resource(self, uri: str, offset: int, limit: int) -> Eventually[Resource]:
        """Read at most `limit` bytes of a resource, in turn, for the app itself.

        Raises `AppError` `UNKNOWN_RESOURCE`.
        """
        seen = self.reading.resource(uri, offset, limit, external=False)
        return and_then(seen, lambda seen: seen.value)

    def read_resource_at_revision(
        self, uri: str, offset: int, limit: int, *, expired: Expired | None = None
    ) -> Eventually[AsOf[Resource]]:
        """Read the same for a caller outside, and the revision that it is of."""
        return self.reading.resource(uri, offset, limit, expired=expired)

    def _run(
        self, spec: ActionSpec, call: ExternalCall, revision_of: tuple[str | None] | None
    ) -> Eventually[Executed]:
        """Run a call: from outside, where it says whose revision is told with the answer."""
        if not self._observers.watched:
            return self._in_order(spec, call, revision_of)
        told = self._observers.begin(spec.name, spec.kind, call.session)
        return watched(
            lambda: self._in_order(spec, call, revision_of),
            lambda executed: told.done(executed.task is not None),
            told.failed,
        )

    def _in_order(
        self, spec: ActionSpec, call: ExternalCall, revision_of: tuple[str | None] | None
    ) -> Eventually[Executed]:
        begin = partial(self._begin, spec, call, revision_of)
        if self._checked_host.concurrent:
            return begin(lambda: None)
        return self._turns.run(begin)

    def _begin(
        self,
        spec: ActionSpec,
        call: ExternalCall,
        revision_of: tuple[str | None] | None,
        give_up: GiveUp,
    ) -> Eventually[Executed]:
        external = revision_of is not None
        if external:
            # Its turn may have come long after it was asked for.
            self.require_enabled()
        data = self._checks.run(spec, call, external=external)
        running = HostCall(
            self._around, spec, session=call.session, external=external, give_up=give_up
        ).run(data)
        if revision_of is None:
            return running
        # Within the turn: a caller must not take what it was told for the state after a later call.
        return and_then(running, partial(self._sealed, revision_of[0]))

    def _sealed(self, revision_of: str | None, executed: Executed) -> Executed:
        return Executed(executed.output, executed.task, self.revision(revision_of))

    def _completed(self, spec: ActionSpec, answer: object) -> Executed:
        if isinstance(answer, Task):
            if not self.tasks.owns(answer):
                raise TypeError("the task is of another dispatcher")
            answer.judge_output(lambda output: judge_output(spec, output))
            return Executed(task=answer)
        if answer is None and spec.output.errors(None):
            answer = {}
        return Executed(checked_output(spec, answer))
