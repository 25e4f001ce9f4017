"""The app on standard input and output."""

from __future__ import annotations

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
from bridge.servers.agent_stdio import AgentLines, serve_stdio

ASK = b'{"jsonrpc":"2.0","id":1,"method":"agent/info"}'
COMMAND = [sys.executable, "-m", "bridge.demo.drawing", "--agent-json"]


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


def test_what_goes_on_between_calls_goes_on_while_no_line_comes(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    reader, writer = os.pipe()
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
    serving = threading.Thread(target=serve_stdio, args=(dispatcher, tick, reader), daemon=True)
    serving.start()
    serving.join(timeout=60)
    assert not serving.is_alive()
    os.close(reader)
    assert len(ticks) == 5
    assert json.loads(capsysbinary.readouterr().out)["id"] == 1


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


@pytest.mark.parametrize("words", [["--headless", "--agent-json"], ["--port", "1"]])
def test_words_that_make_no_sense_are_refused(words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bridge.demo.drawing", *words],
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert b"usage:" in done.stderr
