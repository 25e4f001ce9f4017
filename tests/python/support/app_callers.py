"""One suite for both clients: the blocking one is called in a thread, the other is awaited."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bridge.client import AppClient, AsyncAppClient
from tests.python.support.fake_bridge import Answer, Bytes, FakeBridge, Received, error

Connect = Callable[[AppClient], Any]


class Awaitables:
    """The methods of a blocking client, each run in a thread."""

    def __init__(self, client: AppClient) -> None:
        self.client = client
        self.session = client.session

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        method = getattr(self.client, name)
        return lambda *given, **named: asyncio.to_thread(method, *given, **named)


@asynccontextmanager
async def blocking(client: AppClient) -> AsyncIterator[Awaitables]:
    await asyncio.to_thread(client.__enter__)
    try:
        yield Awaitables(client)
    finally:
        await asyncio.to_thread(client.__exit__, None, None, None)


@asynccontextmanager
async def asynchronous(client: AppClient) -> AsyncIterator[AsyncAppClient]:
    async with client as twin:
        yield twin


both_clients = pytest.mark.parametrize(
    "using", [blocking, asynchronous], ids=["blocking", "asynchronous"]
)

Method = Callable[[Any], Any]


class FakeApp:
    """A page behind a fake bridge: a result, or an error, for each method."""

    def __init__(self, bridge: FakeBridge, **methods: Method | Any) -> None:
        self.bridge = bridge
        self.methods = methods
        """By the method's name with an underscore for the slash; a function is given params."""
        bridge.script = self._answer

    @property
    def requests(self) -> list[Any]:
        return [received.json()["request"] for received in self.bridge.of("/rpc")]

    @property
    def sent(self) -> list[tuple[str, Any]]:
        """Return the method and params of all requests."""
        return [(request["method"], request.get("params")) for request in self.requests]

    def _answer(self, received: Received) -> Answer | Bytes:
        if received.path != "/rpc":
            return Answer(body=b'{"closed":true}')
        request = received.json()["request"]
        method = self.methods.get(request["method"].replace("/", "_"))
        if method is None:
            return error("NOT_ATTACHED")
        answer = method(request.get("params")) if callable(method) else method
        if isinstance(answer, Answer | Bytes):
            return answer
        return reply(answer, request["id"])


def reply(answer: Any, request_id: Any = 1) -> Answer:
    """Return a response: an `{"error": ...}` as it is, anything else as the result's text."""

    if isinstance(answer, bytes):
        return Answer(body=b'{"jsonrpc":"2.0","id":%d,"result":%b}' % (request_id, answer))
    member = answer if isinstance(answer, dict) and "error" in answer else {"result": answer}
    return Answer(body=json.dumps({"jsonrpc": "2.0", "id": request_id, **member}).encode())
