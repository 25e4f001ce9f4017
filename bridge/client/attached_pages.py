"""The pages that one test attached, and the clients that it was given for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from bridge.client.page_attaching import (
    Button,
    Page,
    attaching,
    detaching,
    drive,
    drive_async,
    is_async,
)

if TYPE_CHECKING:
    from bridge.client.app_client import AppClient
    from bridge.client.async_app_client import AsyncAppClient
    from bridge.client.bridge_runner import StartedBridge

__all__ = ["BasculeAttach"]


class BasculeAttach:
    """Attaches pages to a bridge, for the length of a test. The fixture `bascule_attach`."""

    def __init__(self, bridge: StartedBridge) -> None:
        self._bridge = bridge
        self._pages: list[Page] = []
        self._endings = ExitStack()

    def __call__(self, page: Page, url: str | None = None, *, button: Button = "Attach") -> Any:  # noqa: ANN401 - a client, or what is to be awaited for one
        """Open the app in a page, attach it, and return a client for it.

        `url` is an address of the app, or a part of one; without it the app's first page is
        opened. `button` is the name of the button that attaches, a locator of it, or a function
        that finds it in the page. With a page of Playwright's asynchronous interface the result is
        to be awaited, and is an `AsyncAppClient`. Raises `AttachError` when the page does not
        attach.
        """
        if is_async(page):
            return self._attach_async(page, url, button)
        self._leave(page)
        drive(attaching(page, self._bridge, url, button))
        self._pages.append(page)
        self._endings.callback(lambda: drive(detaching(page, self._bridge)))
        return self.client()

    def client(self) -> AppClient:
        """Return a blocking client that is closed with the test."""
        client = self._bridge.connect()
        self._endings.callback(client.close)
        return client

    def finish(self) -> None:
        """Close all clients and detach all pages, so that the next test can attach its own.

        What one of them raises is raised when all are done.
        """
        self._endings.close()

    def _leave(self, page: Page) -> None:
        if page in self._pages:
            drive(detaching(page, self._bridge))

    async def _attach_async(self, page: Page, url: str | None, button: Button) -> AsyncAppClient:
        loop = asyncio.get_running_loop()
        if page in self._pages:
            await drive_async(detaching(page, self._bridge))
        await drive_async(attaching(page, self._bridge, url, button))
        self._pages.append(page)
        client = await self._bridge.connect().__aenter__()

        async def end() -> None:
            await client.close()
            await drive_async(detaching(page, self._bridge))

        self._endings.callback(_run_in, loop, end)
        return client


def _run_in(loop: asyncio.AbstractEventLoop, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Do what a test left to be done in its loop. Where that is closed its pages are, too."""
    if not loop.is_closed() and not loop.is_running():
        loop.run_until_complete(work())
