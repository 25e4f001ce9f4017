"""The asynchronous twin of `AppClient`: the same methods, awaited, for programs with a loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
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
    from bridge.client.app_connection import AsyncAppConnection, ChosenApp

__all__ = ["AsyncAppClient"]

__tracebackhide__ = True
"""A failed test shows its own line and the error, not ours in between."""

T = TypeVar("T")


class AsyncAppClient:
    """An app that is attached to a bridge. Made by `async with connect() as app:`.

    Methods, errors and time limits are those of `AppClient`. Calls may overlap, in one event loop.
    Cancelling a method hangs up: what it had sent may have run. Contract: control protocol 1,
    delivery.
    """

    def __init__(
        self,
        choose: Callable[[], ChosenApp],
        *,
        session: str | None = None,
        timeout: float | None = None,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._choose = choose
        self._given_session = session
        self._timeout = timeout
        self._pause = pause
        self._connection: AsyncAppConnection | None = None
        self._session_used = False
        self.session = session or session_of_its_own()
        """The protocol session in the page that all calls share."""

    async def __aenter__(self) -> Self:
        """Find the bridge, which is otherwise done by the first call."""
        await self._connected()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Release the session in the page, unless it was named by the caller, and hang up."""
        if self._connection is None:
            return
        try:
            if self._session_used and self._given_session is None:
                await self._connection.close_session(self.session, _now() + RELEASE_SECONDS)
        except BridgeFailure:
            # The page forgets its oldest sessions by itself; there is nothing else to be done.
            pass
        finally:
            self._session_used = False
            self._connection.close()
            # The loop closes sockets in its next round.
            await asyncio.sleep(0)

    async def info(self, *, timeout: float | None = None) -> AppInfo:  # noqa: ASYNC109
        """Return what the app says of itself, its revision included."""
        return await self._run(control_calls.read_info(), timeout)

    async def actions(
        self,
        query: str | None = None,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the bridge is told of it
    ) -> list[ActionSummary]:
        """Return all actions; with a query, those whose name or description has all its words."""
        return await self._run(control_calls.list_actions(query), timeout)

    async def describe(
        self,
        action: str,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the bridge is told of it
    ) -> ActionDescription:
        """Return all that is known of an action, its schemas and its revision included."""
        return await self._run(control_calls.describe_action(action), timeout)

    async def call(
        self,
        action: str,
        input: object = None,  # noqa: A002 - the protocol's word
        *,
        expected_revision: int | Literal["latest"] | None = None,
        wait_for_consent: bool = True,
        timeout: float | None = None,  # noqa: ASYNC109 - the bridge is told of it
    ) -> CallResult:
        """Execute an action; see `AppClient.call`."""
        steps = call_with_consent(action, input, expected_revision, wait_for_consent)
        return await self._run(steps, timeout)

    async def inspect(
        self,
        query: JsonObject | None = None,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the bridge is told of it
    ) -> dict[str, JsonValue]:
        """Return what the app tells of its state."""
        return await self._run(control_calls.inspect_state(query), timeout)

    async def task(
        self,
        id: str,  # noqa: A002 - the protocol's word
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the bridge is told of it
    ) -> Task:
        """Return how a task is doing."""
        return await self._run(control_calls.get_task(id), timeout)

    async def cancel_task(
        self,
        id: str,  # noqa: A002 - the protocol's word
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the bridge is told of it
    ) -> Task:
        """Ask for a task's end, and return how it is doing."""
        return await self._run(control_calls.cancel_task(id), timeout)

    async def wait_task(
        self,
        task: Task | str,
        timeout: float | None = None,  # noqa: ASYNC109 - the bridge is told of it
    ) -> Task:
        """Return a task once it has ended; see `AppClient.wait_task`."""
        task_id = task.id if isinstance(task, Task) else task
        return await self._run(control_calls.wait_for_task(task_id), timeout)

    async def request(
        self,
        method: str,
        params: object = None,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the bridge is told of it
    ) -> dict[str, JsonValue]:
        """Send any method of the protocol, and return the whole result object."""
        return await self._run(control_calls.raw_request(method, params), timeout)

    async def calls(self, after: int | None, wait: float = 0.0) -> CallEvents:
        """Return which calls of anybody's began and ended; see `AppClient.calls`."""
        connection = await self._connected()
        deadline = _now() + wait + LOOK_SECONDS
        return control_calls.read_calls(await connection.calls(after, wait, deadline))

    async def status(self) -> dict[str, JsonValue]:
        """Return what the bridge tells of itself."""
        connection = await self._connected()
        return control_calls.read_status(await connection.status(_now() + LOOK_SECONDS))

    async def _connected(self) -> AsyncAppConnection:
        if self._connection is None:
            # It reads files, and may ask several bridges.
            chosen = await asyncio.to_thread(self._choose)
            self._connection = chosen.async_connection()
        return self._connection

    async def _run(self, steps: Steps[T], seconds: float | None) -> T:
        deadline = CallDeadline.after(self._timeout if seconds is None else seconds, _now())
        try:
            step = next(steps)
            while True:
                try:
                    reply = await self._do(step, deadline)
                except BasculeError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(reply)
        except StopIteration as end:
            value: T = end.value
            return value

    async def _do(self, step: Step, deadline: CallDeadline) -> bytes:
        if isinstance(step, Pause):
            await self._pause(deadline.bounded(step.seconds, _now()))
            return b""
        connection = await self._connected()
        now = _now()
        seconds = deadline.for_bridge(now)
        if seconds is not None and seconds <= 0:
            raise too_late(Outcome.NOT_DELIVERED)
        self._session_used = True
        until = deadline.for_exchange(now)
        return await connection.respond(self.session, step.message, seconds, until)


def _now() -> float:
    return asyncio.get_running_loop().time()
