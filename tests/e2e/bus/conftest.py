"""The bus in real frames."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from bridge.servers.static_pages import StaticPages
from tests.e2e.support.bus_shell import BusShell
from tests.e2e.support.page_server import serve_pages
from tests.e2e.support.real_bridge import run_bridge


@pytest.fixture
def shell(page: Page, pages: StaticPages) -> BusShell:
    """Open a shell that is served as any page of ours is."""
    return BusShell(page, pages.origin)


@pytest.fixture(scope="session")
def lenient_pages() -> Iterator[StaticPages]:
    """Serve the same pages without a policy: what is proved is then not the policy."""
    with serve_pages(headers={"Content-Security-Policy": "frame-ancestors 'self'"}) as served:
        yield served


@pytest.fixture
def lenient_shell(page: Page, lenient_pages: StaticPages) -> BusShell:
    return BusShell(page, lenient_pages.origin)


@pytest.fixture
def lenient_bridge(lenient_pages: StaticPages, runtime: Path) -> Iterator[tuple[str, str]]:
    """Run a bridge for the lenient shell's page; return its address and token."""
    origin = lenient_pages.origin
    with run_bridge(origin, f"{origin}/probe/bus/shell.html", runtime) as running:
        yield running.url, running.token
