"""Processes that run, ended, or were killed and not yet looked after."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from bridge.client.process_identity import is_same_process, process_start
from tests.python.support.command_line import ended_process, pipe, process_to_kill
from tests.python.support.fake_bridge import PATIENCE_SECONDS

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells when one started")


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    with process_to_kill() as process:
        yield process


@linux
def test_a_running_process_is_the_same(child: subprocess.Popen[bytes]) -> None:
    start = process_start(child.pid)
    assert start is not None
    assert is_same_process(child.pid, start)
    assert is_same_process(child.pid, None)


@linux
def test_another_start_is_another_process(child: subprocess.Popen[bytes]) -> None:
    start = process_start(child.pid)
    assert start is not None
    assert not is_same_process(child.pid, start + 1)


@linux
def test_a_killed_process_that_nobody_has_waited_for_has_ended(
    child: subprocess.Popen[bytes],
) -> None:
    start = process_start(child.pid)
    child.kill()
    # Waits for the end without taking the process off the list.
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    os.kill(child.pid, 0)
    assert not is_same_process(child.pid, start)
    child.wait(PATIENCE_SECONDS)
    assert not is_same_process(child.pid, start)


def test_an_ended_process_is_no_process() -> None:
    pid = ended_process()
    assert process_start(pid) is None
    assert not is_same_process(pid, None)
    assert not is_same_process(pid, 1)


@linux
def test_a_name_with_parentheses_and_spaces_does_not_shift_the_fields() -> None:
    script = "import ctypes; ctypes.CDLL(None).prctl(15, b') 9 (9 9) 9')"
    code = f"{script}; print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        pipe(process.stdout).readline()
        start, own = process_start(process.pid), process_start(os.getpid())
        process.kill()
    assert start is not None
    assert own is not None
    assert start >= own


def test_a_process_id_out_of_range_is_none() -> None:
    assert not is_same_process(2**40, None)
