"""The gateways as MCP clients start them: processes, bytes, signals, bridges that go and come."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bridge.cli.client_config.mcp_config import gateway_words
from bridge.client.process_identity import process_start
from bridge.contract.error_codes import ExitCode, Outcome
from bridge.contract.limits import JSON_LIMITS
from tests.python.support.command_line import (
    COMMAND,
    entry_for,
    environment,
    is_gone,
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
from tests.python.support.mcp_requests import call, cancelled, discover, initialize, legacy, modern

MAX = JSON_LIMITS.max_encoded_bytes
INFO = b'{"jsonrpc":"2.0","id":1,"method":"agent/info"}'


def bridge_s(received: Received) -> Answer | Bytes:
    """Answer as a bridge whose page gives back what it was sent."""
    if received.path == "/session/keep":
        return Answer(body=b'{"kept":true}')
    return echo(received)


@pytest.fixture
def bridge(tmp_path: Path) -> Iterator[FakeBridge]:
    with fake_bridge(bridge_s) as running:
        post_entry(tmp_path, entry_for(running))
        yield running


class Client:
    """What a client does with the process that it has started."""

    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        self.child = child

    def send(self, *lines: bytes) -> None:
        pipe(self.child.stdin).write(b"".join(line + b"\n" for line in lines))
        pipe(self.child.stdin).flush()

    def read(self) -> Any:
        line = pipe(self.child.stdout).readline()
        assert line.endswith(b"\n"), line
        return json.loads(line)

    def ask(self, line: bytes) -> Any:
        self.send(line)
        return self.read()

    def end(self) -> int:
        """End the input, check that no more comes, and return the exit status."""
        out, err = self.child.communicate(timeout=PATIENCE_SECONDS)
        assert (out, err) == (b"", b"")
        return self.child.returncode


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with running_command(tmp_path, "browser-stdio") as child:
        yield Client(child)


def request_of(received: Received) -> Any:
    return received.json()["request"]


def answers(data: bytes) -> list[Any]:
    assert b"\r" not in data
    return [json.loads(line) for line in data.splitlines()]


# Before there is anything to call


@pytest.mark.parametrize("opening", [discover(0), initialize(0)], ids=["modern", "legacy"])
def test_without_a_bridge_it_says_what_it_is_and_each_call_what_to_do(
    client: Client, opening: bytes
) -> None:
    first = client.ask(opening)
    assert first["result"]["capabilities"] == {"tools": {}, "resources": {}}
    listed = client.ask(modern(1, "tools/list"))["result"]["tools"]
    assert len(listed) == 9
    assert client.ask(legacy(2, "tools/list"))["result"]["tools"] == listed
    failed = client.ask(call(3))["result"]
    assert failed["isError"] is True
    assert failed["structuredContent"]["error"]["data"]["code"] == "NO_BRIDGE"
    assert "browser-bridge --origin" in failed["content"][0]["text"]
    assert client.ask(modern(4, "resources/list"))["result"]["resources"] == []
    assert client.ask(legacy(5, "resources/templates/list"))["result"] == {"resourceTemplates": []}
    assert client.ask(modern(6, "resources/read", uri="a"))["error"]["code"] == -32603
    assert client.end() == 0


def test_it_works_once_a_bridge_is_there_and_once_a_page_is(client: Client, tmp_path: Path) -> None:
    client.ask(initialize(0))
    assert client.ask(call(1))["result"]["isError"] is True
    with fake_bridge(lambda _: error("NOT_ATTACHED", Outcome.NOT_DELIVERED)) as served:
        post_entry(tmp_path, entry_for(served))
        failed = client.ask(call(2))["result"]["structuredContent"]["error"]
        assert failed["data"]["code"] == "NOT_ATTACHED"
        served.script = bridge_s
        assert client.ask(call(3))["result"]["name"] == "actions_search"
        assert client.end() == 0


def test_a_copy_that_is_only_asked_what_it_is_reaches_no_bridge(
    bridge: FakeBridge, client: Client
) -> None:
    client.ask(discover(0))
    client.ask(modern(1, "tools/list"))
    client.child.kill()
    client.child.wait(PATIENCE_SECONDS)
    assert bridge.connections == 0


def test_a_call_reaches_it_so_that_the_last_test_can_fail(
    bridge: FakeBridge, client: Client
) -> None:
    client.ask(discover(0))
    client.ask(call(1))
    assert bridge.connections > 0
    assert client.end() == 0


def test_the_first_answer_needs_no_event_loop_and_no_server(tmp_path: Path) -> None:
    program = (
        "import sys; sys.argv = ['bascule', 'browser-stdio']\n"
        "from bridge.cli.main import main; from bridge.cli.gateways import stdio_protocols as p\n"
        "p._serve_mcp = lambda *_: print(*sorted(sys.modules), file=sys.stderr)\n"
        "main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=discover(0) + b"\n",
        capture_output=True,
        env=environment(tmp_path),
        timeout=PATIENCE_SECONDS,
        check=True,
    )
    assert "result" in json.loads(done.stdout)
    loaded = set(done.stderr.decode().split())
    assert "bridge.dispatcher.mcp_front" in loaded
    heavy = {"asyncio", "aiohttp", "argparse", "msgspec", "socket", "ssl", "jsonschema_rs"}
    assert not loaded & heavy
    assert not {name for name in loaded if name.startswith("bridge.contract.schema")}


# Which protocol


def test_the_first_valid_request_selects_mcp_for_good(bridge: FakeBridge, client: Client) -> None:
    client.ask(initialize(0))
    assert client.ask(INFO)["error"]["code"] == -32601
    assert bridge.connections == 0
    assert client.end() == 0


def test_the_first_valid_request_selects_control_protocol_1_for_good(
    bridge: FakeBridge, client: Client
) -> None:
    client.ask(INFO)
    # A page answers these, in the protocol that it speaks.
    client.ask(initialize(2))
    assert [request_of(r)["method"] for r in bridge.of("/rpc")] == ["agent/info", "initialize"]
    assert "opening" not in bridge.of("/rpc")[1].json()
    assert client.end() == 0


def test_a_bad_request_of_mcp_is_answered_as_such_and_selects_nothing(
    bridge: FakeBridge, client: Client
) -> None:
    version = discover(1).replace(b"2026-07-28", b"1999-01-01")
    assert client.ask(version)["error"]["code"] == -32022
    assert client.ask(legacy(2, "initialize"))["error"]["code"] == -32602
    assert client.ask(call(3, "no_such_tool"))["error"]["code"] == -32602
    assert bridge.connections == 0
    assert client.ask(INFO)["result"] is None
    assert client.end() == 0


def test_lines_that_are_no_request_are_answered_in_control_protocol_1_and_select_nothing(
    client: Client,
) -> None:
    broken = client.ask(b"{")
    assert (broken["id"], broken["error"]["code"]) == (None, -32700)
    assert client.ask(b"[]")["error"]["code"] == -32600
    client.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}', b"", b" \r")
    assert client.ask(discover(1))["id"] == 1
    assert client.end() == 0


def test_a_ping_before_anything_else_is_answered_without_an_app_and_selects_nothing(
    client: Client, tmp_path: Path
) -> None:
    assert client.ask(legacy("first", "ping"))["result"] == {}
    wrong = client.ask(b'{"jsonrpc":"2.0","id":2,"method":"ping","params":7}')
    assert wrong["error"]["code"] == -32602
    client.send(b'{"jsonrpc":"2.0","method":"ping"}')
    with fake_bridge(bridge_s) as served:
        post_entry(tmp_path, entry_for(served))
        assert client.ask(INFO)["result"] is None
        # It is control protocol 1 now, which has no ping.
        client.ask(legacy(3, "ping"))
        assert [request_of(r)["method"] for r in served.of("/rpc")] == ["agent/info", "ping"]
        assert client.end() == 0


def test_a_ping_is_answered_before_initialize_and_after_it(client: Client) -> None:
    assert client.ask(legacy(1, "ping"))["result"] == {}
    assert client.ask(initialize(2))["result"]["serverInfo"]["name"] == "bascule"
    assert client.ask(legacy(3, "ping"))["result"] == {}
    assert client.end() == 0


@pytest.mark.parametrize("method", ["tools/list", "no/such", "resources/read"])
def test_a_first_request_that_may_be_another_protocol_s_ends_nothing_where_there_is_no_bridge(
    client: Client, tmp_path: Path, method: str
) -> None:
    failed = client.ask(legacy(1, method, uri="a"))
    assert (failed["id"], failed["error"]["code"]) == (1, -32000)
    assert failed["error"]["data"]["code"] == "NO_BRIDGE"
    with fake_bridge(bridge_s) as served:
        post_entry(tmp_path, entry_for(served))
        assert client.ask(INFO)["result"] is None
        assert client.end() == 0


@pytest.mark.parametrize("first", [legacy(1, "ping"), legacy(1, "tools/list")])
def test_the_entry_that_mcp_config_writes_answers_whatever_a_client_sends_first(
    tmp_path: Path, first: bytes
) -> None:
    with running_command(tmp_path, *gateway_words(None)) as child:
        client = Client(child)
        assert "result" in client.ask(first)
        assert "result" in client.ask(initialize(2))
        assert client.ask(call(3))["result"]["isError"] is True
        assert client.end() == 0


def test_with_protocol_mcp_nothing_else_is_spoken(tmp_path: Path) -> None:
    with running_command(tmp_path, "browser-stdio", "--protocol", "mcp") as child:
        client = Client(child)
        assert "id" not in client.ask(b"{")
        assert client.ask(INFO)["error"]["code"] == -32601
        assert client.ask(legacy(2, "tools/list"))["id"] == 2
        assert client.end() == 0


def test_with_protocol_json_mcp_is_a_page_s_affair(bridge: FakeBridge, tmp_path: Path) -> None:
    done = run_command(tmp_path, "browser-stdio", "--protocol", "json", data=discover(1))
    assert answers(done.stdout)[0]["result"] is not None
    assert request_of(bridge.of("/rpc")[0])["method"] == "server/discover"


@pytest.mark.parametrize(
    ("options", "version"), [([], "2025-11-25"), (["--accept-legacy"], "2025-06-18")]
)
@pytest.mark.parametrize("command", [["browser-stdio"], ["stdio", "--protocol", "mcp"]])
def test_an_older_offer_is_accepted_where_that_is_asked_for(
    tmp_path: Path, command: list[str], options: list[str], version: str
) -> None:
    done = run_command(tmp_path, *command, *options, data=initialize(1, "2025-06-18"))
    assert answers(done.stdout)[0]["result"]["protocolVersion"] == version


# Calls


def test_calls_run_beside_each_other(bridge: FakeBridge, client: Client) -> None:
    together = threading.Barrier(8)

    def all_at_once(received: Received) -> Answer | Bytes:
        if received.path == "/rpc":
            together.wait(PATIENCE_SECONDS)
        return bridge_s(received)

    bridge.script = all_at_once
    client.send(discover("d"), *(call(number) for number in range(8)))
    assert {client.read()["id"] for _ in range(9)} == {"d", *range(8)}
    assert client.end() == 0


def test_what_needs_no_app_is_answered_while_a_call_waits(
    bridge: FakeBridge, client: Client
) -> None:
    go_on = threading.Event()

    def wait(received: Received) -> Answer | Bytes:
        go_on.wait(PATIENCE_SECONDS)
        return bridge_s(received)

    bridge.script = wait
    client.send(call(1))
    bridge.wait_for("/rpc")
    assert client.ask(legacy(2, "ping"))["id"] == 2
    go_on.set()
    assert client.read()["id"] == 1
    assert client.end() == 0


def test_all_calls_share_one_session_which_is_released_in_the_end(
    bridge: FakeBridge, client: Client
) -> None:
    client.ask(initialize(0))
    client.ask(call(1))
    client.ask(legacy(2, "tools/call", name="state_inspect"))
    assert client.end() == 0
    sessions = [r.json()["session"] for r in bridge.of("/rpc") + bridge.of("/session/close")]
    assert len(sessions) == 3
    assert len(set(sessions)) == 1


def test_legacy_requests_carry_the_client_s_initialize_and_modern_ones_nothing(
    bridge: FakeBridge, client: Client
) -> None:
    client.ask(initialize("me"))
    client.ask(legacy(1, "tools/call", name="state_inspect"))
    client.ask(call(2))
    client.ask(legacy(3, "resources/list"))
    openings = [r.json().get("opening") for r in bridge.of("/rpc")]
    assert openings == [json.loads(initialize("me")), None, json.loads(initialize("me"))]
    assert client.end() == 0


def test_a_cancelled_call_is_told_on_and_its_answer_is_dropped(
    bridge: FakeBridge, client: Client
) -> None:
    go_on = threading.Event()

    def wait(received: Received) -> Answer | Bytes:
        if received.path == "/rpc" and request_of(received).get("id") == 1:
            go_on.wait(PATIENCE_SECONDS)
        return bridge_s(received)

    bridge.script = wait
    client.send(call(1))
    bridge.wait_for("/rpc")
    client.send(cancelled(1))
    told = request_of(bridge.wait_for("/rpc", 2)[1])
    assert (told["method"], told["params"]["requestId"]) == ("notifications/cancelled", 1)
    go_on.set()
    assert client.ask(call(2))["id"] == 2
    assert client.end() == 0


def test_an_id_that_was_cancelled_is_used_again_only_when_the_app_has_heard_of_it(
    bridge: FakeBridge, client: Client
) -> None:
    other = threading.Event()
    seen: list[object] = []

    def hold(received: Received) -> Answer | Bytes:
        message = request_of(received) if received.path == "/rpc" else {}
        if "id" in message:
            seen.append(message["id"])
        if message.get("id") == 2:
            other.set()
        if message.get("method") == "notifications/cancelled":
            other.wait(PATIENCE_SECONDS)
            seen.append("told")
        if message.get("id") == 1 and "told" not in seen:
            other.wait(PATIENCE_SECONDS)
        return bridge_s(received)

    bridge.script = hold
    client.send(call(1))
    bridge.wait_for("/rpc")
    client.send(cancelled(1))
    client.send(call(1))
    client.send(call(2))
    assert sorted(client.read()["id"] for _ in range(2)) == [1, 2]
    assert seen == [1, 2, "told", 1]
    assert client.end() == 0


def test_a_wait_is_never_forwarded_and_ends_with_the_task(
    bridge: FakeBridge, client: Client
) -> None:
    states = iter(["running", "running", "completed"])

    def task(received: Received) -> Answer | Bytes:
        if received.path != "/rpc":
            return bridge_s(received)
        value = {"structuredContent": {"task": {"id": "t", "state": next(states)}}}
        return Answer(body=json.dumps({"jsonrpc": "2.0", "id": 1, "result": value}).encode())

    bridge.script = task
    client.send(call(1, "task_status", token="p", id="t", waitMs=20_000))
    assert client.read()["params"]["progressToken"] == "p"
    assert client.read()["result"]["structuredContent"]["task"]["state"] == "completed"
    given = [request_of(r)["params"]["arguments"] for r in bridge.of("/rpc")]
    assert given == [{"id": "t"}] * 3
    assert client.end() == 0


def test_a_bridge_that_was_restarted_is_found_without_a_restart(
    client: Client, tmp_path: Path
) -> None:
    with fake_bridge(bridge_s) as old, fake_bridge(bridge_s) as new, process_to_kill() as holder:
        start = process_start(holder.pid)
        entry = post_entry(tmp_path, entry_for(old, pid=holder.pid, process_start=start))
        assert client.ask(call(1))["id"] == 1
        holder.kill()
        holder.wait(PATIENCE_SECONDS)
        entry.unlink()
        # Its token is sent to nobody who has its port now.
        assert client.ask(call(2))["result"]["isError"] is True
        assert (len(old.of("/terminal")), len(old.of("/rpc"))) == (1, 1)
        post_entry(tmp_path, entry_for(new))
        assert "isError" not in client.ask(call(3))["result"]
        assert client.end() == 0
        assert len(new.of("/rpc")) == 1


# Bytes


def test_a_line_of_1_mib_works_and_one_over_does_not_stop_the_next(
    bridge: FakeBridge, client: Client
) -> None:
    client.ask(discover(0))
    whole = call(1)
    padded = whole[:-1] + b" " * (MAX - len(whole)) + b"}"
    client.send(padded)
    assert client.read()["id"] == 1
    assert len(bridge.of("/rpc")[0].body) > MAX
    client.send(padded + b" ")
    wrong = client.read()
    assert "id" not in wrong
    assert wrong["error"]["code"] == 1015
    assert client.ask(call(2))["id"] == 2
    assert client.end() == 0


@pytest.mark.parametrize("first", [b"", discover(0) + b"\n"], ids=["at the start", "later"])
def test_a_request_written_byte_by_byte_is_one_request(
    bridge: FakeBridge, client: Client, first: bytes
) -> None:
    for byte in first + call(1, query="é\U0001f600") + b"\r\n\r\n\n":
        os.write(pipe(client.child.stdin).fileno(), bytes([byte]))
    answer = client.read()
    if first:
        answer = client.read()
    assert answer["result"]["arguments"] == {"query": "é\U0001f600"}
    assert client.end() == 0


@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_input_that_ends_without_a_line_break_is_answered_whole(
    bridge: FakeBridge, tmp_path: Path, kind: str
) -> None:
    data = discover(0) + b"\r\n\n" + b"\n".join(call(number) for number in range(1, 30))
    if kind == "pipe":
        done = run_command(tmp_path, "browser-stdio", data=data)
    else:
        (tmp_path / "in").write_bytes(data)
        with (tmp_path / "in").open("rb") as file:
            done = subprocess.run(
                [*COMMAND, "browser-stdio"],
                stdin=file,
                capture_output=True,
                env=environment(tmp_path),
                timeout=PATIENCE_SECONDS,
                check=False,
            )
    assert (done.returncode, done.stderr) == (0, b"")
    assert {answer["id"] for answer in answers(done.stdout)} == set(range(30))


def test_thousands_of_failing_calls_write_nothing_to_standard_error(tmp_path: Path) -> None:
    data = b"\n".join([discover(0), *(call(number) for number in range(1, 500))])
    done = run_command(tmp_path, "browser-stdio", data=data)
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(answers(done.stdout)) == 500


# The end


def test_calls_in_flight_when_the_input_ends_are_answered(
    bridge: FakeBridge, client: Client
) -> None:
    go_on = threading.Event()

    def wait(received: Received) -> Answer | Bytes:
        if received.path == "/rpc":
            go_on.wait(PATIENCE_SECONDS)
        return bridge_s(received)

    bridge.script = wait
    client.send(discover(0), call(1))
    bridge.wait_for("/rpc")
    pipe(client.child.stdin).close()
    client.child.stdin = None
    go_on.set()
    assert client.read()["id"] == 0
    assert client.read()["id"] == 1
    assert client.child.wait(PATIENCE_SECONDS) == 0
    assert len(bridge.of("/session/close")) == 1


@pytest.mark.parametrize("how", ["input", "SIGTERM", "SIGINT", "SIGHUP"])
def test_a_call_that_is_never_answered_does_not_keep_it(
    bridge: FakeBridge, client: Client, how: str
) -> None:
    release = threading.Event()

    def never(received: Received) -> Answer | Bytes:
        if received.path == "/rpc":
            release.wait(PATIENCE_SECONDS)
        return bridge_s(received)

    bridge.script = never
    client.ask(discover(0))
    client.send(call(1))
    bridge.wait_for("/rpc")
    if how != "input":
        client.child.send_signal(getattr(signal, how))
        # The input stays open.
        assert client.child.wait(PATIENCE_SECONDS) == ExitCode.DONE
    assert client.end() == 0
    assert len(bridge.of("/session/close")) == 1
    release.set()


MANY = 1_000
"""More lists of tools than are kept for a client that reads none, asked for in less than a pipe."""


def test_a_client_that_reads_nothing_and_closes_its_input_does_not_keep_it(client: Client) -> None:
    client.ask(discover(0))
    client.send(*[legacy(1, "tools/list")] * MANY)
    pipe(client.child.stdin).close()
    client.child.stdin = None
    assert client.child.wait(PATIENCE_SECONDS) == 0
    assert pipe(client.child.stderr).read() == b""
    assert pipe(client.child.stdout).read().count(b"\n") < MANY


def test_a_client_that_closes_its_input_and_reads_gets_every_answer(tmp_path: Path) -> None:
    data = b"\n".join([discover(0), *[legacy(1, "tools/list")] * MANY])
    done = run_command(tmp_path, "browser-stdio", data=data)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"\n") == 1 + MANY


@pytest.mark.parametrize("how", ["SIGTERM", "SIGINT", "SIGHUP"])
@pytest.mark.parametrize("asked", [False, True], ids=["at once", "after an answer"])
def test_a_signal_ends_it_quietly(client: Client, how: str, *, asked: bool) -> None:
    if asked:
        client.ask(discover(0))
    else:
        # Its handlers are there once it waits for input.
        os.write(pipe(client.child.stdin).fileno(), b"\n")
        _until_it_reads(client.child.pid)
    client.child.send_signal(getattr(signal, how))
    assert client.child.wait(PATIENCE_SECONDS) == ExitCode.DONE
    assert client.end() == 0


def _until_it_reads(pid: int) -> None:
    """Wait, with a bound, until a process has its handlers, and reads."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        caught = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
        mask = int(caught.partition("SigCgt:")[2].split()[0], 16)
        if mask >> (signal.SIGTERM - 1) & 1:
            return
        os.sched_yield()
    raise AssertionError("it never waited")


