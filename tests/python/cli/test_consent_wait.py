"""A call that waits for the owner's yes, and whoever does not want to wait any more."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from bridge.contract.error_codes import ExitCode
from tests.python.support.command_line import pipe, running_command
from tests.python.support.fake_app import SLUG, fake_app, sent
from tests.python.support.fake_bridge import PATIENCE_SECONDS


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
    assert b"Traceback" not in told
    if "--batch" not in options:
        assert status != ExitCode.DONE
