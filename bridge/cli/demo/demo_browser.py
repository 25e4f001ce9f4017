"""The browser that the demo opens: the person's own, or one without a window by Playwright.

Playwright is no dependency of bascule, and is imported only for the latter.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import tempfile
import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bridge.cli.demo.demo_error import DemoError
from bridge.cli.redirect_file import open_redirect, redirect_name, redirect_page

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page, Playwright

__all__ = ["open_headless", "opened_in_browser"]

_CHROMIUM_ARGS: Final = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_START_SECONDS: Final = 2.0
"""A browser that has not ended by then has been started, and may stay in the foreground."""
_HINT_SECONDS: Final = 10.0
"""One that starts and dies at once looks like one that was started."""


@asynccontextmanager
async def opened_in_browser(link: str) -> AsyncIterator[None]:
    """Open the link by a file that only we can read: no process's arguments ever carry it.

    The file is there for the length of the context, which does not wait for the browser.
    """
    with tempfile.TemporaryDirectory(prefix="bascule-demo-") as folder:
        redirect = Path(folder) / redirect_name(os.getpid())
        descriptor = os.open(redirect, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(redirect_page(link))
        telling = asyncio.create_task(tell_of_opening(redirect, _START_SECONDS, _HINT_SECONDS))
        try:
            yield
        finally:
            telling.cancel()
            await asyncio.gather(telling, return_exceptions=True)


async def tell_of_opening(redirect: Path, start_seconds: float, hint_seconds: float) -> None:
    """Open a file in the person's browser, and tell them what to do; cancelled once they have.

    After `start_seconds` the browser counts as started; `hint_seconds` later it may not have been.
    """
    started = _start(redirect)
    done, _ = await asyncio.wait({started}, timeout=start_seconds)
    if done and not started.result():
        print(
            f"No browser could be started. Open this file in one: {redirect}\n"
            'Then press "Attach" in the page. On a machine without a desktop, '
            "`bascule demo --headless --stay` shows what nobody has to say yes to. "
            "(Ctrl-C stops.)"
        )
        return
    print('The page is opening in your browser: press "Attach" there. (Ctrl-C stops.)')
    await asyncio.sleep(hint_seconds)
    print(f"Nothing opened? Open this file in a browser: {redirect}")


def _start(redirect: Path) -> asyncio.Future[bool]:
    """Start the browser in a thread, which nobody has to wait for; give whether it started.

    Some do not come back before they are closed, and what they show is served by this process.
    """
    loop = asyncio.get_running_loop()
    started: asyncio.Future[bool] = loop.create_future()

    def tell(opened: bool) -> None:
        if not started.done():
            started.set_result(opened)

    def start() -> None:
        opened = open_redirect(redirect)
        # The demo may have ended by then, and its loop with it.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(tell, opened)

    threading.Thread(target=start, daemon=True).start()
    return started


async def open_headless(stack: AsyncExitStack, name: str, link: str) -> Page:
    """Open and attach the page without a window; the stack closes it. Raises `DemoError`."""
    try:
        from playwright.async_api import async_playwright  # noqa: PLC0415 - only for this
    except ImportError:
        raise DemoError(
            "--headless needs Playwright: pip install playwright==1.64.1, or use scripts/demo"
        ) from None
    playwright = await stack.enter_async_context(async_playwright())
    browser = await _launch(playwright, name)
    stack.push_async_callback(browser.close)
    page = await browser.new_page(viewport={"width": 1100, "height": 720})
    await page.goto(link)
    await page.get_by_role("button", name="Attach").click()
    return page


async def _launch(playwright: Playwright, name: str) -> Browser:
    variable = f"BASCULE_{name.upper()}"
    default = "/usr/bin/chromium" if name == "chromium" else "/usr/bin/firefox-esr"
    executable = os.environ.get(variable, default)
    if shutil.which(executable) is None:
        raise DemoError(
            f"{executable} does not exist; install {name}, or name another with {variable}"
        )
    if name == "firefox":
        return await playwright.firefox.launch(channel="moz-firefox", executable_path=executable)
    # Chromium's sandbox does not run as root.
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    return await playwright.chromium.launch(
        executable_path=executable, args=[*_CHROMIUM_ARGS, *root]
    )
