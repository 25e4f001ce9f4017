"""A coroutine that is begun outside of a loop goes on in one, or by ticks."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import Any

import pytest

from bridge.servers.unfinished_call import UnfinishedCall, begin


class Signal:
    """Something that is looked at, as by a loop without tasks."""

    def __init__(self) -> None:
        self.is_set = False

    def __await__(self) -> Generator[Any, Any, None]:
        while not self.is_set:
            yield


async def ends_at_once() -> int:
    return 1


async def waits_for(signal: Signal) -> int:
    await signal
    return 2


async def waits_for_future(future: asyncio.Future[int], count: int = 1) -> int:
    value = 0
    for _ in range(count):
        value += await future
    return value


def test_what_ends_at_once_needs_nobody() -> None:
    assert begin(ends_at_once()) == 1


def test_what_is_raised_at_once_is_raised() -> None:
    async def fails() -> int:
        raise KeyError("x")

    with pytest.raises(KeyError):
        begin(fails())


def test_by_ticks_it_goes_on_when_it_can() -> None:
    signal = Signal()
    call = begin(waits_for(signal))
    assert isinstance(call, UnfinishedCall)
    assert call.step() is call
    signal.is_set = True
    assert call.step() == 2


async def test_in_a_loop_it_is_awaited_to_its_end() -> None:
    future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    call = begin(waits_for_future(future, 2))
    assert isinstance(call, UnfinishedCall)

    async def end() -> int:
        return await call

    task = asyncio.create_task(end())
    await asyncio.sleep(0)
    assert not task.done()
    future.set_result(3)
    assert await task == 6


async def test_what_it_waited_for_may_be_there_before_the_loop_looks() -> None:
    future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    call = begin(waits_for_future(future))
    future.set_result(3)
    assert isinstance(call, UnfinishedCall)
    assert await call == 3


async def test_a_failure_is_raised_where_it_is_awaited() -> None:
    future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    call = begin(waits_for_future(future))
    future.set_exception(KeyError("x"))
    assert isinstance(call, UnfinishedCall)
    with pytest.raises(KeyError):
        await call


async def test_a_cancellation_reaches_the_coroutine() -> None:
    future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    ended: list[str] = []

    async def tells() -> int:
        try:
            return await future
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    call = begin(tells())
    assert isinstance(call, UnfinishedCall)

    async def end() -> None:
        await call

    task = asyncio.create_task(end())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == ["cancelled"]


def test_closing_ends_it() -> None:
    ended: list[str] = []

    async def tells() -> int:
        try:
            await Signal()
        finally:
            ended.append("closed")
        return 0

    call = begin(tells())
    assert isinstance(call, UnfinishedCall)
    call.close()
    assert ended == ["closed"]
