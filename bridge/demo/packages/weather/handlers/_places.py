"""Six places and a week of weather for each: all that this package knows. No network is asked."""

from __future__ import annotations

from typing import Any, NamedTuple


class Day(NamedTuple):
    """The weather of one day: temperatures in °C, rain in mm, wind in km/h."""

    sky: str
    low: int
    high: int
    rain: int
    wind: int


class Place(NamedTuple):
    """A place, and its week from today on."""

    name: str
    country: str
    week: tuple[Day, ...]


PLACES = (
    Place(
        "Berlin",
        "Germany",
        (
            Day("cloudy", 14, 22, 0, 14),
            Day("rain", 13, 18, 9, 22),
            Day("showers", 12, 19, 4, 19),
            Day("sunny", 12, 23, 0, 11),
            Day("sunny", 14, 26, 0, 9),
            Day("thunderstorms", 17, 28, 15, 31),
            Day("cloudy", 15, 21, 1, 17),
        ),
    ),
    Place(
        "Lisbon",
        "Portugal",
        (
            Day("sunny", 17, 27, 0, 24),
            Day("sunny", 18, 29, 0, 20),
            Day("sunny", 19, 31, 0, 16),
            Day("hazy", 20, 33, 0, 12),
            Day("sunny", 19, 30, 0, 18),
            Day("cloudy", 17, 25, 0, 26),
            Day("sunny", 17, 26, 0, 25),
        ),
    ),
    Place(
        "Nairobi",
        "Kenya",
        (
            Day("cloudy", 12, 22, 0, 15),
            Day("cloudy", 12, 21, 1, 14),
            Day("showers", 13, 21, 5, 13),
            Day("cloudy", 11, 22, 0, 16),
            Day("sunny", 11, 24, 0, 17),
            Day("sunny", 12, 24, 0, 15),
            Day("cloudy", 12, 22, 0, 14),
        ),
    ),
    Place(
        "Oslo",
        "Norway",
        (
            Day("sunny", 11, 21, 0, 10),
            Day("sunny", 12, 23, 0, 9),
            Day("cloudy", 13, 20, 1, 15),
            Day("rain", 11, 16, 12, 24),
            Day("showers", 10, 17, 5, 20),
            Day("cloudy", 10, 19, 0, 13),
            Day("sunny", 11, 22, 0, 8),
        ),
    ),
    Place(
        "Sapporo",
        "Japan",
        (
            Day("cloudy", 15, 23, 0, 12),
            Day("fog", 14, 19, 0, 6),
            Day("rain", 14, 18, 18, 21),
            Day("rain", 13, 17, 11, 26),
            Day("showers", 14, 20, 3, 18),
            Day("sunny", 15, 25, 0, 10),
            Day("sunny", 16, 26, 0, 9),
        ),
    ),
    Place(
        "Valparaíso",
        "Chile",
        (
            Day("fog", 9, 15, 0, 10),
            Day("cloudy", 9, 16, 0, 14),
            Day("rain", 10, 14, 22, 41),
            Day("showers", 9, 13, 7, 33),
            Day("cloudy", 8, 15, 0, 18),
            Day("sunny", 8, 17, 0, 12),
            Day("sunny", 9, 18, 0, 11),
        ),
    ),
)


def place_named(name: str) -> Place | None:
    """Return a place, however its name is capitalised; None where it is not known."""
    wanted = name.strip().casefold()
    return next((each for each in PLACES if each.name.casefold() == wanted), None)


def refused(message: str) -> dict[str, Any]:
    """Return the result of a call that cannot be done."""
    return {
        "content": message,
        "structuredContent": {"ok": False, "message": message},
        "isError": True,
    }
