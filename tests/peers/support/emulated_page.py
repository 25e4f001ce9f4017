"""A page without a browser: attaches to a bridge, polls, and lets a dispatcher answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from aiohttp import ClientError, ClientSession

from bridge.dispatcher.agent_endpoint import AgentEndpoint
from bridge.dispatcher.dispatcher import Dispatcher

__all__ = ["serve_page"]

_ATTACH_PATIENCE_SECONDS: Final = 10.0


class _Page:
    def __init__(self, http: ClientSession, dispatcher: Dispatcher, client: str) -> None:
        self._http = http
        self._endpoint = AgentEndpoint(dispatcher)
        self._client = client
        self._received = 0

    async def run(self) -> None:
        """Answer what comes until the bridge is gone."""
        async with asyncio.TaskGroup() as group:
            with suppress(ClientError):
                while True:
                    for item in await self._poll():
                        if item["seq"] > self._received:
                            self._received = item["seq"]
                            group.create_task(self._take(item))

    async def _poll(self) -> list[dict[str, Any]]:
        headers = {"Bascule-Ack": str(self._received)}
        async with self._http.get("/poll", params={"client": self._client}, headers=headers) as got:
            if got.status != 200:
                raise ClientError(await got.text())
            return list(json.loads(await got.read())["requests"])

    async def _take(self, item: dict[str, Any]) -> None:
        response: str | None = None
        if item.get("closeSession"):
            self._endpoint.close_session(item["session"])
        else:
            text = json.dumps(item["request"])
            response = await self._endpoint.request(text, session=item["session"])
        known = json.dumps({"client": self._client, "id": item["id"]})[:-1]
        result = f'{known}, "response": {response or "null"}}}'
        headers = {"Content-Type": "application/json"}
        # A terminal that hung up meanwhile: nobody waits for the result.
        with suppress(ClientError):
            async with self._http.post("/result", data=result.encode(), headers=headers):
                pass


async def serve_page(
    dispatcher: Dispatcher, bridge: dict[str, str], attached: Callable[[], None]
) -> None:
    """Attach to a bridge, told by `url`, `token` and `origin`, and answer until it is gone."""
    headers = {"Authorization": f"Bearer {bridge['token']}", "Origin": bridge["origin"]}
    async with ClientSession(bridge["url"], headers=headers, trust_env=False) as http:
        async with asyncio.timeout(_ATTACH_PATIENCE_SECONDS):
            async with http.post("/connect", json={"app": dispatcher.app.name}) as answer:
                client = (await answer.json())["client"]
        attached()
        await _Page(http, dispatcher, client).run()
