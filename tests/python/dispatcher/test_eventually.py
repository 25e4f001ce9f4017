"""Values that are there now or later."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bridge.dispatcher.eventually import (
    Eventually,
    Later,
    StoppedError,
    and_then,
    discard,
    started,
    watched,
)
from bridge.dispatcher.runtime import TIMELESS, NoRuntimeError
from tests.python.support.dispatchers import HandRuntime, first_step, settled


async def fail(error: BaseException) -> None:
    raise error


def test_a_value_that_is_there_is_gone_on_with_at_once() -> None:
    assert and_then(1, lambda n: n + 1) == 2
    ended: list[object] = []
    assert watched(lambda: 1, ended.append, ended.append) == 1
    assert ended == [1]


def test_what_settles_does_so_once() -> None:
    later: Later[int] = Later(TIMELESS)
    later.settle(1)
    later.settle(2)
    later.fail(RuntimeError("late"))
    assert later.result() == 1
    assert first_step(later) == 1


def test_callbacks_come_in_their_order_and_at_once_when_it_has_settled() -> None:
    later: Later[int] = Later(TIMELESS)
    told: list[str] = []
    later.when_settled(lambda: told.append("first"))
    later.when_settled(lambda: told.append("second"))
    assert told == []
    later.settle(1)
    later.when_settled(lambda: told.append("third"))
    assert told == ["first", "second", "third"]


async def test_any_number_may_await_it_and_one_that_is_cancelled_takes_nothing_with_it() -> None:
    later: Later[int] = Later(HandRuntime())

    async def wait() -> int:
        return await later

    waiting = [asyncio.create_task(wait()) for _ in range(3)]
    await settled()
    waiting[1].cancel()
    await settled()
    later.settle(5)
    results: list[Any] = await asyncio.gather(*waiting, return_exceptions=True)
    assert results[0] == results[2] == 5
    assert isinstance(results[1], asyncio.CancelledError)


async def test_a_failure_is_passed_on_and_what_follows_it_is_left_out() -> None:
    later = started(fail(RuntimeError("x")), HandRuntime())
    after: Later[int] = later.then(lambda _value: pytest.fail("went on"))
    with pytest.raises(RuntimeError, match="x"):
        await after


async def test_what_goes_on_may_fail_or_wait_itself() -> None:
    runtime = HandRuntime()

    async def number(n: int) -> int:
        await asyncio.sleep(0)
        return n

    def next_number(n: int) -> Eventually[int]:
        return started(number(n + 1), runtime)

    assert await started(number(1), runtime).then(next_number) == 2

    def divide(n: int) -> float:
        return n / 0

    with pytest.raises(ZeroDivisionError):
        await started(number(1), runtime).then(divide)


async def test_who_watches_is_told_before_anybody_goes_on() -> None:
    order: list[str] = []
    later: Later[int] = Later(HandRuntime())
    seen = later.watched(lambda _v: order.append("done"), lambda _e: order.append("failed"))
    seen.then(lambda _v: order.append("on"))
    later.settle(1)
    assert order == ["done", "on"]
    broken: Later[int] = Later(HandRuntime())
    broken.watched(lambda _v: order.append("done"), lambda _e: order.append("failed"))
    broken.fail(RuntimeError("x"))
    assert order[-1] == "failed"


def test_a_watched_start_that_fails_is_told_and_raised() -> None:
    told: list[BaseException] = []

    def start() -> int:
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        watched(start, lambda _value: None, told.append)
    assert isinstance(told[0], SystemExit)


async def test_a_coroutine_that_is_cancelled_from_outside_is_told_as_stopped() -> None:
    runtime = HandRuntime()
    later = started(asyncio.sleep(3_600), runtime)
    await settled()
    await runtime.close()
    with pytest.raises(StoppedError):
        await later


def test_without_a_runtime_what_waits_is_closed_and_its_failure_says_why() -> None:
    ended: list[str] = []

    class Forever:
        def __await__(self) -> Any:
            while True:
                try:
                    yield
                except NoRuntimeError:
                    ended.append("told")

    async def stubborn() -> None:
        try:
            await Forever()
        finally:
            ended.append("closed")

    later = started(stubborn(), TIMELESS)
    assert ended == ["told", "closed"]
    with pytest.raises(StoppedError):
        later.result()
    assert TIMELESS.now() == 0
    TIMELESS.after(5, lambda: pytest.fail("no time passes"))()


async def test_what_is_discarded_is_closed_or_cancelled() -> None:
    coroutine = fail(RuntimeError("never"))
    discard(coroutine)
    task = asyncio.create_task(asyncio.sleep(3_600))
    discard(task)
    await settled()
    assert task.cancelled()
    discard(5)

    class Broken:
        def cancel(self) -> None:
            raise RuntimeError("x")

    discard(Broken())
