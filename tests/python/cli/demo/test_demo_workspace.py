"""What the demo of the workspace asks of it, and when it stops."""

from __future__ import annotations

import pytest

from bridge.cli.demo import demo, demo_workspace
from bridge.cli.main import main
from bridge.contract.error_codes import ExitCode


class Runner:
    """Answers commands, all but one of them well."""

    def __init__(self, fails: str | None = None) -> None:
        self.fails = fails
        self.asked: list[tuple[str, ...]] = []

    async def __call__(self, *words: str) -> tuple[int, str]:
        self.asked.append(words)
        return (ExitCode.APP_ERROR if words[1] == self.fails else ExitCode.DONE), "answered\n"


@pytest.mark.parametrize(("fails", "calls"), [(None, 6), ("app.notes.notes_add", 2)])
async def test_it_goes_on_until_an_app_refuses(
    fails: str | None, calls: int, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Runner(fails)
    assert await demo_workspace.drive(run) is (fails is None)
    assert len(run.asked) == calls
    assert {words[0] for words in run.asked} == {"call"}
    assert not any("--no-wait" in words for words in run.asked)
    out = capsys.readouterr().out
    assert out.count("answered") == calls
    assert "$ bascule call bascule-workspace workspace.tile.open app=notes" in out
    asking = out.index("the page asks you")
    assert out.index("app=notes") < asking < out.index("app.notes.notes_add")


async def test_where_nobody_can_say_yes_it_ends_with_the_question(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = Runner()
    assert await demo_workspace.ask(run)
    *others, last = run.asked
    assert [words[1] for words in others] == ["workspace.tile.open"]
    assert (last[1], last[-1]) == ("app.notes.notes_add", "--no-wait")
    out = capsys.readouterr().out
    assert "only a person can say yes" in out
    # By --stay it goes on.
    assert "ends" not in out


def test_where_nobody_can_say_yes_no_app_s_tool_is_suggested() -> None:
    assert f"call {demo_workspace.SLUG} app." in demo_workspace.what_to_try(owner=True)
    alone = demo_workspace.what_to_try(owner=False)
    assert f"call {demo_workspace.SLUG} workspace." in alone
    assert f"call {demo_workspace.SLUG} app." not in alone


def test_without_a_browser_the_same_demo_is_recommended_headless(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webbrowser.open", lambda _url: False)
    for workspace, command in ((True, "--stay --workspace`"), (False, "--stay`")):
        with demo._open_in_browser("http://127.0.0.1:1/#link", workspace=workspace):
            pass
        assert f"bascule demo --headless {command}" in capsys.readouterr().out


@pytest.mark.parametrize("owner", [True, False])
def test_the_help_and_what_to_try_name_commands_that_there_are(
    capsys: pytest.CaptureFixture[str], owner: bool
) -> None:
    assert main(["demo", "--help"]) == ExitCode.DONE
    assert "--workspace" in capsys.readouterr().out
    for line in demo_workspace.what_to_try(owner=owner).splitlines():
        if line.startswith("  bascule "):
            assert main([line.split()[1], "--help"]) == ExitCode.DONE
