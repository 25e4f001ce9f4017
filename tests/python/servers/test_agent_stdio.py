"""The app on standard input and output."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import threading
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.contract.limits import JSON_LIMITS
from bridge.demo.drawing_host import DrawingHost, drawing_dispatcher
from bridge.dispatcher.task_table import Task
from bridge.servers.agent_stdio import AgentLines, serve_stdio
from bridge.servers.tick_runtime import TickRuntime
from tests.python.support.dispatchers import dispatcher_of
from tests.python.support.vectors import ROOT

ASK = b'{"jsonrpc":"2.0","id":1,"method":"agent/info"}'
DRAWING = [sys.executable, "-m", "bridge.demo.drawing"]
COMMAND = [*DRAWING, "--agent-json"]
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}


def lines() -> AgentLines:
    dispatcher = drawing_dispatcher(DrawingHost())
    dispatcher.set_enabled(True)
    return AgentLines(dispatcher)


def test_a_line_is_answered_by_a_line_wherever_it_is_cut() -> None:
    for cut in range(len(ASK) + 1):
        session = lines()
        answers = [*session.feed(ASK[:cut] or b"\n"), *session.feed(ASK[cut:] + b"\n")]
        assert [json.loads(answer)["id"] for answer in answers] == [1]


def test_blank_lines_and_notifications_are_not_answered() -> None:
    notification = b'{"jsonrpc":"2.0","method":"agent/info"}'
    assert list(lines().feed(b"\n \r\n" + notification + b"\n")) == []


def test_the_last_line_needs_no_line_break() -> None:
    session = lines()
    assert list(session.feed(ASK)) == []
    assert len(list(session.feed(b""))) == 1


def test_a_line_over_the_limit_is_refused_and_the_next_one_answered() -> None:
    long = b"x" * (JSON_LIMITS.max_encoded_bytes + 1)
    refused, answered = lines().feed(long + b"\n" + ASK + b"\n")
    assert json.loads(refused)["error"]["data"]["code"] == "LIMIT_EXCEEDED"
    assert json.loads(answered)["id"] == 1


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_answered_by_whole_lines(data: bytes) -> None:
    session = lines()
    for answer in [*session.feed(data or b"\n"), *session.feed(b"")]:
        assert answer.endswith(b"\n")
        assert answer.count(b"\n") == 1
        assert json.loads(answer)["jsonrpc"] == "2.0"


def request(number: int, method: str, **params: Any) -> bytes:
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(message).encode() + b"\n"


def test_the_app_runs_until_its_input_ends() -> None:
    sent = request(
        1, "actions/execute", action="draw.layer.add", input={"name": "Sky"}, expectedRevision=0
    )
    done = subprocess.run(
        COMMAND, input=sent + request(2, "state/inspect"), capture_output=True, timeout=60,
        check=True,
    )  # fmt: skip
    first, second = map(json.loads, done.stdout.splitlines())
    assert first["result"]["output"]["layer"]["name"] == "Sky"
    assert second["result"]["revision"] == 1
    assert done.stderr == b""


def test_what_goes_on_between_calls_goes_on_while_no_line_comes() -> None:
    reader, writer = os.pipe()
    answers, target = os.pipe()
    ticks: list[int] = []

    def tick() -> bool:
        ticks.append(len(ticks))
        if len(ticks) == 5:
            # Only this ends the input: without ticks it would never end.
            os.close(writer)
        return len(ticks) < 5

    dispatcher = drawing_dispatcher(DrawingHost())
    dispatcher.set_enabled(True)
    os.write(writer, ASK + b"\n")
    serving = threading.Thread(
        target=serve_stdio,
        args=(dispatcher, tick, reader),
        kwargs={"target": target},
        daemon=True,
    )
    serving.start()
    serving.join(timeout=60)
    assert not serving.is_alive()
    os.close(reader)
    assert len(ticks) == 5
    os.close(target)
    with os.fdopen(answers, "rb") as told:
        assert json.loads(told.read())["id"] == 1


def test_an_export_is_asked_for_until_it_has_ended() -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as app:
        assert app.stdin is not None
        assert app.stdout is not None

        def ask(number: int, method: str, **params: Any) -> dict[str, Any]:
            assert app.stdin is not None
            assert app.stdout is not None
            app.stdin.write(request(number, method, **params))
            app.stdin.flush()
            task: dict[str, Any] = json.loads(app.stdout.readline())["result"]["task"]
            return task

        task = ask(1, "actions/execute", action="draw.export", input={"scale": 1})
        asked = 1
        while task["state"] in {"queued", "running"}:
            asked += 1
            assert asked < 100_000
            task = ask(asked, "tasks/get", id=task["id"])
        assert task["state"] == "completed"
        app.stdin.close()
        assert app.wait(timeout=60) == 0


def test_nobody_who_reads_ends_the_app_without_a_complaint() -> None:
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as app:
        assert app.stdin is not None
        assert app.stdout is not None
        assert app.stderr is not None
        app.stdout.close()
        app.stdin.write(ASK + b"\n")
        app.stdin.flush()
        assert app.wait(timeout=60) == 0
        assert app.stderr.read() == b""


class Waiting:
    """An app of MCP whose one action is deferred, and a clock that a test holds."""

    def __init__(self) -> None:
        self.time = 0.0
        self.runtime = TickRuntime(lambda: self.time)
        self.dispatcher = dispatcher_of(lambda _a, _i, _c: self.task, runtime=self.runtime)
        self.task: Task = self.dispatcher.tasks.create("a")
        self.task.start()
        self.lines = AgentLines(self.dispatcher, "mcp")
        self.feed("actions_execute", {"action": "a"})

    def feed(self, tool: str, arguments: Any, request_id: Any = 0, token: Any = None) -> list[Any]:
        meta = {} if token is None else {"_meta": {"progressToken": token}}
        params = {"name": tool, "arguments": arguments, **meta}
        message = {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}
        return self.told(self.lines.feed(json.dumps(message).encode() + b"\n"))

    def wait(self, request_id: Any, token: Any = None) -> list[Any]:
        return self.feed("task_status", {"id": self.task.id, "waitMs": 5_000}, request_id, token)

    def cancel(self, request_id: Any) -> list[Any]:
        params = {"requestId": request_id}
        message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        return self.told(self.lines.feed(json.dumps(message).encode() + b"\n"))

    def step(self) -> list[Any]:
        self.runtime.tick()
        return self.told(self.lines.step())

    @staticmethod
    def told(lines: Any) -> list[Any]:
        return [json.loads(line) for line in lines]


def test_several_calls_of_mcp_wait_at_once_and_others_are_answered_meanwhile() -> None:
    app = Waiting()
    assert app.wait(1) == app.wait(2) == []
    assert app.lines.busy
    (answer,) = app.feed("actions_search", {}, 3)
    assert answer["id"] == 3
    assert app.step() == []
    app.task.complete({})
    assert [answer["id"] for answer in app.step()] == [1, 2]
    assert not app.lines.busy


def test_a_wait_tells_of_progress_and_ends_when_its_time_is_over() -> None:
    app = Waiting()
    (begun,) = app.wait(1, "p")
    assert begun["method"] == "notifications/progress"
    assert begun["params"] == {"progressToken": "p", "progress": 1, "message": "running"}
    app.task.report({"message": "Half."})
    (told,) = app.step()
    assert told["params"] == {"progressToken": "p", "progress": 2, "message": "Half."}
    app.time = 4.9
    assert app.step() == []
    app.time = 5.0
    (answer,) = app.step()
    assert answer["result"]["structuredContent"]["task"]["state"] == "running"
    app.task.report({"message": "Later."})
    assert app.step() == []


def test_a_wait_that_is_cancelled_is_not_answered_and_tells_nothing_more() -> None:
    app = Waiting()
    app.wait(1, "p")
    app.wait(2)
    assert app.cancel(1) == []
    app.task.report({"message": "Half."})
    assert app.step() == []
    app.task.complete({})
    assert [answer["id"] for answer in app.step()] == [2]
    assert not app.lines.busy


def test_handlers_that_take_their_time_are_answered_in_control_protocol_1_as_well() -> None:
    runtime = TickRuntime(lambda: 0.0)
    gate = runtime.event()

    async def handler() -> object:
        await gate
        return {"done": True}

    dispatcher = dispatcher_of(lambda _a, _i, _c: handler(), runtime=runtime)
    session = AgentLines(dispatcher)
    assert list(session.feed(request(1, "actions/execute", action="a"))) == []
    gate.set()
    runtime.tick()
    (answer,) = session.step()
    assert json.loads(answer)["result"]["output"] == {"done": True}


def test_the_app_speaks_mcp_in_both_revisions_and_waits_for_an_export() -> None:
    envelope = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    export = {"action": "draw.export", "input": {"scale": 4}}
    with subprocess.Popen(
        [*DRAWING, "--agent-mcp"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as app:  # fmt: skip
        assert app.stdin is not None
        assert app.stdout is not None
        assert app.stderr is not None

        def ask(number: int, method: str, **params: Any) -> Any:
            assert app.stdin is not None
            assert app.stdout is not None
            app.stdin.write(request(number, method, **params))
            app.stdin.flush()
            told = json.loads(app.stdout.readline())
            assert told["id"] == number
            return told["result"]

        assert ask(0, "server/discover", _meta=envelope)["resultType"] == "complete"
        assert ask(1, "initialize", **HELLO)["serverInfo"]["name"] == "Bascule Draw"
        begun = ask(2, "tools/call", name="actions_execute", arguments=export)["structuredContent"]
        wait = {"id": begun["task"]["id"], "waitMs": 25_000}
        ended = ask(3, "tools/call", name="task_status", arguments=wait)["structuredContent"]
        assert ended["task"]["state"] == "completed"
        (listed,) = ask(4, "resources/list", _meta=envelope)["resources"]
        assert listed["mimeType"] == "image/png"
        (read,) = ask(5, "resources/read", uri=listed["uri"])["contents"]
        assert len(base64.b64decode(read["blob"])) == listed["size"]
        app.stdin.close()
        assert app.wait(timeout=60) == 0
        assert app.stderr.read() == b""


NOISY = """
from bridge.servers.own_stdout import own_stdout
own = own_stdout()
import os, subprocess, sys, warnings
print("printed at import")
from bridge.dispatcher.task_table import TaskTable
from bridge.servers.agent_stdio import serve_stdio
from tests.python.support.dispatchers import dispatcher_of

