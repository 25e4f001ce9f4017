"""Served packages as a terminal meets them: described, failing, stopped and gone."""

from __future__ import annotations

import json
import shutil
import signal
from contextlib import ExitStack
from pathlib import Path
from textwrap import dedent

import pytest

from bridge.contract.error_codes import ExitCode
from tests.python.cli.tools.test_tools_serve import (
    CATALOG,
    HELLO,
    RECEIVABLES,
    line,
    runtime,
    served,
)
from tests.python.support.command_line import pipe, run_command, running_command
from tests.python.support.fake_bridge import PATIENCE_SECONDS

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


WAITING = """
    import asyncio, sys

    async def handle(arguments, session, call):
        print("begun", file=sys.stderr, flush=True)
        await {wait}
        print("told", file=sys.stderr, flush=True)
        return "tidied up"
"""


def waiting_package(directory: Path) -> str:
    """Write a package with a handler that waits to be stopped, and one that never ends."""
    package = Path(shutil.copytree(CATALOG, directory / "waiting"))
    schema = json.loads((package / "tools" / "catalog_list.json").read_text())
    for name, wait in (
        ("until_told", "call.signal.wait()"),
        ("for_ever", "asyncio.Event().wait()"),
    ):
        schema["x-bascule"]["annotations"]["cancellable"] = name == "until_told"
        (package / "tools" / f"{name}.json").write_text(json.dumps(schema))
        (package / "handlers" / f"{name}.py").write_text(dedent(WAITING).format(wait=wait))
    return str(package)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_service_that_ends_has_told_its_handlers_and_answered_its_callers(
    runtime: Path, tmp_path: Path, number: signal.Signals
) -> None:
    with ExitStack() as stack:
        words = (waiting_package(tmp_path), "--name", "waiting")
        child, _ = stack.enter_context(served(runtime, *words))
        called = {}
        for tool in ("until_told", "for_ever"):
            words = ("call", "waiting", tool)
            called[tool] = stack.enter_context(running_command(runtime, *words))
            assert pipe(child.stderr).readline() == b"begun\n"
        child.send_signal(number)
        assert pipe(child.stderr).readline() == b"told\n"
        out, err = called["until_told"].communicate(timeout=PATIENCE_SECONDS)
        assert b"tidied up" in out, err
        out, err = called["for_ever"].communicate(timeout=PATIENCE_SECONDS)
        assert b"The service ends" in err, out
        assert child.wait(PATIENCE_SECONDS) == ExitCode.DONE


@pytest.mark.parametrize("by_signal", [True, False])
def test_over_mcp_a_handler_is_told_of_the_end_as_well(
    runtime: Path, tmp_path: Path, by_signal: bool
) -> None:
    with running_command(runtime, "tools", "serve", waiting_package(tmp_path), "--mcp") as child:
        asked = line(1, "initialize", **HELLO) + line(2, "tools/call", name="until_told")
        pipe(child.stdin).write(asked)
        pipe(child.stdin).flush()
        assert pipe(child.stderr).readline() == b"begun\n"
        if by_signal:
            child.send_signal(signal.SIGTERM)
        else:
            pipe(child.stdin).close()
        assert pipe(child.stderr).readline() == b"told\n"
        assert child.wait(PATIENCE_SECONDS) == ExitCode.DONE
        assert (b"tidied up" in pipe(child.stdout).read()) is by_signal


def test_an_interrupt_is_told_to_a_tool_that_declares_that_it_can_be_stopped(
    runtime: Path, tmp_path: Path
) -> None:
    package = waiting_package(tmp_path)
    with running_command(runtime, "tools", "call", package, "until_told") as child:
        assert pipe(child.stderr).readline() == b"begun\n"
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=PATIENCE_SECONDS)
    # It ended by itself, and what it gave is shown.
    assert (out, err) == (b"tidied up\n", b"told\nbascule: interrupted.\n")
    assert child.returncode == -signal.SIGINT


def test_an_interrupt_of_any_other_tool_says_that_it_may_have_run(
    runtime: Path, tmp_path: Path
) -> None:
    package = Path(waiting_package(tmp_path))
    schema = package / "tools" / "for_ever.json"
    for reads in (False, True):
        # A second signal does not wait for the grace.
        told = json.loads(schema.read_text())
        told["x-bascule"]["annotations"] |= {"readOnlyHint": reads}
        schema.write_text(json.dumps(told))
        with running_command(runtime, "tools", "call", str(package), "for_ever") as child:
            assert pipe(child.stderr).readline() == b"begun\n"
            child.send_signal(signal.SIGINT)
            child.send_signal(signal.SIGINT)
            out, err = child.communicate(timeout=PATIENCE_SECONDS)
        assert out == b""
        assert (b"may have done its work" in err) is not reads
        assert err.endswith(b"bascule: interrupted.\n")
        assert child.returncode == -signal.SIGINT


@pytest.mark.parametrize("command", ["check", "call", "serve"])
def test_what_a_handler_prints_is_no_part_of_a_command_s_output(
    command: str, runtime: Path, tmp_path: Path
) -> None:
    package = Path(shutil.copytree(CATALOG, tmp_path / "loud"))
    handler = package / "handlers" / "catalog_list.py"
    text = handler.read_text().replace("from __future__ import annotations\n", "print('loud')\n", 1)
    handler.write_text(text)
    if command == "serve":
        with served(runtime, str(package), "--name", "loud") as (child, told):
            assert told["name"] == "loud"
            child.terminate()
            assert pipe(child.stderr).read() == b"loud\n"
        return
    more = ("catalog_list",) if command == "call" else ()
    ran = run_command(runtime, "tools", command, str(package), *more, "--json")
    assert ran.returncode == ExitCode.DONE
    assert json.loads(ran.stdout)
    assert ran.stderr == b"loud\n"
