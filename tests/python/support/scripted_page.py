"""A page's link, scripted: polls, acknowledges, answers, and goes wrong when it is told to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tests.python.support.bridge_fixture import RunningBridge
from tests.python.support.raw_http import RawConnection, Response, connection

Answer = Callable[[dict[str, Any]], Awaitable[Any]]


async def echo(item: dict[str, Any]) -> Any:
    """Answer a request with its own params; a message without an id and a close job with null."""
    request = item.get("request", {})
    if "id" not in request:
        return None
    return {"jsonrpc": "2.0", "id": request["id"], "result": request.get("params")}


@dataclass
class Faults:
    """What goes wrong: each is asked before its step, and says whether it fails this time."""

    break_poll: Callable[[], bool] = lambda: False
    """The connection breaks before the poll's answer is read."""
    lose_answer: Callable[[], bool] = lambda: False
    """The answer is read and forgotten, as by a worker that died."""
    repeat_result: Callable[[], bool] = lambda: False
    reconnect: Callable[[], bool] = lambda: False
    """The page detaches after a poll and attaches again."""


@dataclass
class ScriptedPage:
    """An acknowledging link. It drops an item that it has seen, as a page does."""

    bridge: RunningBridge
    answer: Answer = echo
    faults: Faults = field(default_factory=Faults)
    acknowledges: bool = True
    client: str = ""
    received: int = 0
    """The highest `seq` that has come."""
    begun: list[str] = field(default_factory=list)
    """The ids of all items that were run, in order; none may be there twice."""
    refused: list[str] = field(default_factory=list)
    """The codes with which results were refused."""

    async def attach(self) -> ScriptedPage:
        self.client, self.received = await self.bridge.attach(), 0
        return self

    async def poll(self) -> list[dict[str, Any]]:
        """Poll once on a connection of its own and return what came and is new."""
        async with connection(self.bridge.port) as opened:
            return self.take(await self._ask(opened))

    def take(self, answer: Response) -> list[dict[str, Any]]:
        assert answer.status == 200, (answer.status, answer.body)
        items = answer.json()["requests"]
        assert isinstance(items, list)
        self.received = max([self.received, *(item["seq"] for item in items)])
        return [item for item in items if item["id"] not in self.begun]

    async def respond(self, item: dict[str, Any], response: Any) -> Response:
        result = {"client": self.client, "id": item["id"], "response": response}
        return await self.bridge.page("/result", result)

    async def run(self) -> None:
        """Poll and answer until it is cancelled or the bridge closes."""
        async with asyncio.TaskGroup() as group:
            while True:
                async with connection(self.bridge.port) as opened:
                    if not await self._serve(opened, group):
                        return

    async def _serve(self, opened: RawConnection, group: asyncio.TaskGroup) -> bool:
        """Poll on one connection until something goes wrong; False when the bridge closes."""
        while True:
            if self.faults.break_poll():
                await opened.send(self._poll_bytes())
                opened.abort()
                return True
            try:
                answer = await self._ask(opened)
            except (ConnectionError, asyncio.IncompleteReadError):
                return True
            if answer.status == 503:
                return False
            if answer.status == 410:
                await self.attach()
                continue
            if self.faults.lose_answer():
                return True
            for item in self.take(answer):
                self.begun.append(item["id"])
                group.create_task(self._run_item(self.client, item))
            if self.faults.reconnect():
                await self.bridge.page("/disconnect", {"client": self.client})
                await self.attach()

    async def _run_item(self, client: str, item: dict[str, Any]) -> None:
        result = {"client": client, "id": item["id"], "response": await self.answer(item)}
        for _ in range(2 if self.faults.repeat_result() else 1):
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                answer = await self.bridge.page("/result", result)
                if answer.status != 200:
                    self.refused.append(json.loads(answer.body)["error"]["code"])

    def _poll_bytes(self) -> bytes:
        return self.bridge.poll_bytes(self.client, self.received if self.acknowledges else None)

    async def _ask(self, opened: RawConnection) -> Response:
        await opened.send(self._poll_bytes())
        # A poll may park for as long as the bridge lets it.
        return await opened.response(seconds=30.0)
