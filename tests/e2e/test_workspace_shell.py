"""The workspace's shell as a newcomer meets it: the keyboard's way, what is seen, what is told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from bridge.servers.static_pages import StaticPages
from tests.e2e.support.owner_dialog import deny
from tests.e2e.support.page_server import PAGES, serve_pages
from tests.e2e.test_workspace import PAGE, dock, focused, install, notes_of, opened, tool

IN_PANEL = "() => document.querySelector('bascule-panel').shadowRoot.activeElement !== null"

WIDTH = "document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def pages() -> Iterator[StaticPages]:
    """Serve apps of the tests among the workspace's own."""
    apps = PAGES / "workspace" / "apps"
    mounts = {f"/demo/workspace/apps/{app}": apps / app for app in ("other", "broken")}
    with serve_pages(mounts=mounts) as served:
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
    page.wait_for_function(
        "() => (document.activeElement.shadowRoot ?? document).activeElement?.ariaLabel === 'Notes'"
    )
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
    page.wait_for_function(
        "() => (document.activeElement.shadowRoot ?? document).activeElement?.ariaLabel === 'Notes'"
    )
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
    # A tile takes the keyboard when it runs, and the page goes there: not under the pointer.
    expect(page.locator("iframe[aria-label*='Other']")).to_be_focused()
    tool(page, "Other", "Put aside").click()
    shown = page.get_by_role("button", name="Show Other")
    if width == 360:
        # A narrow page is scrolled: the bar is where the tiles are.
        page.locator("#desk").evaluate("(desk) => desk.scrollIntoView()")
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


def test_locking_asks_first_and_says_what_is_lost(page: Page, pages: StaticPages) -> None:
    install(page, "other")
    opened(page, pages)
    dock(page, "Other").click()
    expect(dock(page, "Other")).to_contain_text("Running")
    page.get_by_role("button", name="Activity").focus()
    page.keyboard.press("Control+Shift+L")
    asked = page.get_by_role("dialog", name="Lock the workspace?")
    expect(asked).to_contain_text("stops Notes and Other")
    expect(asked).to_contain_text("What Other keeps is in memory only, and is lost")
    expect(asked).to_contain_text("What Notes has in its backend stays.")
    page.keyboard.press("Control+Shift+L")
    expect(asked.get_by_role("button", name="Go on working")).to_be_focused()
    page.keyboard.press("Enter")
    expect(asked).to_be_hidden()
    expect(notes_of(page).get_by_role("button", name="Roadmap")).to_be_visible()
    page.get_by_role("button", name="Lock the workspace").click()
    page.keyboard.press("Escape")
    expect(page.locator("iframe")).to_have_count(3)
    page.get_by_role("button", name="Lock the workspace").click()
    asked.get_by_role("button", name="Lock it").click()
    expect(page.get_by_text("What Other kept in memory is gone")).to_be_visible()
    expect(page.locator("iframe")).to_have_count(0)
    page.get_by_role("button", name="Unlock").click()
    expect(page.locator("#notice")).to_contain_text("What Other kept in memory is gone")


def test_a_workspace_in_which_nothing_runs_is_locked_at_once(
    page: Page, pages: StaticPages
) -> None:
    install(page)
    # Without a background, and without a tile.
    page.route("**/notes/manifest.json", lambda route: route.fulfill(status=404))
    page.goto(pages.origin + PAGE)
    expect(page.get_by_text("notes is not installed")).to_be_visible()
    page.get_by_role("button", name="Lock the workspace").click()
    expect(page.get_by_role("button", name="Unlock")).to_be_focused()
    expect(page.locator("#lost")).to_have_text("No app runs.")


def test_what_does_not_start_is_told_of_with_what_is_known(page: Page, pages: StaticPages) -> None:
    install(page, "other", "broken")
    page.clock.install()
    opened(page, pages)
    dock(page, "Broken").click()
    dock(page, "Other: Plain").click()
    plain = page.frame_locator("[data-app=other].tile iframe")
    expect(plain.locator("body")).to_contain_text("Nothing.")
    expect(page.locator("[data-app=broken].tile .state")).to_have_text("Starting")
    page.wait_for_load_state("networkidle")
    page.clock.run_for(17_000)
    apps = page.get_by_role("navigation", name="Apps")
    expect(apps).to_contain_text("it did not start: its page gone.html was not found")
    tile = page.locator("[data-app=broken].tile")
    expect(tile).to_contain_text("Broken did not start: its script gone.js was not found")
    expect(page.locator("[data-app=other].tile")).to_contain_text("never asked for its port")
    for told in (tile, apps, page.locator("[data-app=other].tile")):
        expect(told).to_contain_text("s console says more")


