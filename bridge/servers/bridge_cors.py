"""Which CORS headers an answer carries (Contract: gate).

They follow the `Origin` header alone, whatever the status: the page must be able to read why it
was refused, and nobody else may read anything. Credentials are never allowed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bridge.servers.bridge_routes import Route

__all__ = ["cors_headers", "preflight_headers"]

_VARY: Final = ("Vary", "Origin")


def cors_headers(origins: Sequence[bytes], configured: str) -> list[tuple[str, str]]:
    """Return the headers for an answer to a request with these `Origin` headers."""
    if list(origins) != [configured.encode()]:
        return [_VARY]
    return [
        _VARY,
        ("Access-Control-Allow-Origin", configured),
        ("Access-Control-Expose-Headers", "Retry-After"),
    ]


def preflight_headers(route: Route, max_age_seconds: int) -> list[tuple[str, str]]:
    """Return what a preflight's answer says besides the headers of every answer."""
    return [
        ("Access-Control-Allow-Methods", route.method),
        ("Access-Control-Allow-Headers", "authorization, content-type, bascule-ack"),
        ("Access-Control-Max-Age", str(max_age_seconds)),
    ]
