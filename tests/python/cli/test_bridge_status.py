"""`status` for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.cli.main import main
from bridge.contract.error_codes import ExitCode
from tests.python.support.command_line import entry_for, post_entry
from tests.python.support.fake_bridge import Answer, FakeBridge, error, fake_bridge, status_of


@pytest.fixture
def bridge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeBridge]:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with fake_bridge() as running:
        post_entry(tmp_path, entry_for(running))
        yield running


def lines(capfd: pytest.CaptureFixture[str]) -> dict[str, str]:
    assert main(["status"]) == ExitCode.DONE
    rows = capfd.readouterr().out.splitlines()
    return {name: value.strip() for name, _, value in (row.partition(":") for row in rows)}


def test_people_are_told_of_the_page_the_calls_and_the_counters(
    bridge: FakeBridge, capfd: pytest.CaptureFixture[str]
) -> None:
    bridge.script = lambda _: status_of("My app")
    assert lines(capfd) == {
        "bridge": f"{bridge.url}, version 0.1.0",
        "origin": "http://127.0.0.1:8765",
        "up": "1 min 15 s",
        "page": "My app, attached for 12 s, visible",
        "calls": "1 waiting, 2 in the page, 64 at most",
        "sessions": "3",
        "counters": "accepted 7",
    }
    assert bridge.received[0].headers["authorization"] == f"Bearer {bridge.token}"


def test_without_a_page_it_says_what_to_do(
    bridge: FakeBridge, capfd: pytest.CaptureFixture[str]
) -> None:
    bridge.script = lambda _: status_of(None, uptimeSeconds=7_300)
    told = lines(capfd)
    assert "attach link" in told["page"]
    assert told["up"] == "2 h 1 min"


def test_programs_get_the_bridge_s_own_json(
    bridge: FakeBridge, capfd: pytest.CaptureFixture[str]
) -> None:
    answer = status_of("My app", later=[1])
    bridge.script = lambda _: answer
    assert main(["status", "--json"]) == ExitCode.DONE
    out = capfd.readouterr().out
    assert out.encode() == answer.body + b"\n"
    assert json.loads(out)["later"] == [1]


def test_a_newer_bridge_s_status_is_shown_as_far_as_it_is_understood(
    bridge: FakeBridge, capfd: pytest.CaptureFixture[str]
) -> None:
    bridge.script = lambda _: Answer(body=b'{"version": 2, "queue": [], "app": "\\u001b[2J"}')
    told = lines(capfd)
    assert told["page"].startswith("\\x1b[2J, attached")
    assert told["calls"] == "unknown"


def test_the_bridge_is_named_as_by_every_command(
    bridge: FakeBridge, capfd: pytest.CaptureFixture[str]
) -> None:
    bridge.script = lambda _: status_of("My app")
    for words in (["my-app"], ["My app"], [str(bridge.port)], [bridge.url], ["--app", "my-app"]):
        assert main(["status", *words]) == ExitCode.DONE
        assert "My app, attached" in capfd.readouterr().out
    assert main(["status", "my-ap"]) == ExitCode.NO_BRIDGE
    assert "Did you mean my-app?" in capfd.readouterr().err
    assert main(["status", "my-app", "more"]) == ExitCode.USAGE


def test_a_refusal_is_status_5(bridge: FakeBridge, capfd: pytest.CaptureFixture[str]) -> None:
    bridge.script = lambda _: error("UNAUTHORIZED")
    assert main(["status"]) == ExitCode.REFUSED
    out, err = capfd.readouterr()
    assert out == ""
    assert "UNAUTHORIZED" in err


def test_a_look_that_fails_is_never_told_as_a_call_that_may_have_run(
    bridge: FakeBridge, capfd: pytest.CaptureFixture[str]
) -> None:
    bridge.script = lambda _: Answer(status=404, body=b"<html>")
    assert main(["browser-call", "agent/info"]) == ExitCode.OUTCOME_UNKNOWN
    assert "may have run" in capfd.readouterr().err
    assert main(["status"]) == ExitCode.REFUSED
    err = capfd.readouterr().err
    assert "NOT_A_BRIDGE" in err
    assert "may have run" not in err


def test_no_bridge_is_status_3(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert main(["status"]) == ExitCode.NO_BRIDGE
    assert "No bridge is running" in capfd.readouterr().err
