"""The workspace's shell as a newcomer meets it: the keyboard's way, what is seen, what is told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from bridge.servers.static_pages import StaticPages
from tests.e2e.support.page_server import PAGES, serve_pages
from tests.e2e.test_workspace import dock, focused, install, notes_of, opened, tool

IN_PANEL = "() => document.querySelector('bascule-panel').shadowRoot.activeElement !== null"

WIDTH = "document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def pages() -> Iterator[StaticPages]:
    """Serve an app of the tests among the workspace's own."""
    other = {"/demo/workspace/apps/other": PAGES / "workspace" / "apps" / "other"}
    with serve_pages(mounts=other) as served:
        yield served


@pytest.mark.parametrize("activity", [False, True], ids=["alone", "beside the activity"])
def test_f6_reaches_the_terminals_panel(page: Page, pages: StaticPages, activity: bool) -> None:
    install(page)
    opened(page, pages)
    if activity:
        page.keyboard.press("Control+j")
        expect(page.get_by_role("heading", name="Activity")).to_be_visible()
    page.keyboard.press("Shift+F6")
    assert page.evaluate(IN_PANEL)
    page.keyboard.press("Tab")
    expect(page.get_by_label("Attach link")).to_be_focused()
    page.keyboard.press("F6")
    assert focused(page) == "Notes at a glance"


def test_what_is_put_aside_and_shown_again_by_keyboard_has_the_keyboard(
    page: Page, pages: StaticPages
) -> None:
    install(page)
    notes = opened(page, pages)
    tool(page, "Notes", "Put aside").press("Enter")
    page.get_by_role("button", name="Show Notes").press("Enter")
    expect(notes.get_by_role("button", name="Roadmap")).to_be_visible()
    page.wait_for_function("() => document.activeElement.title === 'Notes'")
    page.keyboard.press("Tab")
    expect(notes.get_by_label("Search notes")).to_be_focused()


def test_an_app_that_is_started_again_by_keyboard_has_the_keyboard(
    page: Page, pages: StaticPages
) -> None:
    install(page)
    notes = opened(page, pages)
    frame = next(each for each in page.frames if each.url.endswith("/notes/tile.html"))
    frame.evaluate("void (location.href = './tray.html')")
    page.get_by_role("button", name="Start again").press("Enter")
    expect(notes.get_by_role("button", name="Roadmap")).to_be_visible()
    page.wait_for_function("() => document.activeElement.title === 'Notes'")
    page.keyboard.press("Tab")
    expect(notes.get_by_label("Search notes")).to_be_focused()


def test_a_background_that_is_started_again_leaves_the_keyboard_at_its_app(
    page: Page, pages: StaticPages
) -> None:
    install(page)
    opened(page, pages)
    background = next(each for each in page.frames if each.url.endswith("/notes/background.html"))
    background.evaluate("void (location.href = './tray.html')")
    page.get_by_role("button", name="Start Notes again").press("Enter")
    expect(dock(page, "Notes")).to_be_focused()
    expect(dock(page, "Notes")).to_contain_text("Running")


@pytest.mark.parametrize("width", [1280, 360])
def test_the_bar_of_what_is_put_aside_is_seen_at_once(
    page: Page, pages: StaticPages, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    install(page, "other")
    opened(page, pages)
    dock(page, "Other").click()
    tool(page, "Other", "Put aside").click()
    shown = page.get_by_role("button", name="Show Other")
    if width == 360:
        notes_of(page).get_by_label("Search notes").scroll_into_view_if_needed()
    expect(shown).to_be_in_viewport(ratio=1)


def test_a_notice_goes_from_edge_to_edge(page: Page, pages: StaticPages) -> None:
    install(page)
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 800})
        opened(page, pages)
        page.evaluate("document.getElementById('notice').hidden = false")
        box = page.locator("#notice").bounding_box()
        assert box is not None
        assert (box["x"], box["width"]) == (0, page.evaluate(WIDTH))
