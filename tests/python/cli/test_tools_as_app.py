"""Served packages as a terminal meets them: described, failing, stopped and gone."""

from __future__ import annotations

from pathlib import Path

from bridge.contract.error_codes import ExitCode
from tests.python.cli.test_tools_serve import RECEIVABLES, runtime, served
from tests.python.support.command_line import run_command

__all__ = ["runtime"]


def test_a_write_is_described_without_a_revision_and_a_refused_read_as_having_done_nothing(
    runtime: Path,
) -> None:
    with served(runtime, RECEIVABLES):
        told = run_command(runtime, "describe", "receivables", "invoice_mark_paid").stdout
        assert told.splitlines()[-1].split() == (
            b"bascule call receivables invoice_mark_paid number=INV-2026-004".split()
        )
        missing = "number=INV-1999-001"
        read = run_command(runtime, "call", "receivables", "invoice_get", missing)
        assert read.returncode == ExitCode.APP_ERROR
        assert b"There is no invoice" in read.stderr
        assert b"may have run" not in read.stderr
        write = run_command(runtime, "call", "receivables", "invoice_mark_paid", missing)
        assert b"may have run" in write.stderr
