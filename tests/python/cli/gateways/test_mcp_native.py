"""`stdio --protocol mcp` into native apps, each with a dispatcher of its own."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.python.support.command_line import pipe, run_command, running_command
from tests.python.support.fake_bridge import PATIENCE_SECONDS
from tests.python.support.mcp_requests import call, discover, initialize, legacy, modern
from tests.python.support.native_app import all_places_taken, running_app, short_directory
from tests.python.support.note_app import NoteApp

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no native sockets")


@pytest.fixture
def directory() -> Iterator[Path]:
    with short_directory() as path:
        yield path


class Client:
    """Lines to a gateway, and what comes back."""

    def __init__(self, child: Any) -> None:
        self.child = child

    def send(self, *lines: bytes) -> None:
        pipe(self.child.stdin).write(b"".join(line + b"\n" for line in lines))
        pipe(self.child.stdin).flush()

    def read(self) -> Any:
        return json.loads(pipe(self.child.stdout).readline())

    def ask(self, line: bytes) -> Any:
        self.send(line)
        return self.read()


def test_an_app_is_driven_in_both_revisions_by_one_gateway(directory: Path) -> None:
    app = NoteApp()
    with (
        running_app(directory, app.dispatcher) as server,
        running_command(directory, "stdio", str(server.path), "--protocol", "mcp") as child,
    ):
        client = Client(child)
        client.ask(discover(0))
        found = client.ask(call(1, query="set"))["result"]["structuredContent"]
        assert [action["name"] for action in found["actions"]] == ["note.set"]
        given = {"action": "note.set", "input": {"text": "é"}, "expectedRevision": 7}
        done = client.ask(call(2, "actions_execute", **given))["result"]
        assert done["structuredContent"]["status"] == "completed"
        assert app.note == "é"
        assert client.ask(initialize(3))["result"]["protocolVersion"] == "2025-11-25"
        read = client.ask(
            legacy(4, "tools/call", name="actions_execute", arguments={"action": "note.read"})
        )
        assert "resultType" not in read["result"]
        assert "é" in read["result"]["content"][0]["text"]
        stale = client.ask(call(5, "actions_execute", **given))["result"]
        assert stale["isError"] is True
        assert stale["structuredContent"]["error"]["data"]["code"] == "STALE_REVISION"
        out, err = child.communicate(timeout=PATIENCE_SECONDS)
        assert (child.returncode, out, err) == (0, b"", b"")


@pytest.mark.parametrize("era", [modern, legacy])
def test_eight_calls_at_once_are_all_answered(directory: Path, era: Any) -> None:
    with (
        running_app(directory, NoteApp().dispatcher) as server,
        running_command(directory, "stdio", str(server.path), "--protocol", "mcp") as child,
    ):
        client = Client(child)
        client.send(*(era(n, "tools/call", name="actions_search") for n in range(8)))
        answers = [client.read() for _ in range(8)]
        assert {answer["id"] for answer in answers} == set(range(8))
        assert not any("isError" in answer["result"] for answer in answers)


@pytest.mark.parametrize("era", [modern, legacy])
def test_an_app_that_is_full_is_told_and_asked_again(directory: Path, era: Any) -> None:
    with (
        running_app(directory, NoteApp().dispatcher) as server,
        running_command(directory, "stdio", str(server.path), "--protocol", "mcp") as child,
    ):
        client = Client(child)
        with all_places_taken(server):
            failed = client.ask(era(1, "tools/call", name="actions_search"))
            assert failed["id"] == 1
            assert failed["result"]["isError"] is True
            data = failed["result"]["structuredContent"]["error"]["data"]
            assert (data["code"], data["outcome"]) == ("SESSION_LIMIT", "not_delivered")
            refused = client.ask(era("two", "resources/list"))
            assert refused["id"] == "two"
            assert refused["error"]["data"]["code"] == "SESSION_LIMIT"
        done = client.ask(era(3, "tools/call", name="actions_search"))
        assert done["id"] == 3
        assert "isError" not in done["result"]


def test_an_app_that_is_full_is_told_by_lines_as_well(directory: Path) -> None:
    line = b'{"jsonrpc":"2.0","id":5,"method":"agent/info"}'
    with (
        running_app(directory) as server,
        running_command(directory, "stdio", str(server.path)) as child,
    ):
        client = Client(child)
        with all_places_taken(server):
            refused = client.ask(line)
        assert refused["id"] == 5
        assert refused["error"]["data"]["code"] == "SESSION_LIMIT"
        assert refused["error"]["data"]["outcome"] == "not_delivered"
        assert "result" in client.ask(line)


def test_an_app_that_ends_is_told_and_another_of_its_name_is_found(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(directory))
    line = legacy(1, "tools/call", name="actions_search")
    with running_command(directory, "stdio", "notes", "--protocol", "mcp") as child:
        client = Client(child)
        for _ in range(2):
            failed = client.ask(line)["result"]["structuredContent"]["error"]
            assert failed["data"]["code"] == "NO_BRIDGE"
            with running_app(None, NoteApp().dispatcher, "notes"):
                assert "isError" not in client.ask(line)["result"]
        child.communicate(timeout=PATIENCE_SECONDS)


def test_the_sample_app_is_driven_in_its_own_mode_for_mcp(directory: Path) -> None:
    words = ["headless", sys.executable, "-m", "bridge.demo.drawing", "--protocol", "mcp"]
    lines = [initialize(0), legacy(1, "tools/call", name="actions_search"), discover(2)]
    done = run_command(directory, *words, data=b"\n".join(lines) + b"\n")
    answers = {
        answer["id"]: answer["result"] for answer in map(json.loads, done.stdout.splitlines())
    }
    assert answers[0]["serverInfo"]["name"] == "Bascule Draw"
    assert answers[1]["structuredContent"]["actions"]
    assert answers[2]["supportedVersions"] == ["2026-07-28", "2025-11-25"]
    assert (done.returncode, done.stderr) == (0, b"")
