"""Bascule's own fixtures with real pages of both of Playwright's interfaces."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from playwright.async_api import async_playwright
from playwright.sync_api import Page, expect

from bridge.client import ActionError, AppClient
from bridge.client.attached_pages import BasculeAttach
from bridge.client.bridge_runner import StartedBridge


@pytest.mark.parametrize("time", ["first", "second"])
def test_a_test_calls_the_app_in_one_line_and_so_does_the_next(
    page: Page, bascule_app: AppClient, time: str
) -> None:
    assert bascule_app.call("test.echo", {"time": time}).output == {"time": time}
    counted = bascule_app.call("test.count", expected_revision="latest")
    assert counted.output == {"runs": 1}
    expect(page.locator("#state")).to_have_text("attached")


def test_a_page_is_attached_by_the_test_s_own_button(
    page: Page, bascule_attach: BasculeAttach
) -> None:
    app = bascule_attach(page, "probe.html?own", button=page.locator("#attach"))
    assert page.url.endswith("/probe/probe.html?own")
    assert [action.name for action in app.actions("count")] == [
        "test.count",
        "test.countAndWait",
        "test.runs",
    ]
    with pytest.raises(ActionError) as caught:
        app.call("test.count", expected_revision=99)
    assert caught.value.code == "STALE_REVISION"
    assert caught.value.outcome is None


def test_a_page_is_attached_again_by_the_same_test(
    page: Page, bascule_attach: BasculeAttach
) -> None:
    for n in range(2):
        app = bascule_attach(page)
        assert app.call("test.echo", {"n": n}).output == {"n": n}


def test_a_page_of_the_asynchronous_interface_is_attached_too(
    bascule_bridge: StartedBridge, browser_name: str, browser_type_launch_args: dict[str, Any]
) -> None:
    async def work() -> None:
        async with async_playwright() as playwright:
            kind = getattr(playwright, browser_name)
            browser = await kind.launch(**browser_type_launch_args)
            try:
                page = await browser.new_page()
                attach = BasculeAttach(bascule_bridge)
                app = await attach(page)
                calls = [app.call("test.echo", {"n": n}) for n in range(20)]
                outputs = [result.output for result in await asyncio.gather(*calls)]
                assert outputs == [{"n": n} for n in range(20)]
                await app.close()
            finally:
                await browser.close()

    # Playwright's other interface has this thread.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work()).result(60)
