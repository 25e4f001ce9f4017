"""What the page does for an app itself: the clipboard, the tray, and what an owner enters."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from bridge.servers.static_pages import StaticPages
from tests.e2e.support.fresh_clicks import wait_for_none, watch_clicks
from tests.e2e.support.owner_dialog import allow, deny, owner_dialog
from tests.e2e.support.page_server import PAGES, serve_pages
from tests.e2e.test_workspace import dock, install, opened
from tests.e2e.test_workspace_grants import do, told


@pytest.fixture(scope="module")
def pages() -> Iterator[StaticPages]:
    """Serve an app of the tests among the workspace's own."""
    apps = PAGES / "workspace" / "apps"
    with serve_pages(mounts={"/demo/workspace/apps/guest": apps / "guest"}) as served:
        yield served


@pytest.fixture
def guest(page: Page, pages: StaticPages) -> FrameLocator:
    watch_clicks(page)
    install(page, "guest")
    opened(page, pages)
    dock(page, "Guest").click()
    expect(page.locator("iframe[aria-label=Guest]")).to_be_focused()
    frame = page.frame_locator("[data-app=guest].tile iframe")
    expect(frame.get_by_role("heading")).to_have_text("Guest")
    return frame


def pasted(page: Page) -> str:
    """Say what the clipboard holds, by pasting it into a field of the page as a person would."""
    page.evaluate(
        """() => {
          const field = document.createElement("textarea");
          field.id = "pasted";
          document.body.append(field);
          field.focus();
        }"""
    )
    page.keyboard.press("Control+v")
    page.wait_for_function("() => document.getElementById('pasted').value !== ''")
    return page.locator("#pasted").input_value()


def test_a_click_in_a_tile_writes_to_the_clipboard(page: Page, guest: FrameLocator) -> None:
    wait_for_none(page)
    do(guest, "Copy")
    expect(told(guest)).to_contain_text("done")
    expect(owner_dialog(page)).to_be_hidden()
    assert pasted(page) == "Copied from the guest"


def test_where_the_click_may_have_been_anothers_the_page_asks_for_one_of_its_own(
    page: Page, guest: FrameLocator
) -> None:
    wait_for_none(page)
    page.get_by_role("button", name="Keyboard shortcuts").click()
    page.get_by_role("dialog", name="Keyboard").get_by_role("button", name="Close").click()
    do(guest, "Copy")
    dialog = owner_dialog(page)
    expect(dialog).to_contain_text("Copied from the guest")
    deny(page)
    expect(told(guest)).to_contain_text("OWNER_REQUIRED")
    page.reload()
    expect(guest.get_by_role("heading")).to_have_text("Guest")
    page.get_by_role("button", name="Keyboard shortcuts").click()
    page.get_by_role("dialog", name="Keyboard").get_by_role("button", name="Close").click()
    do(guest, "Copy")
    allow(page, confirm="Copy")
    expect(told(guest)).to_contain_text("done")
    assert pasted(page) == "Copied from the guest"


def test_a_badge_is_shown_and_said_and_goes_with_its_app(page: Page, guest: FrameLocator) -> None:
    tray = page.get_by_role("group", name="Tray")
    do(guest, "Badge")
    expect(tray.get_by_role("button", name="Guest at a glance, 7", exact=True)).to_have_text("7")
    do(guest, "No badge")
    expect(tray.get_by_role("button", name="Guest at a glance", exact=True)).to_have_text("")
    do(guest, "Badge")
    expect(tray.get_by_role("button", name="Guest at a glance, 7")).to_be_visible()
    background = next(each for each in page.frames if each.url.endswith("/guest/background.html"))
    background.evaluate("void (location.href = './tray.html')")
    expect(tray.get_by_role("button", name="Guest at a glance", exact=True)).to_be_visible()


def test_a_tray_closes_its_own_popover(page: Page, guest: FrameLocator) -> None:
    button = page.get_by_role("group", name="Tray").get_by_role("button", name="Guest at a glance")
    button.click()
    tray = page.frame_locator("#popover iframe")
    tray.get_by_role("button", name="Dismiss").click()
    expect(page.locator("#popover iframe")).to_have_count(0)
    expect(page.locator("#popover")).to_be_hidden()
    expect(button).to_have_attribute("aria-expanded", "false")


def test_a_credential_goes_to_the_app_that_asked_and_stays_out_of_the_activity(
    page: Page, guest: FrameLocator
) -> None:
    do(guest, "Connect")
    dialog = owner_dialog(page)
    expect(dialog).to_contain_text("To open it.")
    dialog.get_by_label("Credential for vault").fill("open sesame")
    allow(page, confirm="Connect")
    expect(told(guest)).to_have_text('done {"length":11}')
    page.get_by_role("button", name="Activity").click()
    calls = page.locator("#calls")
    entry = calls.get_by_role("listitem").filter(has_text="connections.request")
    expect(entry).to_contain_text("only you see this")
    page.get_by_label("Calls within an app too").check()
    expect(calls).to_contain_text("guest_connect")
    assert "sesame" not in calls.evaluate("(list) => list.textContent")
