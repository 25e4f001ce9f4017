"""What the running bridges are doing: the client's own, under the name that commands use."""

from __future__ import annotations

from bridge.client.bridge_states import BridgeState, bridge_states

__all__ = ["BridgeState", "bridge_states"]
