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

from playwright.sync_api import Browser, expect

from bridge.servers.static_pages import StaticPages
from scripts.benchmarks.caller import Measured
from scripts.benchmarks.caller_process import CallerProcess
from scripts.benchmarks.site import RELAY, relay_command
from tests.e2e.support.browsers import launch_options
from tests.e2e.support.real_bridge import BASCULE, RealBridge, run_bridge

__all__ = ["Contestant", "bascule", "echo", "evaluate", "relay", "running_bridge", "transports"]

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


def transports() -> list[str]:
    """Return the transports that this version has."""
    done = subprocess.run(
        [*BASCULE, "browser-bridge", "--help"], capture_output=True, encoding="utf-8", check=True
    )
    return ["channel", "polling"] if "--no-channel" in done.stdout else ["polling"]


@contextmanager
def running_bridge(
    browser: Browser, pages: StaticPages, transport: str
) -> Iterator[tuple[RealBridge, str]]:
    """Run a bridge with our page attached over "channel" or "polling". Gives its command too."""
    more = ["--no-channel"] if transport == "polling" and "channel" in transports() else []
    with (
        tempfile.TemporaryDirectory() as runtime,
        run_bridge(pages.origin, pages.page, Path(runtime), *more) as bridge,
    ):
        page = browser.new_page()
        page.goto(bridge.link)
        page.get_by_role("button", name="Attach", exact=True).click()
        expect(page.locator("#state")).to_have_text("attached")
        # A page that fell back would be measured under the wrong name.
        expect(page.locator("#transport")).to_have_text(transport)
        yield bridge, shlex.join(["bascule", "browser-bridge", "--origin", "ORIGIN", *more])
        page.close()


@contextmanager
def bascule(browser: Browser, pages: StaticPages, transport: str) -> Iterator[Contestant]:
    """Our bridge."""
    with running_bridge(browser, pages, transport) as (bridge, command):
        set_up = {"port": bridge.port, "token": bridge.token, "action": "bench.echo"}
        with CallerProcess("http_caller", set_up) as caller:
            yield _warm(Contestant(f"Bascule, {transport}", command, caller))


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
def relay(browser: Browser, pages: StaticPages) -> Iterator[Contestant]:
    """The WebMCP relay, its page in the same browser."""
    port = _free_port()
    command = relay_command(port, pages.origin)
    with CallerProcess("mcp_caller", {"command": command, "tool": "bench_echo"}) as caller:
        page = browser.new_page()
        page.goto(f"{pages.origin}/bench/relay.html#{port}")
        lock = json.loads((RELAY / "package-lock.json").read_text(encoding="utf-8"))
        version = lock["packages"]["node_modules/@mcp-b/webmcp-local-relay"]["version"]
        shown = f"npx @mcp-b/webmcp-local-relay@{version} --port PORT --widget-origin ORIGIN"
        yield _warm(Contestant("WebMCP relay", shown, caller, RELAY_LARGEST))
        page.close()


@contextmanager
def evaluate(pages: StaticPages) -> Iterator[Contestant]:
    """Playwright's `page.evaluate` in a Chromium of its own."""
    set_up = {
        "launch": launch_options("chromium", "unused"),
        "url": pages.page,
        "function": "bench.echo",
    }
    with CallerProcess("evaluate_caller", set_up) as caller:
        yield _warm(
            Contestant(
                "Playwright page.evaluate", 'page.evaluate("input => bench.echo(input)")', caller
            )
        )


def _warm(contestant: Contestant) -> Contestant:
    contestant.measure(WARM_UP)
    return contestant


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
