"""Help as people see it, kept whole: a change of it is a change that somebody has looked at."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bridge.cli.commands import COMMANDS
from bridge.cli.main import main

GOLDEN = Path(__file__).parent / "golden"
APP_COMMANDS = (
    "actions",
    "describe",
    "call",
    "batch",
    "inspect",
    "task",
    "read",
    "render",
    "stdio",
    "check",
    "watch",
    "open",
)


def help_of(name: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("COLUMNS", "100")
    assert main(["--help"] if name == "bascule" else [name, "--help"]) == 0
    return capfd.readouterr().out


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="argparse words it otherwise")
@pytest.mark.parametrize("name", ["bascule", "call", "watch", "completion"])
def test_help_is_what_it_was(
    name: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    assert help_of(name, capfd, monkeypatch) == known


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_a_terminal_and_shows_no_inner_word(
    name: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = help_of(name, capfd, monkeypatch)
    assert max(map(len, text.splitlines())) <= 100
    assert "SUPPRESS" not in text
    assert "usage: bascule" in text


@pytest.mark.parametrize("name", APP_COMMANDS)
def test_a_command_on_an_app_says_what_app_is(
    name: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = " ".join(help_of(name, capfd, monkeypatch).split())
    assert "the app's name, or that in lower case with hyphens" in text
    assert "--url" in text