def test_the_activity_shows_what_leaves_an_app_and_counts_the_rest(
    page: Page, pages: StaticPages
) -> None:
    install(page, "other")
    opened(page, pages)
    page.get_by_role("button", name="Activity").click()
    expect(page.get_by_text("Nothing was called across apps")).to_be_visible()
    expect(page.locator("#hidden-calls")).to_contain_text("not shown")
    dock(page, "Other").click()
    other = page.frame_locator("[data-app=other].tile iframe")
    other.get_by_role("button", name="Ask the notes").click()
    deny(page)
    calls = page.get_by_role("list", name="The last calls")
    expect(calls.get_by_role("listitem")).to_have_count(1)
    everything = page.get_by_role("checkbox", name="Calls within an app too")
    everything.check()
    expect(calls).to_contain_text("Notes: tile → background")
    expect(calls.get_by_role("listitem").first).to_contain_text("Other (tile)")
    expect(page.locator("#hidden-calls")).to_have_text("")
    everything.uncheck()
    expect(calls.get_by_role("listitem")).to_have_count(1)


def test_the_activity_shows_every_call_that_is_kept(page: Page, pages: StaticPages) -> None:
    page.goto(f"{pages.origin}/probe/workspace/bare.html")
    page.set_content(
        "<ol id='list'></ol><p id='none'></p><input id='all' type='checkbox'><p id='hidden'></p>"
    )
    page.evaluate(
        """async () => {
          const { AuditRing } = await import("/kernel/audit/audit_ring.js");
          const { ActivityView } = await import("/demo/workspace/view/activity_view.js");
          const audit = new AuditRing({ now: () => 0, wallNow: () => 0 });
          const [list, none, all, hidden] = ["list", "none", "all", "hidden"].map((id) =>
            document.getElementById(id),
          );
          const view = new ActivityView({ list, none, all, hidden }, audit, () => "who");
          view.setVisible(true);
          for (let n = 0; n < 250; n++) {
            const target = "app:notes:background";
            audit.begin({ caller: "app:board:tile", target, tool: `tool${n}`, arguments: {} });
          }
        }"""
    )
    calls = page.locator("#list > li")
    expect(calls).to_have_count(200)
    expect(calls.first).to_contain_text("tool249")
    expect(calls.last).to_contain_text("tool50")
    expect(page.locator("#hidden")).to_have_text("")


def test_one_notice_names_all_that_do_not_answer_and_goes_when_they_do(
    page: Page, pages: StaticPages
) -> None:
    page.goto(f"{pages.origin}/probe/workspace/bare.html")
    page.set_content("<div id='place' hidden></div>")
    page.evaluate(
        """async () => {
          const { Notices } = await import("/demo/page/notices.js");
          const { SilentNotice } = await import("/demo/workspace/view/silent_notice.js");
          const place = document.getElementById("place");
          globalThis.notices = new Notices(place);
          globalThis.silent = new SilentNotice(notices, place);
        }"""
    )
    place = page.locator("#place")
    page.evaluate("silent.show(['Todo'])")
    expect(place).to_contain_text("Todo has not answered")
    page.evaluate("silent.show(['Todo', 'Notes', 'Write'])")
    expect(place).to_contain_text("Todo, Notes and Write have not answered")
    page.evaluate("silent.show(['Todo'])")
    expect(place).to_contain_text("Todo has not answered")
    page.evaluate("silent.show([])")
    expect(place).to_be_hidden()
    page.evaluate("silent.show(['Todo', 'Notes'])")
    place.get_by_role("button").click()
    page.evaluate("silent.show(['Todo'])")
    expect(place).to_be_hidden()
    page.evaluate("notices.show('Another'); silent.show([])")
    expect(place).to_contain_text("Another")


def test_the_word_processor_says_who_keeps_what_is_written_in_a_workspace(
    page: Page, pages: StaticPages
) -> None:
    install(page, "writer")
    opened(page, pages)
    dock(page, "Write").click()
    text = page.frame_locator("[data-app=writer].tile iframe").locator("#text")
    expect(text).to_contain_text("kept by the workspace while this page is open")
    expect(text).to_contain_text("bascule actions bascule-workspace --query app.writer")
    expect(text).not_to_contain_text("stays in this browser")


def test_a_board_among_four_tiles_is_seen_whole(page: Page, pages: StaticPages) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    install(page, "writer", "board", "other")
    opened(page, pages)
    for app in ("Write", "Board", "Other"):
        dock(page, app).click()
        expect(dock(page, app)).to_contain_text("Running")
    board = page.frame_locator("[data-app=board].tile iframe")
    expect(board.locator("#empty")).to_be_visible()
    whole = "() => document.documentElement.scrollHeight <= innerHeight"
    frame = next(each for each in page.frames if each.url.endswith("/board/tile.html"))
    frame.wait_for_function(whole)
    bar = "() => { const bar = document.getElementById('bar');"
    assert frame.evaluate(bar + " return bar.scrollWidth <= bar.clientWidth; }")
