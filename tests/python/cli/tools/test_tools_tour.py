"""The tour of package tools that the README shows, run as it is written there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from tests.python.support.command_line import environment
from tests.python.support.native_app import short_directory

TOUR = Path(__file__).with_name("tools_tour.sh")
ROOT = Path(__file__).parents[4]


def test_the_tour_leads_from_a_new_package_to_a_served_one(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "bascule"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m bridge.cli.main "$@"\n')
    program.chmod(0o700)
    with short_directory() as runtime:
        environ = environment(
            runtime,
            PATH=f"{program.parent}{os.pathsep}{os.environ['PATH']}",
            PYTHONPATH=str(ROOT),
        )
        with subprocess.Popen(
            ["bash", "-eu", str(TOUR)],
            cwd=tmp_path,
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as tour:
            try:
                out, _ = tour.communicate(timeout=240)
            finally:
                # What it serves must not outlive it, wherever it has stopped.
                with suppress(ProcessLookupError):
                    os.killpg(tour.pid, signal.SIGKILL)
    assert tour.returncode == 0, out
    assert "receivables 1.0.0: 6 tools, ok" in out
    before, after = (line for line in out.splitlines() if '"overdue": {' in line)
    assert before.strip() == '"overdue": {"count": 7, "amount": 102600},'
    assert after.strip() == '"overdue": {"count": 6, "amount": 77800},'
