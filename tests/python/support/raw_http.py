"""HTTP over a bare socket: sends exactly the given bytes, and reads what comes back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

PATIENCE_SECONDS = 10.0
"""How long anything may take before a test fails; far more than anything needs."""

Headers = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Response:
    status: int
    headers: list[tuple[str, str]]
    body: bytes
    raw: bytes

    def header(self, name: str) -> str | None:
        values = self.all(name)
        assert len(values) < 2, f"{name} comes twice"
        return values[0] if values else None

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key.lower() == name.lower()]

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str | None:
        """The error's code, or None for what is no error."""
        value = self.json() if self.body else None
        return value["error"]["code"] if isinstance(value, dict) and "error" in value else None

    @property
    def outcome(self) -> str | None:
        outcome = self.json()["error"].get("outcome")
        assert outcome is None or isinstance(outcome, str)
        return outcome


def render(method: str, target: str, headers: Headers = (), body: bytes = b"") -> bytes:
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers)]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


class RawConnection:
    """One socket. Every wait is bounded."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def response(
        self, *, to_head: bool = False, seconds: float = PATIENCE_SECONDS
    ) -> Response:
        async with asyncio.timeout(seconds):
            head = await self.reader.readuntil(b"\r\n\r\n")
            lines = head.decode("latin-1").split("\r\n")
            headers = [tuple(line.split(": ", 1)) for line in lines[1:] if line]
            pairs = [(pair[0], pair[1]) for pair in headers]
            lengths = [value for name, value in pairs if name.lower() == "content-length"]
            size = 0 if to_head or not lengths else int(lengths[0])
            body = await self.reader.readexactly(size)
        return Response(int(lines[0].split(" ")[1]), pairs, body, head + body)

    async def ask(
        self, method: str, target: str, headers: Headers = (), body: bytes = b""
    ) -> Response:
        await self.send(render(method, target, headers, body))
        return await self.response(to_head=method == "HEAD")

    async def closed(self) -> bytes:
        """Wait for the peer to close, and return what it sent before that."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            try:
                return await self.reader.read()
            except ConnectionError:
                return b""

    def pause_reading(self) -> None:
        """Read nothing any more: what the kernel cannot hold stays with the peer."""
        self.writer.transport.pause_reading()  # type: ignore[attr-defined]

    def resume_reading(self) -> None:
        self.writer.transport.resume_reading()  # type: ignore[attr-defined]

    def abort(self) -> None:
        self.writer.transport.abort()

    async def close(self) -> None:
        self.writer.close()
        with suppress(ConnectionError):
            await self.writer.wait_closed()


@asynccontextmanager
async def connection(port: int) -> AsyncIterator[RawConnection]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=4 * 1024 * 1024)
    opened = RawConnection(reader, writer)
    try:
        yield opened
    finally:
        await opened.close()


async def exchange(port: int, data: bytes, *, to_head: bool = False) -> Response:
    """Send bytes on a socket of their own, and read one response."""
    async with connection(port) as opened:
        await opened.send(data)
        return await opened.response(to_head=to_head)
