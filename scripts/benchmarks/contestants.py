"""What is compared: each a way to make a call, with the command that runs it."""

from __future__ import annotations

import json
import shlex
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.benchmarks.browsers import Browser
from scripts.benchmarks.caller import Measured
from scripts.benchmarks.caller_process import CallerProcess
from scripts.benchmarks.site import RELAY, install_peer, relay_command, serve_site
from tests.e2e.support.browsers import launch_options
from tests.e2e.support.real_bridge import RealBridge, run_bridge

__all__ = [
    "TRANSPORTS",
    "TRIVIAL",
    "Contestant",
    "bascule",
    "bascule_mcp",
    "browser_stdio",
    "echo",
    "evaluate",
    "relay",
    "running_bridge",
]

TRANSPORTS = ("channel", "polling")
TRIVIAL: dict[str, Any] = {"n": 1}
WARM_UP = 100
RELAY_LARGEST = 1_000_000
"""The default of its WebSocket server; its command line has no option for it."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """One way to make a call, ready to be measured."""

    name: str
    command: str
    """What runs it, for people."""
    caller: CallerProcess
    largest: int = 1 << 20
    """Bytes of the largest message that it takes."""

    def measure(
        self, calls: int, callers: int = 1, input_: dict[str, Any] | None = None
    ) -> Measured:
        """Make calls, by default with a trivial input."""
        return self.caller.measure(
            {"input": TRIVIAL if input_ is None else input_, "calls": calls, "callers": callers}
        )


@contextmanager
def running_bridge(browser: Browser, transport: str) -> Iterator[tuple[RealBridge, str]]:
    """Run a bridge with our page attached over "channel" or "polling". Gives its command too.

    Each has an origin of its own: of one origin, one tab can be attached at a time.
    """
    more = [] if transport == "channel" else ["--no-channel"]
    with (
        tempfile.TemporaryDirectory() as runtime,
        serve_site() as pages,
        run_bridge(pages.origin, pages.page, Path(runtime), *more) as bridge,
    ):
        page = browser.open(bridge.link)
        page.click("attach")
        page.wait_for("document.getElementById('state').textContent === 'attached'")
        # A page that fell back would be measured under the wrong name.
        page.wait_for(f"document.getElementById('transport').textContent === '{transport}'")
        yield bridge, shlex.join(["bascule", "browser-bridge", "--origin", "ORIGIN", *more])
        page.close()


@contextmanager
def bascule(browser: Browser, transport: str, *, public: bool = False) -> Iterator[Contestant]:
    """Our bridge, called by a lean client of the benchmark's own or by the one that we publish."""
    with running_bridge(browser, transport) as (bridge, command):
        set_up = {"port": bridge.port, "token": bridge.token, "action": "bench.echo"}
        name = f"Bascule, {transport}{', by bridge.client' if public else ''}"
        with CallerProcess("client_caller" if public else "http_caller", set_up) as caller:
            yield _warm(Contestant(name, command, caller))


def browser_stdio(runtime: Path) -> list[str]:
    """Return how our MCP server is started; it finds the one bridge of this runtime directory."""
    command = str(Path(sys.executable).parent / "bascule")
    # Official clients pass on few variables: the command brings its own.
    return ["env", f"XDG_RUNTIME_DIR={runtime}", command, "browser-stdio"]


@contextmanager
def bascule_mcp(browser: Browser, *, public: bool = False) -> Iterator[Contestant]:
    """Our MCP server over stdio before a bridge, called by the clients of `relay`."""
    with (
        running_bridge(browser, "channel") as (bridge, _),
        CallerProcess(
            "official_mcp_caller" if public else "mcp_caller",
            {
                "command": browser_stdio(bridge.runtime),
                "tool": "actions_execute",
                "action": "bench.echo",
            },
        ) as caller,
    ):
        name = f"Bascule, browser-stdio{', by the official MCP client' if public else ''}"
        yield _warm(Contestant(name, "bascule browser-stdio", caller))


@contextmanager
def echo() -> Iterator[Contestant]:
    """A bare aiohttp handler that gives back the same bytes, and no browser."""
    process = subprocess.Popen(
        [sys.executable, "-m", "scripts.benchmarks.echo_server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        port = int(process.stdout.readline())
        set_up = {"port": port, "token": "none", "action": "bench.echo"}
        with CallerProcess("http_caller", set_up) as caller:
            command = "python -m scripts.benchmarks.echo_server"
            yield _warm(Contestant("aiohttp echo, no browser", command, caller))
    finally:
        process.communicate(timeout=10)


@contextmanager
def relay(browser: Browser, *, public: bool = False) -> Iterator[Contestant]:
    """The WebMCP relay, its page in the same browser, called as in `bascule`."""
    install_peer("relay")
    port = _free_port()
    with (
        serve_site(peer="relay") as pages,
        CallerProcess(
            "official_mcp_caller" if public else "mcp_caller",
            {"command": relay_command(port, pages.origin), "tool": "bench_echo"},
        ) as caller,
    ):
        page = browser.open(f"{pages.origin}/bench/relay.html#{port}")
        lock = json.loads((RELAY / "package-lock.json").read_text(encoding="utf-8"))
        version = lock["packages"]["node_modules/@mcp-b/webmcp-local-relay"]["version"]
        shown = f"npx @mcp-b/webmcp-local-relay@{version} --port PORT --widget-origin ORIGIN"
        name = f"WebMCP relay{', by the official MCP client' if public else ''}"
        yield _warm(Contestant(name, shown, caller, RELAY_LARGEST))
        page.close()


@contextmanager
def evaluate() -> Iterator[Contestant]:
    """Playwright's `page.evaluate` in a Chromium of its own."""
    with serve_site() as pages:
        set_up = {
            "launch": launch_options("chromium", "unused"),
            "url": pages.page,
            "function": "bench.echo",
        }
        with CallerProcess("evaluate_caller", set_up) as caller:
            command = 'page.evaluate("input => bench.echo(input)")'
            yield _warm(Contestant("Playwright page.evaluate", command, caller))


def _warm(contestant: Contestant) -> Contestant:
    contestant.measure(WARM_UP)
    return contestant


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
