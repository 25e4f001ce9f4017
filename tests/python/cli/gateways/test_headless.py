"""`headless`: an app of its own, its lines, and its end and that of all that it started."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.cli.gateways.headless import AppCommand, app_command
from bridge.cli.program_start import cannot_be_started
from bridge.cli.usage_error import UsageError
from bridge.contract.error_codes import ExitCode
from tests.python.support.command_line import (
    COMMAND,
    environment,
    is_gone,
    run_command,
    running_command,
)
from tests.python.support.fake_bridge import PATIENCE_SECONDS

ECHO = "import sys\nfor line in sys.stdin: print(line.strip()[::-1], flush=True)"
ARGUMENTS = "import json, sys; print(json.dumps(sys.argv[1:]))"
GRANDCHILD = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(child.pid, flush=True)
for line in sys.stdin: pass
"""


def run(
    tmp_path: Path, code: str, *words: str, data: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    return run_command(tmp_path, "headless", sys.executable, "-c", code, *words, data=data)


def test_lines_pass_in_both_directions_as_they_are(tmp_path: Path) -> None:
    lines = b"".join(b"%06d %s\n" % (number, b"x" * 200) for number in range(5_000))
    done = run(tmp_path, ECHO, data=lines + b"last")
    assert done.returncode == ExitCode.DONE, done.stderr
    assert done.stdout == b"".join(line[::-1] + b"\n" for line in (lines + b"last").split(b"\n"))


def test_the_app_gets_its_arguments_as_they_are_and_the_mode_last(tmp_path: Path) -> None:
    words = ["$(touch pwned)", "a b", "*", ""]
    done = run(tmp_path, ARGUMENTS, *words, "--protocol", "json")
    assert json.loads(done.stdout) == [*words, "--agent-json"]


JSON = AppCommand([], "json")


@pytest.mark.parametrize(
    ("given", "command"),
    [
        (["app"], AppCommand(["app"], "json")),
        (["app", "--protocol", "json"], AppCommand(["app"], "json")),
        (["app", "-x", "--protocol=mcp"], AppCommand(["app", "-x"], "mcp")),
        (["app", "--protocol", "mcp", "--accept-legacy"], AppCommand(["app"], "mcp", True)),
        (["app", "--accept-legacy", "--protocol=mcp"], AppCommand(["app"], "mcp", True)),
        (["--", "app", "--protocol", "json"], AppCommand(["app", "--protocol", "json"], "json")),
        (
            ["app", "--protocol", "json", "-x"],
            AppCommand(["app", "--protocol", "json", "-x"], "json"),
        ),
    ],
)
def test_options_may_stand_after_the_app(given: list[str], command: AppCommand) -> None:
    assert app_command(given, JSON) == command


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "APP is missing"),
        (["--"], "APP is missing"),
        ([""], "APP is missing"),
        (["--accept-legacy"], "APP is missing"),
        (["app", "--protocol=x"], "it is json"),
        (["app", "--agent-json"], "leave out --agent-json"),
        (["app", "--agent-mcp", "--protocol=mcp"], "leave out --agent-mcp"),
        (["app", "--accept-legacy"], "is for --protocol mcp"),
    ],
)
def test_wrong_usage_is_explained(given: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        app_command(given, JSON)


def test_an_app_that_there_is_not_is_told_in_a_line(tmp_path: Path) -> None:
    done = run_command(tmp_path, "headless", "/nonexistent/app")
    assert done.returncode == ExitCode.USAGE
    assert b"/nonexistent/app cannot be started: No such file" in done.stderr
    assert b"Write" not in done.stderr


@pytest.mark.parametrize(
    ("content", "mode"), [("print()", 0o644), ("print()", 0o755), (None, 0)],
    ids=["not executable", "without a first line", "not there"],
)  # fmt: skip
def test_a_script_s_name_alone_is_told_with_what_to_write(
    content: str | None, mode: int, tmp_path: Path
) -> None:
    script = tmp_path / "my notes.py"
    if content is not None:
        script.write_text(content)
        script.chmod(mode)
    done = run_command(tmp_path, "headless", str(script), "-x", "--protocol", "mcp")
    assert done.returncode == ExitCode.USAGE
    written = done.stderr.decode().partition("Write: bascule headless ")[2]
    python, *words = shlex.split(written)
    assert python in {"python", "python3"}
    assert words == [str(script), "-x", "--protocol", "mcp"]


def test_a_program_of_this_folder_is_told_by_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").touch(0o755)
    assert cannot_be_started(["mine", "-x"], "x").endswith("Write: bascule headless ./mine -x")
    (tmp_path / "mine").chmod(0o644)
    assert "Write" not in cannot_be_started(["mine", "-x"], "x")


def test_an_app_that_fails_is_told_with_its_status(tmp_path: Path) -> None:
    done = run(tmp_path, "import sys; sys.stderr.write('why\\n'); sys.exit(3)")
    assert done.returncode == ExitCode.REFUSED
    assert b"why\n" in done.stderr
    assert b"the app ended with status 3" in done.stderr


def test_what_the_app_started_ends_with_the_command(tmp_path: Path) -> None:
    done = run(tmp_path, GRANDCHILD)
    assert is_gone(int(done.stdout))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_app_as_well(tmp_path: Path, number: int) -> None:
    with running_command(tmp_path, "headless", sys.executable, "-c", GRANDCHILD) as command:
        assert command.stdout is not None
        child = int(command.stdout.readline())
        command.send_signal(number)
        assert command.wait(PATIENCE_SECONDS) == ExitCode.OUTCOME_UNKNOWN
    assert is_gone(child)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_an_mcp_client_s_signal_ends_both_quietly(tmp_path: Path, number: int) -> None:
    words = ["headless", sys.executable, "-c", GRANDCHILD, "--protocol", "mcp"]
    with running_command(tmp_path, *words) as command:
        assert command.stdout is not None
        assert command.stderr is not None
        child = int(command.stdout.readline())
        command.send_signal(number)
        assert command.wait(PATIENCE_SECONDS) == ExitCode.DONE
        assert command.stderr.read() == b""
    assert is_gone(child)


STUBBORN = """
import os, signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(os.getpid(), flush=True)
signal.pause()
"""

# At a pace: all that it has written is kept by the test, and waits in a pipe until it is read.
CHATTY = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(os.getpid(), flush=True)
while True:
    print('{"jsonrpc":"2.0","method":"notifications/progress"}', flush=True)
    time.sleep(0.02)
"""


@pytest.mark.parametrize("code", [STUBBORN, CHATTY], ids=["silent", "chatty"])
def test_an_app_for_mcp_that_does_not_end_is_ended_when_the_input_has(
    tmp_path: Path, code: str
) -> None:
    done = run(tmp_path, code, "--protocol", "mcp")
    assert is_gone(int(done.stdout.splitlines()[0]))


@pytest.mark.parametrize("code", [GRANDCHILD, CHATTY], ids=["silent", "chatty"])
def test_a_parent_that_dies_ends_both_though_the_input_stays_open(
    tmp_path: Path, code: str
) -> None:
    program = (
        "import subprocess, sys\nsubprocess.Popen(sys.argv[2:], stdin=int(sys.argv[1])); input()"
    )
    reading, writing = os.pipe()
    words = [*COMMAND, "headless", sys.executable, "-c", code, "--protocol", "mcp"]
    with subprocess.Popen(
        [sys.executable, "-c", program, str(reading), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(tmp_path),
        pass_fds=(reading,),
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
        # The end of what the command writes is the command's end.
        rest = parent.stdout.read()
        assert rest.strip() == b"" or code == CHATTY
    assert is_gone(child)
    os.close(reading)
    os.close(writing)


def test_a_reader_that_leaves_ends_it(tmp_path: Path) -> None:
    with running_command(tmp_path, "headless", sys.executable, "-c", ECHO) as command:
        assert command.stdin is not None
        assert command.stdout is not None
        command.stdin.write(b"abc\n")
        command.stdin.flush()
        assert command.stdout.readline() == b"cba\n"
        command.stdout.close()
        command.stdin.write(b"more\n")
        command.stdin.flush()
        assert command.wait(PATIENCE_SECONDS) == ExitCode.DONE


def test_the_sample_app_answers(tmp_path: Path) -> None:
    lines = b'{"jsonrpc":"2.0","id":1,"method":"agent/info"}\n[]\n'
    words = [sys.executable, "-m", "bridge.demo.drawing", "--protocol", "json"]
    done = run_command(tmp_path, "headless", *words, data=lines)
    first, second = map(json.loads, done.stdout.splitlines())
    assert first["result"]["app"]["name"] == "Bascule Draw"
    assert second["error"]["code"] == -32600
    assert done.returncode == ExitCode.DONE
