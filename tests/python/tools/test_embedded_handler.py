"""Handlers of Python: in their package's thread, where one that blocks holds only its package."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from bridge.tools.cancel_signal import CancelSignal
from bridge.tools.embedded_handler import Handle, LoopHandler, ThreadHandler
from bridge.tools.handler import ToolCall
from bridge.tools.package_thread import PackageThreads
from bridge.tools.result_limits import RUN_LIMITS
from bridge.tools.tool_result import failure_code
from bridge.tools.tool_runner import RunnableTool, ToolRunner
from tests.python.support.handlers import SESSION, ManualTimers, defined_tool, turns

CALL = ToolCall("note_add", None, CancelSignal(), 300.0)
LIMITS = RUN_LIMITS._replace(max_threads=2)


class Gate:
    """A handler that blocks its thread until a test opens the gate."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.open = threading.Event()
        self.passed = 0

    async def handle(self, arguments: dict[str, Any], session: object, call: object) -> object:
        self.entered.set()
        assert self.open.wait(60)
        self.passed += 1
        return "passed"

    async def has_entered(self) -> None:
        assert await asyncio.to_thread(self.entered.wait, 30)


async def quick(arguments: dict[str, Any], session: object, call: object) -> object:
    return threading.current_thread().name


@pytest.fixture
def timers() -> ManualTimers:
    return ManualTimers()


@pytest.fixture
def threads(timers: ManualTimers) -> Iterator[PackageThreads]:
    threads = PackageThreads("notes", limits=LIMITS, timer=timers.after)
    yield threads
    threads.close()


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.open.set()


async def test_a_handler_runs_in_its_package_s_thread(threads: PackageThreads) -> None:
    assert await ThreadHandler(quick, threads).run({}, SESSION, CALL) == "package notes"


async def test_what_it_raises_comes_out(threads: PackageThreads) -> None:
    async def fail(*_: object) -> object:
        raise SystemExit(3)

    handler = ThreadHandler(fail, threads)
    with pytest.raises(SystemExit):
        await handler.run({}, SESSION, CALL)
    assert await ThreadHandler(quick, threads).run({}, SESSION, CALL) == "package notes"


async def _exit_in_a_task(*_: object) -> object:
    async def leave() -> None:
        raise SystemExit(3)

    await asyncio.create_task(leave())
    return "not reached"


async def _interrupt_in_a_callback(*_: object) -> object:
    def interrupt() -> None:
        raise KeyboardInterrupt

    asyncio.get_running_loop().call_soon(interrupt)
    await asyncio.sleep(0)
    return "went on"


async def _stop_the_loop(*_: object) -> object:
    asyncio.get_running_loop().stop()
    await asyncio.sleep(0)
    return "went on"


@pytest.mark.parametrize(
    ("handle", "given"),
    [
        (_exit_in_a_task, SystemExit),
        (_interrupt_in_a_callback, "went on"),
        (_stop_the_loop, "went on"),
    ],
)
async def test_what_ends_an_event_loop_does_not_end_a_package_s(
    threads: PackageThreads, handle: Handle, given: object
) -> None:
    running = ThreadHandler(handle, threads).run({}, SESSION, CALL)
    if isinstance(given, str):
        assert await running == given
    else:
        with pytest.raises(SystemExit):
            await running
    # The thread is the same one: no call before was given up for another.
    assert await ThreadHandler(quick, threads).run({}, SESSION, CALL) == "package notes"


async def test_many_calls_of_a_package_wait_side_by_side(threads: PackageThreads) -> None:
    met = 0
    all_met: asyncio.Event | None = None

    async def meet(*_: object) -> object:
        nonlocal met, all_met
        all_met = all_met or asyncio.Event()
        met += 1
        if met == 3:
            all_met.set()
        await all_met.wait()
        return "met"

    handler = ThreadHandler(meet, threads)
    async with asyncio.timeout(30):
        given = await asyncio.gather(*(handler.run({}, SESSION, CALL) for _ in range(3)))
    assert given == ["met"] * 3


