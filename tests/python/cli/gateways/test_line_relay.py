"""When a relay ends that has a child which goes on writing, by a clock that is set."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bridge.cli.gateways.line_relay import LineRelay

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes cannot be waited for there")
ENDLESS = "while True: print('progress', flush=True)"
LONG = "print('x' * 2_000_000, end='')"
STEP_SECONDS = 0.25
MAX_LOOKS = 20_000


class Clock:
    """Goes on at each look, and says so where nobody would stop looking."""

    def __init__(self) -> None:
        self.looks = 0

    def __call__(self) -> float:
        self.looks += 1
        assert self.looks < MAX_LOOKS, "it goes on without end"
        return self.looks * STEP_SECONDS


@contextmanager
def child(code: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as started:
        try:
            yield started
        finally:
            started.kill()


@contextmanager
def streams(given: int, output: Path = Path(os.devnull)) -> Iterator[None]:
    """Put others in place of this process's own standard input and output."""
    # Within the test: its own are set anew when it begins.
    with (
        pytest.MonkeyPatch.context() as patch,
        os.fdopen(given, "rb") as reading,
        output.open("wb") as writing,
    ):
        patch.setattr(sys, "stdin", reading)
        patch.setattr(sys, "stdout", writing)
        yield


def no_input() -> int:
    return os.open(os.devnull, os.O_RDONLY)


def test_what_is_written_of_its_own_accord_renews_no_time() -> None:
    with child(ENDLESS) as app, streams(no_input()):
        LineRelay(app, 1.2, renewed=False, clock=Clock()).serve()
        assert app.poll() is None, "it is the relay that has ended"


@pytest.mark.parametrize("renewed", [True, False])
def test_answers_renew_it_where_a_file_of_calls_is_answered(tmp_path: Path, renewed: bool) -> None:
    output = tmp_path / "output"
    with child(LONG) as app, streams(no_input(), output):
        LineRelay(app, 5.0, renewed=renewed, clock=Clock()).serve()
    assert (output.stat().st_size == 2_000_000) is renewed


@pytest.mark.parametrize("renewed", [True, False])
def test_a_parent_that_has_gone_is_seen_whatever_passes(renewed: bool) -> None:
    looked: list[float] = []
    clock = Clock()

    def parent_is_there() -> bool:
        looked.append(clock.looks * STEP_SECONDS)
        return len(looked) < 3

    reading, writing = os.pipe()
    with child(ENDLESS) as app, streams(reading), os.fdopen(writing, "wb"):
        relay = LineRelay(app, 1.2, renewed=renewed, clock=clock, parent_is_there=parent_is_there)
        relay.serve()
        assert app.poll() is None
    assert len(looked) == 3
    assert looked[1] - looked[0] >= 1.0, "and no more often than it takes"
