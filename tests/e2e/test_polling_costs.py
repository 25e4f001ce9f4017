"""What a call over long polling costs: no more requests than it must."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

from bridge.servers.static_pages import StaticPages
from tests.e2e.conftest import Attach
from tests.e2e.support.real_bridge import run_bridge

CALLS = 10


def test_the_browser_asks_once_for_each_route_and_not_before_each_call(
    pages: StaticPages, runtime: Path, page: Page, attach: Attach
) -> None:
    address = f"{pages.origin}/probe/probe.html"
    with run_bridge(pages.origin, address, runtime, "--no-channel", "-vv") as bridge:
        attach(page, bridge)
        for number in range(CALLS):
            assert bridge.execute("test.echo", {"value": number})["output"] == {"value": number}
        preflights = [line for line in bridge.started.log if "OPTIONS answered with 204" in line]
        posts = [line for line in bridge.started.log if "POST answered with 200" in line]
    assert len(posts) > 2 * CALLS, "the log was read"
    # One for each route and each of its callers, the page and its worker; not two for each call.
    assert 0 < len(preflights) < CALLS