async def test_a_handler_that_blocks_leaves_the_service_and_other_packages_answering(
    gate: Gate, threads: PackageThreads
) -> None:
    others = PackageThreads("others")
    runner = ToolRunner(
        [
            RunnableTool(defined_tool("blocks"), ThreadHandler(gate.handle, threads), 300.0),
            RunnableTool(defined_tool("other"), ThreadHandler(quick, others), 300.0),
        ]
    )
    blocked = asyncio.create_task(runner.call("blocks", {}, SESSION))
    await gate.has_entered()
    for _ in range(20):
        answer = await runner.call("other", {}, SESSION)
        assert answer.content[0]["text"] == "package others"
    assert not blocked.done()
    gate.open.set()
    assert (await blocked).content[0]["text"] == "passed"
    others.close()


async def test_a_handler_that_blocks_for_ever_is_answered_at_its_ceiling(
    gate: Gate, threads: PackageThreads, timers: ManualTimers
) -> None:
    runner = ToolRunner(
        [RunnableTool(defined_tool(cancellable=True), ThreadHandler(gate.handle, threads), 300.0)],
        timers.clock,
        timer=timers.after,
    )
    calling = asyncio.create_task(runner.call("note_add", {}, SESSION))
    await gate.has_entered()
    timers.advance(300.0)
    assert failure_code(await calling) == "TIMED_OUT"
    assert gate.passed == 0


async def test_a_call_behind_one_that_blocks_goes_to_a_new_thread_after_a_while(
    gate: Gate, threads: PackageThreads, timers: ManualTimers
) -> None:
    blocked = asyncio.create_task(ThreadHandler(gate.handle, threads).run({}, SESSION, CALL))
    await gate.has_entered()
    behind = asyncio.create_task(ThreadHandler(quick, threads).run({}, SESSION, CALL))
    await turns()
    timers.advance(LIMITS.held_seconds - 0.01)
    await turns()
    assert not behind.done()
    timers.advance(0.01)
    assert await behind == "package notes"
    assert not blocked.done()
    # The next one does not have to wait.
    assert await ThreadHandler(quick, threads).run({}, SESSION, CALL) == "package notes"
    gate.open.set()
    assert await blocked == "passed"


async def test_a_call_that_went_to_a_new_thread_runs_once(
    gate: Gate, threads: PackageThreads, timers: ManualTimers
) -> None:
    ran: list[str] = []

    async def note(*_: object) -> object:
        ran.append(threading.current_thread().name)
        return None

    blocked = asyncio.create_task(ThreadHandler(gate.handle, threads).run({}, SESSION, CALL))
    await gate.has_entered()
    behind = asyncio.create_task(ThreadHandler(note, threads).run({}, SESSION, CALL))
    await turns()
    timers.advance(LIMITS.held_seconds)
    await behind
    (old, _) = threads._threads
    gate.open.set()
    await blocked
    # Behind whatever the old thread still had to begin.
    passed = asyncio.run_coroutine_threadsafe(asyncio.sleep(0), old._loop)
    await asyncio.wrap_future(passed)
    assert len(ran) == 1


async def test_when_every_thread_is_blocked_a_call_is_refused(
    threads: PackageThreads, timers: ManualTimers
) -> None:
    gates = [Gate(), Gate()]
    tools = [
        RunnableTool(defined_tool(name), ThreadHandler(handle, threads), 300.0)
        for name, handle in (("a", gates[0].handle), ("b", gates[1].handle), ("quick", quick))
    ]
    runner = ToolRunner(tools, timers.clock, timer=timers.after)
    first = asyncio.create_task(runner.call("a", {}, SESSION))
    await gates[0].has_entered()
    second = asyncio.create_task(runner.call("b", {}, SESSION))
    await turns()
    timers.advance(LIMITS.held_seconds)
    await gates[1].has_entered()
    third = asyncio.create_task(runner.call("quick", {}, SESSION))
    await turns()
    timers.advance(LIMITS.held_seconds)
    assert failure_code(await third) == "BUSY"
    for gate in gates:
        gate.open.set()
    assert [(await each).is_error for each in (first, second)] == [False, False]
    assert not (await runner.call("quick", {}, SESSION)).is_error


