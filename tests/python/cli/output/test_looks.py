"""Commands that only look: actions, describe, inspect and task."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.cli.main import main
from bridge.contract.error_codes import ExitCode
from tests.python.support.fake_app import ACTIONS, INSERT, SLUG, FakeApp, fake_app, sent
from tests.python.support.fake_bridge import Answer, Bytes, FakeBridge

Captured = pytest.CaptureFixture[str]
Running = tuple[FakeApp, FakeBridge]


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with fake_app(tmp_path) as both:
        yield both


def test_actions_are_listed_over_all_pages(running: Running, capfd: Captured) -> None:
    assert main(["actions", SLUG]) == ExitCode.DONE
    assert capfd.readouterr().out == (
        "doc.insert\twrite\tyes\tInsert a text\n"
        "doc.read\tread\tyes\tRead the text\n"
        "doc.undo\twrite\tno: There is no edit.\tUndo the last edit\n"
        "doc.export\tread\tyes\tExport\n"
    )
    assert sent(running[1], "actions/list") == [{"limit": 100}, {"limit": 100, "cursor": "2"}]


def test_actions_are_searched_by_the_app(running: Running, capfd: Captured) -> None:
    assert main(["actions", SLUG, "--query", "text INSERT", "--json"]) == ExitCode.DONE
    assert [action["name"] for action in json.loads(capfd.readouterr().out)] == ["doc.insert"]
    assert main(["actions", SLUG, "--query", "nothing like it"]) == ExitCode.DONE
    assert capfd.readouterr() == ("", "The app has no such action.\n")


def test_a_list_without_end_is_refused(
    running: Running, capfd: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.cli.app_session._MAX_PAGES", 20)
    running[0].page_size = 0
    assert main(["actions", SLUG]) == ExitCode.REFUSED
    assert "has no end" in capfd.readouterr().err
    assert len(sent(running[1], "actions/list")) == 20


def test_the_only_bridge_needs_no_name(running: Running, capfd: Captured) -> None:
    assert main(["actions", "--json"]) == ExitCode.DONE
    assert len(json.loads(capfd.readouterr().out)) == len(ACTIONS)


def test_a_description_shows_keys_and_a_call_to_start_from(
    running: Running, capfd: Captured
) -> None:
    assert main(["describe", SLUG, "doc.insert"]) == ExitCode.DONE
    assert (
        capfd.readouterr().out
        == """\
doc.insert  write
  Insert a text

input
  text          string, required          what to insert
  at            integer, default 0
  style         body | heading 1 | quote
  marks         (bold | italic)[]
  loud          boolean
  where         object
  where.page    integer
  where.column  left | right

output
  (not declared)

call
  bascule call my-app-2 doc.insert text=text --expected-revision latest
"""
    )


def test_a_description_says_why_an_action_cannot_be_called(
    running: Running, capfd: Captured
) -> None:
    assert main(["describe", SLUG, "doc.undo"]) == ExitCode.DONE
    assert "not available now: There is no edit. [NOTHING_TO_UNDO]" in capfd.readouterr().out


def test_the_app_s_own_description_is_json(running: Running, capfd: Captured) -> None:
    assert main(["describe", SLUG, "doc.insert", "--json"]) == ExitCode.DONE
    out = capfd.readouterr().out
    assert json.loads(out)["action"]["inputSchema"] == INSERT
    assert '"n":1e3' in out


def test_an_unknown_action_is_guessed(running: Running, capfd: Captured) -> None:
    assert main(["describe", SLUG, "doc.insrt"]) == ExitCode.APP_ERROR
    assert "Did you mean doc.insert" in capfd.readouterr().err


def test_the_state_is_shown_without_power_over_the_terminal(
    running: Running, capfd: Captured
) -> None:
    assert main(["inspect", SLUG, "--input-json", '{"since": 1.0}']) == ExitCode.DONE
    out, err = capfd.readouterr()
    assert '"A\\u001b[31m\\u202ename"' in out
    assert "protocolVersion" not in out
    assert err.startswith("revision ")
    assert b'"params":{"since": 1.0}' in running[1].of("/rpc")[0].body
    assert main(["inspect", SLUG, "--json"]) == ExitCode.DONE
    assert json.loads(capfd.readouterr().out)["revision"] == 12345678901234567890


def test_a_task_is_shown_waited_for_and_cancelled(running: Running, capfd: Captured) -> None:
    running[0].task_states = ["running", "running", "completed"]
    assert main(["task", SLUG, "t 1"]) == ExitCode.DONE
    assert json.loads(capfd.readouterr().out)["state"] == "running"
    assert main(["task", SLUG, "t 1", "--wait"]) == ExitCode.DONE
    assert json.loads(capfd.readouterr().out) == {"bytes": 7}
    assert main(["task", SLUG, "t 1", "--cancel", "--json"]) == ExitCode.DONE
    assert json.loads(capfd.readouterr().out)["task"]["state"] == "cancelling"
    assert sent(running[1], "tasks/cancel") == [{"id": "t 1"}]
    assert {request["id"] for request in sent(running[1], "tasks/get")} == {"t 1"}


@pytest.mark.parametrize(
    "command", [["actions"], ["describe", "a"], ["inspect"], ["task", "t"]], ids=lambda c: c[0]
)
@pytest.mark.parametrize("answer", [Bytes(), Answer(body=b"{}"), Answer(body=b'{"result":7}')])
def test_a_look_that_fails_says_nothing_of_having_run(
    command: list[str], answer: Answer | Bytes, running: Running, capfd: Captured
) -> None:
    running[1].script = lambda _: answer
    port = str(running[1].port)
    assert main([command[0], port, *command[1:]]) == ExitCode.REFUSED
    err = capfd.readouterr().err
    assert "may have run" not in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["describe", SLUG], "ACTION is missing"),
        (["describe"], "APP and ACTION are missing: bascule describe APP ACTION"),
        (["describe", SLUG, "a", "b"], "'b' is one word too many"),
        (["actions", SLUG, "b"], "'b' is one word too many"),
        (["actions", "--app", SLUG, "b"], "'b' is one word too many; APP is left out with --app"),
        (["task", SLUG], "ID is missing"),
        (["actions", ""], "APP is empty"),
        (["actions", "http://evil.example:80"], "a bridge's address is"),
        (["actions", "http://127.0.0.1:0"], "a bridge's address is"),
    ],
)
def test_wrong_usage_is_explained(
    words: list[str], message: str, running: Running, capfd: Captured
) -> None:
    assert main(words) == ExitCode.USAGE
    assert message in capfd.readouterr().err
    assert running[1].of("/rpc") == []
