"""The static page server on a thread of its own: Playwright keeps the main thread busy."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bridge.browser_assets import browser_assets
from bridge.servers.static_pages import StaticPages

PAGES = Path(__file__).parents[1] / "pages"


@contextmanager
def serve_pages(
    *,
    headers: Mapping[str, str] | None = None,
    folder: Path | None = None,
    index: str = "demo/index.html",
    mounts: Mapping[str, Path] | None = None,
) -> Iterator[StaticPages]:
    """Serve a folder (by default the browser modules), and the tests' pages below `/probe`."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="pages", daemon=True)
    thread.start()
    pages = StaticPages(
        folder or browser_assets(),
        index=index,
        headers=headers,
        mounts={"/probe": PAGES, **(mounts or {})},
    )
    asyncio.run_coroutine_threadsafe(pages.__aenter__(), loop).result(10)
    try:
        yield pages
    finally:
        asyncio.run_coroutine_threadsafe(pages.__aexit__(None, None, None), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
