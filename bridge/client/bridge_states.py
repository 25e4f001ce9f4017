"""What the running bridges are doing, as far as each of them tells within a moment."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Final, NamedTuple

from bridge.client.bridge_address import parse_address
from bridge.client.bridge_connection import BridgeConnection
from bridge.client.bridge_failure import BridgeFailure
from bridge.client.discovery import is_running
from bridge.contract.runtime_entry import RuntimeEntry

__all__ = ["BridgeState", "bridge_states"]

_PATIENCE_SECONDS: Final = 2.0


class BridgeState(NamedTuple):
    """A running bridge and its attachment."""

    entry: RuntimeEntry
    app: str | None
    state: str
    """attached, suspended, waiting (for a page), or silent."""
    status: Mapping[str, object] = MappingProxyType({})
    """All that the bridge told; empty when it is silent."""


def bridge_states(entries: Iterable[RuntimeEntry]) -> list[BridgeState]:
    """Ask each bridge for its status. Those that ended in the meantime are left out."""
    return [_state(entry) for entry in entries if is_running(entry)]


def _state(entry: RuntimeEntry) -> BridgeState:
    address = parse_address(entry.url)
    try:
        with BridgeConnection(address, entry.token, partial(is_running, entry)) as connection:
            status = json.loads(connection.status(_PATIENCE_SECONDS))
    except BridgeFailure:
        return BridgeState(entry, None, "silent")
    app = status.get("app")
    if not isinstance(app, str):
        return BridgeState(entry, None, "waiting", status)
    frozen = status.get("pageState") == "frozen"
    return BridgeState(entry, app, "suspended" if frozen else "attached", status)
