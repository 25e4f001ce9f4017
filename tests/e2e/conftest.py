"""Real browsers, real pages and the real command line. Run with its own `pytest.ini`."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect

from bridge.client.page_attaching import attaching, detaching, drive
from bridge.servers.static_pages import StaticPages
from tests.e2e.support.browsers import (
    CHROMIUM,
    FIREFOX,
    FIREFOX_PREFS,
    launch_options,
    launched,
)
from tests.e2e.support.page_server import serve_pages
from tests.e2e.support.real_bridge import RealBridge, run_bridge
from tests.interrupts import heed_interrupts

# Far above what anything takes: a machine that is busy is no fault of the app.
expect.set_options(timeout=30_000)


def pytest_configure() -> None:
    heed_interrupts()


@pytest.fixture(scope="session")
def browser_type_launch_args(
    browser_name: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    executable = CHROMIUM if browser_name == "chromium" else FIREFOX
    if shutil.which(executable) is None:
        pytest.fail(
            f"{executable} is missing: scripts/setup installs it, or name another with "
            f"BASCULE_{browser_name.upper()}",
            pytrace=False,
        )
    return launch_options(browser_name, str(tmp_path_factory.mktemp("home")))


@pytest.fixture(scope="module")
def browser(launch_browser: Callable[[], Browser]) -> Iterator[Browser]:
    """Give each module a browser of its own: Firefox gets slower with each page that it had."""
    started = launch_browser()
    yield started
    started.close()


@pytest.fixture(scope="session")
def pages() -> Iterator[StaticPages]:
    with serve_pages() as served:
        yield served


@pytest.fixture
def runtime(tmp_path: Path) -> Path:
    """Return a runtime directory of the test's own."""
    folder = tmp_path / "runtime"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture(scope="session")
def bascule_origin(pages: StaticPages) -> str:
    """Tell Bascule's own fixtures which app is tested."""
    return pages.origin


@pytest.fixture(scope="session")
def bascule_page(pages: StaticPages) -> str:
    return f"{pages.origin}/probe/probe.html"


@pytest.fixture
def transport(request: pytest.FixtureRequest) -> str:
    """Say how the page reaches its bridge: see `both_transports`."""
    return str(getattr(request, "param", "channel"))


@pytest.fixture
def transport_options(transport: str) -> list[str]:
    """Return what makes a bridge offer that transport."""
    return {"channel": [], "polling": ["--no-channel"]}[transport]


@pytest.fixture
def bridge(pages: StaticPages, runtime: Path, transport_options: list[str]) -> Iterator[RealBridge]:
    """Run a bridge whose page is the demo."""
    with run_bridge(pages.origin, pages.page, runtime, *transport_options) as running:
        yield running


@pytest.fixture
def probe_bridge(
    pages: StaticPages, runtime: Path, transport_options: list[str]
) -> Iterator[RealBridge]:
    """Run a bridge whose page is the tests' own."""
    page = f"{pages.origin}/probe/probe.html"
    with run_bridge(pages.origin, page, runtime, *transport_options) as running:
        yield running


STATE = "#bascule-state, body:not(:has(bascule-panel)) #state"
"""Where a page says how it is attached: in its panel, or without one in an element of its own."""

Attach = Callable[[Page, RealBridge], None]


@pytest.fixture
def attach() -> Iterator[Attach]:
    """Attach a page to a bridge by a click, as Bascule's own fixture does; detach it afterwards."""
    attached: list[tuple[Page, RealBridge]] = []

    def attach_page(page: Page, bridge: RealBridge) -> None:
        drive(attaching(page, bridge.started))
        attached.append((page, bridge))
        expect(page.locator(STATE)).to_have_text("attached")

    yield attach_page
    for page, bridge in reversed(attached):
        if bridge.started.is_running():
            drive(detaching(page, bridge.started))


@contextmanager
def launch_dark(
    playwright: Playwright, browser_name: str, launch_args: dict[str, Any]
) -> Iterator[Page]:
    """Open a page in a browser that prefers dark: Firefox is told so by its preferences only."""
    if browser_name == "firefox":
        prefs = FIREFOX_PREFS | {"layout.css.prefers-color-scheme.content-override": 0}
        launch_args = launch_args | {"firefox_user_prefs": prefs}
    with launched(playwright, browser_name, launch_args) as browser:
        yield browser.new_page(color_scheme="dark" if browser_name == "chromium" else None)
