"""An agent in the workspace: enabled by its owner, at work, asking, and stopped."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect

from bridge.servers.static_pages import StaticPages
from tests.e2e.support.fresh_clicks import wait_for_none, watch_clicks
from tests.e2e.support.owner_dialog import allow, deny, owner_dialog
from tests.e2e.support.page_server import PAGES, serve_pages
from tests.e2e.support.seen_page import save, violations
from tests.e2e.test_workspace import dock, opened

WHOLE = "Every tool of this app, for this turn"
TASK = "find roadmap in my notes and draw it on the board"


@pytest.fixture
def assistant(page: Page, pages: StaticPages) -> FrameLocator:
    watch_clicks(page)
    opened(page, pages)
    return assistant_of(page)


def assistant_of(page: Page) -> FrameLocator:
    dock(page, "Assistant").click()
    frame = page.frame_locator("[data-app=assistant].tile iframe")
    expect(frame.get_by_role("button", name="Enable")).to_be_visible()
    return frame


def enable(page: Page, assistant: FrameLocator) -> None:
    assistant.get_by_role("button", name="Enable").click()
    expect(owner_dialog(page)).to_contain_text("1.0.0")
    allow(page, confirm="Enable")
    expect(assistant.get_by_role("button", name="Disable")).to_be_visible()


def start(page: Page, assistant: FrameLocator) -> None:
    """Begin a turn, with a click of the tile's own."""
    assistant.get_by_role("textbox").fill(TASK)
    wait_for_none(page)
    assistant.get_by_role("button", name="Run").click()


def bar(page: Page) -> Locator:
    return page.locator("#agent-bar")


def test_an_agent_is_enabled_asks_for_each_app_and_does_its_task(
    page: Page, assistant: FrameLocator
) -> None:
    enable(page, assistant)
    start(page, assistant)
    dialog = owner_dialog(page)
    expect(dialog).to_contain_text("agent_run")
    expect(dialog).to_contain_text("notes")
    expect(bar(page)).to_contain_text("Assistant is working")
    allow(page, WHOLE)
    expect(dialog).to_contain_text("board")
    allow(page, WHOLE)
    expect(assistant.get_by_text("Drew 1 card")).to_be_visible()
    expect(bar(page)).to_be_hidden()
    # What was allowed for the turn is gone with it; what lasts is that it is enabled.
    page.get_by_role("button", name="Who may do what").click()
    rows = page.get_by_role("list", name="Who may do what").get_by_role("listitem")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Act as the agent agent_run, in version 1.0.0")
    rows.get_by_role("button", name="Take back").click()
    start(page, assistant)
    expect(assistant.get_by_role("log")).to_contain_text("The assistant may not act any more")
    expect(bar(page)).to_be_hidden()


def test_the_bar_of_an_agent_at_work_is_seen_in_any_light_and_width(
    page: Page, assistant: FrameLocator, browser_name: str
) -> None:
    enable(page, assistant)
    start(page, assistant)
    allow(page)
    # The next question is there, or the turn goes on behind it: the bar is seen either way.
    stop = bar(page).get_by_role("button", name="Stop: Assistant is working (agent_run)")
    page.get_by_role("button", name="Who may do what").dispatch_event("click")
    for theme in ("light", "dark"):
        page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
        for width in (1280, 360):
            page.set_viewport_size({"width": width, "height": 740})
            expect(stop).to_be_visible()
            expect(page.locator("#grants")).to_be_visible()
            assert violations(page) == []
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            save(page, f"agent-{browser_name}-{theme}-{width}")


