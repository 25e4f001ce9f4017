"""The tour of package tools that the README shows, run as it is written there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.python.support.command_line import environment
from tests.python.support.native_app import short_directory

TOUR = Path(__file__).with_name("tools_tour.sh")
ROOT = Path(__file__).parents[3]


def test_the_tour_leads_from_a_new_package_to_a_served_one(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "bascule"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m bridge.cli.main "$@"\n')
    program.chmod(0o700)
    with short_directory() as runtime:
        ran = subprocess.run(
            ["bash", "-eu", str(TOUR)],
            cwd=tmp_path,
            env=environment(
                runtime,
                PATH=f"{program.parent}{os.pathsep}{os.environ['PATH']}",
                PYTHONPATH=str(ROOT),
            ),
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "receivables 1.0.0: 6 tools, ok" in ran.stdout
    before, after = (line for line in ran.stdout.splitlines() if '"overdue": {' in line)
    assert before.strip() == '"overdue": {"count": 7, "amount": 102600},'
    assert after.strip() == '"overdue": {"count": 6, "amount": 77800},'
