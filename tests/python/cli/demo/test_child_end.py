"""Processes that the demo ends, however far they are."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading

import pytest

from bridge.cli.demo.child_end import end_child
from tests.python.support.fake_bridge import PATIENCE_SECONDS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the signals are POSIX's")


async def started(script: str) -> asyncio.subprocess.Process:
    """Start one, and return when it runs."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", f"{script}\nprint(flush=True)\ninput()",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert child.stdout is not None
    assert await child.stdout.readline() == b"\n"
    return child


async def test_it_is_asked_or_not() -> None:
    asked, killed = await started(""), await started("")
    await end_child(asked)
    await end_child(killed, at_once=True)
    assert [asked.returncode, killed.returncode] == [-signal.SIGTERM, -signal.SIGKILL]


async def test_what_has_ended_is_left_alone() -> None:
    child = await started("")
    child.kill()
    await child.wait()
    await end_child(child)
    assert child.returncode == -signal.SIGKILL


async def test_one_that_ends_by_itself_meanwhile_keeps_its_status(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its status is asyncio's, which else tells of an unknown child, and of the status 255."""
    asked = threading.Event()
    kill, waitpid = os.kill, os.waitpid

    def late(pid: int, options: int) -> tuple[int, int]:
        # As on a busy machine: who waits for it is slower than who ends it.
        asked.wait(PATIENCE_SECONDS)
        return waitpid(pid, options)

    def noted(pid: int, number: int) -> None:
        kill(pid, number)
        asked.set()

    monkeypatch.setattr(os, "waitpid", late)
    child = await started("")
    kill(child.pid, signal.SIGKILL)
    # It is dead, its status is there for the first to ask, and the loop has not heard of it.
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # noqa: ASYNC222 - it is killed
    monkeypatch.setattr(os, "kill", noted)
    await end_child(child)
    assert child.returncode == -signal.SIGKILL
    assert caplog.messages == []
