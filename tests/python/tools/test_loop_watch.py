"""Steps that hold an event loop, told from outside of it."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Iterator

import pytest

from bridge.tools.cancel_signal import CancelSignal
from bridge.tools.embedded_handler import LoopHandler
from bridge.tools.handler import ToolCall
from bridge.tools.loop_watch import LoopWatch
from bridge.tools.package_thread import PackageThreads
from tests.python.support.handlers import SESSION, ManualTimers

PATIENCE_SECONDS = 30
CALL = ToolCall("note_add", None, CancelSignal(), 300.0)


class Telling(logging.Handler):
    """Keeps what is told last, and sets an event."""

    def __init__(self) -> None:
        super().__init__()
        self.told = threading.Event()
        self.words = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.words = record.getMessage()
        self.told.set()


@pytest.fixture
def telling() -> Iterator[Telling]:
    handler = Telling()
    logger = logging.getLogger("bascule.tools")
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)


class Pauses:
    """Pauses of a watch, which end when a test says so."""

    def __init__(self) -> None:
        self.begun: queue.Queue[float] = queue.Queue()
        self.ends: queue.Queue[None] = queue.Queue()

    def __call__(self, seconds: float) -> None:
        self.begun.put(seconds)
        self.ends.get()


def test_a_step_is_told_once_from_when_it_has_lasted_too_long(
    caplog: pytest.LogCaptureFixture,
) -> None:
    timers = ManualTimers()
    watch = LoopWatch(5.0, clock=timers.clock, pause=Pauses())
    watch.begin("note_add")
    timers.advance(4.9)
    assert watch.look()
    assert caplog.text == ""
    timers.advance(0.1)
    assert watch.look()
    assert "note_add says NEVER_BLOCKS and has held the event loop for 5 s" in caplog.text
    timers.advance(100.0)
    assert watch.look()
    assert len(caplog.records) == 1


def test_a_step_that_has_ended_is_not_told(caplog: pytest.LogCaptureFixture) -> None:
    timers = ManualTimers()
    watch = LoopWatch(5.0, clock=timers.clock, pause=Pauses())
    first, _second = watch.begin("note_add"), watch.begin("note_list")
    watch.end(first)
    timers.advance(9.0)
    assert watch.look()
    assert [record.args[0] for record in caplog.records if isinstance(record.args, tuple)] == [
        "note_list"
    ]


async def test_a_handler_that_holds_the_loop_is_told_while_it_does(telling: Telling) -> None:
    async def hold(*_: object) -> object:
        return telling.told.wait(PATIENCE_SECONDS)

    watch = LoopWatch(0.01)
    handler = LoopHandler("note_add", hold, PackageThreads("notes"), watch=watch)
    assert await handler.run({}, SESSION, CALL) is True
    assert "note_add says NEVER_BLOCKS and has held the event loop" in telling.words
    # However it ends, it runs no more.
    assert not watch.look()


def test_it_sleeps_where_nothing_runs() -> None:
    pauses = Pauses()
    watch = LoopWatch(5.0, pause=pauses)
    step = watch.begin("note_add")
    assert pauses.begun.get(timeout=PATIENCE_SECONDS) == 5.0
    pauses.ends.put(None)
    # It looks on as long as a step runs.
    assert pauses.begun.get(timeout=PATIENCE_SECONDS) == 5.0
    watch.end(step)
    asleep = threading.Event()
    wanted = watch._wanted
    original = wanted.wait

    def waiting(timeout: float | None = None) -> bool:
        asleep.set()
        return original(timeout)

    wanted.wait = waiting  # type: ignore[method-assign]
    pauses.ends.put(None)
    assert asleep.wait(PATIENCE_SECONDS)
    assert pauses.begun.empty()
    # And is woken by the next one.
    watch.begin("note_list")
    assert pauses.begun.get(timeout=PATIENCE_SECONDS) == 5.0
