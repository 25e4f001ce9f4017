"""What the demo's commands show, and how those that it names are found by a shell."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.cli.demo.demo_commands import run_command, to_paste
from bridge.cli.demo.demo_document import what_to_try
from tests.python.support.fake_app import SLUG, fake_app

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the shell is POSIX's")


@pytest.mark.parametrize("folder", ["bin", "a folder's $HOME"])
def test_where_bascule_is_not_found_a_pasted_line_lets_the_shell_find_it(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / folder / "bascule"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "ran $*"\n')
    program.chmod(0o700)
    monkeypatch.setattr("sys.argv", [str(program)])
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    pasted = to_paste(["bascule list"])
    assert pasted.startswith("  export PATH=")
    ran = subprocess.run(["sh", "-c", pasted], capture_output=True, check=True, text=True)
    assert ran.stdout == "ran list\n"


def test_where_bascule_is_found_only_the_commands_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bascule"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert to_paste(["bascule list"]) == "  bascule list\n"


@pytest.mark.parametrize("headless", [True, False])
def test_the_other_demo_is_named_as_it_runs_here(headless: bool) -> None:
    told = what_to_try(drawing=True, headless=headless)
    assert ("bascule demo --headless --workspace\n" in told) is headless
    assert ("bascule demo --workspace\n" in told) is not headless
    assert "bascule actions bascule-draw\n" in told
    assert "bascule-draw" not in what_to_try(drawing=False, headless=headless)


async def test_a_hint_names_the_app_as_the_command_above_it_does(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with fake_app(tmp_path) as (app, bridge):
        app.asks, app.task_states = True, ["consent"]
        endpoint = {"url": bridge.url, "token": bridge.token}
        status, out = await run_command(
            endpoint, "call", "doc.export", "--no-wait", stderr=asyncio.subprocess.PIPE, called=SLUG
        )
    assert status == 0
    assert '"reason": "consent"' in out
    err = capfd.readouterr().err
    assert f"bascule task {SLUG} 't 1' --wait" in err
    assert bridge.url not in err
