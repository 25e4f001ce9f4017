"""A call through a native app's socket against a bare asyncio Unix echo of the same bytes.

Each server is a program of its own; one caller asks them in turn. The named peer is asyncio's
streams: a line is read and written back, and nothing else is done with it.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from scripts.benchmarks.rounds import Figures, take_turns
from scripts.benchmarks.tables import table

CALLS = 2_000
LINE = (
    b'{"jsonrpc":"2.0","id":1,"method":"actions/execute",'
    b'"params":{"action":"echo","input":{"text":"a line of text"}}}\n'
)
PEER = "bare asyncio echo"

_APP = """
import sys
from bridge import ActionSpec, AppName, Dispatcher, Host, serve

class Echo(Host):
    specs = (ActionSpec.read("echo", "Echo", input_schema={
        "type": "object", "properties": {"text": {"type": "string"}}}),)
    def actions(self): return self.specs
    def revision(self, action=None): return 1
    def capabilities(self): return 0
    def execute(self, action, input, context): return input

dispatcher = Dispatcher(Echo(), app=AppName("Echo", "1"))
dispatcher.set_enabled(True)
server = serve(dispatcher, directory=sys.argv[1])
print(server.path, flush=True)
"""
_LOOP = _APP + "import asyncio\nasyncio.run(server.serve_forever())\n"
_TICKS = _APP + "while True: server.poll(1.0)\n"
_ECHO = """
import asyncio, sys

async def echo(reader, writer):
    while line := await reader.readline():
        writer.write(line)
        await writer.drain()
    writer.close()

async def main():
    server = await asyncio.start_unix_server(echo, sys.argv[1] + "/echo")
    print(sys.argv[1] + "/echo", flush=True)
    await server.serve_forever()

asyncio.run(main())
"""
SERVERS = {PEER: _ECHO, "app in an event loop": _LOOP, "app by ticks": _TICKS}


def run(rounds: int) -> str:
    """Measure all servers. Returns a table."""
    with ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="bn-", dir="/tmp"))
        callers: dict[str, Callable[[], Figures]] = {}
        for name, script in SERVERS.items():
            path = stack.enter_context(_server(script, directory))
            callers[name] = stack.enter_context(_caller(path))
        measured = take_turns(callers, rounds)
    rows = [
        [
            name,
            f"{measured.middle(name, lambda f: f.p50_ms) * 1000:.0f} µs",
            f"{measured.middle(name, lambda f: f.p99_ms) * 1000:.0f} µs",
            f"{measured.middle(name, lambda f: f.rate):,.0f}",
            f"{measured.ratio(name, PEER, lambda f: f.p50_ms):.2f} ×",
        ]
        for name in SERVERS
    ]
    return table(["a line through a Unix socket", "p50", "p99", "a second", "p50, of echo's"], rows)


@contextmanager
def _server(script: str, directory: str) -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, "-c", script, directory],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    ) as child:
        try:
            if child.stdout is None:
                raise RuntimeError("no pipe")
            yield child.stdout.readline().decode().strip()
        finally:
            child.kill()


@contextmanager
def _caller(path: str) -> Iterator[Callable[[], Figures]]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as opened:
        opened.connect(path)

        def ask() -> float:
            start = time.perf_counter()
            opened.sendall(LINE)
            while not opened.recv(65_536).endswith(b"\n"):
                pass
            return (time.perf_counter() - start) * 1000

        def measure() -> Figures:
            for _ in range(CALLS // 10):
                ask()
            start = time.perf_counter()
            latencies = [ask() for _ in range(CALLS)]
            seconds = time.perf_counter() - start
            figures: Figures = Figures.of(
                {"latencies_ms": latencies, "seconds": seconds},
                {"latencies_ms": latencies, "seconds": seconds},
            )
            return figures

        yield measure
