"""Runs tools: gate, arguments, handler, result, all the same for whoever calls from wherever.

A tool that the session may not see does not exist: the same words in the same way. Every call
ends with a result, failures included, in the time that the tool's tier allows. Knows nothing of
wires, screens or files.
"""

from __future__ import annotations

import asyncio
import logging
import time
import types
from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeVar

from bridge.tools.bounding import bound, bound_quickly
from bridge.tools.call_arguments import ArgumentsError, checked_arguments, large_arguments_checked
from bridge.tools.call_wait import Ending, Timer, Waiting, leave, loop_timer, wait_for
from bridge.tools.cancel_signal import CancelSignal
from bridge.tools.feature_gate import is_visible
from bridge.tools.handler import CallRefused, Handler, ToolCall
from bridge.tools.json_cost import NotJsonError
from bridge.tools.output_check import checked_output, large_output_checked
from bridge.tools.package import Package
from bridge.tools.refusals import read_refusal
from bridge.tools.result_limits import RUN_LIMITS, TIER_CEILING_SECONDS, RunLimits
from bridge.tools.session_context import SessionContext
from bridge.tools.tool_definition import ToolDefinition
from bridge.tools.tool_result import ToolResult, error_result, read_result

__all__ = ["FailureObserver", "RunnableTool", "ToolRunner", "runnable_tools"]

_T = TypeVar("_T")
_R = TypeVar("_R")
_LOG: Final = logging.getLogger("bascule.tools")
FailureObserver = Callable[[str, BaseException], None]
"""Is told a tool's name and what its handler raised: for logs, never for callers.

Of what a handler refuses (`CallRefused`) it is told only where that has a `log`.
"""


class RunnableTool(NamedTuple):
    """A tool, what runs it, and how long a call of it may take."""

    definition: ToolDefinition
    handler: Handler
    ceiling_seconds: float
    unavailable: Callable[[], str | None] = lambda: None
    """Says why it cannot run now, in words for callers; None where it can."""


def runnable_tools(package: Package, handlers: Mapping[str, Handler]) -> list[RunnableTool]:
    """Put a package's tools together with their handlers (`handlers_of`)."""
    ceiling = TIER_CEILING_SECONDS[package.tier]
    return [
        RunnableTool(definition, handlers[name], ceiling + _own_words_seconds(handlers[name]))
        for name, definition in package.tools.items()
    ]


def _own_words_seconds(handler: Handler) -> float:
    """Return the time for a handler that stops by itself at its ceiling to say so."""
    return RUN_LIMITS.stopping_seconds if getattr(handler, "stops_by_itself", False) else 0.0


