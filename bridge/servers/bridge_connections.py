"""The bridge's sockets: how many there are, how long they may idle, what cannot be parsed.

aiohttp answers what it cannot parse by itself, as text, without CORS and with a traceback in the
log. Here such an answer is the bridge's own, and nothing of the request is logged.
"""

from __future__ import annotations

import asyncio
import logging
import re
from typing import Any, Final, cast

from aiohttp import web

from bridge.contract.error_codes import BridgeErrorCode
from bridge.contract.limits import BridgeLimits
from bridge.servers.bridge_answers import error_answer
from bridge.servers.bridge_cors import cors_headers
from bridge.servers.bridge_responses import BridgeResponse, raw_response
from bridge.servers.bridge_service import BridgeService

__all__ = ["BridgeServer"]

_LOG = logging.getLogger(__name__)
_ORIGIN: Final = re.compile(rb"\r?\norigin:[ \t]*([^\r\n]*?)[ \t]*(?=\r|\n)", re.IGNORECASE)
_MAX_HEAD_BYTES: Final = 65_536
_LINGER_SECONDS: Final = 1.0
"""How long a refused peer may go on sending, so that it gets to read why."""
_MAX_REFUSED: Final = 32


class BridgeServer(web.Server):
    """Makes a connection for each socket, up to the limit."""

    def __init__(self, service: BridgeService, origin: str, limits: BridgeLimits) -> None:
        super().__init__(service.handle, handler_cancellation=True)
        self.origin = origin
        self.limits = limits
        self.refused: set[RefusedConnection] = set()

    def __call__(self) -> BridgeConnection:
        """Return the protocol of a new socket."""
        return BridgeConnection(self, asyncio.get_running_loop())

    @property
    def is_full(self) -> bool:
        """Say whether there is no room for another socket."""
        return len(self._connections) >= self.limits.max_sockets

    async def close(self, seconds: float) -> None:
        """Let the answers that are being written end, then close every socket, in `seconds`.

        Cancelled, it closes them at once.
        """
        transports = list(self._connections.values())
        try:
            # It may wait twice: once for handlers to end, once for them to be cancelled.
            await self.shutdown(seconds / 2)
        finally:
            for refused in list(self.refused):
                refused.abort()
            for transport in transports:
                if transport.get_write_buffer_size():
                    transport.abort()
            await asyncio.sleep(0)


class BridgeConnection(web.RequestHandler):
    """One socket that carries HTTP."""

    def __init__(self, server: BridgeServer, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(
            server,
            loop=loop,
            # Also how long a socket may take to send a head, the first and every other.
            keepalive_timeout=server.limits.head_timeout_seconds,
            lingering_time=_LINGER_SECONDS,
            access_log=cast("logging.Logger", None),
            auto_decompress=False,
            logger=_LOG,
        )
        self._server = server
        self._head = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start, or hand the socket over to be refused."""
        if self._server.is_full:
            refused = RefusedConnection(self._server)
            cast("asyncio.Transport", transport).set_protocol(refused)
            refused.connection_made(transport)
            return
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Parse, keeping the head for the case that it cannot be."""
        if len(self._head) < _MAX_HEAD_BYTES:
            self._head += data
        super().data_received(data)

    async def finish_response(
        self, request: web.BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        """End a request; what comes now is the next one's head."""
        self._head = b""
        return await super().finish_response(request, resp, start_time)

    def handle_error(
        self,
        request: web.BaseRequest,  # noqa: ARG002 - aiohttp's signature
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,  # noqa: ARG002 - aiohttp's signature
    ) -> web.StreamResponse:
        """Answer what could not be parsed. Anything else is a fault of ours and gets no answer.

        After a fault nothing is known of the call, which is what a broken connection says.
        """
        if isinstance(exc, ConnectionError):
            # The peer is gone, or was cut off: aiohttp takes everything raised for a fault.
            _LOG.debug("a peer is gone: %s", type(exc).__name__)
            raise exc
        if status != 400:
            self.log_exception("fault while a request was handled", exc_info=exc)
            raise ConnectionResetError("a fault of the bridge")
        _LOG.debug("a request could not be parsed: %s", type(exc).__name__)
        answer = error_answer(
            BridgeErrorCode.BAD_REQUEST,
            message="The request is not well-formed HTTP/1.1.",
            # aiohttp answers as to HTTP/1.0, where this goes without saying.
            headers=(("Connection", "close"),),
        )
        response = ErrorResponse(answer, _cors(self._head, self._server.origin))
        response.force_close()
        return response

    def log_exception(self, *args: Any, **kw: Any) -> None:  # noqa: ANN401 - aiohttp's signature
        """Log a fault by its kind and place only: its text may repeat what the peer sent."""
        error = kw.get("exc_info")
        _LOG.error("%s: %s", args[0], _place_of(error if isinstance(error, Exception) else None))


class ErrorResponse(BridgeResponse):
    """An answer that aiohttp writes by itself, in one piece."""

    async def write_eof(self, data: bytes = b"") -> None:
        """Write the body as well."""
        await super().write_eof(data or self._answer.body)


class RefusedConnection(asyncio.Protocol):
    """A socket beyond the limit: it reads one head, answers that the bridge is busy, and ends."""

    def __init__(self, server: BridgeServer) -> None:
        self._server = server
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._answered = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Give the peer a moment to send its head."""
        self._transport = cast("asyncio.Transport", transport)
        if len(self._server.refused) >= _MAX_REFUSED:
            self._transport.abort()
            return
        self._server.refused.add(self)
        self._timer = asyncio.get_running_loop().call_later(_LINGER_SECONDS, self.abort)

    def data_received(self, data: bytes) -> None:
        """Answer once, then only drain, so that the peer gets to read the answer."""
        if self._answered or self._transport is None:
            return
        self._answered = True
        answer = error_answer(BridgeErrorCode.BUSY)
        self._transport.write(raw_response(answer, _cors(data, self._server.origin)))
        self._transport.write_eof()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        """Forget the socket."""
        self._server.refused.discard(self)
        if self._timer is not None:
            self._timer.cancel()

    def abort(self) -> None:
        """End at once."""
        if self._transport is not None:
            self._transport.abort()


def _cors(head: bytes, configured: str) -> list[tuple[str, str]]:
    """Return the CORS headers for a head that was not parsed."""
    return cors_headers(_ORIGIN.findall(head.partition(b"\r\n\r\n")[0] + b"\r\n"), configured)


def _place_of(error: Exception | None) -> str:
    trace = error.__traceback__ if error is not None else None
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = "" if trace is None else f" at {trace.tb_frame.f_code.co_name}:{trace.tb_lineno}"
    return type(error).__name__ + where
