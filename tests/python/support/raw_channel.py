"""A channel's end that sends whatever bytes it likes, and reads only when it is told to."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.python.support.bridge_fixture import ORIGIN, RunningBridge
from tests.python.support.raw_http import RawConnection, connection, render

__all__ = ["TEXT", "frame", "raw_channel", "read_frame", "text"]

CONTINUED, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
_NO_MASK = bytes(4)


def frame(opcode: int, data: bytes = b"", *, final: bool = True) -> bytes:
    """Return one masked frame. The mask of zeros leaves the data readable."""
    first = (0x80 if final else 0) | opcode
    if len(data) < 126:
        head = bytes((first, 0x80 | len(data)))
    elif len(data) < 65_536:
        head = bytes((first, 0x80 | 126)) + len(data).to_bytes(2)
    else:
        head = bytes((first, 0x80 | 127)) + len(data).to_bytes(8)
    return head + _NO_MASK + data


def text(value: Any) -> bytes:
    return frame(TEXT, json.dumps(value).encode())


def handshake(bridge: RunningBridge, ticket: str) -> bytes:
    headers = [
        ("Host", f"127.0.0.1:{bridge.port}"),
        ("Origin", ORIGIN),
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Protocol", f"bascule.1, {ticket}"),
    ]
    return render("GET", "/channel", headers)


@asynccontextmanager
async def raw_channel(bridge: RunningBridge, ticket: str) -> AsyncIterator[RawConnection]:
    """Open a channel over a socket of its own."""
    async with connection(bridge.port) as opened:
        await opened.send(handshake(bridge, ticket))
        assert (await opened.response(to_head=True)).status == 101
        yield opened


async def read_frame(opened: RawConnection) -> tuple[int, bytes]:
    """Return the opcode and the data of the next whole frame, which is unmasked."""
    first, size = await opened.reader.readexactly(2)
    assert first & 0x80, "not final"
    if size >= 126:
        size = int.from_bytes(await opened.reader.readexactly(2 if size == 126 else 8))
    return first & 0x0F, await opened.reader.readexactly(size)
