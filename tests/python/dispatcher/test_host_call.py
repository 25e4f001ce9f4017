"""A call that waits for a person or lasts too long goes on as a task."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bridge.dispatcher.app_error import AppError
from bridge.dispatcher.call_checks import ExternalCall
from bridge.dispatcher.host import CallContext
from bridge.dispatcher.host_call import Executed
from bridge.dispatcher.rpc_session import RpcSession
from bridge.dispatcher.task_table import Task, TaskState
from tests.python.support.dispatchers import HandRuntime, ask, dispatcher_of, line_of, settled


class Slow:
    """A handler for action `a` that waits until the test says how it ends; `b` ends at once."""

    def __init__(self) -> None:
        self.end: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.context: CallContext | None = None

    def __call__(self, action: str, _input: Any, context: CallContext) -> object:
        if action == "b":
            return {"b": 1}
        self.context = context
        return self.wait()

    async def wait(self) -> Any:
        return await self.end


async def deferred(call: Any) -> Task:
    executed: Executed = await call
    assert executed.task is not None
    return executed.task


async def test_a_call_of_five_seconds_is_answered_as_deferred_and_gives_up_its_turn() -> None:
    runtime, slow = HandRuntime(), Slow()
    dispatcher = dispatcher_of(slow, runtime=runtime)
    first: Any = dispatcher.execute(ExternalCall("a"))
    second: Any = dispatcher.execute(ExternalCall("b"))
    runtime.passes(4.999)
    await settled()
    assert len(dispatcher.tasks) == 0
    runtime.passes(0.001)
    task = await deferred(first)
    assert task.state is TaskState.RUNNING
    assert task.progress is not None
    assert task.progress["reason"] == "slow"
    assert await second == Executed({"b": 1})
    slow.end.set_result({"a": 1})
    await settled()
    assert (task.state, task.output) == (TaskState.COMPLETED, {"a": 1})


async def test_a_call_that_ends_in_time_leaves_no_timer() -> None:
    runtime, slow = HandRuntime(), Slow()
    dispatcher = dispatcher_of(slow, runtime=runtime)
    call: Any = dispatcher.execute(ExternalCall("a"))
    await settled()
    assert runtime.timers == 1
    slow.end.set_result({})
    await call
    assert runtime.timers == 0


async def test_a_deferred_call_sees_that_it_is_to_be_cancelled_and_is_when_it_stops() -> None:
    runtime, slow = HandRuntime(), Slow()
    dispatcher = dispatcher_of(slow, runtime=runtime)
    call: Any = dispatcher.execute(ExternalCall("a", session="s"))
    await settled()
    runtime.passes(5)
    task = await deferred(call)
    assert slow.context is not None
    assert slow.context.session == "s"
    assert not slow.context.cancel_requested()
    task.cancel()
    assert task.state is TaskState.CANCELLING
    assert slow.context.cancel_requested()
    slow.end.set_exception(RuntimeError("stopped"))
    await settled()
    assert task.state.value == "cancelled"


async def test_a_deferred_call_that_fails_is_told_as_host_error_and_to_the_app() -> None:
    told: list[BaseException] = []
    runtime, slow = HandRuntime(), Slow()
    dispatcher = dispatcher_of(slow, runtime=runtime, on_host_error=told.append)
    call: Any = dispatcher.execute(ExternalCall("a"))
    await settled()
    runtime.passes(5)
    task = await deferred(call)
    thrown = RuntimeError("secret")
    slow.end.set_exception(thrown)
    await settled()
    answer = await RpcSession(dispatcher).receive(line_of("tasks/get", {"id": task.id}))
    assert answer is not None
    assert '"HOST_ERROR"' in answer
    assert "secret" not in answer
    assert told == [thrown]


async def test_a_deferred_call_whose_output_breaks_its_schema_fails_as_a_task() -> None:
    runtime, slow = HandRuntime(), Slow()
    dispatcher = dispatcher_of(slow, runtime=runtime)
    call: Any = dispatcher.execute(ExternalCall("a"))
    await settled()
    runtime.passes(5)
    task = await deferred(call)
    slow.end.set_result("no object")
    await settled()
    assert task.state is TaskState.FAILED
    assert isinstance(task.error, AppError)


async def test_a_deferred_call_that_gives_another_task_has_failed() -> None:
    runtime, slow = HandRuntime(), Slow()
    dispatcher = dispatcher_of(slow, runtime=runtime)
    call: Any = dispatcher.execute(ExternalCall("a"))
    await settled()
    runtime.passes(5)
    task = await deferred(call)
    slow.end.set_result(dispatcher.tasks.create("a"))
    await settled()
    assert task.state is TaskState.FAILED


async def test_a_call_that_waits_for_a_person_is_answered_at_once_and_gives_up_its_turn() -> None:
    runtime = HandRuntime()
    person: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    contexts: list[CallContext] = []

    async def wait(context: CallContext) -> Any:
        contexts.append(context)
        context.defer("person", "Confirm it in the window.")
        return await person

    dispatcher = dispatcher_of(
        lambda action, _i, context: {} if action == "b" else wait(context), runtime=runtime
    )
    task = await deferred(dispatcher.execute(ExternalCall("a")))
    assert task.progress == {"reason": "person", "message": "Confirm it in the window."}
    assert dispatcher.execute(ExternalCall("b")) == Executed({})
    contexts[0].defer("upload", "Half of it is there.")
    assert task.progress["reason"] == "upload"
    with pytest.raises(ValueError, match="encodedBytes"):
        contexts[0].defer("upload", "x" * 5_000)
    # However long that lasts: it still waits for the same.
    runtime.passes(60)
    assert task.progress["reason"] == "upload"
    person.set_result({"ok": True})
    await settled()
    assert task.state.value == "completed"
    contexts[0].defer("late", "Nobody hears it.")
    assert task.progress is None, "what has ended waits for nobody"


async def test_what_a_handler_asks_to_defer_before_it_gives_its_awaitable_is_deferred() -> None:
    slow = Slow()

    def execute(action: str, data: Any, context: CallContext) -> object:
        context.defer("person", "Confirm it.")
        return slow(action, data, context)

    dispatcher = dispatcher_of(execute, runtime=HandRuntime())
    task = await deferred(dispatcher.execute(ExternalCall("a")))
    assert task.progress == {"reason": "person", "message": "Confirm it."}
    slow.end.set_result({})
    await settled()
    assert task.ended


def test_what_a_handler_asks_to_defer_and_then_answers_at_once_is_completed() -> None:
    def execute(_action: str, _input: Any, context: CallContext) -> object:
        context.defer("person", "Never mind.")
        return {"done": True}

    dispatcher = dispatcher_of(execute)
    assert dispatcher.execute(ExternalCall("a")) == Executed({"done": True})
    assert len(dispatcher.tasks) == 0


async def test_what_a_handler_asks_to_defer_after_its_end_makes_no_task() -> None:
    slow = Slow()
    dispatcher = dispatcher_of(slow, runtime=HandRuntime())
    call: Any = dispatcher.execute(ExternalCall("a"))
    slow.end.set_result({})
    await call
    assert slow.context is not None
    slow.context.defer("late", "Nobody hears it.")
    assert len(dispatcher.tasks) == 0


async def test_a_local_call_that_lasts_too_long_is_not_deferred_but_gives_up_its_turn() -> None:
    runtime, slow = HandRuntime(), Slow()
    dispatcher = dispatcher_of(slow, runtime=runtime)
    local = dispatcher.execute_local("a")
    second: Any = dispatcher.execute(ExternalCall("b"))
    await settled()
    runtime.passes(5)
    assert await second == Executed({"b": 1})
    slow.end.set_result({"a": 1})
    assert await local == {"a": 1}
    assert len(dispatcher.tasks) == 0


async def test_with_no_place_for_a_task_a_slow_call_is_answered_when_it_ends() -> None:
    runtime, slow = HandRuntime(), Slow()
    dispatcher = dispatcher_of(slow, runtime=runtime)
    for _ in range(256):
        dispatcher.tasks.create("b")
    first: Any = dispatcher.execute(ExternalCall("a"))
    second: Any = dispatcher.execute(ExternalCall("b"))
    await settled()
    runtime.passes(5)
    assert await second == Executed({"b": 1})
    slow.end.set_result({"a": 1})
    assert await first == Executed({"a": 1})


async def test_a_handler_that_cancels_itself_is_a_failure_and_cancels_nobody_else() -> None:
    async def stop() -> None:
        raise asyncio.CancelledError

    def stop_at_once(action: str, _input: Any, _context: CallContext) -> object:
        if action == "b":
            raise asyncio.CancelledError
        return stop()

    session = RpcSession(dispatcher_of(stop_at_once, runtime=HandRuntime()))
    for action in "ab":
        answer = await session.receive(line_of("actions/execute", {"action": action}))
        assert answer is not None
        assert '"HOST_ERROR"' in answer


def test_a_handler_that_leaves_the_program_leaves_it_and_frees_its_turn() -> None:
    def leave(action: str, _input: Any, _context: CallContext) -> object:
        if action == "a":
            raise SystemExit(3)
        return {}

    dispatcher = dispatcher_of(leave)
    with pytest.raises(SystemExit):
        dispatcher.execute_local("a")
    assert dispatcher.execute_local("b") == {}


def test_a_task_that_a_handler_gives_is_the_answer() -> None:
    def execute(action: str, _input: Any, _context: CallContext) -> object:
        task = dispatcher.tasks.create(action)
        task.start()
        return task

    dispatcher = dispatcher_of(execute)
    answer = ask(dispatcher, "actions/execute", {"action": "a"})["result"]
    assert answer["status"] == "deferred"
    assert answer["task"] == {"id": "task-1", "state": "running"}


def test_a_task_of_another_dispatcher_is_a_failure_of_the_host() -> None:
    stranger = dispatcher_of().tasks.create("a")
    dispatcher = dispatcher_of(lambda _a, _i, _c: stranger)
    answer = ask(dispatcher, "actions/execute", {"action": "a"})
    assert answer["error"]["data"]["code"] == "HOST_ERROR"
