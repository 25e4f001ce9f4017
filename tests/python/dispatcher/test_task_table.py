"""Work that goes on after its call was answered."""

from __future__ import annotations

from typing import Any

import pytest

from bridge.dispatcher.action_spec import ActionSpec
from bridge.dispatcher.app_error import AppError
from bridge.dispatcher.task_table import Task, TaskState, TaskTable
from tests.python.support.dispatchers import ANY_INPUT, ask, dispatcher_of


def test_unfinished_tasks_are_bounded_and_finished_ones_make_room() -> None:
    table = TaskTable()
    tasks = [table.create("a") for _ in range(256)]
    with pytest.raises(AppError) as refused:
        table.create("a")
    assert refused.value.code.name == "LIMIT_EXCEEDED"
    assert refused.value.data == {"limit": "tasks", "maximum": 256}
    tasks[5].complete({})
    assert table.create("a").id == "task-257"
    with pytest.raises(AppError) as unknown:
        table.get("task-6")
    assert unknown.value.code.name == "UNKNOWN_TASK"
    assert not table.owns(tasks[5])
    assert table.owns(tasks[6])


def test_a_request_to_cancel_is_cancelling_first_and_cancelled_at_a_checkpoint() -> None:
    task = TaskTable().create("a")
    assert task.state.value == "queued"
    task.start()
    assert not task.checkpoint()
    assert task.state.value == "running"
    task.cancel()
    assert (task.state.value, task.cancel_requested, task.ended) == ("cancelling", True, False)
    assert task.checkpoint()
    assert (task.state.value, task.cancel_requested, task.ended) == ("cancelled", False, True)


def test_work_that_is_done_before_it_hears_of_the_cancelling_is_completed() -> None:
    task = TaskTable().create("a")
    task.cancel()
    task.complete({"x": 1})
    assert (task.state.value, task.output) == ("completed", {"x": 1})


@pytest.mark.parametrize("end", ["complete", "fail", "cancel"])
def test_a_task_that_has_ended_takes_no_step(end: str) -> None:
    task = TaskTable().create("a")
    task.start()
    if end == "complete":
        task.complete({"x": 1})
    elif end == "fail":
        task.fail(RuntimeError("x"))
    else:
        task.cancel()
        task.checkpoint()
    before = (task.state, task.output, task.error)
    task.start()
    task.cancel()
    task.fail(RuntimeError("late"))
    task.complete({"late": True})
    task.report({"late": True})
    assert not task.checkpoint()
    assert (task.state, task.output, task.error) == before
    assert task.progress is None


def test_a_task_keeps_what_it_was_told_whatever_the_app_does_to_its_own_later() -> None:
    task = TaskTable().create("a")
    data: dict[str, Any] = {"n": [1]}
    task.report(data)
    data["n"].append(2)
    assert task.progress == {"n": [1]}
    wrong: list[Any] = [5, [], None, {"f": print}, {"t": "x" * 4_096}]
    for progress in wrong:
        with pytest.raises(ValueError, match=r"object|written|over"):
            task.report(progress)
    assert task.progress == {"n": [1]}


@pytest.mark.parametrize("end", ["complete", "fail", "checkpoint"])
def test_a_task_that_has_ended_says_how_far_it_came_and_not_what_it_waited_for(end: str) -> None:
    tasks = TaskTable()
    told: list[dict[str, Any] | None] = []
    waiting = {"reason": "person", "message": "Somebody is asked."}
    for reports in ("waiting", "report"), ("waiting",), ("report", "waiting"):
        task = tasks.create("a")
        task.start()
        for each in reports:
            if each == "waiting":
                task.report_waiting(waiting)
            else:
                task.report({"percent": 90})
        task.cancel()
        assert task.progress is not None, "it waits while it is asked to stop"
        if end == "complete":
            task.complete({})
        elif end == "fail":
            task.fail(RuntimeError("x"))
        else:
            assert task.checkpoint()
        told.append(task.progress)
    assert told == [{"percent": 90}, None, None]


def test_a_tasks_output_is_what_its_action_promises_whenever_it_was_completed() -> None:
    tasks: list[Task] = []
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}

    def execute(action: str, data: Any, _context: object) -> Task:
        task = dispatcher.tasks.create(action)
        tasks.append(task)
        if "early" in data:
            task.complete(data["early"])
        return task

    spec = ActionSpec.read("a", "A", output_schema=schema, **ANY_INPUT)
    dispatcher = dispatcher_of(execute, actions=(spec,))
    dispatcher.execute_local("a", {"early": {"text": 1}})
    dispatcher.execute_local("a", {"early": {"text": "x"}})
    dispatcher.execute_local("a", {})
    dispatcher.execute_local("a", {})
    tasks[2].complete({"text": 1})
    tasks[3].complete({1, 2})
    found = [
        (task.state.value, task.error.code.name if isinstance(task.error, AppError) else None)
        for task in tasks
    ]
    assert found == [
        ("failed", "INVALID_OUTPUT"),
        ("completed", None),
        ("failed", "INVALID_OUTPUT"),
        ("failed", "INVALID_OUTPUT"),
    ]


def test_tasks_are_read_and_cancelled_by_their_id() -> None:
    dispatcher = dispatcher_of()
    task = dispatcher.tasks.create("a")
    task.start()
    task.report({"percent": 10})
    got = ask(dispatcher, "tasks/get", {"id": task.id})["result"]["task"]
    progress = {"percent": 10}
    assert got == {"id": "task-1", "state": "running", "action": "a", "progress": progress}
    cancelled = ask(dispatcher, "tasks/cancel", {"id": task.id})["result"]["task"]
    assert cancelled["state"] == "cancelling"
    task.complete({"done": True})
    done = ask(dispatcher, "tasks/cancel", {"id": task.id})["result"]["task"]
    assert (done["state"], done["output"]) == ("completed", {"done": True})
    assert ask(dispatcher, "tasks/get", {"id": "task-9"})["error"]["data"]["code"] == "UNKNOWN_TASK"
    assert ask(dispatcher, "tasks/get", {})["error"]["code"] == -32602


def test_every_state_is_one_of_the_contracts() -> None:
    assert [state.value for state in TaskState] == [
        "queued",
        "running",
        "cancelling",
        "cancelled",
        "completed",
        "failed",
    ]


def test_whoever_watches_a_task_is_told_of_each_change_when_it_is_whole() -> None:
    task = TaskTable().create("a")
    told: list[Any] = []
    stop = task.on_change(lambda task: told.append((task.state.value, task.progress, task.output)))
    task.start()
    task.report({"percent": 10})
    assert not task.checkpoint()
    task.cancel()
    task.complete({"done": True})
    task.report({"percent": 20})
    task.fail(RuntimeError())
    task.judge_output(refuse)
    stop()
    assert told == [
        ("running", None, None),
        ("running", {"percent": 10}, None),
        ("cancelling", {"percent": 10}, None),
        ("completed", {"percent": 10}, {"done": True}),
        ("failed", {"percent": 10}, None),
    ]


def refuse(_output: object) -> None:
    raise AppError("INVALID_OUTPUT", "No")


def test_what_a_watcher_of_a_task_raises_changes_nothing() -> None:
    task = TaskTable().create("a")
    task.on_change(lambda _task: 1 / 0)
    task.complete({})
    assert task.state is TaskState.COMPLETED
