"""How the two browsers are launched: by the tests, and by the benchmarks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Playwright

CHROMIUM = os.environ.get("BASCULE_CHROMIUM", "/usr/bin/chromium")
FIREFOX = os.environ.get("BASCULE_FIREFOX", "/usr/bin/firefox-esr")
CHROMIUM_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
FIREFOX_PREFS: dict[str, str | float | bool] = {
    # Without it going back in the history hangs.
    "fission.bfcacheInParent": False,
}


def launch_options(browser_name: str, home: str) -> dict[str, Any]:
    """Return what Playwright's `launch` takes. Firefox refuses a home of somebody else's."""
    if browser_name == "chromium":
        return {"executable_path": CHROMIUM, "args": CHROMIUM_ARGS}
    return {
        "executable_path": FIREFOX,
        "channel": "moz-firefox",
        "firefox_user_prefs": FIREFOX_PREFS,
        "env": {**os.environ, "HOME": home},
    }


@contextmanager
def launched(
    playwright: Playwright, browser_name: str, options: dict[str, Any]
) -> Iterator[Browser]:
    """Run a browser of one's own, and close it whatever happens."""
    browser: Browser = getattr(playwright, browser_name).launch(**options)
    try:
        yield browser
    finally:
        browser.close()
