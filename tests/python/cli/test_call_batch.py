"""`call --batch`: a line in, a line out, in order, over one connection."""

from __future__ import annotations

import json
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from bridge.contract.error_codes import ExitCode, Outcome
from tests.python.support.command_line import pipe, run_command, running_command
from tests.python.support.fake_app import KEPT, SLUG, fake_app, sent
from tests.python.support.fake_bridge import PATIENCE_SECONDS, Answer, Bytes, Received, error


def batch(runtime: Path, *lines: str, options: tuple[str, ...] = ()) -> tuple[int, list[Any]]:
    done = run_command(
        runtime, "call", SLUG, "--batch", *options, data="\n".join(lines).encode() + b"\n"
    )
    assert b"Traceback" not in done.stderr
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def test_lines_are_answered_in_order_over_one_connection(tmp_path: Path) -> None:
    calls = [json.dumps({"action": "doc.read", "input": {"n": n}}) for n in range(50)]
    with fake_app(tmp_path) as (_, bridge):
        looks = bridge.connections
        status, answers = batch(tmp_path, *calls, "", "  ")
        # One more: the app was named, so the bridge was asked for it.
        assert bridge.connections - looks == 2
        assert len(bridge.of("/rpc")) == 50
    assert status == ExitCode.DONE
    assert [answer["output"]["sent"] for answer in answers] == [{"n": n} for n in range(50)]


@pytest.mark.parametrize(
    ("states", "answer", "status"),
    [
        (["consent", "completed"], {"status": "completed", "output": {"bytes": 7}}, ExitCode.DONE),
        (["consent", "failed"], "It failed.", ExitCode.APP_ERROR),
    ],
)
def test_a_line_that_waits_for_the_owner_is_answered_when_it_is_decided_on(
    states: list[str], answer: Any, status: ExitCode, tmp_path: Path
) -> None:
    line = json.dumps({"action": "doc.export"})
    with fake_app(tmp_path) as (app, bridge):
        app.asks, app.task_states = True, states
        done, answers = batch(tmp_path, line, json.dumps({"action": "doc.read"}))
        assert [r.json()["request"]["method"] for r in bridge.of("/rpc")] == [
            "actions/execute", "tasks/get", "tasks/get", "actions/execute",
        ]  # fmt: skip
    assert done == status
    told = answers[0]
    if status == ExitCode.DONE:
        assert answer.items() <= told.items()
        assert "task" not in told
    else:
        assert told["error"]["message"] == answer
    assert "output" in answers[1]


def test_a_line_waits_for_no_owner_where_that_is_not_wanted(tmp_path: Path) -> None:
    with fake_app(tmp_path) as (app, _):
        app.asks = True
        line = json.dumps({"action": "doc.export"})
        _, (answer,) = batch(tmp_path, line, options=("--no-wait",))
    assert answer["status"] == "deferred"


def test_a_whole_request_gets_a_whole_response(tmp_path: Path) -> None:
    with fake_app(tmp_path) as (_, bridge):
        status, answers = batch(
            tmp_path,
            '{"jsonrpc":"2.0","id":"é","method":"agent/info"}',
            '{"jsonrpc":"2.0","method":"agent/info"}',
            '{"jsonrpc":"2.0","id":2,"method":"nope"}',
        )
        assert len(bridge.of("/rpc")) == 3
    assert status == ExitCode.APP_ERROR
    assert [answer["id"] for answer in answers] == ["é", 2]
    assert answers[1]["error"]["code"] == -32601


def test_a_line_goes_out_as_it_was_written(tmp_path: Path) -> None:
    line = '{"action": "doc.read", "input": {"n": [1e3, 0.10]}}'
    with fake_app(tmp_path) as (_, bridge):
        batch(tmp_path, line)
        assert line.encode() in bridge.of("/rpc")[0].body


def test_the_latest_revision_is_read_for_the_line_that_asks_for_it(tmp_path: Path) -> None:
    with fake_app(tmp_path) as (_, bridge):
        status, answers = batch(
            tmp_path, '{"action":"doc.undo","expectedRevision":"latest"}', '{"action":"doc.undo"}'
        )
        first = sent(bridge, "actions/execute")[0]
        assert len(bridge.of("/rpc")) == 3
    assert first == {"action": "doc.undo", "expectedRevision": 12345678901234567890}
    assert status == ExitCode.APP_ERROR
    assert answers[1]["error"]["data"]["code"] == "REVISION_REQUIRED"


BAD = ["{", "[]", '{"input":{}}', '{"action":"a","action":"b"}', "7"]


def test_bad_lines_are_answered_and_end_nothing(tmp_path: Path) -> None:
    with fake_app(tmp_path) as (_, bridge):
        status, answers = batch(tmp_path, *BAD, '{"action":"doc.read"}')
        assert len(bridge.of("/rpc")) == 1
    assert status == ExitCode.USAGE
    assert [answer["error"]["code"] for answer in answers[:-1]] == [-32600] * len(BAD)
    assert answers[-1]["status"] == "completed"


