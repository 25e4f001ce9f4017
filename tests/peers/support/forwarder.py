"""Between an HTTP client and a bridge: adds the token, and writes down what is said.

Official clients and the conformance suite have no option for a header. Everything else, `Host`
and `Origin` included, goes through as it came; the bridge is started with this one's address as
its public host.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from aiohttp import ClientSession, ClientTimeout, web
from multidict import CIMultiDict

from tests.peers.support.record import HttpExchange

__all__ = ["Forwarder", "forwarding"]

_PATIENCE_SECONDS: Final = 20.0
# What belongs to a connection and not to the message.
_OF_THE_HOP: Final = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length"})


class Forwarder:
    """Runs in a thread of its own. The bridge is told to it once it runs."""

    def __init__(self, listener: socket.socket) -> None:
        self.port: int = listener.getsockname()[1]
        self.exchanges: list[HttpExchange] = []
        """In the order in which they began."""
        self._listener = listener
        self._bridge = ""
        self._token = ""
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._run(),))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def start(self) -> None:
        self._thread.start()
        assert self._started.wait(_PATIENCE_SECONDS)

    def forward_to(self, bridge: str, token: str) -> None:
        self._bridge, self._token = bridge, token

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(_PATIENCE_SECONDS)
        self._loop.close()

    async def _run(self) -> None:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._forward)
        # Whoever hangs up is to be noticed at once: closing a stream is how a call is cancelled.
        runner = web.AppRunner(
            app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1
        )
        await runner.setup()
        await web.SockSite(runner, self._listener).start()
        async with ClientSession(
            timeout=ClientTimeout(total=None), trust_env=False, auto_decompress=False
        ) as self._http:
            self._started.set()
            await self._stop.wait()
            await runner.cleanup()

    async def _forward(self, request: web.Request) -> web.StreamResponse:
        headers = _of_the_message(request.headers)
        exchange = HttpExchange(
            request.method,
            {name.lower(): value for name, value in request.headers.items()},
            await request.read(),
        )
        self.exchanges.append(exchange)
        headers.setdefault("Authorization", f"Bearer {self._token}")
        response: web.StreamResponse | None = None
        try:
            async with self._http.request(
                request.method,
                f"{self._bridge}{request.path_qs}",
                headers=headers,
                data=exchange.body or None,
                skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding", "Content-Type"),
                allow_redirects=False,
            ) as answer:
                exchange.status = answer.status
                exchange.answer_headers = {
                    name.lower(): value for name, value in answer.headers.items()
                }
                response = web.StreamResponse(
                    status=answer.status, headers=_of_the_message(answer.headers)
                )
                await response.prepare(request)
                async for piece in answer.content.iter_any():
                    exchange.answer += piece
                    await response.write(piece)
                await response.write_eof()
        except (asyncio.CancelledError, ConnectionError):
            exchange.hung_up = True
            raise
        return response


def _of_the_message(headers: CIMultiDict[str] | object) -> CIMultiDict[str]:
    assert hasattr(headers, "items")
    return CIMultiDict(
        [(name, value) for name, value in headers.items() if name.lower() not in _OF_THE_HOP]
    )


@contextmanager
def forwarding() -> Iterator[Forwarder]:
    """Run a forwarder for the length of the context."""
    forwarder = Forwarder(socket.create_server(("127.0.0.1", 0)))
    forwarder.start()
    try:
        yield forwarder
    finally:
        forwarder.close()
