"""The workspace: apps in frames as a person opens, arranges, locks and sees them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Frame, FrameLocator, Page, Route, expect

from bridge.servers.static_pages import StaticPages
from tests.e2e.conftest import Attach, launch_dark
from tests.e2e.support.owner_dialog import allow, deny, owner_dialog
from tests.e2e.support.page_server import PAGES, serve_pages
from tests.e2e.support.real_bridge import RealBridge, run_bridge
from tests.e2e.support.seen_page import AXE, save

PAGE = "/demo/workspace/index.html"


@pytest.fixture
def workspace_bridge(pages: StaticPages, runtime: Path) -> Iterator[RealBridge]:
    """Run a bridge whose page is the workspace."""
    with run_bridge(pages.origin, pages.origin + PAGE, runtime) as running:
        yield running


@pytest.fixture(scope="module")
def pages() -> Iterator[StaticPages]:
    """Serve an app of the tests among the workspace's own."""
    other = {"/demo/workspace/apps/other": PAGES / "workspace" / "apps" / "other"}
    with serve_pages(mounts=other) as served:
        yield served


def install(page: Page, *apps: str) -> None:
    """Let the workspace have the notes and these apps, and no others."""

    def listed(route: Route) -> None:
        response = route.fetch()
        text = response.text()
        names = ", ".join(f'"{app}"' for app in ("notes", *apps))
        body = re.sub(r"INSTALLED = Object\.freeze\(\[[^\]]*\]\)", f"INSTALLED = [{names}]", text)
        assert body != text
        route.fulfill(response=response, body=body)

    page.route("**/manifests/installed_apps.js", listed)


def opened(page: Page, pages: StaticPages) -> FrameLocator:
    """Open the workspace and wait for its first app."""
    page.goto(pages.origin + PAGE)
    notes = notes_of(page)
    expect(notes.get_by_role("button", name="Roadmap")).to_be_visible()
    return notes


def notes_of(page: Page) -> FrameLocator:
    return page.frame_locator("[data-app=notes].tile iframe")


def dock(page: Page, app: str) -> Any:
    return page.get_by_role("navigation", name="Apps").get_by_role("button", name=app).first


def tool(page: Page, tile: str, name: str) -> Any:
    return page.get_by_role("toolbar", name=f"Arrange {tile}").get_by_role("button", name=name)


def lock(page: Page) -> None:
    page.get_by_role("button", name="Lock the workspace").click()
    page.get_by_role("button", name="Lock it").click()
    expect(page.get_by_role("button", name="Unlock")).to_be_focused()


def frames_shown(page: Page) -> int:
    return page.locator("iframe").count()


def test_opening_the_workspace_shows_an_app_that_runs(page: Page, pages: StaticPages) -> None:
    install(page)
    notes = opened(page, pages)
    expect(notes.get_by_role("status").first).to_have_text("2 notes")
    expect(dock(page, "Notes")).to_contain_text("Running")
    assert frames_shown(page) == 2
    sandboxes = page.locator("iframe").evaluate_all("all => all.map(each => each.sandbox.value)")
    assert set(sandboxes) == {"allow-scripts"}


def test_a_note_is_written_found_and_kept_while_its_tile_is_closed(
    page: Page, pages: StaticPages
) -> None:
    install(page)
    notes = opened(page, pages)
    notes.get_by_role("button", name="New").click()
    expect(notes.get_by_label("Title")).to_be_focused()
    page.keyboard.type("Shopping")
    notes.get_by_label("Text", exact=True).fill("bread and salt")
    expect(notes.locator("#saved")).to_have_text("Saved")
    notes.get_by_label("Search notes").fill("SALT bread")
    expect(notes.get_by_role("button", name="Shopping")).to_be_visible()
    expect(notes.locator("#count")).to_have_text("1 note found")
    expect(notes.get_by_role("button", name="Roadmap")).to_have_count(0)
    tool(page, "Notes", "Close").click()
    expect(page.get_by_text("Nothing is open.")).to_be_visible()
    assert frames_shown(page) == 1
    dock(page, "Notes").click()
    notes.get_by_role("button", name="Shopping").click()
    expect(notes.get_by_label("Text", exact=True)).to_have_value("bread and salt")
    notes.get_by_role("button", name="Delete").click()
    expect(notes.locator("#count")).to_have_text("2 notes")


