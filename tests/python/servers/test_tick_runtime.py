"""Coroutines and deferral in a loop that only ticks."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from bridge.contract.limits import PROTOCOL_LIMITS
from bridge.servers.native_server import serve
from bridge.servers.tick_runtime import TickRuntime
from tests.python.support.dispatchers import dispatcher_of
from tests.python.support.native_app import Caller, call_of, short_directory


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_timers_are_called_once_in_order_when_they_are_due() -> None:
    clock = Clock()
    runtime = TickRuntime(clock)
    called: list[str] = []
    runtime.after(2, lambda: called.append("two"))
    runtime.after(1, lambda: called.append("one"))
    cancel = runtime.after(1, lambda: called.append("never"))
    cancel()
    cancel()
    runtime.tick()
    assert called == []
    clock.now = 2
    runtime.tick()
    runtime.tick()
    assert called == ["one", "two"]


def test_a_timer_that_sets_itself_again_does_not_hold_a_tick() -> None:
    runtime = TickRuntime(Clock())
    called: list[int] = []

    def again() -> None:
        called.append(1)
        runtime.after(0, again)

    runtime.after(0, again)
    runtime.tick()
    assert called == [1]
    runtime.tick()
    assert called == [1, 1]


def test_a_coroutine_goes_on_when_what_it_waits_for_has_happened() -> None:
    clock = Clock()
    runtime = TickRuntime(clock)
    seen: list[str] = []

    async def work() -> None:
        seen.append("begun")
        await runtime.sleep(1)
        seen.append("slept")
        await signal
        seen.append("told")

    signal = runtime.event()
    runtime.start(work())
    assert seen == ["begun"]
    runtime.tick()
    assert seen == ["begun"]
    clock.now = 1
    runtime.tick()
    assert seen == ["begun", "slept"]
    signal.set()
    signal.set()
    runtime.tick()
    runtime.tick()
    assert seen == ["begun", "slept", "told"]


def test_closing_ends_what_still_goes_on() -> None:
    runtime = TickRuntime(Clock())
    seen: list[str] = []

    async def work() -> None:
        try:
            await runtime.sleep(1)
        finally:
            seen.append("ended")

    runtime.start(work())
    runtime.close()
    runtime.tick()
    assert seen == ["ended"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no native sockets")
def test_a_slow_handler_is_deferred_and_its_task_completes() -> None:
    clock = Clock()
    runtime = TickRuntime(clock)
    gate = runtime.event()

    async def slow(given: Any) -> Any:
        await gate
        return given

    def execute(action: str, given: Any, _context: Any) -> object:
        return slow(given) if action == "a" else given

    dispatcher = dispatcher_of(execute, runtime=runtime)
    with (
        short_directory() as directory,
        serve(dispatcher, directory=directory) as server,
        Caller(server) as one,
        Caller(server) as other,
    ):
        one.send(call_of(1, n=1))
        server.poll(1.0)
        other.send(call_of(2, "b", n=2))
        server.poll(1.0)
        runtime.tick()
        assert other.available() == b"", "the first has the turn"
        clock.now = PROTOCOL_LIMITS.max_turn_seconds
        runtime.tick()
        [deferred] = one.lines(1)
        assert deferred["result"]["status"] == "deferred"
        [completed] = other.lines(1)
        assert completed["result"]["output"] == {"n": 2}
        gate.set()
        runtime.tick()
        assert dispatcher.tasks.get(deferred["result"]["task"]["id"]).state == "completed"


def test_what_stops_one_coroutine_does_not_stop_the_others() -> None:
    runtime = TickRuntime(Clock())
    signal = runtime.event()
    seen: list[str] = []

    async def work() -> None:
        await signal
        seen.append("done")

    async def stops() -> None:
        await signal
        raise KeyboardInterrupt

    runtime.start(work())
    runtime.start(stops())
    runtime.start(work())
    signal.set()
    with pytest.raises(KeyboardInterrupt):
        runtime.tick()
    runtime.tick()
    assert seen == ["done", "done"]
