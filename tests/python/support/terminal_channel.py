"""A terminal's end of its channel: one that speaks properly, and one that sends what it likes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.python.support.bridge_fixture import RunningBridge
from tests.python.support.raw_channel import CLOSE, TEXT, frame, read_frame
from tests.python.support.raw_http import (
    PATIENCE_SECONDS,
    RawConnection,
    Response,
    connection,
    render,
)

__all__ = ["Terminal", "opened_terminal", "terminal_handshake"]


def terminal_handshake(bridge: RunningBridge, **changed: str | None) -> bytes:
    """Return a handshake, with some headers changed or left out."""
    headers: dict[str, str | None] = {
        "Host": f"127.0.0.1:{bridge.port}",
        "Authorization": f"Bearer {bridge.token}",
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Protocol": "bascule.terminal.1",
        **changed,
    }
    pairs = [(name, value) for name, value in headers.items() if value is not None]
    return render("GET", "/terminal", pairs)


class Terminal:
    """One open channel."""

    def __init__(self, opened: RawConnection, handshake: Response) -> None:
        self.opened = opened
        self.handshake = handshake
        self._answers: list[dict[str, Any]] = []
        self.frames = 0
        """How many have come."""

    async def send(self, value: Any) -> None:
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        await self.opened.send(frame(TEXT, data))

    async def call(self, ref: int, request: Any, session: str = "s", **more: Any) -> None:
        await self.send({"calls": [{"ref": ref, "session": session, "request": request, **more}]})

    async def answer(self) -> dict[str, Any]:
        """Return the next answer."""
        while not self._answers:
            async with asyncio.timeout(PATIENCE_SECONDS):
                opcode, data = await read_frame(self.opened)
            assert opcode == TEXT, (opcode, data)
            assert len(data) <= 1_048_576 + 4_096
            self.frames += 1
            self._answers += json.loads(data)["answers"]
        return self._answers.pop(0)

    async def closed(self) -> int:
        """Return the code with which the bridge closes, whatever comes before."""
        while True:
            async with asyncio.timeout(PATIENCE_SECONDS):
                opcode, data = await read_frame(self.opened)
            if opcode == CLOSE:
                return int.from_bytes(data[:2])


@asynccontextmanager
async def opened_terminal(bridge: RunningBridge) -> AsyncIterator[Terminal]:
    """Open a channel."""
    async with connection(bridge.port) as opened:
        await opened.send(terminal_handshake(bridge))
        handshake = await opened.response(to_head=True)
        assert handshake.status == 101, handshake
        yield Terminal(opened, handshake)
