"""A bridge that runs in the test's own loop, on a port of its own."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from bridge.contract.limits import BRIDGE_LIMITS, BridgeLimits
from bridge.servers.bridge_process import BridgeConfig, BridgeEndpoint, StopRequest, serve_bridge
from bridge.servers.clock import Clock, read_instant
from tests.python.support.raw_http import (
    PATIENCE_SECONDS,
    RawConnection,
    Response,
    connection,
    render,
)

ORIGIN = "http://127.0.0.1:8765"


def with_limits(**changes: Any) -> BridgeLimits:
    return BRIDGE_LIMITS._replace(**changes)


@dataclass
class RunningBridge:
    """A bridge, and the two kinds of callers that it has."""

    endpoint: BridgeEndpoint
    stop: StopRequest
    task: asyncio.Task[None]
    withdrawn: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def port(self) -> int:
        return int(self.endpoint.url.rpartition(":")[2])

    @property
    def token(self) -> str:
        return self.endpoint.token

    def headers(self, *, page: bool, body: bytes | None = None) -> list[tuple[str, str]]:
        """Return the headers of a request that passes the gate."""
        headers = [
            ("Host", f"127.0.0.1:{self.port}"),
            ("Authorization", f"Bearer {self.token}"),
        ]
        if page:
            headers.append(("Origin", ORIGIN))
        if body is not None:
            headers += [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        return headers

    def post(self, path: str, value: Any, *, page: bool) -> bytes:
        """Return the bytes of a POST; `value` is JSON, or bytes as they are."""
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        return render("POST", path, self.headers(page=page, body=body), body)

    def poll_bytes(self, client: str, ack: int | None = None) -> bytes:
        acks = [] if ack is None else [("Bascule-Ack", str(ack))]
        return render("GET", f"/poll?client={client}", [*self.headers(page=True), *acks])

    async def page(self, path: str, value: Any) -> Response:
        async with connection(self.port) as opened:
            await opened.send(self.post(path, value, page=True))
            return await opened.response()

    async def terminal(self, path: str, value: Any) -> Response:
        async with connection(self.port) as opened:
            await opened.send(self.post(path, value, page=False))
            return await opened.response()

    async def rpc(self, request: Any, session: str = "s", **more: Any) -> Response:
        return await self.terminal("/rpc", {"session": session, "request": request, **more})

    async def poll(self, client: str, ack: int | None = None) -> Response:
        async with connection(self.port) as opened:
            await opened.send(self.poll_bytes(client, ack))
            return await opened.response()

    async def attach(self, app: str = "app") -> str:
        """Attach a page and return its client id."""
        answer = await self.page("/connect", {"app": app})
        assert answer.status == 200, answer
        client = answer.json()["client"]
        assert isinstance(client, str)
        return client

    async def status(self) -> Any:
        async with connection(self.port) as opened:
            answer = await opened.ask("GET", "/status", self.headers(page=False))
            assert answer.status == 200
            return answer.json()

    async def until(self, holds: Callable[[Any], bool]) -> Any:
        """Ask for the status until it is as wanted; the bridge has no other way to tell."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                status = await self.status()
                if holds(status):
                    return status

    async def park(self, opened: RawConnection, data: bytes, parked: int) -> None:
        """Send a request and wait until so many calls are outstanding."""
        await opened.send(data)
        await self.until(lambda s: s["queue"]["queued"] + s["queue"]["leased"] == parked)


@asynccontextmanager
async def running_bridge(
    *, clock: Clock = read_instant, limits: BridgeLimits = BRIDGE_LIMITS, **config: Any
) -> AsyncIterator[RunningBridge]:
    """Run a bridge for the length of the context."""
    config = {"origin": ORIGIN, "token": secrets.token_urlsafe(32), "limits": limits, **config}
    announced: asyncio.Future[BridgeEndpoint] = asyncio.get_running_loop().create_future()
    withdrawn = asyncio.Event()
    stop = StopRequest()
    task = asyncio.create_task(
        serve_bridge(
            BridgeConfig(**config),
            announce=announced.set_result,
            withdraw=withdrawn.set,
            stop=stop,
            clock=clock,
        )
    )
    futures: set[asyncio.Future[Any]] = {task, announced}
    await asyncio.wait(futures, return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        task.result()
    bridge = RunningBridge(announced.result(), stop, task, withdrawn)
    try:
        yield bridge
    finally:
        stop.stop()
        stop.stop()
        async with asyncio.timeout(PATIENCE_SECONDS):
            await task