def test_a_second_signal_ends_it_at_once(bridge: FakeBridge, client: Client) -> None:
    release = threading.Event()

    def wait_at_the_end(received: Received) -> Answer | Bytes:
        if received.path == "/session/close":
            release.wait(PATIENCE_SECONDS)
        return bridge_s(received)

    bridge.script = wait_at_the_end
    client.ask(discover(0))
    client.ask(call(1))
    client.child.send_signal(signal.SIGTERM)
    bridge.wait_for("/session/close")
    client.child.send_signal(signal.SIGTERM)
    assert client.child.wait(PATIENCE_SECONDS) in {0, -signal.SIGTERM}
    release.set()


def test_a_reader_that_leaves_ends_it(bridge: FakeBridge, client: Client) -> None:
    client.ask(discover(0))
    client.ask(call(1))
    pipe(client.child.stdout).close()
    client.child.stdout = None
    client.send(legacy(2, "ping"))
    assert client.child.wait(PATIENCE_SECONDS) == 0
    assert pipe(client.child.stderr).read() == b""
    assert len(bridge.of("/session/close")) == 1


@pytest.mark.parametrize("asked", [False, True], ids=["at once", "after an answer"])
def test_a_parent_that_dies_ends_it_though_its_input_stays_open(
    tmp_path: Path, *, asked: bool
) -> None:
    reading, writing = os.pipe()
    answers_from, answers_to = os.pipe()
    program = (
        "import os, subprocess, sys\n"
        "child = subprocess.Popen(sys.argv[3:], stdin=int(sys.argv[1]), stdout=int(sys.argv[2]))\n"
        "print(child.pid, flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(reading), str(answers_to), *COMMAND, "browser-stdio"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(tmp_path),
        pass_fds=(reading, answers_to),
    ) as parent:
        pid = int(pipe(parent.stdout).readline())
        if asked:
            os.write(writing, discover(0) + b"\n")
            assert os.read(answers_from, 100_000)
        else:
            _until_it_reads(pid)
        parent.kill()
    assert is_gone(pid)
    for descriptor in (reading, writing, answers_from, answers_to):
        os.close(descriptor)
