"""Places for requests in hand: some are kept for the page, and waiting is in order."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from bridge.servers.active_requests import ActiveRequests, Place


def test_the_last_places_are_for_the_page() -> None:
    requests = ActiveRequests(3, 1)
    assert [requests.try_enter(from_page=False) for _ in range(3)] == [True, True, False]
    assert requests.try_enter(from_page=True)
    assert not requests.try_enter(from_page=True)
    assert requests.active == 3


async def test_a_place_that_is_given_back_goes_to_the_first_who_may_have_it() -> None:
    requests = ActiveRequests(2, 1)
    assert requests.try_enter(from_page=True)
    assert requests.try_enter(from_page=True)
    order: list[str] = []

    async def enter(name: str, *, from_page: bool) -> None:
        await requests.enter(from_page=from_page)
        order.append(name)

    names = [("first", False), ("second", False), ("page", True)]
    tasks = [asyncio.create_task(enter(name, from_page=page)) for name, page in names]
    await asyncio.sleep(0)
    for expected in (["page"], ["page"], ["page", "first"]):
        requests.leave()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert order == expected
    requests.leave()
    await asyncio.gather(*tasks)
    assert order == ["page", "first", "second"]


async def test_a_cancelled_wait_takes_no_place() -> None:
    requests = ActiveRequests(1, 0)
    assert requests.try_enter(from_page=False)
    waiting = asyncio.create_task(requests.enter(from_page=False))
    late = asyncio.create_task(requests.enter(from_page=False))
    await asyncio.sleep(0)
    # The turn comes and the wait is cancelled in one go.
    requests.leave()
    waiting.cancel()
    with suppress(asyncio.CancelledError):
        await waiting
    await late
    assert requests.active == 1
    requests.leave()
    assert requests.active == 0


def test_a_place_is_left_once_however_often_it_is_left() -> None:
    requests = ActiveRequests(1, 0)
    with Place(requests, from_page=False) as place:
        assert place.try_enter()
        place.leave()
        place.leave()
        assert requests.active == 0
    assert requests.active == 0
    with Place(requests, from_page=False) as place:
        assert place.try_enter()
        assert not Place(requests, from_page=True).try_enter()
    assert requests.active == 0