async def test_a_call_that_was_given_up_before_it_began_never_runs(
    gate: Gate, threads: PackageThreads
) -> None:
    ran: list[str] = []

    async def note(*_: object) -> object:
        ran.append("ran")
        return None

    blocked = asyncio.create_task(ThreadHandler(gate.handle, threads).run({}, SESSION, CALL))
    await gate.has_entered()
    behind = asyncio.create_task(ThreadHandler(note, threads).run({}, SESSION, CALL))
    await turns()
    behind.cancel()
    with pytest.raises(asyncio.CancelledError):
        await behind
    gate.open.set()
    await blocked
    await ThreadHandler(quick, threads).run({}, SESSION, CALL)
    assert ran == []
    await ThreadHandler(note, threads).run({}, SESSION, CALL)
    assert ran == ["ran"]


async def test_a_cancelled_call_is_cancelled_in_its_thread(threads: PackageThreads) -> None:
    waits, ended = threading.Event(), threading.Event()

    async def wait(*_: object) -> object:
        waits.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return None

    calling = asyncio.create_task(ThreadHandler(wait, threads).run({}, SESSION, CALL))
    assert await asyncio.to_thread(waits.wait, 30)
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    assert await asyncio.to_thread(ended.wait, 30)


async def test_a_cancellable_handler_in_a_thread_hears_the_signal(
    threads: PackageThreads,
) -> None:
    waits = threading.Event()

    async def wait(_arguments: object, _session: object, call: ToolCall) -> object:
        waits.set()
        return f"stopped: {await call.signal.wait()}"

    handler = ThreadHandler(wait, threads)
    runner = ToolRunner([RunnableTool(defined_tool(cancellable=True), handler, 300.0)])
    signal = CancelSignal()
    calling = asyncio.create_task(runner.call("note_add", {}, SESSION, signal=signal))
    assert await asyncio.to_thread(waits.wait, 30)
    signal.cancel("enough")
    assert (await calling).content[0]["text"] == "stopped: enough"


# On the loop


def ticking(*seconds: float) -> Callable[[], float]:
    """Return a clock that gives one reading after another."""
    readings = iter(seconds)
    return lambda: next(readings)


async def test_a_promise_that_is_kept_keeps_a_handler_on_the_loop(threads: PackageThreads) -> None:
    async def turn(*_: object) -> object:
        await asyncio.sleep(0)
        return threading.current_thread()

    handler = LoopHandler("note_add", turn, threads, clock=ticking(0.0, 0.09, 5.0, 5.09))
    assert await handler.run({}, SESSION, CALL) is threading.current_thread()
    assert handler.keeps_its_promise


async def test_a_promise_that_is_broken_sends_it_to_its_package_s_thread(
    threads: PackageThreads, caplog: pytest.LogCaptureFixture
) -> None:
    handler = LoopHandler("note_add", quick, threads, clock=ticking(0.0, 0.11))
    with caplog.at_level(logging.WARNING, "bascule.tools"):
        assert await handler.run({}, SESSION, CALL) == threading.current_thread().name
    assert not handler.keeps_its_promise
    assert "note_add says NEVER_BLOCKS" in caplog.text
    assert await handler.run({}, SESSION, CALL) == "package notes"


async def test_a_handler_on_the_loop_may_use_what_needs_a_task(threads: PackageThreads) -> None:
    async def careful(*_: object) -> object:
        try:
            async with asyncio.timeout(0):
                await asyncio.Event().wait()
        except TimeoutError:
            return "timed out"
        return None

    handler = LoopHandler("note_add", careful, threads)
    runner = ToolRunner([RunnableTool(defined_tool(), handler, 300.0)])
    assert (await runner.call("note_add", {}, SESSION)).content[0]["text"] == "timed out"


async def test_a_cancellation_reaches_a_handler_on_the_loop(threads: PackageThreads) -> None:
    ended: list[str] = []

    async def wait(*_: object) -> object:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        return None

    calling = asyncio.create_task(LoopHandler("n", wait, threads).run({}, SESSION, CALL))
    await turns()
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    assert ended == ["cancelled"]
