"""The bridge's route table: what exists, who may call it, and how (Contract: gate).

Everything that depends on a route is derived from this table, the matrix of the tests as well.
A path that is not in it does not exist.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from types import MappingProxyType
from typing import Final

__all__ = ["ROUTES", "CallerClass", "Route", "RouteName"]


class CallerClass(Enum):
    """Who a route is for. The two never share one: their `Origin` tells them apart."""

    BROWSER = "browser"
    """Carries exactly the configured origin."""
    TERMINAL = "terminal"
    """Carries no origin at all."""


class RouteName(StrEnum):
    """Every route, by its path."""

    CONNECT = "/connect"
    POLL = "/poll"
    RESULT = "/result"
    STATE = "/state"
    DISCONNECT = "/disconnect"
    CHANNEL = "/channel"
    RPC = "/rpc"
    TERMINAL = "/terminal"
    SESSION_CLOSE = "/session/close"
    SESSION_KEEP = "/session/keep"
    MCP = "/mcp"
    CALLS = "/calls"
    STATUS = "/status"


@dataclass(frozen=True, slots=True)
class Route:
    """One path with its only method and its class of callers."""

    name: RouteName
    method: str
    caller: CallerClass

    @property
    def has_body(self) -> bool:
        """Say whether the request carries a body, which is JSON then."""
        return self.method == "POST"

    @property
    def takes_ticket(self) -> bool:
        """Say whether it is a ticket that lets the request in, instead of the token."""
        return self.name is RouteName.CHANNEL

    @property
    def is_web_socket(self) -> bool:
        """Say whether the request becomes a WebSocket."""
        return self.name in {RouteName.CHANNEL, RouteName.TERMINAL}

    @property
    def allow(self) -> str:
        """Return the value of `Allow`; a browser may also ask in advance."""
        return f"{self.method}, OPTIONS" if self.caller is CallerClass.BROWSER else self.method


ROUTES: Final[Mapping[str, Route]] = MappingProxyType(
    {
        str(route.name): route
        for route in (
            Route(RouteName.CONNECT, "POST", CallerClass.BROWSER),
            Route(RouteName.POLL, "GET", CallerClass.BROWSER),
            Route(RouteName.RESULT, "POST", CallerClass.BROWSER),
            Route(RouteName.STATE, "POST", CallerClass.BROWSER),
            Route(RouteName.DISCONNECT, "POST", CallerClass.BROWSER),
            Route(RouteName.CHANNEL, "GET", CallerClass.BROWSER),
            Route(RouteName.RPC, "POST", CallerClass.TERMINAL),
            Route(RouteName.TERMINAL, "GET", CallerClass.TERMINAL),
            Route(RouteName.SESSION_CLOSE, "POST", CallerClass.TERMINAL),
            Route(RouteName.SESSION_KEEP, "POST", CallerClass.TERMINAL),
            Route(RouteName.MCP, "POST", CallerClass.TERMINAL),
            Route(RouteName.CALLS, "POST", CallerClass.TERMINAL),
            Route(RouteName.STATUS, "GET", CallerClass.TERMINAL),
        )
    }
)
