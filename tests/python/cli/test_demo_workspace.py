"""What the demo of the workspace asks of it, and when it stops."""

from __future__ import annotations

import pytest

from bridge.cli import demo_workspace
from bridge.cli.main import main
from bridge.contract.error_codes import ExitCode


@pytest.mark.parametrize(("fails", "calls"), [(None, 4), ("app.notes.notes_add", 2)])
async def test_it_goes_on_until_an_app_refuses(
    fails: str | None, calls: int, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[str, ...]] = []

    async def run(*words: str) -> tuple[int, str]:
        asked.append(words)
        return (ExitCode.APP_ERROR if words[1] == fails else ExitCode.DONE), "answered\n"

    assert await demo_workspace.drive(run) is (fails is None)
    assert len(asked) == calls
    assert {words[0] for words in asked} == {"call"}
    out = capsys.readouterr().out
    assert out.count("answered") == calls
    assert "$ bascule call bascule-workspace workspace.tile.open app=notes" in out


def test_the_help_and_what_to_try_name_commands_that_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["demo", "--help"]) == ExitCode.DONE
    assert "--workspace" in capsys.readouterr().out
    for line in demo_workspace.what_to_try().splitlines():
        if line.startswith("  bascule "):
            assert main([line.split()[1], "--help"]) == ExitCode.DONE
