"""A scripted bridge in a thread: answers what the test says, and keeps what it was sent."""

from __future__ import annotations

import json
import secrets
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from bridge.contract.error_codes import BRIDGE_HTTP_STATUS, BridgeErrorCode, Outcome

PATIENCE_SECONDS = 20.0
"""How long anything may take before a test fails; far more than anything needs."""


@dataclass(frozen=True)
class Received:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Bytes:
    """What to send in place of an HTTP answer; nothing at all to hang up."""

    data: bytes = b""


Script = Callable[[Received], Answer | Bytes]


def error(code: str, outcome: Outcome | None = None, **more: str) -> Answer:
    """Return an error as a bridge sends it."""
    status = BRIDGE_HTTP_STATUS[BridgeErrorCode(code)] if code in set(BridgeErrorCode) else 500
    value = {"code": code, "message": f"This is {code}.", **more}
    if outcome is not None:
        value["outcome"] = outcome.value
    return Answer(status, json.dumps({"error": value}).encode())


def result(value: Any, request_id: Any = 1) -> Answer:
    """Return a JSON-RPC result."""
    return Answer(body=json.dumps({"jsonrpc": "2.0", "id": request_id, "result": value}).encode())


def echo(request: Received) -> Answer:
    """Answer like a bridge whose page gives back what it was sent."""
    if request.path == "/session/close":
        return Answer(body=b'{"closed":true}')
    if request.path == "/session/keep":
        return Answer(body=b'{"kept":true}')
    if request.path == "/status":
        return status_of("Echo")
    message = request.json()["request"]
    if "id" not in message:
        return Answer(202, b"null")
    return result(message.get("params"), message["id"])


def status_of(app: str | None, **more: Any) -> Answer:
    """Return a bridge's status."""
    status = {
        "version": "0.1.0",
        "origin": "http://127.0.0.1:8765",
        "uptimeSeconds": 75.5,
        "app": app,
        "pageState": None if app is None else "visible",
        "attachedSeconds": None if app is None else 12.0,
        "queue": {"queued": 1, "leased": 2, "maximum": 64},
        "sessions": 3,
        "counters": {"accepted": 7},
        **more,
    }
    return Answer(body=json.dumps(status).encode())


class FakeBridge:
    """A listening port, its script, and everything that it received."""

    def __init__(self, script: Script, port: int = 0) -> None:
        self.script = script
        self.token = secrets.token_urlsafe(32)
        self.received: list[Received] = []
        self.connections = 0
        self._changed = threading.Condition()
        self._server = _Server(("127.0.0.1", port), self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(PATIENCE_SECONDS)

    def connected(self) -> None:
        with self._changed:
            self.connections += 1

    def answer(self, request: Received) -> Answer | Bytes:
        with self._changed:
            self.received.append(request)
            self._changed.notify_all()
        return self.script(request)

    def of(self, path: str) -> list[Received]:
        return [request for request in self.received if request.path == path]

    def wait_for(self, path: str, count: int = 1) -> list[Received]:
        """Return the requests of a route once there are so many."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.of(path)) >= count, PATIENCE_SECONDS)
        return self.of(path)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], bridge: FakeBridge) -> None:
        self.bridge = bridge
        super().__init__(address, _Handler)

    def get_request(self) -> tuple[socket.socket, Any]:
        self.bridge.connected()
        return super().get_request()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A caller that hangs up is no error here."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.server.bridge.answer(Received(self.command, self.path, headers, body))
        self.close_connection = True
        if isinstance(answer, Bytes):
            self.wfile.write(answer.data)
            return
        self.send_response_only(answer.status)
        # A connection is kept where the script says so.
        self.close_connection = answer.headers.get("Connection") != "keep-alive"
        defaults = {
            "Content-Type": "application/json",
            "Content-Length": str(len(answer.body)),
            "Connection": "close",
        }
        for name, value in {**defaults, **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""


@contextmanager
def fake_bridge(script: Script = echo, port: int = 0) -> Iterator[FakeBridge]:
    """Run a scripted bridge for the length of the context."""
    bridge = FakeBridge(script, port)
    bridge.start()
    try:
        yield bridge
    finally:
        bridge.stop()
