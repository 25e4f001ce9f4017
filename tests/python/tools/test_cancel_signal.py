"""The signal by which a handler is asked to stop: once, from any thread, on any event loop."""

from __future__ import annotations

import asyncio
import threading

from bridge.tools.cancel_signal import CancelSignal
from tests.python.support.handlers import turns


def test_it_fires_once_and_keeps_its_first_reason() -> None:
    signal = CancelSignal()
    told: list[str | None] = []
    signal.when_cancelled(lambda: told.append(signal.reason))
    assert (signal.cancelled, signal.reason) == (False, None)
    signal.cancel("first")
    signal.cancel("second")
    assert (signal.cancelled, signal.reason, told) == (True, "first", ["first"])


def test_who_comes_late_is_told_at_once_and_who_has_left_is_not() -> None:
    signal = CancelSignal()
    told: list[str] = []
    forget = signal.when_cancelled(lambda: told.append("left"))
    forget()
    signal.cancel()
    signal.when_cancelled(lambda: told.append("late"))
    assert told == ["late"]


async def test_waiting_ends_with_the_reason() -> None:
    signal = CancelSignal()
    waiting = asyncio.create_task(signal.wait())
    await turns()
    assert not waiting.done()
    signal.cancel("enough")
    assert await waiting == "enough"
    assert await signal.wait() == "enough"


async def test_one_waiter_may_give_up_without_the_others() -> None:
    signal = CancelSignal()
    gives_up, stays = (asyncio.create_task(signal.wait()) for _ in range(2))
    await turns()
    gives_up.cancel()
    await turns()
    signal.cancel("enough")
    assert await stays == "enough"
    assert gives_up.cancelled()


async def test_a_loop_of_another_thread_is_woken() -> None:
    signal = CancelSignal()
    waits = threading.Event()
    given: list[str] = []

    async def wait() -> None:
        waiting = asyncio.create_task(signal.wait())
        await asyncio.sleep(0)
        waits.set()
        given.append(await waiting)

    thread = threading.Thread(target=lambda: asyncio.run(wait()))
    thread.start()
    assert waits.wait(30)
    signal.cancel("from outside")
    await asyncio.to_thread(thread.join, 30)
    assert given == ["from outside"]