def test_the_popover_of_the_tray_lives_as_long_as_it_is_shown(
    page: Page, pages: StaticPages
) -> None:
    install(page)
    notes = opened(page, pages)
    button = page.get_by_role("button", name="Notes at a glance")
    button.click()
    expect(button).to_have_attribute("aria-expanded", "true")
    tray = page.frame_locator("#popover iframe")
    expect(tray.get_by_role("status")).to_have_text("2 notes")
    tray.get_by_label("A new note").fill("From the tray")
    tray.get_by_role("button", name="Add").click()
    expect(tray.get_by_role("status")).to_have_text("3 notes")
    expect(notes.get_by_role("button", name="From the tray")).to_be_visible()
    page.get_by_role("button", name="Close", exact=True).last.click()
    expect(page.locator("#popover")).to_be_hidden()
    expect(button).to_be_focused()
    assert frames_shown(page) == 2
    button.press("Enter")
    expect(tray.get_by_role("status")).to_have_text("3 notes")
    page.keyboard.press("Escape")
    expect(page.locator("#popover iframe")).to_have_count(0)
    expect(button).to_be_focused()
    button.click()
    expect(tray.get_by_role("status")).to_have_text("3 notes")
    notes.get_by_label("Search notes").click()
    expect(page.locator("#popover iframe")).to_have_count(0)


def test_tiles_are_arranged_without_loading_anew(page: Page, pages: StaticPages) -> None:
    install(page, "other")
    notes = opened(page, pages)
    dock(page, "Other").click()
    other = page.frame_locator("[data-app=other].tile iframe")
    expect(other.get_by_role("heading")).to_have_text("Other")
    notes.get_by_label("Search notes").fill("road")
    order = "all => all.sort((a, b) => a.style.order - b.style.order).map(each => each.dataset.app)"
    seen = page.locator("section.tile")
    assert seen.evaluate_all(order) == ["notes", "other"]
    assert tool(page, "Notes", "Move earlier").is_disabled()
    tool(page, "Notes", "Move later").click()
    assert seen.evaluate_all(order) == ["other", "notes"]
    tool(page, "Notes", "Full width").click()
    expect(tool(page, "Notes", "Full width")).to_have_attribute("aria-pressed", "true")
    # It has its port still, and what was typed.
    expect(notes.get_by_label("Search notes")).to_have_value("road")
    notes.get_by_label("Search notes").fill("welcome")
    expect(notes.locator("#count")).to_have_text("1 note found")


def test_a_tile_that_is_put_aside_is_not_live(page: Page, pages: StaticPages) -> None:
    install(page)
    notes = opened(page, pages)
    tool(page, "Notes", "Put aside").click()
    assert frames_shown(page) == 1
    page.get_by_role("button", name="Show Notes").click()
    expect(notes.get_by_role("button", name="Roadmap")).to_be_visible()
    assert frames_shown(page) == 2


def test_locking_takes_every_frame_away_and_unlocking_starts_them_anew(
    page: Page, pages: StaticPages
) -> None:
    install(page)
    notes = opened(page, pages)
    notes.get_by_role("button", name="New").click()
    expect(notes.get_by_label("Title")).to_be_focused()
    page.get_by_role("button", name="Notes at a glance").click()
    expect(page.locator("iframe")).to_have_count(3)
    lock(page)
    expect(page.get_by_role("heading", name="The workspace is locked")).to_be_visible()
    expect(page.get_by_role("button", name="Unlock")).to_be_focused()
    assert frames_shown(page) == 0
    expect(dock(page, "Notes")).to_be_hidden()
    page.keyboard.press("Enter")
    expect(notes.get_by_role("button", name="Roadmap")).to_be_visible()
    expect(notes.locator("#count")).to_have_text("3 notes")
    assert frames_shown(page) == 2


