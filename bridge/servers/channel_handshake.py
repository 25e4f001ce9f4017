"""The head by which a page or a terminal opens its channel (Contract: channel; RFC 6455, 4.2.1).

Pure. A page's ticket travels as a sub-protocol, the one header that a page may choose, and is never
the one that is agreed on: answers and logs do not repeat it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from bridge.contract.terminal_channel import TERMINAL_PROTOCOL

__all__ = ["CHANNEL_PROTOCOL", "Handshake", "read_handshake"]

CHANNEL_PROTOCOL: Final = "bascule.1"
_KEY: Final = re.compile(rb"[A-Za-z0-9+/]{21}[AQgw]==")
"""Sixteen bytes in base64."""
_TICKET: Final = re.compile(rb"[A-Za-z0-9_-]{1,128}")


@dataclass(frozen=True, slots=True)
class Handshake:
    """A well-formed one. `ticket` is empty where there is none, and None of a terminal."""

    ticket: str | None = field(repr=False)


def read_handshake(
    headers: tuple[tuple[bytes, bytes], ...], *, terminal: bool = False
) -> Handshake | str:
    """Return a page's or a terminal's handshake, or what is wrong with it."""

    def values(name: bytes) -> list[bytes]:
        return [value for key, value in headers if key.lower() == name]

    def words(name: bytes) -> list[bytes]:
        return [word.strip() for word in b",".join(values(name)).split(b",")]

    offered = words(b"sec-websocket-protocol")
    keys = values(b"sec-websocket-key")
    for good, otherwise in (
        (
            [value.lower() for value in values(b"upgrade")] == [b"websocket"]
            and b"upgrade" in [word.lower() for word in words(b"connection")],
            "The channel is opened by a WebSocket handshake.",
        ),
        (values(b"content-length") in ([], [b"0"]), "A handshake has no body."),
        (values(b"sec-websocket-version") == [b"13"], "The channel speaks WebSocket version 13."),
        (len(keys) == 1 and _KEY.fullmatch(keys[0]) is not None, "The key is malformed."),
        (
            offered == [TERMINAL_PROTOCOL.encode()]
            if terminal
            else offered[0] == CHANNEL_PROTOCOL.encode(),
            f"The channel is opened with the sub-protocol {TERMINAL_PROTOCOL}."
            if terminal
            else f"The channel is opened with the sub-protocols {CHANNEL_PROTOCOL} and a ticket.",
        ),
    ):
        if not good:
            return otherwise
    if terminal:
        return Handshake(None)
    ticket = offered[1] if len(offered) == 2 and _TICKET.fullmatch(offered[1]) else b""
    return Handshake(ticket.decode())
