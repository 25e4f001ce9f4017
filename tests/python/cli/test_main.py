"""The entry point: which command, which modules, which exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import bridge
from bridge.cli.main import COMMANDS, main
from tests.python.support.command_line import (
    COMMAND,
    ORIGIN,
    entry_for,
    environment,
    post_entry,
    run_command,
)
from tests.python.support.fake_bridge import PATIENCE_SECONDS, fake_bridge

HEAVY = {"aiohttp", "asyncio", "jiter", "orjson", "prometheus_client", "webbrowser", "hypothesis"}
LIST_MODULES = (
    "import json, sys; from bridge.cli.main import main; status = main(sys.argv[1:]);"
    "print(json.dumps([status, sorted(sys.modules)]), file=sys.stderr)"
)

LIST_BINDS = (
    "import json, sys; binds = [];"
    "sys.addaudithook(lambda name, args: name == 'socket.bind' and binds.append(args[1]));"
    "from bridge.cli.main import main; status = main(sys.argv[1:]);"
    "print(json.dumps([status, binds]), file=sys.stderr)"
)


def watched_run(program: str, runtime: Path, *arguments: str) -> tuple[int, list[Any]]:
    """Run a command under one of the programs above, and return its status and what was seen."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        input=b'{"jsonrpc":"2.0","id":1,"method":"m"}\n',
        capture_output=True,
        env=environment(runtime),
        timeout=PATIENCE_SECONDS,
        check=True,
    )
    status, seen = json.loads(done.stderr.splitlines()[-1])
    return status, seen


def modules_after(runtime: Path, *arguments: str) -> tuple[int, set[str]]:
    """Run a command and return its status and the modules that it imported."""
    status, modules = watched_run(LIST_MODULES, runtime, *arguments)
    return status, set(modules)


@pytest.mark.parametrize(
    "arguments", [["browser-call", "m"], ["browser-stdio"], ["list"], ["status"]], ids=str
)
def test_nothing_listens_without_the_command_that_starts_a_bridge(
    arguments: list[str], tmp_path: Path
) -> None:
    with fake_bridge() as served:
        post_entry(tmp_path, entry_for(served))
        assert watched_run(LIST_BINDS, tmp_path, *arguments) == (0, [])


def test_a_bridge_asks_for_any_free_port_of_the_loopback_address(tmp_path: Path) -> None:
    command = ["browser-bridge", "--origin", ORIGIN, "--idle-exit", "0.05"]
    assert watched_run(LIST_BINDS, tmp_path, *command) == (0, [["127.0.0.1", 0]])


@pytest.mark.parametrize(
    "arguments",
    [
        ["browser-call", "actions/list", "{}"],
        ["call", "echo", "a.b"],
        ["call", "--batch", "--app", "Echo"],
        ["list"],
        ["status"],
        ["--help"],
        ["assets", "."],
        ["completion", "bash"],
        ["mcp-config", "cursor", "my-app"],
    ],
    ids=str,
)
def test_one_shot_commands_import_no_event_loop_and_no_server(
    arguments: list[str], tmp_path: Path
) -> None:
    arguments = [str(tmp_path / "out") if name == "." else name for name in arguments]
    with fake_bridge() as served:
        post_entry(tmp_path, entry_for(served))
        status, modules = modules_after(tmp_path, *arguments)
    assert status == 0
    assert modules & HEAVY == set()
    others = {command.module for command in COMMANDS.values()} & modules
    assert len(others) <= 1


def test_the_list_of_modules_would_show_them(tmp_path: Path) -> None:
    _, modules = modules_after(tmp_path, "browser-bridge", "--origin", "nonsense")
    assert {"aiohttp", "asyncio"} <= modules


def test_the_version_is_the_package_s(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capfd.readouterr().out == f"bascule {bridge.__version__}\n"


def test_help_lists_every_command(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capfd.readouterr().out
    for name, command in COMMANDS.items():
        assert name in out
        assert command.summary in out


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_says_the_same_of_itself(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    without = capfd.readouterr().out
    assert main(["--help", name]) == 0
    assert capfd.readouterr().out == without


def test_every_command_is_there() -> None:
    assert set(COMMANDS) == {
        "browser-bridge",
        "list",
        "open",
        "actions",
        "describe",
        "call",
        "batch",
        "inspect",
        "task",
        "read",
        "render",
        "stdio",
        "headless",
        "mcp-config",
        "doctor",
        "check",
        "watch",
        "status",
        "browser-call",
        "browser-stdio",
        "tools",
        "assets",
        "completion",
        "demo",
    }


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["browser-call"], ["--nonsense"]])
def test_wrong_usage_is_status_2(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert "usage: bascule" in capfd.readouterr().err


def test_the_token_is_taken_out_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BASCULE_TOKEN", "secret")
    assert main(["--version"]) == 0
    assert "BASCULE_TOKEN" not in os.environ
    assert capfd.readouterr().out


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    with fake_bridge() as served:
        post_entry(tmp_path, entry_for(served))
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run(
            [sys.executable, "-m", "bridge.cli.main", "browser-call", "m"],
            stdout=write,
            stderr=subprocess.PIPE,
            env=environment(tmp_path),
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(served.of("/rpc")) == 1


def test_a_name_that_the_terminal_cannot_show_is_escaped(tmp_path: Path) -> None:
    done = run_command(tmp_path, "list", environ={"PYTHONIOENCODING": "ascii:strict"})
    assert done.returncode == 0
    with fake_bridge() as served:
        post_entry(tmp_path, entry_for(served, origin="http://é.example"))
        done = run_command(tmp_path, "list", environ={"PYTHONIOENCODING": "ascii:strict"})
    assert done.returncode == 0
    assert b"http://\\xe9.example" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="a shell closes the streams")
@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["browser-bridge", "--origin", ORIGIN, "--idle-exit", "0.001"],
        ["browser-call", "actions/list"],
        ["browser-stdio"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_stream_that_is_closed_is_neither_a_crash_nor_another_stream(
    arguments: list[str], closed: str, tmp_path: Path
) -> None:
    with fake_bridge() as served:
        if arguments[0] != "browser-bridge":
            post_entry(tmp_path, entry_for(served))
        done = subprocess.run(
            ["sh", "-c", f'exec "$0" "$@" {closed}', *COMMAND, *arguments],
            input=b'{"id":1}\n',
            capture_output=True,
            env=environment(tmp_path),
            timeout=PATIENCE_SECONDS * 2,
            check=False,
        )
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert b"token" not in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is always full")
@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["list"], 5),
        (["completion", "bash"], 5),
        (["browser-call", "actions/list"], 4),
        (["call", "echo", "a.b"], 4),
        (["call", "echo", "--batch"], 4),
        (["browser-stdio"], 4),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else "",
)
def test_an_output_that_cannot_be_written_is_said_in_a_line(
    arguments: list[str], status: int, tmp_path: Path
) -> None:
    with fake_bridge() as served, Path("/dev/full").open("wb") as full:
        post_entry(tmp_path, entry_for(served))
        done = subprocess.run(
            [*COMMAND, *arguments],
            input=b'{"id":1,"method":"m","params":{"status":"completed"}}\n',
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(tmp_path),
            timeout=PATIENCE_SECONDS * 2,
            check=False,
        )
    said = b"bascule: the output cannot be written: No space left on device\n"
    assert (done.returncode, done.stderr) == (status, said)