def test_stop_on_error_ends_at_the_first_line_that_fails(tmp_path: Path) -> None:
    lines = ['{"action":"doc.read"}', '{"action":"none"}', '{"action":"doc.read"}']
    with fake_app(tmp_path) as (_, bridge):
        status, answers = batch(tmp_path, *lines, options=("--stop-on-error",))
        assert len(bridge.of("/rpc")) == 2
        assert (status, len(answers)) == (ExitCode.APP_ERROR, 2)
        status, answers = batch(tmp_path, *lines)
        assert (status, len(answers)) == (ExitCode.APP_ERROR, 3)


def test_the_status_is_the_worst_of_all_lines(tmp_path: Path) -> None:
    answers: list[Answer | Bytes] = []
    with fake_app(tmp_path) as (app, bridge):

        def script(request: Received) -> Answer | Bytes:
            return answers.pop(0) if request.path == "/rpc" else app.answer(request)

        bridge.script = script
        good = Answer(body=b'{"id":1,"result":{}}', headers=KEPT)
        app_error = Answer(body=b'{"id":1,"error":{"code":1,"message":"m"}}', headers=KEPT)
        refused = error("UNAUTHORIZED")
        gone, unknown = error("NOT_ATTACHED", Outcome.NOT_DELIVERED), Bytes()
        rounds: list[tuple[list[Answer | Bytes], ExitCode]] = [
            ([good, good], ExitCode.DONE),
            ([app_error, good], ExitCode.APP_ERROR),
            ([refused, app_error], ExitCode.REFUSED),
            ([gone, refused], ExitCode.NO_BRIDGE),
            ([unknown, gone, good], ExitCode.OUTCOME_UNKNOWN),
            ([Answer(body=b"[]"), gone], ExitCode.OUTCOME_UNKNOWN),
        ]
        for some, status in rounds:
            answers[:] = some
            lines = ['{"action":"doc.read"}'] * len(some)
            assert batch(tmp_path, *lines)[0] == status
            assert answers == []


def test_whoever_waits_for_an_answer_before_the_next_line_gets_it(tmp_path: Path) -> None:
    with fake_app(tmp_path), running_command(tmp_path, "call", SLUG, "--batch") as child:
        stdin, stdout = pipe(child.stdin), pipe(child.stdout)
        for n in range(3):
            stdin.write(b'{"action":"doc.read","input":{"n":%d}}\n' % n)
            stdin.flush()
            assert json.loads(stdout.readline())["output"]["sent"] == {"n": n}
        stdin.close()
        assert child.wait(PATIENCE_SECONDS) == ExitCode.DONE


def test_a_last_line_without_a_line_break_counts(tmp_path: Path) -> None:
    with fake_app(tmp_path):
        done = run_command(tmp_path, "call", SLUG, "--batch", data=b'{"action":"doc.read"}')
    assert done.returncode == ExitCode.DONE
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_between_lines_is_the_end_and_no_error(tmp_path: Path, number: int) -> None:
    with fake_app(tmp_path), running_command(tmp_path, "call", SLUG, "--batch") as child:
        pipe(child.stdin).write(b'{"action":"doc.read"}\n')
        pipe(child.stdin).flush()
        assert pipe(child.stdout).readline()
        child.send_signal(number)
        assert child.wait(PATIENCE_SECONDS) == ExitCode.DONE
        assert pipe(child.stderr).read() == b""


def test_a_signal_during_a_call_says_that_it_may_have_run(tmp_path: Path) -> None:
    with fake_app(tmp_path) as (app, bridge):
        asked, leave = threading.Event(), threading.Event()

        def script(request: Received) -> Answer | Bytes:
            if request.path == "/rpc":
                asked.set()
                leave.wait(PATIENCE_SECONDS)
            return app.answer(request)

        bridge.script = script
        with running_command(tmp_path, "call", SLUG, "--batch") as child:
            pipe(child.stdin).write(b'{"action":"doc.read"}\n')
            pipe(child.stdin).flush()
            assert asked.wait(PATIENCE_SECONDS)
            child.send_signal(signal.SIGINT)
            status = child.wait(PATIENCE_SECONDS)
            leave.set()
            assert status == ExitCode.OUTCOME_UNKNOWN
            assert b"may have run" in pipe(child.stderr).read()


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    with fake_app(tmp_path), running_command(tmp_path, "call", SLUG, "--batch") as child:
        pipe(child.stdout).close()
        pipe(child.stdin).write(b'{"action":"doc.read"}\n' * 3)
        pipe(child.stdin).close()
        assert child.wait(PATIENCE_SECONDS) == ExitCode.DONE
        assert pipe(child.stderr).read() == b""


@pytest.mark.parametrize(
    "options",
    [("--wait",), ("--input-json", "{}"), ("--expected-revision", "latest"), ("doc.read",)],
)
def test_a_batch_takes_its_calls_from_the_lines_alone(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    with fake_app(tmp_path) as (_, bridge):
        done = run_command(tmp_path, "call", SLUG, "--batch", *options)
        assert bridge.of("/rpc") == []
    assert done.returncode == ExitCode.USAGE


def test_a_line_that_is_too_long_is_answered_and_not_sent(tmp_path: Path) -> None:
    long = json.dumps({"action": "doc.read", "input": {"t": "x" * 1_048_576}})
    with fake_app(tmp_path) as (_, bridge):
        status, answers = batch(tmp_path, long, '{"action":"doc.read"}')
        assert len(bridge.of("/rpc")) == 1
    assert status == ExitCode.USAGE
    assert "longer than" in answers[0]["error"]["message"]
