"""Drives one run of an official client: a program beside this file or under `npm`."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from tests.peers.support.ways import Way
from tests.peers.support.wire_rules import LEGACY, MODERN

__all__ = ["CLIENTS", "ClientKind", "OfficialClient", "Outcome", "running_client"]

ROOT: Final = Path(__file__).parents[3]
NPM: Final = ROOT / "tests" / "peers" / "npm"
PATIENCE_SECONDS: Final = 60.0
"""How long anything may take before a test fails; far more than anything needs."""

Outcome = dict[str, Any]
"""How a command ended: `result` and `progress`, `error`, `cancelled` or `failure`."""


class ClientKind(NamedTuple):
    """An official client in one of its modes, and the revision that it has to end up with."""

    program: str
    mode: str
    revision: str

    @property
    def is_npm(self) -> bool:
        return self.program.endswith(".mjs")

    @property
    def name(self) -> str:
        return f"{self.program.partition('.')[0]}-{self.mode}"


CLIENTS: Final = (
    ClientKind("pypi_client.py", "auto", MODERN),
    ClientKind("pypi_client.py", MODERN, MODERN),
    ClientKind("pypi_client.py", "legacy", LEGACY),
    ClientKind("client.mjs", "legacy", LEGACY),
    ClientKind("client.mjs", "auto", MODERN),
    ClientKind("client.mjs", MODERN, MODERN),
    ClientKind("sdk.mjs", "legacy", LEGACY),
)


class OfficialClient:
    """A connected client."""

    def __init__(self, process: subprocess.Popen[bytes], set_up: dict[str, Any]) -> None:
        self._process = process
        self._lines: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._read, args=(_pipe(process.stdout),), daemon=True).start()
        self._send(set_up)
        self.told: dict[str, Any] = self._receive()["ready"]
        """What the client says of the server: `protocolVersion`, `serverInfo` and so on."""

    def together(self, *commands: dict[str, Any]) -> list[Outcome]:
        """Have commands run side by side, and return how each ended."""
        self._send(commands)
        outcomes = self._receive()
        assert isinstance(outcomes, list)
        return outcomes

    def do(self, what: str, **more: Any) -> Outcome:
        return self.together({"do": what, **more})[0]

    def call(self, tool: str, arguments: dict[str, Any] | None = None, **more: Any) -> Outcome:
        """Call a tool."""
        given = {} if arguments is None else {"arguments": arguments}
        return self.do("callTool", name=tool, **given, **more)

    def structured(self, tool: str, arguments: dict[str, Any] | None = None, **more: Any) -> Any:
        """Call a tool that has to succeed, and return what it gives to programs."""
        outcome = self.call(tool, arguments, **more)
        assert "result" in outcome, outcome
        assert not outcome["result"].get("isError"), outcome
        return outcome["result"]["structuredContent"]

    def leave(self) -> None:
        """Let it end its connection as it does of itself, and check that it ends well."""
        _pipe(self._process.stdin).close()
        assert self._process.wait(PATIENCE_SECONDS) == 0

    def _send(self, value: object) -> None:
        stream = _pipe(self._process.stdin)
        stream.write(json.dumps(value).encode() + b"\n")
        stream.flush()

    def _receive(self) -> Any:
        line = self._lines.get(timeout=PATIENCE_SECONDS)
        assert line, f"the client ended with {self._process.wait(PATIENCE_SECONDS)}"
        return json.loads(line)

    def _read(self, stream: IO[bytes]) -> None:
        line = b"more"
        while line:
            line = stream.readline()
            self._lines.put(line)


@contextmanager
def running_client(
    kind: ClientKind, way: Way, record: Path, errors: Path
) -> Iterator[OfficialClient]:
    """Connect a client, for the length of the context.

    `record` is the folder for what goes over pipes, `errors` a file for what anybody complains of.
    """
    if kind.is_npm:
        program = ["node", str(NPM / kind.program)]
    else:
        program = [sys.executable, "-W", "ignore", "-m", "tests.peers.support.pypi_client"]
    with (
        errors.open("wb") as complaints,
        subprocess.Popen(
            program,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            cwd=ROOT,
        ) as process,
    ):
        try:
            client = OfficialClient(process, {**way.set_up(record), "mode": kind.mode})
            yield client
            client.leave()
        finally:
            if process.poll() is None:
                process.kill()


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream
