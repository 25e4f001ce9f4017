"""Entries of bridges that run, of bridges that do not, and things that are no entries."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.client.discovery import is_running, remove_stale, running_bridges, written_bridges
from bridge.client.process_identity import process_start
from bridge.client.runtime_directory import RuntimeDirectory, RuntimeDirectoryError
from bridge.contract.runtime_entry import RuntimeEntry, encode_entry, entry_name
from tests.python.support.command_line import ended_process, fresh_token, process_to_kill

OWN_START = process_start(os.getpid())


def entry(pid: int, start: int | None) -> RuntimeEntry:
    origin = "http://127.0.0.1:8765"
    return RuntimeEntry("http://127.0.0.1:40000", fresh_token(), origin, origin + "/", pid, start)


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RuntimeDirectory]:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with RuntimeDirectory.open(tmp_path / "bascule", create=True) as opened:
        yield opened


@pytest.fixture
def other_process() -> Iterator[int]:
    with process_to_kill() as process:
        yield process.pid


def post(directory: RuntimeDirectory, written: RuntimeEntry) -> RuntimeEntry:
    directory.write(entry_name(written.pid), encode_entry(written))
    return written


def test_without_a_directory_no_bridge_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert running_bridges() == []
    assert list(tmp_path.iterdir()) == []


def test_running_bridges_are_found_in_order(
    directory: RuntimeDirectory, other_process: int
) -> None:
    own = post(directory, entry(os.getpid(), OWN_START))
    other = post(directory, entry(other_process, process_start(other_process)))
    assert running_bridges() == sorted([own, other], key=lambda found: found.pid)


def test_an_ended_process_s_bridge_is_written_but_does_not_run(
    directory: RuntimeDirectory,
) -> None:
    ended = post(directory, entry(ended_process(), 1))
    assert written_bridges() == [ended]
    assert running_bridges() == []
    assert not is_running(ended)


def test_a_process_id_that_was_given_again_is_not_the_bridge(directory: RuntimeDirectory) -> None:
    assert OWN_START is not None
    post(directory, entry(os.getpid(), OWN_START - 1))
    assert running_bridges() == []
    alive = post(directory, entry(os.getpid(), OWN_START))
    assert running_bridges() == [alive]


def test_an_entry_under_another_process_s_name_is_passed_over(
    directory: RuntimeDirectory, other_process: int
) -> None:
    own = entry(os.getpid(), OWN_START)
    directory.write(entry_name(other_process), encode_entry(own))
    assert written_bridges() == []


def test_junk_is_passed_over(directory: RuntimeDirectory) -> None:
    good = post(directory, entry(os.getpid(), OWN_START))
    (directory.path / entry_name(1)).symlink_to(directory.path / entry_name(good.pid))
    os.mkfifo(directory.path / entry_name(2), 0o600)
    directory.write(entry_name(3), b"{}")
    directory.write(entry_name(4), b"\xff\x00")
    directory.write("notes.txt", encode_entry(good))
    (directory.path / entry_name(5)).mkdir()
    assert written_bridges() == [good]


def test_an_entry_that_others_can_read_is_passed_over(directory: RuntimeDirectory) -> None:
    good = post(directory, entry(os.getpid(), OWN_START))
    path = directory.path / entry_name(good.pid)
    assert written_bridges() == [good]
    path.chmod(0o644)
    assert written_bridges() == []


def test_a_directory_that_cannot_be_trusted_is_an_error(directory: RuntimeDirectory) -> None:
    directory.path.chmod(0o777)
    with pytest.raises(RuntimeDirectoryError, match="mode"):
        running_bridges()


def test_the_next_bridge_removes_what_ended_bridges_left(
    directory: RuntimeDirectory, other_process: int
) -> None:
    ended = ended_process()
    post(directory, entry(ended, 1))
    directory.write(f"open-{ended}-00ff.html", b"x")
    directory.write(f".browser-bridge-{ended}.json.00ff", b"x")
    post(directory, entry(other_process, 1))
    remove_stale(directory)
    assert directory.names() == []


def test_the_next_bridge_leaves_what_it_does_not_know_and_what_runs(
    directory: RuntimeDirectory, other_process: int
) -> None:
    post(directory, entry(os.getpid(), OWN_START))
    post(directory, entry(other_process, process_start(other_process)))
    directory.write(f"open-{other_process}-00ff.html", b"x")
    directory.write("notes.txt", b"x")
    (directory.path / entry_name(ended_process())).symlink_to("/nowhere")
    before = directory.names()
    remove_stale(directory)
    assert directory.names() == before
    assert len(before) == 5
