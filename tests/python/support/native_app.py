"""Native endpoints in a directory short enough for a socket, and callers of them down to bytes."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from bridge.contract.limits import NATIVE_LIMITS
from bridge.dispatcher.dispatcher import Dispatcher
from bridge.servers.native_server import NativeServer, serve
from tests.python.support.dispatchers import dispatcher_of
from tests.python.support.fake_bridge import PATIENCE_SECONDS

ROOT = Path(__file__).parents[3]
INFO = b'{"jsonrpc":"2.0","id":1,"method":"agent/info"}'


@contextmanager
def short_directory() -> Iterator[Path]:
    """Give a private directory whose path leaves room for a socket's name."""
    path = Path(tempfile.mkdtemp(prefix="bn-", dir="/tmp"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def echo() -> Dispatcher:
    """Return an enabled dispatcher whose actions give back their input."""
    return dispatcher_of(lambda _action, given, _context: given)


def call_of(number: int, action: str = "a", **given: Any) -> bytes:
    """Write one line that calls an action."""
    params = {"action": action, "input": given}
    message = {"jsonrpc": "2.0", "id": number, "method": "actions/execute", "params": params}
    return json.dumps(message).encode() + b"\n"


class Caller:
    """A connection of a test's own. Reads never wait longer than a test may take."""

    def __init__(self, server: NativeServer) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(PATIENCE_SECONDS)
        self.socket.connect(str(server.path))
        self._server = server
        self._received = b""

    def __enter__(self) -> Caller:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def available(self) -> bytes:
        """Return what has come by now; nothing at the end as well."""
        self.socket.setblocking(False)
        try:
            while data := self.socket.recv(1 << 20):
                self._received += data
        except (BlockingIOError, ConnectionResetError):
            pass
        received, self._received = self._received, b""
        return received

    def lines(self, count: int) -> list[Any]:
        """Tick until so many answers have come, and return them."""
        got = b""
        for _ in range(100_000):
            got += self.available()
            if got.count(b"\n") >= count:
                return [json.loads(line) for line in got.splitlines()]
            self._server.poll(0.001)
        raise AssertionError(f"no {count} answers: {got[:200]!r}")

    def is_closed(self) -> bool:
        """Say whether the server has hung up."""
        self.socket.setblocking(False)
        try:
            return self.socket.recv(1, socket.MSG_PEEK) == b""
        except BlockingIOError:
            return False
        except ConnectionResetError:
            return True


@contextmanager
def running_app(
    directory: Path | None = None, dispatcher: Dispatcher | None = None, name: str | None = None
) -> Iterator[NativeServer]:
    """Run an app's ticks in a thread."""
    server = serve(dispatcher or echo(), name, directory=directory)
    ended = threading.Event()

    def ticks() -> None:
        while not ended.is_set():
            server.poll(0.02)

    thread = threading.Thread(target=ticks, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        ended.set()
        thread.join(PATIENCE_SECONDS)
        server.close()


@contextmanager
def all_places_taken(server: NativeServer) -> Iterator[None]:
    """Take all connections that a running app has for callers, and hold them.

    Each has the beginning of a line under way: it would be hung up on otherwise.
    """
    callers = [Caller(server) for _ in range(NATIVE_LIMITS.max_connections)]
    try:
        for caller in callers:
            caller.send(b" ")
        yield
    finally:
        for caller in callers:
            caller.socket.close()


APP_SCRIPT = """
import sys
from bridge import ActionSpec, AppName, Dispatcher, Host, serve

class Echo(Host):
    specs = (ActionSpec.read("a", "A", input_schema={"type": "object"}),)
    def actions(self): return self.specs
    def revision(self, action=None): return 1
    def capabilities(self): return 0
    def execute(self, action, input, context): return input

dispatcher = Dispatcher(Echo(), app=AppName(sys.argv[1], "1"))
dispatcher.set_enabled(True)
server = serve(dispatcher, directory=sys.argv[2] if len(sys.argv) > 2 else None)
print(server.path, flush=True)
"""


@contextmanager
def app_process(
    name: str, *arguments: str, then: str = "", environ: dict[str, str] | None = None
) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Run an app as a program of its own; `then` is what it does once its socket is there."""
    rest = then or "while True: server.poll(1.0)"
    with subprocess.Popen(
        [sys.executable, "-c", f"{APP_SCRIPT}\n{rest}", name, *arguments],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env=environ,
    ) as child:
        try:
            output: IO[bytes] | None = child.stdout
            assert output is not None
            yield child, output.readline().decode().strip()
        finally:
            child.kill()
