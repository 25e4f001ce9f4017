"""Every command on a native app, with the words that it has for a page."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.cli.completion.completion import candidates
from bridge.cli.main import main
from bridge.contract.error_codes import ExitCode
from bridge.servers.native_server import NativeServer
from tests.python.support.command_line import entry_for, post_entry, run_command
from tests.python.support.fake_bridge import fake_bridge, status_of
from tests.python.support.native_app import all_places_taken, running_app
from tests.python.support.note_app import APP, BIG, PICTURES, SLUG, NoteApp, note_app
from tests.python.support.terminal import on_terminal

Captured = pytest.CaptureFixture[str]
Running = tuple[NoteApp, NativeServer, Path]


@pytest.fixture
def running(monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    with note_app(monkeypatch) as app:
        yield app


def test_native_and_attached_apps_are_in_one_table(running: Running, capfd: Captured) -> None:
    _, server, directory = running
    with fake_bridge(lambda _: status_of("Paper")) as bridge:
        post_entry(directory, entry_for(bridge))
        assert main(["list"]) == ExitCode.DONE
        page, native = (line.split("\t") for line in capfd.readouterr().out.splitlines())
        assert (page[0], page[2], page[-1]) == ("Paper", bridge.url, "browser")
        assert native == [
            APP, "-", str(server.path), "running", str(os.getpid()), SLUG, "socket", "-", "native"
        ]  # fmt: skip
        assert main(["list", "--json"]) == ExitCode.DONE
        told = json.loads(capfd.readouterr().out)
    assert [(each["kind"], each["name"], each["slug"]) for each in told] == [
        ("browser", "Paper", "paper"),
        ("native", APP, SLUG),
    ]
    assert (told[0]["path"], told[1]["path"]) == (None, str(server.path))


def test_a_native_app_is_named_by_name_slug_process_or_socket(
    running: Running, capfd: Captured
) -> None:
    path = str(running[1].path)
    for word in (APP, SLUG, f"{SLUG}.{os.getpid()}", path, os.path.relpath(path)):
        assert main(["actions", word, "--query", "set"]) == ExitCode.DONE
        assert capfd.readouterr().out == "note.set\twrite\tyes\tSet the note\n"
    assert main(["inspect"]) == ExitCode.DONE
    assert json.loads(capfd.readouterr().out)["length"] == 0


def test_a_native_app_that_is_mistyped_is_guessed(running: Running, capfd: Captured) -> None:
    assert main(["actions", "notes-all-of-then"]) == ExitCode.NO_BRIDGE
    assert f"Did you mean {SLUG}?" in capfd.readouterr().err


def test_of_several_apps_with_a_name_one_has_to_be_chosen(
    running: Running, capfd: Captured
) -> None:
    with running_app(None, NoteApp().dispatcher):
        assert main(["actions", SLUG]) == ExitCode.USAGE
        err = capfd.readouterr().err
        assert "choose a native one by its SLUG.PID" in err
        assert str(running[1].path) in err
    assert main(["actions", SLUG]) == ExitCode.DONE


def test_an_action_is_described_called_and_inspected(running: Running, capfd: Captured) -> None:
    assert main(["describe", SLUG, "note.set"]) == ExitCode.DONE
    assert f"bascule call {SLUG} note.set text=text" in capfd.readouterr().out
    assert main(["call", SLUG, "note.set", "text=7", "--expected-revision", "latest"]) == 0
    assert json.loads(capfd.readouterr().out) == {"text": "7"}
    assert main(["call", SLUG, "note.set", "text=8", "--expected-revision", "7"]) == 1
    assert "STALE_REVISION" in capfd.readouterr().err
    assert main(["inspect", SLUG, "--input-json", '{"a": 1}', "--json"]) == ExitCode.DONE
    told = json.loads(capfd.readouterr().out)
    assert (told["length"], told["asked"], told["revision"]) == (1, {"a": 1}, 8)


def test_calls_on_lines_are_answered_one_by_one(running: Running) -> None:
    line = b'{"action": "note.set", "input": {"text": "a"}, "expectedRevision": "latest"}\n'
    done = run_command(running[2], "call", SLUG, "--batch", data=line * 2)
    assert done.returncode == ExitCode.DONE
    assert [json.loads(each)["revision"] for each in done.stdout.splitlines()] == [8, 9]


def test_a_task_is_waited_for_and_cancelled(running: Running, capfd: Captured) -> None:
    app = running[0]
    assert main(["call", SLUG, "note.export", "--wait"]) == ExitCode.DONE
    assert json.loads(capfd.readouterr().out) == {"resource": "note:big"}
    app.steps = ["start"] * 100
    assert main(["call", SLUG, "note.export"]) == ExitCode.DONE
    task = json.loads(capfd.readouterr().out)["id"]
    assert main(["task", SLUG, task, "--cancel"]) == ExitCode.DONE
    assert json.loads(capfd.readouterr().out)["state"] in {"cancelling", "cancelled"}
    assert main(["task", SLUG, task, "--wait"]) == ExitCode.APP_ERROR
    assert "was cancelled" in capfd.readouterr().err


def test_a_resource_and_a_picture_become_files(
    running: Running, tmp_path: Path, capfd: Captured
) -> None:
    file = tmp_path / "big"
    assert main(["read", SLUG, "note:big", "-o", str(file), "--json"]) == ExitCode.DONE
    assert file.read_bytes() == BIG
    assert json.loads(capfd.readouterr().out)["size"] == len(BIG)
    for ending, (_, data) in PICTURES.items():
        picture = tmp_path / f"a.{ending}"
        assert main(["render", SLUG, "-o", str(picture), "scale=2"]) == ExitCode.DONE
        assert picture.read_bytes() == data


def test_lines_pass_through_as_they_are(running: Running) -> None:
    info = b'{"jsonrpc":"2.0","id":"\xc3\xa9","method":"agent/info"}\n'
    note = b'{"jsonrpc":"2.0","method":"agent/info"}\r\n'
    done = run_command(running[2], "stdio", SLUG, "--protocol", "json", data=info + note + b"[]")
    first, second = map(json.loads, done.stdout.splitlines())
    assert (first["id"], first["result"]["app"]["name"]) == ("é", APP)
    assert (second["id"], second["error"]["code"]) == (None, -32600)
    assert (done.returncode, done.stderr) == (ExitCode.DONE, b"")


def test_an_app_that_ended_is_told_in_a_line(running: Running) -> None:
    path = str(running[1].path.parent / "gone.7.01234567.sock") if running[1].path else ""
    with socket.socket(socket.AF_UNIX) as ended:
        ended.bind(path)
    for word in ("gone", path):
        done = run_command(running[2], "stdio", word, data=b'{"jsonrpc":"2.0","method":"m"}')
        told = done.stderr.decode()
        assert "No app" in told
        assert len(told.splitlines()) <= 3
        assert done.stdout == b""
    assert main(["call", path, "note.read"]) == ExitCode.NO_BRIDGE


def test_an_app_that_is_full_has_run_nothing(running: Running, capfd: Captured) -> None:
    with all_places_taken(running[1]):
        assert main(["call", SLUG, "note.read"]) == ExitCode.REFUSED
        err = capfd.readouterr().err
        assert "[SESSION_LIMIT]" in err
        assert "trying it again is safe" in err
    assert main(["call", SLUG, "note.read"]) == ExitCode.DONE


def test_a_native_app_is_completed(running: Running, capfd: Captured) -> None:
    def values(*words: str) -> list[str]:
        return [each.value for each in candidates(["bascule", *words])]

    assert values("call", "no") == [SLUG]
    assert values("check", "--app", "") == [SLUG]
    assert values("watch", "") == []
    assert values("call", SLUG, "note.s") == ["note.set"]
    assert values("call", SLUG, "note.set", "") == ["text="]
    assert values("render", SLUG, "-o", "a.png", "format=") == ["format=png", "format=svg"]
    with running_app(None, NoteApp().dispatcher):
        assert values("call", "no") == [f"{SLUG}.{os.getpid()}"] * 2


def test_what_only_a_bridge_has_is_refused(running: Running, capfd: Captured) -> None:
    for command in ("watch", "open", "status"):
        assert main([command]) == ExitCode.NO_BRIDGE
        assert "No bridge is running" in capfd.readouterr().err


def test_a_terminal_shows_a_bar_while_a_task_is_waited_for(running: Running) -> None:
    app = running[0]
    app.steps = ["start", "half way"] * 3
    status, text = on_terminal(running[2], "call", SLUG, "note.export", "--wait", errors=True)
    assert status == ExitCode.DONE
    assert "half way" in text
    assert "50%" in text
    assert text.rindex('"note:big"') > text.rindex("half way")