def execute(action, given, context):
    print("printed by a handler", flush=True)
    os.write(1, b"written to descriptor 1\\n")
    subprocess.run([sys.executable, "-c", "print('printed by a child')"], check=True)
    warnings.warn("warned")
    return {}

serve_stdio(dispatcher_of(execute), lambda: False, protocol=sys.argv[1], target=own)
print("printed at the end")
"""


@pytest.mark.parametrize("protocol", ["control", "mcp"])
def test_whatever_the_app_prints_standard_output_has_answers_only(protocol: str) -> None:
    call: dict[str, Any] = {"action": "a"}
    sent = (
        request(1, "actions/execute", **call)
        if protocol == "control"
        else request(1, "tools/call", name="actions_execute", arguments=call)
    )
    done = subprocess.run(
        [sys.executable, "-W", "default", "-c", NOISY, protocol],
        input=sent, capture_output=True, timeout=60, check=True, cwd=ROOT,
    )  # fmt: skip
    (line,) = done.stdout.splitlines()
    assert "completed" in str(json.loads(line)["result"])
    for noise in (b"import", b"handler", b"descriptor 1", b"child", b"warned", b"the end"):
        assert noise in done.stderr


def test_standard_output_is_taken_for_answers_where_an_app_has_not_done_so() -> None:
    script = NOISY.replace("own = own_stdout()", "own = None").replace('print("printed at i', "#")
    sent = request(1, "actions/execute", action="a")
    done = subprocess.run(
        [sys.executable, "-c", script, "control"],
        input=sent, capture_output=True, timeout=60, check=True, cwd=ROOT,
    )  # fmt: skip
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1]
    assert b"child" in done.stderr


def test_calls_that_go_on_when_the_input_ends_have_a_moment_for_their_answers() -> None:
    runtime = TickRuntime()
    ticks = 0

    async def handler() -> object:
        await runtime.sleep(0)
        return {}

    async def stays() -> None:
        await runtime.event()

    def tick() -> bool:
        nonlocal ticks
        ticks += 1
        runtime.tick()
        return False

    def execute(action: str, _input: Any, _context: Any) -> object:
        return handler() if action == "a" else stays()

    dispatcher = dispatcher_of(execute, runtime=runtime, concurrent=True)
    reader, writer = os.pipe()
    answers, target = os.pipe()
    calls = [request(n, "actions/execute", action=action) for n, action in enumerate("ab")]
    os.write(writer, b"".join(calls))
    os.close(writer)
    serve_stdio(dispatcher, tick, reader, target=target, ending_seconds=0.1)
    runtime.close()
    os.close(reader)
    os.close(target)
    with os.fdopen(answers, "rb") as told:
        assert [json.loads(line)["id"] for line in told] == [0]
    assert ticks > 0


@pytest.mark.parametrize(
    "words", [["--headless", "--agent-json"], ["--port", "1"], ["--agent-mcp", "--agent-json"]]
)
def test_words_that_make_no_sense_are_refused(words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bridge.demo.drawing", *words],
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert b"usage:" in done.stderr