def test_an_app_that_loads_another_page_is_stopped_and_can_be_started_again(
    page: Page, pages: StaticPages
) -> None:
    install(page)
    notes = opened(page, pages)
    frame = next(each for each in page.frames if each.url.endswith("/notes/tile.html"))
    frame.evaluate("void (location.href = './tray.html')")
    tile = page.locator("[data-app=notes].tile")
    expect(tile).to_contain_text("Notes was stopped")
    assert frames_shown(page) == 1
    tile.get_by_role("button", name="Start again").click()
    expect(notes.get_by_role("button", name="Roadmap")).to_be_visible()


def test_a_background_that_was_stopped_can_be_started_again(page: Page, pages: StaticPages) -> None:
    install(page)
    notes = opened(page, pages)
    background = next(each for each in page.frames if each.url.endswith("/notes/background.html"))
    background.evaluate("void (location.href = './tray.html')")
    expect(dock(page, "Notes")).to_contain_text("Stopped")
    page.get_by_role("button", name="Start Notes again").click()
    expect(dock(page, "Notes")).to_contain_text("Running")
    # The tile reaches the new one as it did the old one.
    notes.get_by_label("Search notes").fill("welcome")
    expect(notes.locator("#count")).to_have_text("1 note found")


def test_a_page_that_asks_for_no_port_is_told_of(page: Page, pages: StaticPages) -> None:
    install(page, "other")
    page.clock.install()
    opened(page, pages)
    dock(page, "Other: Plain").click()
    tile = page.locator("[data-app=other].tile")
    expect(tile).to_contain_text("Starting")
    expect(page.frame_locator("[data-app=other].tile iframe").locator("body")).to_contain_text(
        "Nothing."
    )
    page.clock.run_for(17_000)
    expect(tile).to_contain_text("never asked for its port")


def bare(page: Page, pages: StaticPages) -> None:
    """Open a workspace without buttons, which a test drives by script."""
    page.goto(f"{pages.origin}/probe/workspace/bare.html")
    page.wait_for_function("() => globalThis.workspace !== undefined")


LIVE = "() => workspace.kernel.endpoints().map(({ endpoint }) => endpoint).sort()"


def wait_for_live(page: Page, *endpoints: str) -> None:
    page.wait_for_function(f"(wanted) => ({LIVE})().join() === wanted", arg=",".join(endpoints))


def test_a_tile_is_opened_by_script_and_focused(page: Page, pages: StaticPages) -> None:
    bare(page, pages)
    endpoint = page.evaluate("workspace.openTile('notes')")
    assert endpoint == "app:notes:tile:main:instance:1"
    assert page.evaluate("workspace.focusedEndpoint") == endpoint
    assert page.evaluate("workspace.openTile('notes', 'main')") == endpoint
    page.evaluate("workspace.openTile('other')")
    assert page.evaluate("workspace.focusedEndpoint") == "app:other:tile:main:instance:2"
    assert page.evaluate("code('nobody')") == "UNKNOWN_ENDPOINT"
    assert page.evaluate("code('notes', 'nothing')") == "UNKNOWN_ENDPOINT"
    assert page.evaluate("(authorisation.lock(), code('notes'))") == "LOCKED"


