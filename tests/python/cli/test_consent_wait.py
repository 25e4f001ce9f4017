"""A call that waits for the owner's yes, and whoever does not want to wait any more."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from bridge.cli.main import main
from bridge.contract.error_codes import ExitCode
from tests.python.support.command_line import pipe, running_command
from tests.python.support.fake_app import SLUG, fake_app, sent
from tests.python.support.fake_bridge import (
    PATIENCE_SECONDS,
    Answer,
    Bytes,
    Received,
    error,
)


@pytest.mark.parametrize("options", [("doc.export",), ("--batch",)])
def test_who_stops_waiting_for_the_owner_takes_the_question_back(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    with fake_app(tmp_path) as (app, bridge):
        app.asks, app.task_states = True, ["consent"]
        with running_command(tmp_path, "call", SLUG, *options) as child:
            if "--batch" in options:
                pipe(child.stdin).write(b'{"action": "doc.export"}\n')
                pipe(child.stdin).flush()
            assert b"Waiting for a yes" in pipe(child.stderr).readline()
            child.send_signal(signal.SIGINT)
            status = child.wait(PATIENCE_SECONDS)
            told = pipe(child.stderr).read()
        assert sent(bridge, "tasks/cancel") == [{"id": "t 1"}]
    assert b"nothing was run" in told
    assert b"may have run" not in told
    assert b"Traceback" not in told
    if "--batch" not in options:
        assert status != ExitCode.DONE


def test_who_stops_a_call_that_the_owner_has_let_in_is_told_that_it_may_have_run(
    tmp_path: Path,
) -> None:
    with fake_app(tmp_path) as (app, bridge):
        app.asks, app.task_states = True, ["running"]
        with running_command(tmp_path, "call", SLUG, "doc.export") as child:
            assert b"Waiting for a yes" in pipe(child.stderr).readline()
            child.send_signal(signal.SIGINT)
            child.wait(PATIENCE_SECONDS)
            told = pipe(child.stderr).read()
        assert sent(bridge, "tasks/cancel") == [{"id": "t 1"}]
    assert b"may have run" in told
    assert b"nothing was run" not in told


def test_a_page_that_goes_away_while_its_owner_is_asked_leaves_the_outcome_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with fake_app(tmp_path) as (app, bridge):
        app.asks = True

        def gone(request: Received) -> Answer | Bytes:
            is_look = request.path == "/rpc" and b"tasks/get" in request.body
            return error("NOT_ATTACHED") if is_look else app.answer(request)

        bridge.script = gone
        assert main(["call", SLUG, "doc.export"]) == ExitCode.OUTCOME_UNKNOWN
    out, err = capfd.readouterr()
    assert out == ""
    assert "may have run" in err


@pytest.mark.parametrize("json_text", [(), ("--json",)])
def test_a_task_that_waits_for_the_owner_says_so_and_what_can_be_done(
    json_text: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with fake_app(tmp_path) as (app, _):
        app.task_states = ["consent"]
        assert main(["task", SLUG, "t 1", *json_text]) == ExitCode.DONE
        err = capfd.readouterr().err
        assert ("Waiting for a yes in the page." in err) is (not json_text)
        assert ("--cancel takes the question back" in err) is (not json_text)
        app.task_states = ["consent", "consent", "completed"]
        assert main(["task", SLUG, "t 1", "--wait", *json_text]) == ExitCode.DONE
        out, err = capfd.readouterr()
        assert '"bytes":7' in out.replace(" ", "")
        assert err.count("Waiting for a yes") == (0 if json_text else 1)


@pytest.mark.parametrize("options", [(), ("--json",)])
@pytest.mark.parametrize("asked", [True, False])
def test_who_is_refused_is_told_when_asking_again_can_help(
    asked: bool,
    options: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with fake_app(tmp_path) as (app, _):
        app.asks, app.refuses, app.task_states = asked, not asked, ["consent", "refused"]
        assert main(["call", SLUG, "doc.export", *options]) == ExitCode.APP_ERROR
    out, err = capfd.readouterr()
    if not options:
        assert "[OWNER_REQUIRED]\n  Try again in 8 s.\n" in err
    else:
        # Programs have the number as the app wrote it.
        assert '"retryAfterMs":7625' in out.replace(" ", "")
