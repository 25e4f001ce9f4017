"""An app in an emulated page behind a bridge, and what an MCP client sends to it over HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from bridge.contract.mcp_messages import META_CLIENT_CAPABILITIES, META_PROTOCOL_VERSION, MODERN
from bridge.dispatcher.agent_endpoint import AgentEndpoint
from tests.python.support.bridge_fixture import RunningBridge
from tests.python.support.fixture_host import Fixture
from tests.python.support.manual_runtime import ManualRuntime
from tests.python.support.raw_http import RawConnection, render
from tests.python.support.scripted_page import ScriptedPage

__all__ = ["McpPage", "call", "event", "modern", "post"]

META: dict[str, Any] = {META_PROTOCOL_VERSION: MODERN, META_CLIENT_CAPABILITIES: {}}


class McpPage(ScriptedPage):
    """A page with the fixture's app, which takes each item as a real page does."""

    def __init__(self, bridge: RunningBridge) -> None:
        super().__init__(bridge, self.take_item)
        self.app = Fixture(ManualRuntime())
        self.endpoint = AgentEndpoint(self.app.dispatcher)
        self.items: list[dict[str, Any]] = []

    async def take_item(self, item: dict[str, Any]) -> Any:
        self.items.append(item)
        if "closeSession" in item:
            self.endpoint.close_session(item["session"])
            return None
        answered: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

        async def follow() -> None:
            text = json.dumps(item["request"])
            answered.set_result(await self.endpoint.request(text, session=item["session"]))

        # The app waits for turns and ticks without any event loop.
        self.app.runtime.start(follow())
        self.app.runtime.settle()
        answer = await answered
        return None if answer is None else json.loads(answer)


def call(tool: str, _id: Any = 1, /, **arguments: Any) -> dict[str, Any]:
    """Return a call of a tool, in the legacy revision."""
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": _id, "method": "tools/call", "params": params}


def modern(message: Mapping[str, Any], **meta: Any) -> dict[str, Any]:
    """Return a message as one of the modern revision."""
    return {**message, "params": {**message.get("params", {}), "_meta": {**META, **meta}}}


def post(bridge: RunningBridge, message: Any, **headers: str) -> bytes:
    """Return the bytes of a POST to `/mcp`, with the headers that go with the message."""
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    found = {"Accept": "application/json, text/event-stream"}
    params = message.get("params", {}) if isinstance(message, dict) else {}
    if META_PROTOCOL_VERSION in params.get("_meta", {}):
        found |= {"MCP-Protocol-Version": MODERN, "Mcp-Method": message["method"]}
        name = params.get("name", params.get("uri"))
        found |= {} if name is None else {"Mcp-Name": name}
    given = [*bridge.headers(page=False, body=body), *(found | headers).items()]
    return render("POST", "/mcp", given, body)


async def event(opened: RawConnection) -> Any:
    """Return the next message of a stream."""
    block = await opened.reader.readuntil(b"\n\n")
    lines = block.partition(b"data: ")[2]
    return json.loads(lines)
