"""What one app's frame can do to another's: nothing, as it does not find it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Frame, FrameLocator, Page, expect

from bridge.servers.static_pages import StaticPages
from tests.e2e.support.owner_dialog import allow, deny, owner_dialog
from tests.e2e.support.page_server import PAGES, serve_pages
from tests.e2e.test_workspace import dock, install, opened
from tests.e2e.test_workspace_grants import do, told

LIVE = ("notes/background.html", "guest/background.html", "notes/tile.html", "guest/tile.html")

GIVE_KEYBOARD_TO_OTHERS = """async () => {
  const others = Array.from({ length: parent.frames.length }, (_, at) => parent.frames[at]);
  for (let turn = 0; turn < 12; turn += 1) {
    for (const other of others) if (other !== window) other.focus();
    await new Promise((resolve) => setTimeout(resolve, 120));
  }
  return others.length;
}"""


@pytest.fixture(scope="module")
def pages() -> Iterator[StaticPages]:
    """Serve an app of the tests among the workspace's own."""
    apps = PAGES / "workspace" / "apps"
    with serve_pages(mounts={"/demo/workspace/apps/guest": apps / "guest"}) as served:
        yield served


@pytest.fixture
def guest(page: Page, pages: StaticPages) -> FrameLocator:
    install(page, "guest")
    opened(page, pages)
    dock(page, "Guest").click()
    # A tile takes the keyboard when it is on the bus.
    expect(page.locator("iframe[aria-label=Guest]")).to_be_focused()
    frame = page.frame_locator("[data-app=guest].tile iframe")
    expect(frame.get_by_role("heading")).to_have_text("Guest")
    return frame


def live(page: Page) -> list[Frame]:
    return [each for each in page.frames if each.url.endswith(LIVE)]


def from_guest(page: Page, script: str) -> Any:
    return next(each for each in page.frames if "guest/tile" in each.url).evaluate(script)


def test_an_app_cannot_make_it_look_as_if_another_took_the_keyboard(
    page: Page, guest: FrameLocator, browser_name: str
) -> None:
    assert len(live(page)) == len(LIVE)
    do(guest, "Search the notes")
    expect(owner_dialog(page)).to_be_visible()
    # Those that take the keyboard would be stopped: the others' frames, in their place.
    found = from_guest(page, GIVE_KEYBOARD_TO_OTHERS)
    assert len(live(page)) == len(LIVE)
    expect(page.locator("#consent-title")).to_be_focused()
    allow(page)
    expect(told(guest)).to_contain_text("Roadmap")
    if browser_name == "firefox":
        # There the tiles are found, and to give them the keyboard does nothing.
        return
    # A frame in the page itself is found, and is given the keyboard: elsewhere it is tried in vain.
    assert found == 0
    page.evaluate("() => void document.body.append(document.createElement('iframe'))")
    assert from_guest(page, GIVE_KEYBOARD_TO_OTHERS) == 1
    page.wait_for_function("() => document.activeElement.localName === 'iframe'")


def test_an_app_that_was_closed_does_not_come_back_of_itself(
    page: Page, guest: FrameLocator
) -> None:
    background = next(each for each in page.frames if "guest/background" in each.url)
    background.evaluate(
        """async () => {
          const { callTool } = await import("/app/index.js");
          const name = "workspace.open_tile";
          const call = { target: "kernel", name, arguments: { app: "guest" } };
          globalThis.open = () => callTool(call).then(() => "opened", ({ code }) => code);
        }"""
    )
    assert background.evaluate("open()") == "opened"
    page.get_by_role("toolbar", name="Arrange Guest").get_by_role("button", name="Close").click()
    background.evaluate("() => void open().then((told) => { globalThis.told = told; })")
    expect(owner_dialog(page)).to_contain_text("open a tile of guest")
    deny(page)
    background.wait_for_function("() => globalThis.told === 'OWNER_REQUIRED'")
    assert background.evaluate("open()") == "OWNER_REQUIRED"
    expect(page.locator("[data-app=guest].tile")).to_have_count(0)


def test_notes_that_a_full_browser_does_not_keep_are_not_called_saved(
    page: Page, guest: FrameLocator
) -> None:
    notes = page.frame_locator("[data-app=notes].tile iframe")
    notes.get_by_role("button", name="Roadmap").click()
    expect(notes.get_by_text("Saved", exact=True)).to_be_visible()
    page.evaluate(
        """() => {
          for (let part = "x".repeat(1 << 20); part !== "";) {
            try {
              localStorage.setItem(`filled ${localStorage.length}`, part);
            } catch {
              part = part.slice(part.length / 2 + 1);
            }
          }
        }"""
    )
    notes.get_by_label("Text").fill("Longer than before. " * 50)
    expect(notes.get_by_text("Not kept: this browser has no room.")).to_be_visible()
    page.evaluate(
        "Object.keys(localStorage).filter((key) => /^filled/.test(key))"
        ".forEach((key) => localStorage.removeItem(key))"
    )
    notes.get_by_label("Text").fill("Longer than before, and there is room.")
    expect(notes.get_by_text("Saved", exact=True)).to_be_visible()