class ToolRunner:
    """Runs any number of tools at once, on the event loop that calls it.

    `clock` gives seconds and never goes back. `timer` is the loop's own unless a test gives
    another. `observe_failure` is told what handlers raise. Raises `ValueError` for two tools of
    one name. Contract: package tools, runs.
    """

    def __init__(
        self,
        tools: Iterable[RunnableTool],
        clock: Callable[[], float] = time.monotonic,
        *,
        limits: RunLimits = RUN_LIMITS,
        timer: Timer = loop_timer,
        observe_failure: FailureObserver | None = None,
    ) -> None:
        self._tools: dict[str, RunnableTool] = {}
        for tool in tools:
            if tool.definition.name in self._tools:
                raise ValueError(f"two tools are called {tool.definition.name}")
            self._tools[tool.definition.name] = tool
        self._clock = clock
        self._limits = limits
        self._timer = timer
        self._observe_failure = observe_failure
        self._left: dict[str, set[asyncio.Task[_Outcome]]] = {}
        self._ends = CancelSignal()
        self._waited: set[asyncio.Future[None]] = set()
        """One for each call whose handler did not answer at once, done when the call is."""

    def tools(self, session: SessionContext) -> list[ToolDefinition]:
        """Return what the session sees, in the order in which the tools were given."""
        return [
            tool.definition for tool in self._tools.values() if is_visible(tool.definition, session)
        ]

    def unavailable(self, name: str) -> str | None:
        """Say why a tool cannot run now: what runs it has ended. None where it can, or is none."""
        tool = self._tools.get(name)
        return None if tool is None else tool.unavailable()

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        session: SessionContext,
        *,
        signal: CancelSignal | None = None,
        request_id: str | None = None,
    ) -> ToolResult:
        """Run a tool once. Raises nothing: a failure is a result with a `failure_code`.

        `signal` stops the call. Being cancelled counts as that: a handler that cannot be stopped
        runs on unheard. Contract: package tools, runs.
        """
        tool = self._tools.get(name)
        if tool is None or not is_visible(tool.definition, session):
            return error_result("There is no tool of this name.", "UNKNOWN_TOOL")
        try:
            given = checked_arguments(tool.definition, arguments)
            if given is None:
                given = await large_arguments_checked(tool.definition, arguments)
        except ArgumentsError as error:
            return error_result(str(error), "INVALID_INPUT")
        refused = self._refusal(name, signal)
        if refused is not None:
            return refused
        seen = CancelSignal()
        call = ToolCall(name, request_id, seen, self._clock() + tool.ceiling_seconds)
        task = asyncio.create_task(_run(tool.handler, given, session, call))
        waiting = self._waiting(tool, task, signal, seen)
        await self._begun(tool, waiting)
        if task.done():
            return await self._result(tool.definition, task.result())
        answered = asyncio.get_running_loop().create_future()
        self._waited.add(answered)
        try:
            ending = await self._wait(tool, waiting)
            if ending != "done":
                return _unfinished(ending, reads=tool.definition.annotations.is_read_only)
            return await self._result(tool.definition, task.result())
        finally:
            self._waited.discard(answered)
            answered.set_result(None)

    def _refusal(self, name: str, signal: CancelSignal | None) -> ToolResult | None:
        if signal is not None and signal.cancelled:
            words = "The call was stopped before it began; nothing was run."
            return error_result(words, "UNAVAILABLE")
        if self._ends.cancelled:
            return error_result("The service ends; nothing was run.", "UNAVAILABLE")
        left = self._left.get(name)
        if left is not None and len(left) >= self._limits.max_left_running:
            words = (
                "Earlier calls of this tool still run; nothing was run. Try again when one of them"
                " has ended."
            )
            return error_result(words, "BUSY")
        return None

    async def stop(self) -> None:
        """Take no more calls, tell those that go on, and wait for their answers: for the grace.

        Handlers that declare `cancellable` are told that they are to stop, those included whose
        callers have gone; other calls are answered as interrupted after the grace. What still runs
        then runs on, as long as this process does. May be cancelled, which hurries nobody.
        Contract: package tools, runs.
        """
        self._ends.cancel("the service ends")
        late = asyncio.Event()
        end = self._timer(self._limits.grace_seconds, late.set)
        over = asyncio.create_task(late.wait())
        try:
            if self._waited:
                await asyncio.wait(self._waited)
            told: set[asyncio.Task[Any]] = {
                task
                for name, left in self._left.items()
                if self._tools[name].definition.annotations.cancellable
                for task in left
            }
            while told and not late.is_set():
                await asyncio.wait({over, *told}, return_when=asyncio.FIRST_COMPLETED)
                told = {task for task in told if not task.done()}
        finally:
            end()
            over.cancel()

    def _waiting(
        self,
        tool: RunnableTool,
        task: asyncio.Task[_Outcome],
        signal: CancelSignal | None,
        seen: CancelSignal,
    ) -> Waiting:
        return Waiting(
            task,
            tool.definition.annotations.cancellable,
            signal,
            self._ends,
            seen,
            tool.ceiling_seconds,
            self._limits.grace_seconds,
            self._timer,
        )

    async def _begun(self, tool: RunnableTool, waiting: Waiting) -> None:
        """Let a handler take its first step. Being cancelled meanwhile is a stop as any later."""
        try:
            await _one_turn()
        except asyncio.CancelledError:
            leave(waiting)
            self._keep(tool, waiting.task)
            raise

    async def _wait(self, tool: RunnableTool, waiting: Waiting) -> Ending:
        try:
            return await wait_for(waiting)
        finally:
            self._keep(tool, waiting.task)

    def _keep(self, tool: RunnableTool, task: asyncio.Task[_Outcome]) -> None:
        """Keep what still runs so that it is not collected, and count it: it must not pile up."""
        if not task.done():
            left = self._left.setdefault(tool.definition.name, set())
            left.add(task)
            task.add_done_callback(left.discard)

    async def _result(self, definition: ToolDefinition, outcome: _Outcome) -> ToolResult:
        if outcome.error is not None:
            return self._failure(definition, outcome.error)
        try:
            result = _guarded(read_result, outcome.value)
            bounded = _guarded(bound_quickly, result)
            if bounded is not None:
                return checked_output(definition, bounded)
            bounded = await asyncio.to_thread(_guarded, bound, result)
            return await large_output_checked(definition, bounded)
        except Exception as error:  # noqa: BLE001 - what a handler gives may do anything when read
            self._observe(definition.name, error)
            # A place tells itself by its own name.
            it = "" if isinstance(error, NotJsonError) else "it "
            what = f": {it}{error}" if isinstance(error, ValueError) else ""
            return error_result(
                f"The tool ran, but its result cannot be read{what}.", "INVALID_OUTPUT"
            )

    def _failure(self, definition: ToolDefinition, error: BaseException) -> ToolResult:
        refusal = read_refusal(error) if isinstance(error, CallRefused) else None
        if refusal is not None:
            if refusal.logged:
                self._observe(definition.name, error)
            return bound(error_result(refusal.message, refusal.code))
        self._observe(definition.name, error)
        words = "The tool failed while it handled this call"
        # One that only reads has nothing that it could have done in part.
        partly = "" if definition.annotations.is_read_only else "; it may have done part of it"
        return error_result(f"{words}{partly}.", "HANDLER_FAILED")

    def _observe(self, name: str, error: BaseException) -> None:
        if self._observe_failure is None:
            return
        try:
            self._observe_failure(name, error)
        except Exception:  # noqa: BLE001 - a log that nobody reads any more, say
            _LOG.debug("what the handler of %s raised could not be told", name)


