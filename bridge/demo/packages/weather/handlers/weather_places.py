"""Lists the places."""

from __future__ import annotations

from typing import Any

from ._places import PLACES

NEVER_BLOCKS = True


async def handle(arguments: dict[str, Any], session: object, call: object) -> dict[str, Any]:
    """Return those that the query is a part of."""
    wanted = arguments.get("query", "").casefold()
    found = [p for p in PLACES if wanted in f"{p.name}\n{p.country}".casefold()]
    lines = [f"{place.name}, {place.country}" for place in found]
    return {
        "content": "\n".join([f"{len(found)} places", *lines]),
        "structuredContent": {
            "ok": True,
            "count": len(found),
            "places": [{"name": place.name, "country": place.country} for place in found],
        },
    }
