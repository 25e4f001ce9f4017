"""Lists the catalogue, which is six lines long and never changes."""

from __future__ import annotations

from typing import Any

NEVER_BLOCKS = True
ITEMS = (
    {"id": "c-01", "name": "Beam, oak", "status": "active"},
    {"id": "c-02", "name": "Counterweight, cast iron", "status": "active"},
    {"id": "c-03", "name": "Hinge pin", "status": "active"},
    {"id": "c-04", "name": "Lifting chain, 4 m", "status": "archived"},
    {"id": "c-05", "name": "Lifting chain, 6 m", "status": "active"},
    {"id": "c-06", "name": "Winch, hand-driven", "status": "archived"},
)


async def handle(arguments: dict[str, Any], session: object, call: object) -> dict[str, Any]:
    """Return the items that the filter lets through."""
    wanted = arguments["filter"]
    items = [item for item in ITEMS if wanted in {"all", item["status"]}]
    lines = [f"{item['id']}  {item['name']} ({item['status']})" for item in items]
    return {
        "content": "\n".join([f"{len(items)} items", *lines]),
        "structuredContent": {"ok": True, "count": len(items), "items": items},
    }
