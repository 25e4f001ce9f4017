"""A scripted page that changes between polling and channel again and again, losing what it can."""

from __future__ import annotations

import asyncio
import json
import random
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from aiohttp import ClientError, ClientSession, ClientWebSocketResponse, WSMsgType

from tests.python.support.bridge_fixture import ORIGIN
from tests.python.support.raw_http import connection
from tests.python.support.scripted_page import ScriptedPage

__all__ = ["RovingPage"]

_UNCERTAIN = 64


@dataclass
class RovingPage(ScriptedPage):
    """Polls for a ticket, opens a channel, and leaves it in one of several ways."""

    chance: random.Random = field(default_factory=random.Random)
    ways: dict[str, int] = field(default_factory=dict)
    """How often each way of leaving a channel was taken."""
    sent: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=_UNCERTAIN))
    """What went up a channel that may have broken before it arrived."""

    async def run(self) -> None:
        async with ClientSession() as session:
            while True:
                async with connection(self.bridge.port) as opened:
                    try:
                        answer = await self._ask(opened)
                    except (ConnectionError, asyncio.IncompleteReadError):
                        continue
                if answer.status == 503:
                    return
                for item in self.take(answer):
                    await self._post(self._run(item, await self.answer(item)))
                ticket = answer.json()["channel"]["ticket"]
                # A channel that opens when the bridge is gone, or with another poll under way.
                with suppress(ClientError, ConnectionError):
                    if not await self._on_channel(session, ticket):
                        return

    async def _on_channel(self, session: ClientSession, ticket: str) -> bool:
        """Serve a while on a channel; False when the bridge closes."""
        async with session.ws_connect(
            f"{self.bridge.endpoint.url}/channel",
            protocols=("bascule.1", ticket),
            headers={"Origin": ORIGIN},
            max_msg_size=0,
        ) as socket:
            for _ in range(self.chance.randrange(1, 12)):
                message = await socket.receive()
                if message.type is not WSMsgType.TEXT:
                    return socket.close_code != 1001
                frame = json.loads(message.data)
                if "refused" in frame:
                    self.refused.append(frame["refused"]["code"])
                    continue
                await self._answer_all(socket, frame["requests"])
            await self._leave(socket)
        for result in list(self.sent):
            await self._post(result)
        self.sent.clear()
        return True

    async def _answer_all(
        self, socket: ClientWebSocketResponse, items: list[dict[str, Any]]
    ) -> None:
        self.received = max([self.received, *(item["seq"] for item in items)])
        new = [item for item in items if item["id"] not in self.begun]
        results = [self._run(item, await self.answer(item)) for item in new]
        self.sent += results
        await socket.send_str(json.dumps({"ack": self.received, "results": results}))

    async def _leave(self, socket: ClientWebSocketResponse) -> None:
        way = self.chance.choice(["abort", "close", "supersede"])
        self.ways[way] = self.ways.get(way, 0) + 1
        if way == "close":
            await socket.close()
        elif way == "abort":
            transport = socket.get_extra_info("socket")
            assert transport is not None
            connection_of = socket._response.connection
            assert connection_of is not None
            assert connection_of.transport is not None
            connection_of.transport.abort()
        # Else the next poll takes over while the channel is still open.

    def _run(self, item: dict[str, Any], response: Any) -> dict[str, Any]:
        self.begun.append(item["id"])
        return {"id": item["id"], "response": response}

    async def _post(self, result: dict[str, Any]) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            answer = await self.bridge.page("/result", {"client": self.client, **result})
            if answer.status != 200:
                self.refused.append(str(answer.code))
