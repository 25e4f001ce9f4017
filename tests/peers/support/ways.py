"""The ways from an MCP client to the fixture app: its own pipes, a socket, a page, HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from bridge.client.bridge_runner import StartedBridge, start_bridge
from tests.peers.support.forwarder import Forwarder, forwarding

__all__ = ["Way", "bascule", "opened_ways"]

ROOT: Final = Path(__file__).parents[3]
ORIGIN: Final = "http://127.0.0.1:8765"
_TEE: Final = str(Path(__file__).with_name("tee.py"))
_NATIVE_NAME: Final = "peers"
_APP: Final = (sys.executable, "-m", "tests.peers.support.fixture_app")
_JAVASCRIPT_APP: Final = ("node", str(Path(__file__).with_name("fixture_page.mjs")))


@dataclass(frozen=True)
class Way:
    """How a client is told to reach the app."""

    name: str
    command: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    forwarder: Forwarder | None = None
    """In place of a command."""
    server_name: str = "bascule"
    """Who answers: a gateway, or the app itself."""

    def set_up(self, record: Path) -> dict[str, Any]:
        """Return what a client's program takes; what goes over pipes is recorded."""
        if self.forwarder is not None:
            return {"url": self.forwarder.url}
        tee = [sys.executable, "-I", "-S", _TEE, str(record)]
        environment = {"PYTHONPATH": str(ROOT), **self.environment}
        return {"command": [*tee, *self.command], "env": environment, "cwd": str(ROOT)}


def bascule(*words: str) -> tuple[str, ...]:
    """Return the command line of a command of ours."""
    return (sys.executable, "-m", "bridge.cli.main", *words)


@contextmanager
def opened_ways(runtime: Path) -> Iterator[dict[str, Way]]:
    """Run an app and what leads to it for each of the ways."""
    with ExitStack() as stack:
        forwarder = stack.enter_context(forwarding())
        public = ("--public-host", f"127.0.0.1:{forwarder.port}")
        bridge = stack.enter_context(start_bridge(ORIGIN, runtime, options=public))
        forwarder.forward_to(bridge.url, bridge.token)
        _attach(stack, bridge, (*_APP, "--attach"))
        # A bridge of its own, in a folder of its own, so that nobody has to choose between them.
        apart = runtime / "js"
        apart.mkdir(mode=0o700)
        _attach(stack, stack.enter_context(start_bridge(ORIGIN, apart)), _JAVASCRIPT_APP)
        stack.enter_context(_running(runtime, (*_APP, "--native", _NATIVE_NAME)))
        environment = {"XDG_RUNTIME_DIR": str(runtime)}
        ways = (
            Way("agent", (*_APP, "--agent-mcp"), server_name="Peers' app"),
            Way(
                "headless",
                bascule("headless", *_APP, "--protocol", "mcp"),
                environment,
                server_name="Peers' app",
            ),
            Way("native", bascule("stdio", _NATIVE_NAME, "--protocol", "mcp"), environment),
            Way("page", bascule("browser-stdio"), environment),
            Way("page-in-javascript", bascule("browser-stdio"), {"XDG_RUNTIME_DIR": str(apart)}),
            Way("http", forwarder=forwarder),
        )
        yield {way.name: way for way in ways}


def _attach(stack: ExitStack, bridge: StartedBridge, app: tuple[str, ...]) -> None:
    """Run an app as the page of a bridge, to the end of the stack."""
    told = {"url": bridge.url, "token": bridge.token, "origin": bridge.origin}
    stack.enter_context(_running(bridge.runtime, app, json.dumps(told)))


@contextmanager
def _running(runtime: Path, app: tuple[str, ...], given: str = "") -> Iterator[None]:
    with subprocess.Popen(
        app,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "XDG_RUNTIME_DIR": str(runtime)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(given.encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline()) == {"ready": True}
            yield
        finally:
            process.kill()
