"""What both ends of a terminal's channel know of it (Contract: terminal channel)."""

from __future__ import annotations

from typing import Final

__all__ = ["MAX_REF", "TERMINAL_PROTOCOL"]

TERMINAL_PROTOCOL: Final = "bascule.terminal.1"
"""The WebSocket's sub-protocol."""
MAX_REF: Final = 2**53 - 1
"""The highest number that a terminal may give a call: the highest that every language counts to."""
