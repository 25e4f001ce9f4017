"""A Python program's view of an attached app: blocking calls, one after another.

Imports no event loop; `AsyncAppClient` is its twin for those who have one.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self, TypeVar

from bridge.client import control_calls
from bridge.client.bridge_failure import BasculeError, BridgeFailure
from bridge.client.call_deadline import CallDeadline
from bridge.client.client_session import LOOK_SECONDS, RELEASE_SECONDS, session_of_its_own
from bridge.client.connection_failures import too_late
from bridge.client.consent_steps import call_with_consent
from bridge.client.control_calls import Pause, Step, Steps
from bridge.client.control_results import (
    ActionDescription,
    ActionSummary,
    AppInfo,
    CallEvents,
    CallResult,
    JsonObject,
    Task,
)
from bridge.contract.error_codes import Outcome
from bridge.contract.strict_json import JsonValue

if TYPE_CHECKING:
    from bridge.client.app_connection import AppConnection, ChosenApp
    from bridge.client.async_app_client import AsyncAppClient

__all__ = ["AppClient"]

__tracebackhide__ = True
"""A failed test shows its own line and the error, not ours in between."""

T = TypeVar("T")


class AppClient:
    """An app that is attached to a bridge. Made by `connect`; a context manager.

    Every method raises `BasculeError`: `ActionError` where the app answered with an error,
    `DeadlineExceeded` where the deadline passed first, and `BridgeFailure` for every other way in
    which a call comes to no answer. Its `outcome` says whether the call may have run. `timeout` is
    in seconds and bounds the whole method; None leaves it to the bridge, which waits 30 s for each
    answer. A `StrictJsonError` (a `ValueError`) means that a value of the caller's cannot be
    written, and that nothing was sent. Several threads take turns. An interrupt hangs up; the call
    may have run then. Contract: control protocol 1, delivery.
    """

    def __init__(
        self,
        choose: Callable[[], ChosenApp],
        *,
        session: str | None = None,
        timeout: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._choose = choose
        self._given_session = session
        self._timeout = timeout
        self._clock = clock
        self._pause = pause
        self._connection: AppConnection | None = None
        self._session_used = False
        self._process = os.getpid()
        self.session = session or session_of_its_own()
        """The protocol session in the page that all calls share."""

    def __enter__(self) -> Self:
        """Find the bridge, which is otherwise done by the first call."""
        self._connected()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> AsyncAppClient:
        """Give the asynchronous twin instead."""
        from bridge.client.async_app_client import AsyncAppClient  # noqa: PLC0415 - an event loop

        self._twin = AsyncAppClient(
            self._choose, session=self._given_session, timeout=self._timeout
        )
        return await self._twin.__aenter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._twin.__aexit__(kind, error, trace)

    def close(self) -> None:
        """Release the session in the page, unless it was named by the caller, and hang up."""
        connection = self._connection
        if connection is None:
            return
        try:
            # A forked process leaves it to the one that it comes from.
            own = self._given_session is None and self._process == os.getpid()
            if self._session_used and own:
                connection.close_session(self.session, RELEASE_SECONDS)
        except BridgeFailure:
            # The page forgets its oldest sessions by itself; there is nothing else to be done.
            pass
        finally:
            self._session_used = False
            connection.close()

    def info(self, *, timeout: float | None = None) -> AppInfo:
        """Return what the app says of itself, its revision included."""
        return self._run(control_calls.read_info(), timeout)

    def actions(
        self, query: str | None = None, *, timeout: float | None = None
    ) -> list[ActionSummary]:
        """Return all actions; with a query, those whose name or description has all its words."""
        return self._run(control_calls.list_actions(query), timeout)

    def describe(self, action: str, *, timeout: float | None = None) -> ActionDescription:
        """Return all that is known of an action, its schemas and its revision included."""
        return self._run(control_calls.describe_action(action), timeout)

    def call(
        self,
        action: str,
        input: object = None,  # noqa: A002 - the protocol's word
        *,
        expected_revision: int | Literal["latest"] | None = None,
        wait_for_consent: bool = True,
        timeout: float | None = None,
    ) -> CallResult:
        """Execute an action.

        A write needs the revision that its caller has seen; `"latest"` reads it first and so
        gives up the protection against edits that the caller has not seen. A call that lasts
        longer than a few seconds comes back deferred, with a task to wait for.

        Where the owner of the page has to be asked first, the call waits for the answer: a no is an
        `ActionError`, and `DeadlineExceeded` leaves the question with the owner. Without
        `wait_for_consent` it comes back deferred, with `progress` of reason "consent".
        """
        steps = call_with_consent(action, input, expected_revision, wait_for_consent)
        return self._run(steps, timeout)

    def inspect(
        self, query: JsonObject | None = None, *, timeout: float | None = None
    ) -> dict[str, JsonValue]:
        """Return what the app tells of its state."""
        return self._run(control_calls.inspect_state(query), timeout)

    def task(self, id: str, *, timeout: float | None = None) -> Task:  # noqa: A002
        """Return how a task is doing."""
        return self._run(control_calls.get_task(id), timeout)

    def cancel_task(self, id: str, *, timeout: float | None = None) -> Task:  # noqa: A002
        """Ask for a task's end, and return how it is doing."""
        return self._run(control_calls.cancel_task(id), timeout)

    def wait_task(self, task: Task | str, timeout: float | None = None) -> Task:
        """Return a task once it has ended: completed, failed or cancelled.

        Raises `DeadlineExceeded` when it has not after `timeout` seconds; it then goes on.
        """
        task_id = task.id if isinstance(task, Task) else task
        return self._run(control_calls.wait_for_task(task_id), timeout)

    def request(
        self, method: str, params: object = None, *, timeout: float | None = None
    ) -> dict[str, JsonValue]:
        """Send any method of the protocol, and return the whole result object."""
        return self._run(control_calls.raw_request(method, params), timeout)

    def calls(self, after: int | None, wait: float = 0.0) -> CallEvents:
        """Return which calls of anybody's began and ended after an event, as the bridge saw it.

        0 is for all that the bridge still knows, None for what comes from now on. Waits up to
        `wait` seconds, at most 20, for there to be one.
        """
        deadline = self._clock() + wait + LOOK_SECONDS
        return control_calls.read_calls(self._connected().calls(after, wait, deadline))

    def status(self) -> dict[str, JsonValue]:
        """Return what the bridge tells of itself."""
        return control_calls.read_status(self._connected().status(LOOK_SECONDS))

    def _connected(self) -> AppConnection:
        if self._connection is None:
            self._connection = self._choose().connection
        return self._connection

    def _run(self, steps: Steps[T], timeout: float | None) -> T:
        seconds = self._timeout if timeout is None else timeout
        deadline = CallDeadline.after(seconds, self._clock())
        try:
            step = next(steps)
            while True:
                try:
                    reply = self._do(step, deadline)
                except BasculeError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(reply)
        except StopIteration as end:
            value: T = end.value
            return value

    def _do(self, step: Step, deadline: CallDeadline) -> bytes:
        if isinstance(step, Pause):
            self._pause(deadline.bounded(step.seconds, self._clock()))
            return b""
        connection = self._connected()
        now = self._clock()
        seconds = deadline.for_bridge(now)
        if seconds is not None and seconds <= 0:
            raise too_late(Outcome.NOT_DELIVERED)
        self._session_used = True
        return connection.respond(self.session, step.message, seconds, deadline.for_exchange(now))
