"""How a call waits for a task: what the app is asked, when, and what the client is told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bridge.dispatcher.mcp_front import AppRequest, McpFront, ServerInfo
from bridge.dispatcher.task_progress import TaskProgressLines
from bridge.dispatcher.task_wait import AskAgain, TaskWait, WaitOver, task_wait

FRONT = McpFront(ServerInfo("bascule", "1", "Bascule"))


def request(line: bytes | None = None, **arguments: Any) -> AppRequest:
    params = {"name": "task_status", "arguments": arguments, "_meta": {"progressToken": "t"}}
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
    taken = FRONT.take(line or json.dumps(message))
    assert isinstance(taken, AppRequest), taken
    return taken


def waiting(wait_ms: int = 10_000) -> TaskWait:
    wait = task_wait(request(id="a", waitMs=wait_ms), 100.0)
    assert wait is not None
    return wait


def answer(**task: Any) -> str:
    result = {"content": [], "structuredContent": {"task": {"id": "a", **task}}}
    return json.dumps({"jsonrpc": "2.0", "id": 7, "result": result})


def progress_of(step: object) -> Any:
    assert isinstance(step, AskAgain), step
    return None if step.progress is None else json.loads(step.progress)["params"]


@pytest.mark.parametrize("wait_ms", [1, 25_000])
def test_a_call_waits_where_it_says_so(wait_ms: int) -> None:
    assert task_wait(request(id="a", waitMs=wait_ms), 0.0) is not None


@pytest.mark.parametrize("wait_ms", [None, 0, -1, 25_001, 1.5, True, "1", [], {}])
def test_what_the_tool_does_not_take_is_left_to_the_app(wait_ms: Any) -> None:
    assert task_wait(request(id="a", waitMs=wait_ms), 0.0) is None


def test_no_other_call_waits() -> None:
    assert task_wait(request(id="a"), 0.0) is None
    params = {"name": "task_cancel", "arguments": {"id": "a", "waitMs": 5}}
    other = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
    assert task_wait(request(json.dumps(other).encode()), 0.0) is None
    bare = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "task_status"}}
    assert task_wait(request(json.dumps(bare).encode()), 0.0) is None


def test_the_app_is_asked_by_the_clients_own_message_without_the_wait() -> None:
    line = (
        b'{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":'
        b'"task_status","arguments":{"id":"a","waitMs":1e3,"x":1.0},"_meta":{"n":1e400}}}'
    )
    wait = task_wait(request(line), 0.0)
    assert wait is not None
    assert wait.line == line.replace(b'"waitMs":1e3,', b"")


def test_a_message_that_cannot_be_written_anew_is_left_to_the_app() -> None:
    params = {
        "name": "task_status",
        "arguments": {"id": "a", "waitMs": 1},
        "_meta": {str(n): "\u2028" * 80_000 for n in range(4)},
    }
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
    line = json.dumps(message, ensure_ascii=False).encode()
    assert task_wait(request(line), 0.0) is None


def test_it_asks_again_ever_more_slowly_until_the_time_is_up() -> None:
    wait, now, pauses = waiting(2_000), 100.0, []
    while isinstance(step := wait.answered(answer(state="running"), now), AskAgain):
        pauses.append(round(step.after_seconds, 6))
        now += step.after_seconds
    assert pauses == [0.05, 0.1, 0.2, 0.4, 0.5, 0.5, 0.25]
    assert now == pytest.approx(102.0)


@pytest.mark.parametrize("state", ["completed", "failed", "cancelled", "of a later version", None])
def test_it_is_over_when_the_task_has_ended(state: str | None) -> None:
    assert isinstance(waiting().answered(answer(state="queued"), 100.0), AskAgain)
    assert waiting().answered(answer(state=state), 100.0) == WaitOver()


@pytest.mark.parametrize(
    "line",
    [
        "",
        "not JSON",
        "[]",
        '{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"x"}}',
        '{"jsonrpc":"2.0","id":7,"result":{"structuredContent":{"error":{}},"isError":true}}',
        '{"jsonrpc":"2.0","id":7,"result":{"structuredContent":{"task":[]}}}',
        '{"jsonrpc":"2.0","id":7,"result":{"structuredContent":{"task":{"state":["running"]}}}}',
    ],
)
def test_whatever_is_no_task_is_the_answer(line: str) -> None:
    assert waiting().answered(line, 100.0) == WaitOver()


def test_progress_is_told_when_the_wait_begins_and_at_each_change() -> None:
    wait = waiting()
    steps = [
        wait.answered(answer(state="queued"), 100.0),
        wait.answered(answer(state="queued"), 100.1),
        wait.answered(answer(state="running"), 100.2),
        wait.answered(answer(state="running", progress={"message": "half", "n": 1}), 100.3),
        wait.answered(answer(state="running", progress={"message": "half", "n": 2}), 100.4),
        wait.answered(answer(state="running", progress={"message": "", "n": 2}), 100.5),
    ]
    assert [progress_of(step) for step in steps] == [
        {"progressToken": "t", "progress": 1, "message": "queued"},
        None,
        {"progressToken": "t", "progress": 2, "message": "running"},
        {"progressToken": "t", "progress": 3, "message": "half"},
        {"progressToken": "t", "progress": 4, "message": "half"},
        {"progressToken": "t", "progress": 5, "message": "running"},
    ]
    assert wait.answered(answer(state="completed", progress={"n": 3}), 100.6) == WaitOver()


def test_without_a_token_nothing_is_told() -> None:
    assert TaskProgressLines(None).line({"state": "running"}) is None
    line = TaskProgressLines(0).line({"state": "running"})
    assert line == (
        '{"jsonrpc":"2.0","method":"notifications/progress",'
        '"params":{"progressToken":0,"progress":1,"message":"running"}}'
    )
