"""A dispatcher's runtime on asyncio."""

from __future__ import annotations

import asyncio

import pytest

from bridge.dispatcher.dispatcher import AppName, Dispatcher
from bridge.dispatcher.host import CallContext
from bridge.dispatcher.rpc_session import RpcSession
from bridge.servers.asyncio_runtime import AsyncioRuntime
from tests.python.support.dispatchers import ScriptedHost, line_of


async def test_a_timer_calls_back_once_and_one_that_is_cancelled_never() -> None:
    runtime = AsyncioRuntime()
    called: list[str] = []
    done = asyncio.Event()
    runtime.after(0, lambda: called.append("cancelled"))()
    runtime.after(0, lambda: called.append("first"))
    runtime.after(0.001, done.set)
    async with asyncio.timeout(10):
        await done.wait()
    assert called == ["first"]


async def test_a_signal_wakes_all_who_wait_and_who_comes_later() -> None:
    signal = AsyncioRuntime().event()

    async def wait() -> str:
        await signal
        return "woken"

    waiting = [asyncio.create_task(wait()) for _ in range(2)]
    await asyncio.sleep(0)
    signal.set()
    signal.set()
    async with asyncio.timeout(10):
        assert await asyncio.gather(*waiting) == ["woken", "woken"]
        assert await wait() == "woken"


async def test_time_does_not_go_back() -> None:
    runtime = AsyncioRuntime()
    assert 0 < runtime.now() <= runtime.now()


def test_where_no_loop_runs_nothing_is_promised() -> None:
    runtime = AsyncioRuntime()
    with pytest.raises(RuntimeError):
        runtime.event()
    with pytest.raises(RuntimeError):
        runtime.after(1, lambda: None)


async def test_handlers_may_be_coroutines_of_asyncio() -> None:
    async def work(context: CallContext) -> dict[str, object]:
        await asyncio.sleep(0)
        return {"session": context.session}

    runtime = AsyncioRuntime()
    host = ScriptedHost(lambda _a, _i, context: work(context))
    dispatcher = Dispatcher(host, app=AppName("Test", "1"), runtime=runtime)
    dispatcher.set_enabled(True)
    lines = [
        RpcSession(dispatcher, name).receive(line_of("actions/execute", {"action": "a"}))
        for name in "xy"
    ]
    async with asyncio.timeout(10):
        answers = await asyncio.gather(*lines)
    assert ['"session":"x"' in (answers[0] or ""), '"session":"y"' in (answers[1] or "")] == [
        True,
        True,
    ]
    await runtime.close()


async def test_closing_ends_what_still_goes_on() -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("ended")

    runtime = AsyncioRuntime()
    runtime.start(work())
    await runtime.close()
    assert ended == ["ended"]
