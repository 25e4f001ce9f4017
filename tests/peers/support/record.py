"""What went over the wire between a client and Bascule, connection by connection."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

__all__ = ["Connection", "HttpExchange", "Line", "connection_of_exchange", "read_connections"]


class Line(NamedTuple):
    """One message, as it was sent, without its line break."""

    sender: Literal["client", "server"]
    data: bytes
    whole: bool = True
    """False where the stream ended within the line."""

    def message(self) -> Any:
        """Parse it. Raises `ValueError`."""
        return json.loads(self.data)


@dataclass
class Connection:
    """A pair of pipes, or one HTTP exchange, in order."""

    lines: list[Line] = field(default_factory=list)

    def sent_by(self, sender: str) -> list[Line]:
        return [line for line in self.lines if line.sender == sender]


@dataclass
class HttpExchange:
    """A request to `/mcp` and what came back, as the forwarder saw them."""

    method: str
    headers: dict[str, str]
    """Of the request, names in small letters."""
    body: bytes
    status: int = 0
    answer_headers: dict[str, str] = field(default_factory=dict)
    answer: bytes = b""
    hung_up: bool = False
    """Whether the client went before the end."""


def read_connections(directory: Path) -> list[Connection]:
    """Read what tees have written, in the order in which they were started."""
    files = sorted(directory.glob("*.ndjson"), key=lambda path: int(path.name.partition("-")[0]))
    return [_read(path) for path in files]


def _read(path: Path) -> Connection:
    entries = [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]
    return Connection(
        [
            Line(entry["from"], entry[kind].encode("latin-1"), kind == "line")
            for entry in entries
            for kind in ("line", "rest")
            if kind in entry
        ]
    )


def connection_of_exchange(exchange: HttpExchange) -> Connection:
    """Take the messages out of an HTTP exchange: a JSON body, or the events of a stream."""
    lines = [Line("client", exchange.body)] if exchange.body else []
    kind = exchange.answer_headers.get("content-type", "").partition(";")[0]
    if kind == "text/event-stream":
        lines += [Line("server", event) for event in _events(exchange.answer)]
    elif exchange.answer:
        lines.append(Line("server", exchange.answer))
    return Connection(lines)


def _events(stream: bytes) -> list[bytes]:
    """Return the data of the events of a stream that were sent whole."""
    *blocks, _rest = stream.replace(b"\r\n", b"\n").split(b"\n\n")
    found = []
    for block in blocks:
        data = [line[5:].removeprefix(b" ") for line in block.split(b"\n") if line[:5] == b"data:"]
        if data:
            found.append(b"\n".join(data))
    return found
