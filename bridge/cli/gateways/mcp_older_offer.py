"""Lets a client have the older revision that it offers, of an app that counters with another.

For a relay of bytes: the offer is changed on its way to the app, and its answer on the way back.
All else passes as it is. Does no input or output itself. Contract: MCP.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from bridge.contract.mcp_messages import INITIALIZE, LEGACY, OLDER
from bridge.contract.strict_json import JsonValue, StrictJsonError, dumps, loads

__all__ = ["OlderOffer"]

_MAX_HELD_BYTES: Final = 2_097_152
"""Of a line whose end has not come: no message is so long."""


class OlderOffer:
    """One client and one app. Feed it each direction's bytes in order, and none at its end."""

    def __init__(self) -> None:
        self._up = _Lines(self._offered)
        self._down = _Lines(self._answered)
        self._id: JsonValue = None
        self._waits = False

    def to_app(self, data: bytes) -> bytes:
        """Take what the client wrote, and return what the app gets of it now."""
        return self._up.take(data)

    def to_client(self, data: bytes) -> bytes:
        """Take what the app wrote, and return what the client gets of it now."""
        return self._down.take(data)

    def _offered(self, line: bytes) -> bytes:
        message = _message(line) if INITIALIZE.encode() in line else {}
        params = message.get("params")
        if message.get("method") != INITIALIZE or not isinstance(params, dict):
            return line
        if params.get("protocolVersion") != OLDER:
            return line
        self._id, self._waits = message.get("id"), True
        return dumps({**message, "params": {**params, "protocolVersion": LEGACY}})

    def _answered(self, line: bytes) -> bytes:
        if not self._waits:
            return line
        message = _message(line)
        result = message.get("result")
        if message.get("id") != self._id or not isinstance(result, dict):
            return line
        if result.get("protocolVersion") != LEGACY:
            return line
        self._waits = False
        return dumps({**message, "result": {**result, "protocolVersion": OLDER}})


class _Lines:
    """Changes whole lines of a stream, and keeps the beginning of the next."""

    def __init__(self, change: Callable[[bytes], bytes]) -> None:
        self._change = change
        self._held = b""

    def take(self, data: bytes) -> bytes:
        if not data:
            held, self._held = self._held, b""
            return self._change(held) if held else b""
        *lines, self._held = (self._held + data).split(b"\n")
        whole = b"".join(self._change(line) + b"\n" for line in lines)
        if len(self._held) > _MAX_HELD_BYTES:
            whole, self._held = whole + self._held, b""
        return whole


def _message(line: bytes) -> dict[str, JsonValue]:
    try:
        message = loads(line)
    except StrictJsonError:
        return {}
    return message if isinstance(message, dict) else {}
