"""Many callers at once over real sockets, while the page's link goes wrong in every way.

Everything is drawn from seeded generators; the schedule is the machine's own.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass

from tests.python.support.bridge_fixture import RunningBridge, running_bridge, with_limits
from tests.python.support.raw_http import Response, connection
from tests.python.support.roving_page import RovingPage
from tests.python.support.scripted_page import Faults, ScriptedPage

CALLERS = 16
CALLS = 100


class Sometimes:
    """Says yes with a probability, and counts how often."""

    def __init__(self, seed: int, probability: float) -> None:
        self._chance = random.Random(seed)
        self._probability = probability
        self.times = 0

    def __call__(self) -> bool:
        yes = self._chance.random() < self._probability
        self.times += yes
        return yes


@dataclass
class Soaked:
    """How a soak ended. Callers that hung up do not count as asked."""

    asked: int
    answered: int
    page: ScriptedPage
    counters: dict[str, int]


async def call(
    bridge: RunningBridge, name: str, count: int, chance: random.Random
) -> tuple[int, int]:
    """Make calls one after another and check each answer; returns asked and answered."""
    asked = answered = 0
    for number in range(count):
        params = [name, number, "x" * chance.randrange(2000)]
        identity: object = number if chance.random() < 0.5 else f"{name}-{number}"
        request = {"jsonrpc": "2.0", "id": identity, "method": "echo", "params": params}
        data = bridge.post("/rpc", {"session": name, "request": request}, page=False)
        if chance.random() < 0.05:
            async with connection(bridge.port) as hanging_up:
                await hanging_up.send(data)
                hanging_up.abort()
            continue
        async with connection(bridge.port) as opened:
            await opened.send(data)
            answer = await opened.response(seconds=30)
        asked += 1
        answered += check(answer, identity, params)
    return asked, answered


def check(answer: Response, identity: object, params: list[object]) -> int:
    value = answer.json()
    if answer.status == 200:
        assert value == {"jsonrpc": "2.0", "id": identity, "result": params}
        return 1
    assert answer.code in {"BROWSER_GONE", "NOT_ATTACHED", "QUEUE_FULL", "BUSY"}, answer
    if answer.code != "BROWSER_GONE":
        assert answer.outcome == "not_delivered"
    return 0


async def soak(
    faults: Faults, seed: int, *, acknowledges: bool = True, roves: bool = False
) -> Soaked:
    chance = random.Random(seed)
    async with running_bridge(limits=with_limits(client_grace_seconds=5.0)) as bridge:
        page = ScriptedPage(bridge, faults=faults, acknowledges=acknowledges)
        if roves:
            page = RovingPage(bridge, chance=random.Random(seed))
        await page.attach()
        running = asyncio.create_task(page.run())
        callers = [
            call(bridge, f"caller-{n}", CALLS, random.Random(chance.random()))
            for n in range(CALLERS)
        ]
        async with asyncio.timeout(60):
            counts = await asyncio.gather(*callers)
        status = await bridge.until(
            lambda s: s["queue"] == {**s["queue"], "queued": 0, "leased": 0}
        )
        assert status["activeRequests"] == 1
        bridge.stop.stop()
        async with asyncio.timeout(10):
            await running
        assert len(page.begun) == len(set(page.begun)), "something ran twice"
        asked, answered = (sum(column) for column in zip(*counts, strict=True))
        return Soaked(asked, answered, page, status["counters"])


async def test_no_answer_is_crossed_and_none_is_lost_without_faults() -> None:
    soaked = await soak(Faults(), 1)
    assert soaked.answered == soaked.asked
    assert set(soaked.page.refused) <= {"UNKNOWN_REQUEST"}, "of callers that hung up"


async def test_dropped_polls_lose_nothing_and_run_nothing_twice() -> None:
    breaks, losses, repeats = Sometimes(2, 0.1), Sometimes(3, 0.1), Sometimes(4, 0.2)
    soaked = await soak(Faults(breaks, losses, repeats), 2)
    assert min(breaks.times, losses.times, repeats.times) > 10, "the faults were there"
    assert soaked.answered == soaked.asked
    assert "DUPLICATE_RESULT" in soaked.page.refused
    assert set(soaked.page.refused) <= {"DUPLICATE_RESULT", "UNKNOWN_REQUEST"}


async def test_a_page_that_comes_and_goes_gives_every_caller_an_honest_answer() -> None:
    breaks, departures = Sometimes(5, 0.05), Sometimes(6, 0.05)
    soaked = await soak(Faults(break_poll=breaks, reconnect=departures), 3)
    assert min(breaks.times, departures.times) > 5, "the faults were there"
    assert soaked.counters["attachments"] == departures.times + 1
    assert soaked.answered > 0


async def test_a_link_that_does_not_acknowledge_gets_everything_at_most_once() -> None:
    soaked = await soak(Faults(), 4, acknowledges=False)
    assert soaked.answered == soaked.asked
    assert len(soaked.page.begun) >= soaked.answered


async def test_a_page_that_changes_its_transport_in_mid_call_loses_and_doubles_nothing() -> None:
    soaked = await soak(Faults(), 5, roves=True)
    assert isinstance(soaked.page, RovingPage)
    assert min(soaked.page.ways.values()) > 5, "each way was taken"
    assert len(soaked.page.ways) == 3
    assert soaked.counters["channels"] > 20
    assert soaked.answered == soaked.asked
    assert "DUPLICATE_RESULT" in soaked.page.refused
    assert set(soaked.page.refused) <= {"DUPLICATE_RESULT", "UNKNOWN_REQUEST"}
