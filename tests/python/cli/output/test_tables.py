"""Tables: what people and programs get of the same rows."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.cli.output.tables import print_table
from tests.python.support.command_line import environment
from tests.python.support.fake_app import SLUG, fake_app
from tests.python.support.fake_bridge import PATIENCE_SECONDS
from tests.python.support.terminal import on_terminal, plain

ROWS = [("doc.insert", "write", "[red]Insert[/red] :smile:"), ("doc.é漢字", "read", "\x1b[2JRead")]
HEADER = ("ACTION", "KIND", "ABOUT")


def shown(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *, terminal: bool
) -> str:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal, raising=False)
    print_table(ROWS, HEADER, argparse.Namespace(color="auto"))
    return capfd.readouterr().out


def test_a_program_gets_columns_between_tabs_and_no_heading(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shown(capfd, monkeypatch, terminal=False) == (
        "doc.insert\twrite\t[red]Insert[/red] :smile:\ndoc.é漢字\tread\t\\x1b[2JRead\n"
    )


def test_a_terminal_gets_aligned_columns_and_no_markup_of_an_app_s(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    lines = [plain(line) for line in shown(capfd, monkeypatch, terminal=True).splitlines()]
    assert lines == [
        "ACTION       KIND    ABOUT",
        "──────────────────────────────────────────────",
        "doc.insert   write   [red]Insert[/red] :smile:",
        "doc.é漢字    read    \\x1b[2JRead",
    ]


def test_a_pipe_s_table_loads_no_library_for_it(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom bridge.cli.main import main\n"
        "main(sys.argv[1:])\nprint('rich' in sys.modules, file=sys.stderr)"
    )
    with fake_app(tmp_path):
        done = subprocess.run(
            [sys.executable, "-c", code, "actions", SLUG],
            capture_output=True,
            env=environment(tmp_path),
            timeout=PATIENCE_SECONDS,
            check=True,
        )
    assert done.stderr == b"False\n"


def test_a_narrow_terminal_folds_and_loses_nothing(tmp_path: Path) -> None:
    with fake_app(tmp_path):
        status, out = on_terminal(tmp_path, "actions", SLUG, environ={"COLUMNS": "40"})
    lines = [plain(line) for line in out.splitlines()]
    assert status == 0
    assert all(len(line) <= 40 for line in lines)
    assert "doc.insert" in "".join(line.split()[0] for line in lines if line.split())
