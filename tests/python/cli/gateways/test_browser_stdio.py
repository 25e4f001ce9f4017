"""`browser-stdio` as a process: bytes, sessions, signals and a bridge that goes and comes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bridge.client.process_identity import process_start
from bridge.contract.error_codes import ExitCode, Outcome
from bridge.contract.limits import JSON_LIMITS
from tests.python.support.command_line import (
    entry_for,
    environment,
    pipe,
    post_entry,
    process_to_kill,
    run_command,
    running_command,
)
from tests.python.support.fake_bridge import (
    PATIENCE_SECONDS,
    Answer,
    Bytes,
    FakeBridge,
    Received,
    echo,
    error,
    fake_bridge,
)

MAX = JSON_LIMITS.max_encoded_bytes


@pytest.fixture
def bridge(tmp_path: Path) -> Iterator[FakeBridge]:
    with fake_bridge() as running:
        post_entry(tmp_path, entry_for(running))
        yield running


def request(request_id: int, params: Any = None) -> bytes:
    message = {"jsonrpc": "2.0", "id": request_id, "method": "m", "params": params}
    return json.dumps(message).encode()


def padded(request_id: int, size: int) -> bytes:
    """Return a request of exactly this size."""
    return request(request_id).replace(b"null", b"null" + b" " * (size - len(request(request_id))))


def ask(child: subprocess.Popen[bytes], line: bytes) -> Any:
    """Send one line and return the line that comes back."""
    pipe(child.stdin).write(line + b"\n")
    pipe(child.stdin).flush()
    return json.loads(pipe(child.stdout).readline())


def test_one_line_in_is_one_line_out_in_order(bridge: FakeBridge, tmp_path: Path) -> None:
    lines = [request(number, {"n": number}) for number in range(20)]
    done = run_command(tmp_path, "browser-stdio", data=b"\n".join(lines) + b"\n")
    assert (done.returncode, done.stderr) == (0, b"")
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == list(range(20))
    assert done.stdout.count(b"\n") == 20
    assert [r.json()["request"]["id"] for r in bridge.of("/rpc")] == list(range(20))


def test_carriage_returns_are_taken_and_never_given(bridge: FakeBridge, tmp_path: Path) -> None:
    data = request(1) + b"\r\n\r\n\n" + request(2) + b"\r\n"
    done = run_command(tmp_path, "browser-stdio", data=data)
    assert done.stdout.count(b"\n") == 2
    assert b"\r" not in done.stdout


def test_a_last_line_without_a_line_break_is_answered(bridge: FakeBridge, tmp_path: Path) -> None:
    done = run_command(tmp_path, "browser-stdio", data=request(1) + b"\n" + request(2))
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 2]


def test_a_line_of_1_mib_works_and_one_over_does_not_stop_the_next(
    bridge: FakeBridge, tmp_path: Path
) -> None:
    lines = [padded(1, MAX), padded(2, MAX + 1), padded(3, MAX) + b"\r", request(4)]
    done = run_command(tmp_path, "browser-stdio", data=b"\n".join(lines))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [1, None, 3, 4]
    assert answers[1]["error"]["code"] == 1015
    assert len(bridge.of("/rpc")[0].body) > MAX


def test_a_request_written_byte_by_byte_is_one_request(bridge: FakeBridge, tmp_path: Path) -> None:
    with running_command(tmp_path, "browser-stdio") as child:
        for byte in request(1, "é\U0001f600") + b"\n":
            os.write(pipe(child.stdin).fileno(), bytes([byte]))
        assert json.loads(pipe(child.stdout).readline())["result"] == "é\U0001f600"
        child.communicate(timeout=PATIENCE_SECONDS)
    assert child.returncode == 0


def test_an_answer_comes_before_the_next_line_is_sent(bridge: FakeBridge, tmp_path: Path) -> None:
    with running_command(tmp_path, "browser-stdio") as child:
        for number in range(3):
            assert ask(child, request(number))["id"] == number
        child.communicate(timeout=PATIENCE_SECONDS)


def test_a_notification_prints_nothing(bridge: FakeBridge, tmp_path: Path) -> None:
    data = b'{"jsonrpc":"2.0","method":"m"}\n' + request(1) + b"\n"
    done = run_command(tmp_path, "browser-stdio", data=data)
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1]
    assert len(bridge.of("/rpc")) == 2


def test_every_process_has_a_session_of_its_own_and_releases_it_at_the_end(
    bridge: FakeBridge, tmp_path: Path
) -> None:
    for _ in range(2):
        assert run_command(tmp_path, "browser-stdio", data=request(1)).returncode == 0
    used = [r.json()["session"] for r in bridge.of("/rpc")]
    assert len(set(used)) == 2
    assert [r.json()["session"] for r in bridge.of("/session/close")] == used
    assert [r.path for r in bridge.received] == ["/rpc", "/session/close"] * 2


def test_a_session_that_was_named_is_used_and_released(bridge: FakeBridge, tmp_path: Path) -> None:
    run_command(tmp_path, "browser-stdio", "--session", "mine", data=request(1))
    assert [r.json()["session"] for r in bridge.received] == ["mine", "mine"]


def test_a_session_that_was_not_used_is_not_released(bridge: FakeBridge, tmp_path: Path) -> None:
    assert run_command(tmp_path, "browser-stdio", data=b"\n").returncode == 0
    assert bridge.received == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_releases_the_session(
    bridge: FakeBridge, tmp_path: Path, number: signal.Signals
) -> None:
    with running_command(tmp_path, "browser-stdio") as child:
        assert ask(child, request(1))["id"] == 1
        child.send_signal(number)
        assert child.wait(PATIENCE_SECONDS) == ExitCode.DONE
        assert pipe(child.stderr).read() == b""
    assert len(bridge.of("/session/close")) == 1


def test_a_signal_in_mid_call_releases_the_session_and_says_that_it_may_have_run(
    bridge: FakeBridge, tmp_path: Path
) -> None:
    release = threading.Event()

    def wait(received: Received) -> Answer | Bytes:
        if received.path == "/rpc":
            release.wait(PATIENCE_SECONDS)
        return echo(received)

    bridge.script = wait
    with running_command(tmp_path, "browser-stdio") as child:
        pipe(child.stdin).write(request(1) + b"\n")
        pipe(child.stdin).flush()
        bridge.wait_for("/rpc")
        child.send_signal(signal.SIGTERM)
        assert child.wait(PATIENCE_SECONDS) == ExitCode.OUTCOME_UNKNOWN
        assert b"may have run" in pipe(child.stderr).read()
    release.set()
    assert len(bridge.of("/session/close")) == 1


@pytest.mark.parametrize("command", ["browser-stdio", "stdio", "headless"])
def test_an_interrupt_before_it_serves_ends_it_without_a_word(command: str, tmp_path: Path) -> None:
    # As it comes while the command's own modules are loaded, which takes most of a start.
    program = (
        "import importlib, os, signal, sys\n"
        "from bridge.cli import main\n"
        "def load(name):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    return importlib.import_module(name)\n"
        "main._load = lambda command: load(command.module)\n"
        "sys.exit(main.main(sys.argv[1:]))\n"
    )

    def interrupted(*words: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-c", program, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environment(tmp_path),
            timeout=PATIENCE_SECONDS,
            check=False,
        )

    ended = interrupted(command)
    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGINT, b"", b"")
    # A person who interrupts any other command is told.
    assert b"interrupted" in interrupted("list").stderr


def test_a_second_signal_ends_it_at_once(bridge: FakeBridge, tmp_path: Path) -> None:
    release = threading.Event()

    def wait_at_the_end(received: Received) -> Answer | Bytes:
        if received.path == "/session/close":
            release.wait(PATIENCE_SECONDS)
        return echo(received)

    bridge.script = wait_at_the_end
    with running_command(tmp_path, "browser-stdio") as child:
        ask(child, request(1))
        child.send_signal(signal.SIGTERM)
        bridge.wait_for("/session/close")
        child.send_signal(signal.SIGTERM)
        assert child.wait(PATIENCE_SECONDS) == -signal.SIGTERM
    release.set()


def test_a_reader_that_leaves_ends_it_and_releases_the_session(
    bridge: FakeBridge, tmp_path: Path
) -> None:
    with running_command(tmp_path, "browser-stdio") as child:
        ask(child, request(1))
        pipe(child.stdout).close()
        pipe(child.stdin).write(request(2) + b"\n")
        pipe(child.stdin).flush()
        bridge.wait_for("/session/close")
        assert child.wait(PATIENCE_SECONDS) == 0
        assert pipe(child.stderr).read() == b""


def test_a_failure_is_the_call_s_error_and_the_next_call_works(
    bridge: FakeBridge, tmp_path: Path
) -> None:
    with running_command(tmp_path, "browser-stdio") as child:
        bridge.script = lambda _: error("NOT_ATTACHED", Outcome.NOT_DELIVERED)
        failed = ask(child, request(1))
        assert failed["id"] == 1
        assert failed["error"]["data"]["code"] == "NOT_ATTACHED"
        assert failed["error"]["data"]["outcome"] == "not_delivered"
        bridge.script = echo
        assert ask(child, request(2, [7]))["result"] == [7]
        child.communicate(timeout=PATIENCE_SECONDS)


def test_without_a_bridge_at_the_start_it_ends_with_status_3(tmp_path: Path) -> None:
    line = b'{"jsonrpc":"2.0","id":1,"method":"agent/info"}'
    done = run_command(tmp_path, "browser-stdio", data=line)
    assert (done.returncode, done.stdout) == (ExitCode.NO_BRIDGE, b"")
    assert b"browser-bridge --origin" in done.stderr


def test_a_bridge_that_goes_is_an_error_and_one_that_comes_is_used(tmp_path: Path) -> None:
    with fake_bridge() as served, process_to_kill() as holder:
        start = process_start(holder.pid)
        entry = post_entry(tmp_path, entry_for(served, pid=holder.pid, process_start=start))
        with running_command(tmp_path, "browser-stdio") as child:
            assert ask(child, request(1))["id"] == 1
            holder.kill()
            holder.wait(PATIENCE_SECONDS)
            # The port still answers, but the process that had the token does not run.
            gone = ask(child, request(2))
            assert gone["error"]["data"]["code"] == "NO_BRIDGE"
            assert gone["error"]["data"]["outcome"] == "not_delivered"
            assert len(served.received) == 1
            entry.unlink()
            post_entry(tmp_path, entry_for(served))
            assert ask(child, request(3))["id"] == 3
            child.communicate(timeout=PATIENCE_SECONDS)
        assert len(served.of("/rpc")) == 2


def test_a_second_bridge_does_not_disturb_a_gateway_that_runs(
    bridge: FakeBridge, tmp_path: Path
) -> None:
    with fake_bridge() as second, running_command(tmp_path, "browser-stdio") as child:
        assert ask(child, request(1))["id"] == 1
        parent = os.getppid()
        post_entry(tmp_path, entry_for(second, pid=parent, process_start=process_start(parent)))
        assert ask(child, request(2))["id"] == 2
        child.communicate(timeout=PATIENCE_SECONDS)
        assert second.connections == 0
