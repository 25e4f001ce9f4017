"""Tells the forecast of one place."""

from __future__ import annotations

from typing import Any

from ._places import PLACES, place_named, refused

NEVER_BLOCKS = True


async def handle(arguments: dict[str, Any], session: object, call: object) -> dict[str, Any]:
    """Return as many days as were asked for; an error where the place is not known."""
    place = place_named(arguments["place"])
    if place is None:
        names = ", ".join(each.name for each in PLACES)
        return refused(f"There is no forecast for {arguments['place']}; there is one for {names}.")
    days = place.week[: arguments["days"]]
    lines = [
        f"day {number}: {day.sky}, {day.low} to {day.high} °C, {day.rain} mm rain, {day.wind} km/h"
        for number, day in enumerate(days, 1)
    ]
    return {
        "content": "\n".join([f"{place.name}, {place.country}, {len(days)} days", *lines]),
        "structuredContent": {
            "ok": True,
            "place": place.name,
            "country": place.country,
            "headline": f"{days[0].sky}, up to {days[0].high} °C",
            "days": [day._asdict() for day in days],
        },
    }