def test_a_turn_is_stopped_in_the_question_that_it_asks(
    page: Page, assistant: FrameLocator, browser_name: str
) -> None:
    enable(page, assistant)
    start(page, assistant)
    allow(page)
    dialog = owner_dialog(page)
    expect(dialog).to_be_visible()
    # The bar lies behind it.
    expect(bar(page).get_by_role("button")).to_be_visible()
    stop = dialog.get_by_role("button", name="Stop Assistant")
    for theme in ("light", "dark"):
        page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
        for width in (1280, 360):
            page.set_viewport_size({"width": width, "height": 740})
            expect(stop).to_be_in_viewport(ratio=1)
            assert violations(page) == []
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            save(page, f"agent-stop-{browser_name}-{theme}-{width}")
    stop.focus()
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    expect(bar(page)).to_be_hidden()
    expect(assistant.get_by_text("stopped")).to_be_visible()
    # It was no answer: another turn asks at once.
    start(page, assistant)
    expect(bar(page)).to_contain_text("Assistant is working")
    deny(page)
    expect(bar(page)).to_be_hidden()


ASKED = "() => owner.consent.current !== null"


def turn_in_bare_workspace(page: Page, pages: StaticPages) -> FrameLocator:
    """Begin a turn where a script installs apps and answers, and stop at its first question."""
    watch_clicks(page)
    page.goto(f"{pages.origin}/probe/workspace/bare.html")
    page.wait_for_function("() => globalThis.workspace !== undefined")
    page.evaluate("workspace.install([...apps, assistant, board])")
    for app in ("notes", "board", "assistant"):
        live = f"() => workspace.kernel.endpoints().some(({{ app }}) => app === '{app}')"
        page.wait_for_function(live)
    page.evaluate("workspace.openTile('assistant')")
    frame = page.frame_locator("iframe[aria-label=Assistant]")
    frame.get_by_role("button", name="Enable").click()
    page.wait_for_function(ASKED)
    assert page.evaluate("allow()")
    expect(frame.get_by_role("button", name="Disable")).to_be_visible()
    start(page, frame)
    page.wait_for_function(ASKED)
    assert page.evaluate("turns.all().length") == 1
    return frame


@pytest.fixture(scope="module")
def bare_pages() -> Iterator[StaticPages]:
    """Serve an app of the tests among the workspace's own."""
    other = {"/demo/workspace/apps/other": PAGES / "workspace" / "apps" / "other"}
    with serve_pages(mounts=other) as served:
        yield served


def test_a_turn_ends_with_the_version_of_its_app(page: Page, bare_pages: StaticPages) -> None:
    turn_in_bare_workspace(page, bare_pages)
    page.evaluate("workspace.install([...apps, { ...assistant, version: '2' }, board])")
    page.wait_for_function("() => turns.all().length === 0")
    assert page.evaluate("owner.consent.current") is None
    # The new one is not enabled because the old one was.
    page.evaluate("workspace.openTile('assistant')")
    frame = page.frame_locator("iframe[aria-label=Assistant]")
    expect(frame.get_by_role("button", name="Enable")).to_be_visible()


def test_a_question_about_an_app_ends_with_its_version(page: Page, bare_pages: StaticPages) -> None:
    frame = turn_in_bare_workspace(page, bare_pages)
    page.evaluate("workspace.install([{ ...apps[0], version: '2' }, apps[1], assistant, board])")
    page.wait_for_function("() => owner.consent.current === null")
    assert page.evaluate("owner.grants.all()") == []
    expect(frame.get_by_role("button", name="Run")).to_be_visible()
    # The assistant itself did not change: it may begin another turn.
    expect(frame.get_by_role("button", name="Disable")).to_be_visible()


def test_what_was_allowed_of_an_app_ends_with_its_version_in_the_middle_of_a_turn(
    page: Page, bare_pages: StaticPages
) -> None:
    frame = turn_in_bare_workspace(page, bare_pages)
    granted = "owner.grants.all().filter(({ target }) => target === 'notes').length"
    assert page.evaluate("allow()")
    page.wait_for_function("() => owner.consent.current?.prompt.title.includes('board')")
    assert page.evaluate(granted) == 1
    page.evaluate("workspace.install([{ ...apps[0], version: '2' }, apps[1], assistant, board])")
    assert page.evaluate(granted) == 0
    # What concerns neither app goes on: the turn, and its question about another one.
    assert page.evaluate("turns.all().length") == 1
    assert page.evaluate("allow()")
    expect(frame.get_by_text("Drew 1 card")).to_be_visible()
