"""A page that only connects, and callers that only post: enough to fill a queue."""

from __future__ import annotations

import asyncio
import json

__all__ = ["post"]


async def post(
    port: int, path: str, token: str, body: bytes, *, origin: str | None = None, wait: bool = True
) -> tuple[asyncio.StreamWriter, bytes]:
    """Post a body. Returns the open connection and, where it was waited for, the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
    head = [
        f"POST {path} HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        f"Authorization: Bearer {token}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    ]
    if origin is not None:
        head.append(f"Origin: {origin}")
    writer.write("\r\n".join([*head, "", ""]).encode() + body)
    await writer.drain()
    answer = await reader.readuntil(b"\r\n\r\n") if wait else b""
    return writer, answer


def connect_body() -> bytes:
    """Return the body of a `/connect`."""
    return json.dumps({"app": "bench"}).encode()