def test_the_frames_of_tiles_and_of_the_tray_are_known_by_their_app(
    page: Page, pages: StaticPages
) -> None:
    bare(page, pages)
    page.evaluate("workspace.openTile('notes').then(() => workspace.openTile('other'))")
    page.evaluate("workspace.tray.toggle(apps[0])")
    known = """() => ["#tiles", "#tray"].map((place) => {
      const frames = [...document.querySelectorAll(`${place} iframe`)];
      return frames.map((frame) => workspace.appOf(frame)).join();
    })"""
    assert page.evaluate(known) == ["notes,other", "notes"]
    assert page.evaluate("workspace.appOf(document.createElement('iframe'))") is None


def test_a_tile_that_is_closed_or_locked_while_it_starts_says_so(
    page: Page, pages: StaticPages
) -> None:
    bare(page, pages)
    closing = "() => { const told = code('other'); workspace.tiles.close('1'); return told; }"
    assert page.evaluate(closing) == "ENDPOINT_GONE"
    locking = "() => { const told = code('other'); authorisation.lock(); return told; }"
    assert page.evaluate(locking) == "LOCKED"


def test_installing_another_version_replaces_an_app_and_leaves_the_others(
    page: Page, pages: StaticPages
) -> None:
    bare(page, pages)
    page.evaluate("workspace.openTile('notes')")
    page.evaluate("workspace.openTile('other')")
    other = "app:other:tile:main:instance:2"
    page.evaluate("workspace.tray.toggle(apps[0])")
    tile, tray = "app:notes:tile:main:instance:1", "app:notes:tray:instance:1"
    wait_for_live(page, "app:notes:background", tile, tray, other)
    page.evaluate(
        """workspace.kernel.call({
          target: "app:notes:background", name: "notes_delete", arguments: { id: "1" },
        })"""
    )
    page.evaluate("workspace.install([{ ...apps[0], version: '2' }, apps[1]])")
    wait_for_live(page, "app:notes:background", other)
    found = page.evaluate(
        """async () => (await workspace.kernel.call({
          target: "app:notes:background", name: "notes_search", arguments: { query: "" },
        })).result.total"""
    )
    assert found == 2, "another version is another process"
    assert page.evaluate("workspace.statusOf('notes')") == "running"
    page.evaluate("workspace.install([apps[1]])")
    wait_for_live(page, other)
    assert page.locator("iframe").count() == 1
    page.evaluate("workspace.close()")
    wait_for_live(page)
    assert page.locator("iframe").count() == 0


def test_an_app_that_does_not_answer_is_shown_as_such(page: Page, pages: StaticPages) -> None:
    install(page, "other")
    page.clock.install()
    opened(page, pages)
    dock(page, "Other: Mute").click()
    mute = page.frame_locator("[data-app=other].tile iframe")
    expect(mute.locator("body")).to_contain_text("It has its port.")
    tile = page.locator("[data-app=other].tile")
    # It has said nothing since it was connected.
    for _ in range(2):
        expect(tile).not_to_contain_text("Not responding")
        page.clock.run_for(5_000)
    page.clock.run_for(5_000)
    expect(tile).to_contain_text("Not responding")
    expect(dock(page, "Other")).to_contain_text("Not responding")
    expect(page.locator("#notice")).to_contain_text("Other has not answered for 15 seconds")
    expect(dock(page, "Notes")).to_contain_text("Running")


def test_an_app_is_refused_another_apps_tools_and_the_activity_says_so(
    page: Page, pages: StaticPages
) -> None:
    install(page, "other")
    opened(page, pages)
    page.get_by_role("button", name="Activity").click()
    calls = page.get_by_role("list", name="The last calls")
    dock(page, "Other").click()
    other = page.frame_locator("[data-app=other].tile iframe")
    other.get_by_role("button", name="Ask the notes").click()
    deny(page)
    expect(other.get_by_role("status")).to_have_text("OWNER_REQUIRED")
    refused = calls.get_by_role("listitem").first
    expect(refused).to_contain_text("refused")
    expect(refused).to_contain_text("Other (tile) → Notes (background)")
    refused.locator("summary").click()
    expect(refused).to_contain_text("app:other:tile:main:instance:")


