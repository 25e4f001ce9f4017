"""Attaches a Playwright page to a bridge as a person does: opens the link, presses the button.

Written once for pages of both of Playwright's interfaces, as steps of which each is a value or an
awaitable. Imports nothing of Playwright: a page is whatever has its methods.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable, Generator
from typing import Any, Final, TypeAlias, TypeVar, cast

from bridge.client.bridge_failure import BasculeError
from bridge.client.bridge_runner import StartedBridge

__all__ = ["AttachError", "Button", "attaching", "detaching", "drive", "drive_async", "is_async"]

T = TypeVar("T")
Page: TypeAlias = Any
"""A page of `playwright.sync_api` or `playwright.async_api`."""
Button: TypeAlias = "str | Callable[[Page], Any] | Any"
"""A button's name, a locator, or what finds one in a page."""
Steps: TypeAlias = Generator[Any, Any, T]

_PATIENCE_SECONDS: Final = 15.0
_PAUSE_MS: Final = 25


class AttachError(AssertionError):
    """The page did not attach. The message has what the page said."""


def is_async(page: Page) -> bool:
    """Say whether a page is of Playwright's asynchronous interface."""
    return inspect.iscoroutinefunction(page.goto)


def drive(steps: Steps[T]) -> T:
    """Do the steps with a page of the synchronous interface."""
    try:
        reply = next(steps)
        while True:
            reply = steps.send(reply)
    except StopIteration as end:
        return cast("T", end.value)


async def drive_async(steps: Steps[T]) -> T:
    """Do the steps with a page of the asynchronous interface."""
    try:
        step = next(steps)
        while True:
            try:
                reply = await step if isinstance(step, Awaitable) else step
            except Exception as error:  # noqa: BLE001 - the steps decide
                step = steps.throw(error)
            else:
                step = steps.send(reply)
    except StopIteration as end:
        return cast("T", end.value)


def attaching(
    page: Page,
    bridge: StartedBridge,
    url: str | None = None,
    button: Button = "Attach",
    clock: Callable[[], float] = time.monotonic,
) -> Steps[None]:
    """Open the attach link in a page, press the button, and wait until the bridge has the page.

    Raises `AttachError`.
    """
    # The page of an earlier test may still be leaving.
    other = yield from _wait_for(page, bridge, lambda app: app is None, clock)
    if other is not None:
        raise AttachError(
            f"Another page is attached ({other}), and a bridge has one at a time: "
            "close it or detach it."
        )
    yield page.goto(bridge.link(url))
    yield _locator(page, button).click()
    app = yield from _wait_for(page, bridge, lambda app: app is not None, clock)
    if app is None:
        said = yield from _panel_message(page)
        raise AttachError(f"The page did not attach within {_PATIENCE_SECONDS:g} s.{said}")


def detaching(
    page: Page, bridge: StartedBridge, clock: Callable[[], float] = time.monotonic
) -> Steps[None]:
    """End a page's attachment and wait until the bridge has noticed.

    Presses the button of the page's attach panel where there is one, since a page that is left
    cannot be looked at afterwards; without one it leaves the page.
    """
    if not page.is_closed() and _app(bridge) is not None:
        panel = page.locator("bascule-panel")
        # A collapsed panel has the button, too.
        button = panel.get_by_role("button", name="Detach", exact=True, include_hidden=True)
        count = yield button.count()
        if count == 1:
            # By the event alone: what covers the button does not matter now.
            yield button.dispatch_event("click")
        else:
            yield page.goto("about:blank")
    yield from _wait_for(page, bridge, lambda app: app is None, clock)


def _wait_for(
    page: Page,
    bridge: StartedBridge,
    fits: Callable[[str | None], bool],
    clock: Callable[[], float],
) -> Steps[str | None]:
    """Ask the bridge until what is attached fits; return what is attached in the end."""
    end = clock() + _PATIENCE_SECONDS
    while True:
        app = _app(bridge)
        if fits(app) or clock() >= end:
            return app
        if page.is_closed():
            # There is nothing to wait in; the bridge notices by itself.
            time.sleep(_PAUSE_MS / 1000)
        else:
            # The test's own routes and handlers go on meanwhile.
            yield page.wait_for_timeout(_PAUSE_MS)


def _app(bridge: StartedBridge) -> str | None:
    try:
        return bridge.attached_app()
    except BasculeError:
        # A bridge that has ended has nothing attached.
        return None


def _locator(page: Page, button: Button) -> Any:  # noqa: ANN401 - Playwright's
    if isinstance(button, str):
        return page.get_by_role("button", name=button, exact=True)
    # A locator is callable in no version of Playwright.
    return button(page) if callable(button) else button


def _panel_message(page: Page) -> Steps[str]:
    message = page.locator("#bascule-message")
    count = yield message.count()
    if not count:
        return ""
    text = yield message.first.text_content()
    return f" The page says: {text.strip()}" if text and text.strip() else ""
