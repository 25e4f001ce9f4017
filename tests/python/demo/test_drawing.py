"""The app as a process: served without a window, and ended by a signal."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.python.support.displays import unseen_display

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no native endpoints on Windows")


@pytest.fixture
def runtime() -> Iterator[Path]:
    """A runtime directory of our own. The path of a socket is short, so pytest's does not do."""
    with tempfile.TemporaryDirectory(prefix="draw-") as name:
        yield Path(name)


@contextmanager
def running(directory: Path, *words: str, display: str = "") -> Iterator[subprocess.Popen[bytes]]:
    env = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    env["XDG_RUNTIME_DIR"] = str(directory)
    if display:
        env["DISPLAY"] = display
    with subprocess.Popen(
        [sys.executable, "-m", "bridge.demo.drawing", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env,
    ) as app:  # fmt: skip
        try:
            yield app
        finally:
            app.kill()


def ready(app: subprocess.Popen[bytes]) -> dict[str, Any]:
    assert app.stdout is not None
    line: dict[str, Any] = json.loads(app.stdout.readline())
    return line


def ask(path: str, method: str, **params: Any) -> dict[str, Any]:
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(60)
        peer.connect(path)
        line = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        peer.sendall(json.dumps(line).encode() + b"\n")
        message: dict[str, Any] = json.loads(peer.makefile("rb").readline())
        result: dict[str, Any] = message["result"]
        return result


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_is_served_without_a_window_and_gone_after_a_signal(
    runtime: Path, number: signal.Signals
) -> None:
    with running(runtime, "--headless", "--name", "Zeichnung ✏") as app:
        served = ready(app)
        assert (served["name"], served["pid"]) == ("Zeichnung ✏", app.pid)
        assert ask(served["path"], "agent/info")["app"]["name"] == "Bascule Draw"
        task = ask(served["path"], "actions/execute", action="draw.export", input={"scale": 1})
        task_id = task["task"]["id"]
        states = {"queued"}
        for _ in range(100_000):
            state = ask(served["path"], "tasks/get", id=task_id)["task"]["state"]
            states.add(state)
            if state == "completed":
                break
        assert states <= {"queued", "running", "completed"}
        assert "completed" in states
        app.send_signal(number)
        assert app.wait(timeout=60) == 0
        assert not Path(served["path"]).exists()


def test_without_a_display_it_says_so_and_runs_without_a_window(runtime: Path) -> None:
    with running(runtime) as app:
        assert ask(ready(app)["path"], "agent/info")["enabled"] is True
        app.terminate()
        assert app.wait(timeout=60) == 0
        assert app.stderr is not None
        assert app.stderr.read().startswith(b"No window (")


def test_where_no_private_socket_can_be_made_it_says_so_in_a_line(runtime: Path) -> None:
    (runtime / "bascule").write_text("not a directory")
    with running(runtime, "--headless") as app:
        assert app.wait(timeout=60) == 5
        assert app.stderr is not None
        assert app.stderr.read().startswith(b"Bascule Draw: ")


def test_a_window_ends_by_a_signal_and_takes_its_socket_with_it(runtime: Path) -> None:
    with unseen_display() as display, running(runtime, "--enable", display=display) as app:
        path = ready(app)["path"]
        assert ask(path, "agent/info")["app"]["name"] == "Bascule Draw"
        app.terminate()
        assert app.wait(timeout=60) == 0
        assert not Path(path).exists()


def test_a_window_lets_nobody_in_before_a_person_allows_it(runtime: Path) -> None:
    with unseen_display() as display, running(runtime, display=display) as app:
        assert ready(app)["path"] is None
        assert list(runtime.rglob("*.sock")) == []