def test_an_app_that_is_not_there_costs_no_other(page: Page, pages: StaticPages) -> None:
    install(page, "missing")
    opened(page, pages)
    expect(page.get_by_role("navigation")).to_contain_text("missing is not installed")


def test_open_tiles_are_there_again_after_a_reload(page: Page, pages: StaticPages) -> None:
    install(page, "other")
    opened(page, pages)
    dock(page, "Other").click()
    tool(page, "Notes", "Close").click()
    page.reload()
    other = page.frame_locator("[data-app=other].tile iframe")
    expect(other.get_by_role("heading")).to_have_text("Other")
    expect(page.locator("section.tile")).to_have_count(1)


def focused(page: Page) -> str:
    """Say where the keyboard is."""
    return str(
        page.evaluate(
            """() => {
              const { activeElement } = document;
              const at = activeElement.shadowRoot?.activeElement ?? activeElement;
              const name = at.ariaLabel ?? at.innerText;
              return at.localName === "iframe" ? `in ${at.ariaLabel}` : name;
            }"""
        )
    )


def test_all_of_it_works_by_keyboard(page: Page, pages: StaticPages) -> None:
    install(page, "other")
    notes = opened(page, pages)
    page.keyboard.press("F6")
    assert focused(page) == "Notes at a glance"
    page.keyboard.press("F6")
    expect(dock(page, "Notes")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    other = page.frame_locator("[data-app=other].tile iframe")
    expect(other.get_by_role("heading")).to_have_text("Other")
    page.wait_for_function(
        "() => (document.activeElement.shadowRoot ?? document).activeElement?.ariaLabel === 'Other'"
    )
    page.keyboard.press("Tab")
    expect(other.get_by_role("button")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    assert focused(page) == "Close"
    page.keyboard.press("Shift+ArrowLeft")
    expect(page.locator("section.tile").first).to_have_attribute("data-app", "other")
    assert focused(page) == "Close"
    page.keyboard.press("Delete")
    expect(page.locator("section.tile")).to_have_count(1)
    assert "Full width" in focused(page) or "Move" in focused(page), focused(page)
    page.keyboard.press("End")
    assert focused(page) == "Close"
    page.keyboard.press("Tab")
    page.keyboard.type("welc")
    expect(notes.locator("#count")).to_have_text("1 note found")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(notes.get_by_label("Title")).to_have_value("Welcome")
    dock(page, "Notes").focus()
    page.keyboard.press("Control+/")
    expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+j")
    expect(page.get_by_role("heading", name="Activity")).to_be_visible()
    page.keyboard.press("Control+Shift+L")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Unlock")).to_be_focused()
    page.keyboard.press("Enter")
    expect(dock(page, "Notes")).to_be_focused()


def test_the_colours_that_are_chosen_are_the_apps_too(browser: Browser, pages: StaticPages) -> None:
    # A scheme that is emulated would hold for frames whatever holds them.
    page = browser.new_page(color_scheme="null")
    install(page)
    opened(page, pages)
    frame = next(each for each in page.frames if each.url.endswith("/notes/tile.html"))
    dark = "() => matchMedia('(prefers-color-scheme: dark)').matches"
    assert frame.evaluate(dark) is False
    page.locator("#theme").click()
    expect(page.locator("#theme")).to_have_attribute("data-theme", "dark")
    frame.wait_for_function(dark)
    page.close()


def test_a_terminal_adds_a_note_and_the_person_sees_it(
    page: Page, workspace_bridge: RealBridge, attach: Attach
) -> None:
    attach(page, workspace_bridge)
    notes = notes_of(page)
    expect(notes.get_by_role("button", name="Roadmap")).to_be_visible()
    page.get_by_role("button", name="Activity").click()
    asked = workspace_bridge.execute("app.notes.notes_search", {"query": "roadmap"})
    assert asked["task"]["progress"]["reason"] == "consent"
    allow(page, "This app, until the terminal is detached")
    found = workspace_bridge.execute("app.notes.notes_search", {"query": "roadmap"})
    assert [each["title"] for each in found["output"]["matches"]] == ["Roadmap"]
    adding = {
        "action": "app.notes.notes_add",
        "input": {"title": "From a terminal"},
        "expectedRevision": found["revision"],
    }
    workspace_bridge.result("actions/execute", adding)
    expect(notes.get_by_role("button", name="From a terminal")).to_be_visible()
    calls = page.get_by_role("list", name="The last calls")
    added = calls.get_by_role("listitem").filter(has_text="notes_add")
    expect(added).to_contain_text("Terminal → Notes (background)")


def violations(frame: Frame) -> list[str]:
    """Return what axe finds wrong in one frame."""
    frame.evaluate(AXE.read_text(encoding="utf-8") + "; window.axe = axe; undefined")
    found: dict[str, Any] = frame.evaluate("axe.run(document, { iframes: false })")
    return [f"{each['id']}: {each['nodes'][0]['html']}" for each in found["violations"]]


def check(page: Page, name: str) -> None:
    """Look for violations in the shell and in every app that is shown, and keep a picture."""
    shown = page.locator(".stage iframe:visible").element_handles()
    for frame in (page.main_frame, *(handle.content_frame() for handle in shown)):
        assert frame is not None
        assert violations(frame) == [], frame.url
    save(page, name)


def look(page: Page, pages: StaticPages, name: str) -> None:
    """Look at each state of the workspace."""
    install(page, "other", "missing")
    notes = opened(page, pages)
    check(page, f"{name}-list")
    notes.get_by_role("button", name="Roadmap").click()
    expect(notes.locator("#saved")).to_have_text("Saved")
    dock(page, "Other").click()
    # A tile takes the keyboard when it runs, and the page goes there: not under the pointer.
    expect(page.locator("iframe[aria-label='Other']")).to_be_focused()
    other = page.frame_locator("[data-app=other].tile iframe")
    other.get_by_role("button", name="Ask the notes").click()
    expect(owner_dialog(page).get_by_role("button", name="Allow")).to_be_enabled()
    check(page, f"{name}-question")
    allow(page, "This tool, until the workspace is locked or reloaded")
    page.get_by_role("button", name="Activity").click()
    page.get_by_role("button", name="Who may do what").click()
    expect(page.locator("#grant-list").get_by_role("button")).to_be_visible()
    check(page, name)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Notes at a glance").click()
    expect(page.frame_locator("#popover iframe").get_by_role("status")).to_have_text("2 notes")
    check(page, f"{name}-tray")
    page.keyboard.press("Escape")
    tool(page, "Notes", "Put aside").click()
    page.keyboard.press("Control+/")
    check(page, f"{name}-shortcuts")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Lock the workspace").click()
    check(page, f"{name}-locking")
    page.get_by_role("button", name="Lock it").click()
    expect(page.get_by_role("button", name="Unlock")).to_be_focused()
    check(page, f"{name}-locked")


@pytest.mark.parametrize("width", [1280, 360])
def test_the_workspace_has_no_accessibility_violation(
    page: Page, pages: StaticPages, width: int, browser_name: str
) -> None:
    page.set_viewport_size({"width": width, "height": 740})
    look(page, pages, f"workspace-{browser_name}-light-{width}")


@pytest.mark.parametrize("width", [1280, 360])
def test_the_workspace_has_no_accessibility_violation_in_the_dark(
    width: int,
    pages: StaticPages,
    browser_name: str,
    playwright: Any,
    browser_type_launch_args: dict[str, Any],
) -> None:
    with launch_dark(playwright, browser_name, browser_type_launch_args) as page:
        page.set_viewport_size({"width": width, "height": 740})
        look(page, pages, f"workspace-{browser_name}-dark-{width}")
