"""What the demo of the workspace asks of it, and when it stops."""

from __future__ import annotations

import json

import pytest

from bridge.cli.demo import demo_workspace
from bridge.cli.main import main
from bridge.contract.error_codes import ExitCode

ENTRIES = [
    {"caller": caller, "target": target, "tool": tool, "status": "completed", "arguments": "{}"}
    for caller, target, tool in (
        ("external:bridge:cli", "app:notes:background", "notes_add"),
        ("app:notes:tile:main:instance:1", "app:notes:background", "notes_list"),
    )
]


class Runner:
    """Answers commands, all but one of them well."""

    def __init__(self, fails: str | None = None) -> None:
        self.fails = fails
        self.asked: list[tuple[str, ...]] = []

    async def __call__(self, *words: str) -> tuple[int, str]:
        self.asked.append(words)
        if words[1] == self.fails:
            return ExitCode.APP_ERROR, "answered\n"
        if words[1] == "workspace.audit.list":
            return ExitCode.DONE, json.dumps({"entries": ENTRIES})
        return ExitCode.DONE, "answered\n"


@pytest.mark.parametrize(
    ("fails", "calls"), [("app.notes.notes_add", 2), ("workspace.audit.list", 6)]
)
async def test_it_goes_on_until_a_call_is_refused(
    fails: str, calls: int, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Runner(fails)
    assert not await demo_workspace.drive(run)
    assert len(run.asked) == calls
    assert {words[0] for words in run.asked} == {"call"}
    assert not any("--no-wait" in words for words in run.asked)
    out = capsys.readouterr().out
    assert out.count("answered") == calls
    assert "$ bascule call bascule-workspace workspace.tile.open app=notes" in out
    asking = out.index("the page asks you")
    assert out.index("app=notes") < asking < out.index("app.notes.notes_add")


async def test_of_the_audit_it_shows_who_called_what_by_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = Runner()
    assert await demo_workspace.drive(run)
    assert run.asked[-1] == ("call", "workspace.audit.list")
    _, _, told = capsys.readouterr().out.partition("workspace.audit.list\n")
    (entry,) = [json.loads(line) for line in told.splitlines() if line.startswith("{")]
    assert entry == {key: value for key, value in ENTRIES[0].items() if key != "arguments"}


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


def test_what_to_try_names_the_word_processor_in_the_workspace_and_alone() -> None:
    told = demo_workspace.what_to_try(owner=True)
    assert told.index("app=writer") < told.index("app.writer.document_text_insert")
    assert "  bascule demo --document\n" in told


@pytest.mark.parametrize("owner", [True, False])
def test_the_help_and_what_to_try_name_commands_that_there_are(
    capsys: pytest.CaptureFixture[str], owner: bool
) -> None:
    assert main(["demo", "--help"]) == ExitCode.DONE
    shown = capsys.readouterr().out
    assert "[--workspace | --document]" in shown
    assert "the workspace in a window, a word processor without one" in " ".join(shown.split())
    for line in demo_workspace.what_to_try(owner=owner).splitlines():
        if line.startswith("  bascule "):
            assert main([line.split()[1], "--help"]) == ExitCode.DONE
