"""The places at an app: few, in order of arrival, and none while answers lie unread."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator

import pytest

from bridge.cli.gateways.app_places import AppPlaces
from bridge.cli.gateways.mcp_output import LineOutput
from bridge.client.bridge_failure import BridgeFailure
from bridge.contract.error_codes import Outcome
from tests.python.support.fake_bridge import PATIENCE_SECONDS

AT_ONCE = 0.0
"""For who does not wait for others at all."""


class Pipe:
    """An output, and what its reader has not read."""

    def __init__(self) -> None:
        self.reading, self._writing = os.pipe()
        self.output = LineOutput(self._writing, lambda: None, max_waiting=10)

    def fill(self) -> None:
        self.output.write(bytes(200_000))
        assert self.output.is_full

    async def read(self) -> None:
        os.set_blocking(self.reading, False)
        async with asyncio.timeout(PATIENCE_SECONDS):
            while self.output.waiting_bytes:
                os.read(self.reading, 200_001)
                # The loop looks once, and writes on.
                await step()
        os.read(self.reading, 200_001)

    def close(self) -> None:
        self.output.close()
        os.close(self._writing)
        os.close(self.reading)


@pytest.fixture
async def pipe() -> AsyncIterator[Pipe]:
    opened = Pipe()
    yield opened
    opened.close()


def waiting(places: AppPlaces, seconds: float = PATIENCE_SECONDS) -> asyncio.Task[None]:
    return asyncio.create_task(places.taken(seconds))


async def done(task: asyncio.Task[None]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        await task


async def step() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_there_are_so_many_places_and_who_waits_has_those_that_are_given_back(
    pipe: Pipe,
) -> None:
    places = AppPlaces(pipe.output, 2)
    assert [places.take() for _ in range(3)] == [True, True, False]
    first, second = waiting(places), waiting(places)
    await step()
    places.leave()
    # It is promised to the first already.
    assert not places.take()
    await step()
    assert (first.done(), second.done()) == (True, False)
    places.leave()
    await done(second)
    places.leave()
    assert places.take()


async def test_none_is_given_while_answers_lie_unread(pipe: Pipe) -> None:
    places = AppPlaces(pipe.output, 1)
    pipe.fill()
    assert not places.take()
    first = waiting(places)
    await step()
    assert not first.done()
    await pipe.read()
    await done(first)
    # One that is given back while answers lie unread stays empty.
    second = waiting(places)
    pipe.fill()
    places.leave()
    await step()
    assert not second.done()
    await pipe.read()
    await done(second)


async def test_who_is_cancelled_leaves_the_place_to_the_next(pipe: Pipe) -> None:
    places = AppPlaces(pipe.output, 1)
    assert places.take()
    early, late, last = waiting(places), waiting(places), waiting(places)
    await step()
    early.cancel()
    await step()
    places.leave()
    # The very place that it was given, and has not come to know of.
    late.cancel()
    await done(last)
    assert early.cancelled()
    assert late.cancelled()
    places.leave()
    assert [places.take(), places.take()] == [True, False]


async def test_who_waits_too_long_for_the_app_is_refused_and_who_waits_for_the_reader_is_not(
    pipe: Pipe,
) -> None:
    places = AppPlaces(pipe.output, 1)
    assert places.take()
    with pytest.raises(BridgeFailure) as late:
        await places.taken(AT_ONCE)
    assert late.value.outcome is Outcome.NOT_DELIVERED
    pipe.fill()
    patient = waiting(places, AT_ONCE)
    places.leave()
    await step()
    assert not patient.done()
    await pipe.read()
    await done(patient)
    places.leave()
    assert places.take()
