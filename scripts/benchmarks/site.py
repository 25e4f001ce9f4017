"""The pages of the benchmarks, put together in one folder and served on loopback."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from bridge.browser_assets import browser_assets
from bridge.servers.static_pages import StaticPages
from tests.e2e.support.page_server import serve_pages

__all__ = ["RELAY", "install_peer", "relay_command", "serve_site"]

HERE = Path(__file__).parent
PEERS = HERE.parents[1] / "build" / "benchmarks"
RELAY = PEERS / "relay"
# The peer's widget has inline scripts; both sides get the same policy.
CSP = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data:; connect-src http: ws:"


def install_peer(name: str) -> None:
    """Install a peer as its lock file says, where it is not installed yet."""
    wanted = HERE / name / "package-lock.json"
    folder = PEERS / name
    stamp = folder / "node_modules" / ".installed-lock"
    if stamp.exists() and stamp.read_bytes() == wanted.read_bytes():
        return
    folder.mkdir(parents=True, exist_ok=True)
    for file in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name / file, folder / file)
    # The packages run without install scripts, and nobody's scripts run here.
    command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run(command, cwd=folder, check=True)
    shutil.copy(wanted, stamp)


def relay_command(port: int, origin: str) -> list[str]:
    """Return how the peer is started: its own command, for one origin as ours."""
    package = RELAY / "node_modules" / "@mcp-b" / "webmcp-local-relay"
    command = ["node", str(package / "dist" / "cli.js")]
    return [*command, "--port", str(port), "--widget-origin", origin]


@contextmanager
def serve_site(*, peer: Literal["relay", "penpal"] | None = None) -> Iterator[StaticPages]:
    """Serve our pages, our modules below `/bascule` and, when asked, a peer's below its name."""
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder)
        shutil.copytree(HERE / "pages", site / "bench")
        shutil.copytree(browser_assets(), site / "bascule")
        if peer == "penpal":
            module = PEERS / "penpal" / "node_modules" / "penpal" / "dist" / "penpal.mjs"
            (site / "penpal").mkdir()
            shutil.copy(module, site / "penpal" / "penpal.js")
        if peer == "relay":
            for part in ("global/dist", "webmcp-local-relay/dist/browser"):
                source = RELAY / "node_modules" / "@mcp-b" / part
                shutil.copytree(source, site / "relay" / part)
        with serve_pages(
            folder=site, index="bench/bench.html", headers={"Content-Security-Policy": CSP}
        ) as pages:
            yield pages
