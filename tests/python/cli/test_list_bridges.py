"""`list` and what it finds."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from bridge.cli.main import main
from bridge.client.process_identity import process_start
from bridge.contract.error_codes import ExitCode
from tests.python.support.command_line import ORIGIN, ended_process, entry_for, post_entry
from tests.python.support.fake_bridge import Answer, Bytes, fake_bridge, status_of
from tests.python.support.terminal import plain


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path


def listed(capfd: pytest.CaptureFixture[str]) -> str:
    assert main(["list"]) == ExitCode.DONE
    return capfd.readouterr().out


def test_without_bridges_nothing_is_listed(
    runtime: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["list"]) == ExitCode.DONE
    assert capfd.readouterr() == ("", "No bridge is running, and no native app.\n")
    assert main(["list", "--json"]) == ExitCode.DONE
    assert json.loads(capfd.readouterr().out) == []


@pytest.mark.parametrize(
    ("answer", "app", "state", "transport"),
    [
        (status_of("My app"), "My app", "attached", None),
        (status_of("My app", link="polling"), "My app", "attached", "polling"),
        (status_of("My app", link="idle"), "My app", "attached", "polling"),
        (status_of("My app", link="channel"), "My app", "attached", "channel"),
        (status_of("My app", pageState="frozen"), "My app", "suspended", None),
        (status_of("My app", pageState="hidden"), "My app", "attached", None),
        (status_of(None, link="detached"), None, "waiting", None),
        (Answer(500, b"oops"), None, "silent", None),
        (Bytes(), None, "silent", None),
    ],
    ids=[
        "attached",
        "polling",
        "between polls",
        "channel",
        "frozen",
        "hidden",
        "waiting",
        "error",
        "hung up",
    ],
)
def test_a_bridge_is_listed_with_its_app_and_state(
    runtime: Path,
    answer: Answer | Bytes,
    app: str | None,
    state: str,
    transport: str | None,
    capfd: pytest.CaptureFixture[str],
) -> None:
    with fake_bridge(lambda _: answer) as bridge:
        post_entry(runtime, entry_for(bridge))
        slug = None if app is None else "my-app"
        sessions = None if state == "silent" else 3
        facts = [app, ORIGIN, bridge.url, state, os.getpid(), slug, transport, sessions, "browser"]
        line = "\t".join("-" if fact is None else str(fact) for fact in facts)
        assert listed(capfd) == f"{line}\n"
        assert main(["list", "--json"]) == ExitCode.DONE
        assert json.loads(capfd.readouterr().out) == [
            {
                "kind": "browser",
                "app": app,
                "name": app,
                "origin": ORIGIN,
                "url": bridge.url,
                "path": None,
                "state": state,
                "pid": os.getpid(),
                "slug": slug,
                "transport": transport,
                "sessions": sessions,
            }
        ]


def test_a_terminal_gets_a_heading(
    runtime: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("NO_COLOR", "1")
    with fake_bridge() as bridge:
        post_entry(runtime, entry_for(bridge))
        heading, rule, row = (plain(line) for line in listed(capfd).splitlines())
    assert heading.split() == [
        "APP", "ORIGIN", "URL", "STATE", "PID", "SLUG", "TRANSPORT", "SESSIONS", "KIND"
    ]  # fmt: skip
    assert set(rule) == {"─"}
    assert heading.index("URL") == row.index(bridge.url)


def test_a_narrow_terminal_gets_lines_that_can_be_copied(
    runtime: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("NO_COLOR", "1")
    with fake_bridge() as bridge:
        post_entry(runtime, entry_for(bridge))
        lines = [plain(line).split(maxsplit=1) for line in listed(capfd).splitlines()]
    assert [name for name, _ in lines] == [
        "APP", "ORIGIN", "URL", "STATE", "PID", "SLUG", "TRANSPORT", "SESSIONS", "KIND"
    ]  # fmt: skip
    assert ["URL", bridge.url] in lines
    assert ["ORIGIN", ORIGIN] in lines


def test_ended_bridges_are_not_listed_and_not_asked(
    runtime: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with fake_bridge() as bridge:
        post_entry(runtime, entry_for(bridge, pid=ended_process(), process_start=1))
        assert listed(capfd) == ""
        assert bridge.connections == 0
        parent = os.getppid()
        post_entry(runtime, entry_for(bridge, pid=parent, process_start=process_start(parent)))
        assert str(parent) in listed(capfd)


def test_an_app_s_name_has_no_power_over_the_terminal(
    runtime: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with fake_bridge(lambda _: status_of("\x1b]0;x\x07\n\ud800\u202eA")) as bridge:
        post_entry(runtime, entry_for(bridge))
        out = listed(capfd)
    assert out.count("\n") == 1
    assert out.startswith("\\x1b]0;x\\x07\\n\\ud800\\u202eA\t")


def test_the_token_is_not_listed(runtime: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with fake_bridge() as bridge:
        post_entry(runtime, entry_for(bridge))
        assert bridge.token not in listed(capfd)
        assert main(["list", "--json"]) == ExitCode.DONE
        assert bridge.token not in capfd.readouterr().out


def test_a_directory_that_cannot_be_trusted_is_status_3(
    runtime: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (runtime / "bascule").mkdir(mode=0o755)
    assert main(["list"]) == ExitCode.NO_BRIDGE
    assert "mode" in capfd.readouterr().err
