"""A page's end of the channel, over a real WebSocket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType

from tests.python.support.bridge_fixture import ORIGIN, RunningBridge
from tests.python.support.raw_http import PATIENCE_SECONDS

__all__ = ["ChannelPage", "attach_with_ticket", "opened_channel"]


@dataclass
class ChannelPage:
    """One open channel."""

    socket: ClientWebSocketResponse
    client: str
    received: int = 0
    items: list[dict[str, Any]] = field(default_factory=list)

    async def frame(self) -> Any:
        """Return the next frame that the bridge sends."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            message = await self.socket.receive()
        assert message.type is WSMsgType.TEXT, message
        return json.loads(message.data)

    async def item(self) -> dict[str, Any]:
        """Return the next item."""
        while not self.items:
            frame = await self.frame()
            self.items += frame["requests"]
        item = self.items.pop(0)
        self.received = max(self.received, item["seq"])
        return item

    async def answer(self, item: dict[str, Any], response: Any) -> None:
        """Send one result, and acknowledge all that has come."""
        await self.send({"results": [{"id": item["id"], "response": response}]})

    async def send(self, frame: dict[str, Any]) -> None:
        await self.socket.send_str(json.dumps({"ack": self.received, **frame}))

    async def closed(self) -> int | None:
        """Return the code with which the bridge closes, whatever comes before."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                message = await self.socket.receive()
                if message.type is not WSMsgType.TEXT:
                    return self.socket.close_code


async def attach_with_ticket(bridge: RunningBridge) -> tuple[str, str]:
    """Attach a page and return its client and the ticket that it was given."""
    answer = (await bridge.page("/connect", {"app": "app"})).json()
    assert answer["channel"]["path"] == "/channel"
    return answer["client"], answer["channel"]["ticket"]


@asynccontextmanager
async def opened_channel(
    bridge: RunningBridge, attached: tuple[str, str] | None = None
) -> AsyncIterator[ChannelPage]:
    """Attach a page unless it is, and open its channel."""
    client, ticket = attached or await attach_with_ticket(bridge)
    async with (
        ClientSession() as session,
        session.ws_connect(
            f"{bridge.endpoint.url}/channel",
            protocols=("bascule.1", ticket),
            headers={"Origin": ORIGIN},
            max_msg_size=0,
        ) as socket,
    ):
        yield ChannelPage(socket, client)
