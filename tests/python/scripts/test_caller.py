"""The timing that all callers of the benchmarks share."""

from __future__ import annotations

import asyncio

import pytest

from scripts.benchmarks.caller import timed


async def test_every_call_of_every_caller_is_timed() -> None:
    made: list[str] = []

    async def one() -> None:
        made.append("one")

    async def other() -> None:
        made.append("other")

    measured = await timed([one, other], 5)
    assert len(measured["latencies_ms"]) == 10
    assert made.count("one") == made.count("other") == 5


async def test_callers_call_side_by_side() -> None:
    # Each waits for the other: one after the other they would wait for ever.
    both = asyncio.Barrier(2)

    async def send() -> None:
        await both.wait()

    async with asyncio.timeout(10):
        await timed([send, send], 3)


async def test_one_caller_waits_for_each_answer_before_it_calls_again() -> None:
    busy = False

    async def send() -> None:
        nonlocal busy
        assert not busy
        busy = True
        await asyncio.sleep(0)
        busy = False

    await timed([send], 3)


async def test_a_failed_call_fails_the_measurement() -> None:
    async def send() -> None:
        raise RuntimeError("refused")

    with pytest.raises(RuntimeError, match="refused"):
        await timed([send], 3)