def _guarded(work: Callable[[_T], _R], value: _T) -> _R:
    """Work on what a handler gave, whose own code may run then.

    What that raises to end a program, or poses as a cancellation, is an exception like any other.
    """
    try:
        return work(value)
    except Exception:
        raise
    except BaseException as error:
        raise RuntimeError(type(error).__name__) from error


class _Outcome(NamedTuple):
    value: object
    error: BaseException | None


async def _run(
    handler: Handler, arguments: dict[str, Any], session: SessionContext, call: ToolCall
) -> _Outcome:
    try:
        return _Outcome(await handler.run(arguments, session, call), None)
    except BaseException as error:  # noqa: BLE001 - a handler's own must not end the event loop
        return _Outcome(None, error)


@types.coroutine
def _one_turn() -> Generator[None, None, None]:
    """Let what is ready run: a handler that waits for nothing has ended after this."""
    yield


def _unfinished(ending: Ending, *, reads: bool) -> ToolResult:
    if ending == "TIMED_OUT":
        words = "The tool took longer than it may"
        done = "" if reads else "; whether it has done its work is not known"
        return error_result(f"{words}{done}.", "TIMED_OUT")
    look = "" if reads else ": look at what it has done before you call it again"
    if ending == "SERVICE_ENDS":
        words = "The service ends, and the call with it"
        return error_result(f"{words}{look}.", "INTERRUPTED")
    words = "The call was interrupted. The tool runs on to its end and its result is dropped"
    return error_result(f"{words}{look}.", "INTERRUPTED")
