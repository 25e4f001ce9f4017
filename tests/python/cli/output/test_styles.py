"""When there are colours."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge.cli.output.styles import Style, wants_color
from tests.python.support.command_line import run_command
from tests.python.support.fake_app import SLUG, fake_app
from tests.python.support.terminal import on_terminal, plain


@pytest.mark.parametrize(
    ("choice", "is_terminal", "environ", "wanted"),
    [
        ("auto", True, {}, True),
        ("auto", False, {}, False),
        ("auto", True, {"NO_COLOR": "1"}, False),
        ("auto", True, {"NO_COLOR": ""}, True),
        ("auto", True, {"TERM": "dumb"}, False),
        ("always", False, {"NO_COLOR": "1"}, True),
        ("never", True, {}, False),
    ],
)
def test_colours_are_for_terminals_unless_it_is_said(
    choice: str, is_terminal: bool, environ: dict[str, str], wanted: bool
) -> None:
    assert wants_color(choice, is_terminal=is_terminal, environ=environ) is wanted


def test_without_colours_text_is_left_alone() -> None:
    assert Style(on=False)("x", "red", "bold") == "x"
    assert Style(on=True)("x", "red", "bold") == "\x1b[31;1mx\x1b[0m"
    assert Style(on=True)("", "red") == ""


COMMANDS = [["actions", SLUG], ["describe", SLUG, "doc.insert"], ["call", SLUG, "doc.read"],
            ["inspect", SLUG], ["list"]]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_terminal_gets_colours_and_a_pipe_gets_none(command: list[str], tmp_path: Path) -> None:
    with fake_app(tmp_path):
        status, shown = on_terminal(tmp_path, *command)
        assert (status, "\x1b[" in shown) == (0, True)
        for options, environ in ([], {"NO_COLOR": "1"}), (["--color=never"], {}):
            _, shown = on_terminal(tmp_path, *command, *options, environ=environ)
            assert "\x1b[3" not in shown
            assert plain(shown)
        piped = run_command(tmp_path, *command).stdout
        assert piped
        assert b"\x1b" not in piped
        assert b"\x1b[3" in run_command(tmp_path, *command, "--color=always").stdout
