"""Which native apps are found: those on whose sockets somebody of this user listens."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.client.native_discovery import listens, native_entries, running_natives
from bridge.client.native_states import native_states
from bridge.client.runtime_directory import RuntimeDirectoryError
from bridge.dispatcher.dispatcher import AppName, Dispatcher
from bridge.servers.native_server import serve
from tests.python.support.command_line import environment
from tests.python.support.dispatchers import ScriptedHost
from tests.python.support.fake_bridge import PATIENCE_SECONDS
from tests.python.support.native_app import (
    all_places_taken,
    app_process,
    echo,
    running_app,
    short_directory,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no native sockets")


@pytest.fixture
def directory() -> Iterator[Path]:
    with short_directory() as path:
        yield path


def app_called(name: str) -> Dispatcher:
    dispatcher = Dispatcher(ScriptedHost(), app=AppName(name, "1"))
    dispatcher.set_enabled(True)
    return dispatcher


def test_several_apps_and_instances_are_found(directory: Path) -> None:
    with (
        serve(app_called("Draw"), directory=directory) as one,
        serve(app_called("Draw"), directory=directory) as two,
        serve(app_called("Écrire"), directory=directory) as three,
    ):
        found = running_natives(directory)
        assert [entry.slug for entry in found] == ["draw", "draw", "ecrire"]
        assert {entry.path for entry in found} == {str(s.path) for s in (one, two, three)}
        assert {entry.endpoint for entry in found} == {
            f"draw.{os.getpid()}",
            f"ecrire.{os.getpid()}",
        }
    assert native_entries(directory) == []


def test_a_killed_app_s_socket_is_passed_over(directory: Path) -> None:
    with app_process("Draw", str(directory)) as (child, path):
        assert [entry.path for entry in running_natives(directory)] == [path]
        child.send_signal(signal.SIGKILL)
        child.wait(PATIENCE_SECONDS)
        assert [entry.path for entry in native_entries(directory)] == [path], "it is still there"
        assert running_natives(directory) == []


def test_another_process_is_found_in_this_user_s_own_directory(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(directory))
    with app_process("My App 2", environ=environment(directory)) as (child, path):
        [entry] = running_natives()
        assert (entry.slug, entry.pid, entry.path) == ("my-app-2", child.pid, path)
        assert path.startswith(f"{directory}/bascule/native/")


def test_without_a_directory_there_are_none(directory: Path) -> None:
    assert running_natives(directory / "none") == []


def test_a_directory_that_cannot_be_trusted_is_not_looked_into(directory: Path) -> None:
    with serve(echo(), directory=directory):
        assert len(running_natives(directory)) == 1
        directory.chmod(0o755)
        with pytest.raises(RuntimeDirectoryError, match="0755"):
            running_natives(directory)
        directory.chmod(0o700)


def test_what_is_no_socket_or_has_another_name_is_passed_over(directory: Path) -> None:
    (directory / "draw.1.01234567.sock").write_text("")
    (directory / "link.1.01234567.sock").symlink_to(directory / "draw.1.01234567.sock")
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(directory / "other.sock"))
        other.listen()
        assert native_entries(directory) == []


@pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give files away"
)
def test_another_user_s_socket_is_passed_over(directory: Path) -> None:
    with serve(echo(), directory=directory) as server:
        assert len(running_natives(directory)) == 1
        os.chown(str(server.path), 12_345, 12_345)
        assert running_natives(directory) == []


def test_a_busy_app_is_found_though_nobody_is_let_in(directory: Path) -> None:
    path = directory / "draw.1.01234567.sock"
    with socket.socket(socket.AF_UNIX) as busy:
        busy.bind(str(path))
        busy.listen(0)
        [entry] = native_entries(directory)
        waiting = []
        try:
            while True:
                dialled = socket.socket(socket.AF_UNIX)
                dialled.setblocking(False)
                waiting.append(dialled)
                dialled.connect(str(path))
        except BlockingIOError:
            pass
        assert listens(entry)
        for dialled in waiting:
            dialled.close()


def test_each_app_says_its_whole_name(directory: Path) -> None:
    name = "Zeichnen — 絵\n" + "x" * 300
    with running_app(directory, app_called(name)):
        [state] = native_states(running_natives(directory))
        assert state.facts() == {
            "kind": "native",
            "name": name,
            "slug": state.entry.slug,
            "pid": os.getpid(),
            "path": state.entry.path,
            "state": "running",
        }
        assert state.entry.slug == "zeichnen-" + "x" * 31


def test_an_app_that_does_not_answer_is_silent(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.client.native_states._PATIENCE_SECONDS", 0.05)
    with serve(echo(), directory=directory):
        # Nobody ticks.
        [state] = native_states(running_natives(directory))
        assert (state.name, state.state) == (None, "silent")


def test_an_app_with_all_connections_taken_is_busy(directory: Path) -> None:
    with running_app(directory) as server, all_places_taken(server):
        [state] = native_states(native_entries(directory))
        assert (state.name, state.state) == (None, "busy")


def test_an_app_that_ended_in_between_is_left_out(directory: Path) -> None:
    with serve(echo(), directory=directory):
        entries = running_natives(directory)
    assert native_states(entries) == []
