"""Watches the weather of a place for some seconds, or until it is told to stop."""

from __future__ import annotations

import asyncio
from typing import Any, Protocol

from ._places import place_named, refused

NEVER_BLOCKS = True


class Signal(Protocol):
    """What of the call's signal is used: `bridge.tools.CancelSignal` has it."""

    cancelled: bool

    async def wait(self) -> str:
        """Wait until the call is to stop."""


class Call(Protocol):
    """What of the call is used."""

    signal: Signal


async def handle(arguments: dict[str, Any], session: object, call: Call) -> dict[str, Any]:
    """Take a reading each second. It is `cancellable`: told to stop, it gives those it has."""
    place = place_named(arguments["place"])
    if place is None:
        message = f"There is no watching {arguments['place']}; weather_places lists what there is."
        return refused(message)
    low, high = place.week[0].low, place.week[0].high
    readings = [low]
    while len(readings) < arguments["seconds"] and not await _stopped_within(1.0, call.signal):
        # Up to the day's highest, and down again.
        step = len(readings) % (2 * (high - low))
        readings.append(low + min(step, 2 * (high - low) - step))
    stopped = call.signal.cancelled
    return {
        "content": f"{place.name}: {readings[-1]} °C after {len(readings)} readings"
        + (", stopped early" if stopped else ""),
        "structuredContent": {
            "ok": True,
            "place": place.name,
            "readings": readings,
            "stopped": stopped,
        },
    }


async def _stopped_within(seconds: float, signal: Signal) -> bool:
    """Wait for the signal for so long. A handler that never looks at it must not promise to."""
    try:
        async with asyncio.timeout(seconds):
            await signal.wait()
    except TimeoutError:
        return False
    return True
