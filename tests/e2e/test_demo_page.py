"""The demo page by itself: what a person sees and does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from bridge.servers.static_pages import StaticPages
from tests.e2e.conftest import Attach, launch_dark
from tests.e2e.support.real_bridge import ROOT, RealBridge
from tests.e2e.support.seen_page import save, violations


def test_the_page_tells_how_to_start_a_bridge(page: Page, pages: StaticPages) -> None:
    page.goto(pages.page)
    expect(page.locator("#state")).to_have_text("detached")
    expect(page.locator("#message")).to_contain_text(f"browser-bridge --origin {pages.origin}")
    assert page.get_by_role("button", name="Attach", exact=True).is_hidden()


def test_every_edit_goes_through_the_dispatcher_and_can_be_undone(
    page: Page, pages: StaticPages
) -> None:
    page.goto(pages.page)
    text = page.get_by_role("textbox", name="Text")
    before = text.input_value()
    text.press("Control+End")
    text.press_sequentially("ab cd")
    expect(page.locator("#status")).to_contain_text("revision 6")
    text.press("Control+z")
    expect(text).to_have_value(before + "ab ")
    text.press("Control+Shift+z")
    expect(text).to_have_value(before + "ab cd")
    page.get_by_role("button", name="Clear").click()
    expect(text).to_have_value("")
    page.get_by_role("button", name="Undo").click()
    expect(text).to_have_value(before + "ab cd")


def test_an_emoji_is_never_split(page: Page, pages: StaticPages) -> None:
    page.goto(pages.page)
    text = page.get_by_role("textbox", name="Text")
    text.fill("😀")
    text.fill("😁")
    expect(text).to_have_value("😁")
    page.get_by_role("button", name="Undo").click()
    expect(text).to_have_value("😀")


def test_all_of_it_works_by_keyboard(page: Page, bridge: RealBridge) -> None:
    page.goto(bridge.link)
    attach = page.get_by_role("button", name="Attach", exact=True)
    expect(attach).to_be_visible()
    reached = []
    for _ in range(12):
        page.keyboard.press("Tab")
        focused = "document.activeElement.shadowRoot?.activeElement ?? document.activeElement"
        reached.append(page.evaluate(f"({focused}).id"))
        if reached[-1] == "attach":
            break
    assert "text" in reached, reached
    page.keyboard.press("Enter")
    expect(page.locator("#state")).to_have_text("attached")


@pytest.mark.parametrize("width", [1100, 360])
def test_the_page_has_no_accessibility_violation(
    page: Page, bridge: RealBridge, attach: Attach, width: int, browser_name: str
) -> None:
    page.set_viewport_size({"width": width, "height": 720})
    attach(page, bridge)
    bridge.execute("document.text.insert", {"text": "From a terminal. ", "at": 0})
    expect(page.locator("#calls li")).to_have_count(1)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    save(page, f"demo-{browser_name}-light-{width}")


def test_the_page_has_no_accessibility_violation_in_the_dark(
    browser_name: str,
    bridge: RealBridge,
    attach: Attach,
    playwright: Any,
    browser_type_launch_args: dict[str, Any],
) -> None:
    with launch_dark(playwright, browser_name, browser_type_launch_args) as page:
        attach(page, bridge)
        assert page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
        assert violations(page) == []
        save(page, f"demo-{browser_name}-dark")


def test_an_attach_link_can_be_pasted(page: Page, bridge: RealBridge) -> None:
    page.goto(bridge.page)
    page.get_by_label("Attach link").fill("https://example.com/nothing")
    page.get_by_role("button", name="Use it").click()
    expect(page.locator("#message")).to_contain_text("no attach link")
    page.get_by_label("Attach link").fill(bridge.link)
    page.get_by_role("button", name="Use it").click()
    page.get_by_role("button", name="Attach", exact=True).click()
    expect(page.locator("#state")).to_have_text("attached")


def test_screenshots_are_kept_outside_of_the_sources() -> None:
    ignored = Path(ROOT / ".gitignore").read_text(encoding="utf-8")
    assert "build/" in ignored
