"""Who may do what in the workspace: asked for, shown, and taken back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect

from bridge.servers.static_pages import StaticPages
from tests.e2e.conftest import Attach
from tests.e2e.support.owner_dialog import allow, deny, owner_dialog
from tests.e2e.support.page_server import PAGES, serve_pages
from tests.e2e.support.real_bridge import RealBridge, run_bridge
from tests.e2e.support.seen_page import save, violations
from tests.e2e.test_workspace import PAGE, dock, install, lock, opened

TOOL = "This tool, until the workspace is locked or reloaded"
SECRET = "open sesame"
ACCOUNT = "0x" + "ab" * 20
WALLET = f"""
if (window.top === window) {{
  const provider = {{
    request: async ({{ method }}) => (method === "eth_chainId" ? "0x1" : ["{ACCOUNT}"]),
  }};
  const info = {{ uuid: "fox", name: "Fox", rdns: "io.fox", icon: "" }};
  const announce = () => dispatchEvent(
    new CustomEvent("eip6963:announceProvider", {{ detail: {{ info, provider }} }}),
  );
  addEventListener("eip6963:requestProvider", announce);
}}
"""


@pytest.fixture(scope="module")
def pages() -> Iterator[StaticPages]:
    """Serve apps of the tests among the workspace's own."""
    apps = PAGES / "workspace" / "apps"
    mounts = {f"/demo/workspace/apps/{app}": apps / app for app in ("other", "guest")}
    with serve_pages(mounts=mounts) as served:
        yield served


@pytest.fixture
def bridge(pages: StaticPages, runtime: Path) -> Iterator[RealBridge]:
    """Run a bridge whose page is the workspace."""
    with run_bridge(pages.origin, pages.origin + PAGE, runtime) as running:
        yield running


@pytest.fixture
def guest(page: Page, pages: StaticPages) -> FrameLocator:
    """Open a workspace with an app that asks for much."""
    install(page, "guest", "other")
    page.add_init_script(WALLET)
    opened(page, pages)
    return guest_of(page)


def guest_of(page: Page) -> FrameLocator:
    dock(page, "Guest").click()
    frame = page.frame_locator("[data-app=guest].tile iframe")
    expect(frame.get_by_role("heading")).to_have_text("Guest")
    return frame


def do(guest: FrameLocator, name: str) -> None:
    guest.get_by_role("button", name=name, exact=True).click()


def told(guest: FrameLocator) -> Locator:
    return guest.get_by_role("status")


def grants(page: Page) -> Locator:
    """Show who may do what, and return the list."""
    shown = page.get_by_role("heading", name="Who may do what")
    if not shown.is_visible():
        page.get_by_role("button", name="Who may do what").click()
    return page.get_by_role("list", name="Who may do what").get_by_role("listitem")


def connect(page: Page, guest: FrameLocator) -> None:
    """Enter a credential for the guest."""
    do(guest, "Connect")
    owner_dialog(page).get_by_label("Credential for vault").fill(SECRET)
    allow(page, confirm="Connect")
    expect(told(guest)).to_have_text('done {"length":11}')


def connect_wallet(page: Page, guest: FrameLocator) -> None:
    """Let the guest have a session with the page's wallet."""
    do(guest, "Connect a wallet")
    allow(page, confirm="Show")
    allow(page, confirm="Connect")
    expect(told(guest)).to_have_text("done null")


def test_a_yes_for_one_call_is_no_yes_for_the_next(page: Page, guest: FrameLocator) -> None:
    do(guest, "Search the notes")
    dialog = owner_dialog(page)
    for words in ("guest", "app:notes:background", "notes_search", '"query": "road"'):
        expect(dialog).to_contain_text(words)
    allow(page)
    expect(told(guest)).to_contain_text("Roadmap")
    expect(grants(page)).to_have_count(0)
    do(guest, "Search the notes")
    deny(page)
    expect(told(guest)).to_contain_text("OWNER_REQUIRED")
    # Who was told no is not heard for a while: without another dialog.
    do(guest, "Search the notes")
    expect(told(guest)).to_contain_text("OWNER_REQUIRED")
    expect(dialog).to_be_hidden()


def test_a_session_grant_is_shown_used_and_taken_back(page: Page, guest: FrameLocator) -> None:
    do(guest, "Search the notes")
    allow(page, TOOL)
    expect(told(guest)).to_contain_text("Roadmap")
    expect(grants(page)).to_have_count(1)
    row = grants(page).first
    expect(row).to_contain_text("Use notes_search of Notes")
    expect(row).to_contain_text("used once")
    do(guest, "Search the notes")
    expect(row).to_contain_text("used 2 times")
    expect(owner_dialog(page)).to_be_hidden()
    # Another tool of the same app is another question.
    do(guest, "List tools of the notes")
    allow(page, "Every list of its tools, until the workspace is locked or reloaded")
    expect(told(guest)).to_contain_text("notes_add")
    expect(grants(page)).to_have_count(2)
    row.get_by_role("button", name="Take back").press("Enter")
    expect(grants(page)).to_have_count(1)
    expect(grants(page).get_by_role("button")).to_be_focused()
    page.keyboard.press("Enter")
    expect(grants(page)).to_have_count(0)
    expect(page.locator("#grants-title")).to_be_focused()
    do(guest, "Search the notes")
    allow(page, TOOL)
    expect(grants(page)).to_have_count(1)
    lock(page)
    page.get_by_role("button", name="Unlock").click()
    expect(grants(page)).to_have_count(0)


def test_what_is_taken_back_ends_the_call_that_is_under_way(
    page: Page, guest: FrameLocator
) -> None:
    dock(page, "Other").click()
    # A tile takes the keyboard when it is on the bus.
    expect(page.locator("iframe[aria-label=Other]")).to_be_focused()
    other = page.frame_locator("[data-app=other].tile iframe")
    do(guest, "Wait for the other")
    allow(page, TOOL)
    expect(other.locator("#waits")).to_have_text("waiting")
    expect(told(guest)).to_have_text("asked")
    grants(page).get_by_role("button", name="Take back").click()
    expect(told(guest)).to_contain_text("OWNER_REQUIRED")
    expect(other.locator("#waits")).to_have_text("aborted")
    # The activity says so too, of whom it was made for.
    page.get_by_role("button", name="Activity").click()
    call = page.get_by_role("list", name="The last calls").get_by_role("listitem").first
    expect(call).to_contain_text("other_wait")
    expect(call).not_to_contain_text("completed")


def test_what_cannot_be_taken_back_for_good_is_told_the_owner(
    page: Page, guest: FrameLocator
) -> None:
    do(guest, "Keep a method")
    allow(page)
    expect(told(guest)).to_contain_text('"reserved":true')
    expect(grants(page)).to_have_count(1)
    page.evaluate("void (Storage.prototype.setItem = () => { throw new Error('full'); })")
    grants(page).get_by_role("button").click()
    expect(page.get_by_text("after a reload it is as it was before")).to_be_visible()
    expect(grants(page)).to_have_count(0)


def test_an_app_sees_its_own_calls_and_no_others(page: Page, guest: FrameLocator) -> None:
    dock(page, "Other").click()
    other = page.frame_locator("[data-app=other].tile iframe")
    other.get_by_role("button", name="Ask the notes").click()
    allow(page)
    expect(other.get_by_role("status")).to_have_text("answered")
    do(guest, "Search the notes")
    allow(page)
    expect(told(guest)).to_contain_text("Roadmap")
    do(guest, "Own calls")
    expect(told(guest)).to_contain_text("notes_search")
    expect(told(guest)).to_contain_text("app:guest:tile:main")
    expect(told(guest)).not_to_contain_text("app:other")


def test_an_address_that_is_offered_is_shown_and_not_fetched(
    page: Page, guest: FrameLocator
) -> None:
    fetched: list[str] = []
    page.context.on("request", lambda request: fetched.append(request.url))
    do(guest, "Offer")
    expect(owner_dialog(page)).to_contain_text("https://apps.example/one/manifest.json")
    allow(page, confirm="Take it")
    expect(told(guest)).to_contain_text('done {"offered":true}')
    notice = page.locator("#notice")
    expect(notice).to_contain_text("https://apps.example/one/manifest.json")
    expect(notice.get_by_role("button", name="Open in a new tab")).to_be_visible()
    assert not [url for url in fetched if "apps.example" in url]


def test_an_app_opens_anothers_tile_by_the_owners_yes_only(page: Page, guest: FrameLocator) -> None:
    page.get_by_role("toolbar", name="Arrange Notes").get_by_role("button", name="Close").click()
    expect(page.locator("[data-app=notes].tile")).to_have_count(0)
    do(guest, "Open the notes")
    deny(page)
    expect(told(guest)).to_contain_text("OWNER_REQUIRED")
    expect(page.locator("[data-app=notes].tile")).to_have_count(0)
    page.reload()
    expect(guest.get_by_role("heading")).to_have_text("Guest")
    do(guest, "Open the notes")
    allow(page, confirm="Open it")
    expect(told(guest)).to_contain_text("app:notes:tile:main")
    expect(page.locator("[data-app=notes].tile")).to_have_count(1)


def test_a_connection_is_shown_without_its_credential_and_taken_back(
    page: Page, guest: FrameLocator
) -> None:
    connect(page, guest)
    expect(grants(page)).to_have_count(1)
    row = grants(page).first
    expect(row).to_contain_text("Read the credential that you entered for vault")
    since = re.compile(r"since [\d:]+.*, until the workspace is locked or reloaded")
    expect(row).to_contain_text(since)
    expect(row).to_contain_text("given to it once")
    do(guest, "Use the credential")
    expect(told(guest)).to_have_text('done {"length":11}')
    expect(row).to_contain_text("given to it 2 times")
    assert SECRET not in page.content()
    row.get_by_role("button", name="Take back: Guest: Read the credential").press("Enter")
    expect(grants(page)).to_have_count(0)
    expect(page.locator("#grants-title")).to_be_focused()
    do(guest, "Use the credential")
    expect(told(guest)).to_contain_text('"refused":"OWNER_REQUIRED"')
    expect(told(guest)).to_contain_text('"reason":"revoked"')
    # What was a yes before is another question now.
    connect(page, guest)
    expect(grants(page)).to_have_count(1)


def test_a_session_with_a_wallet_is_shown_and_taken_back(page: Page, guest: FrameLocator) -> None:
    connect_wallet(page, guest)
    do(guest, "Ask the wallet")
    expect(told(guest)).to_have_text('done {"result":"0x1"}')
    expect(grants(page)).to_have_count(1)
    row = grants(page).first
    expect(row).to_contain_text("Guest, in its tile main")
    expect(row).to_contain_text("Use 1 account of the wallet Fox (io.fox)")
    expect(row).to_contain_text("until its tile is closed")
    assert ACCOUNT not in page.content()
    row.get_by_role("button", name="Take back").click()
    expect(grants(page)).to_have_count(0)
    do(guest, "Ask the wallet")
    expect(told(guest)).to_contain_text("OWNER_REQUIRED: The owner took this session")
    connect_wallet(page, guest)
    expect(grants(page)).to_have_count(1)
    page.get_by_role("toolbar", name="Arrange Guest").get_by_role("button", name="Close").click()
    expect(grants(page)).to_have_count(0)


def test_all_that_was_allowed_is_seen_in_any_light_and_width_and_taken_back_by_the_keyboard(
    page: Page, guest: FrameLocator, browser_name: str
) -> None:
    rows = grants(page)
    empty = page.locator("#no-grants")
    expect(empty).to_be_visible()
    seen(page, f"grants-none-{browser_name}")
    do(guest, "Search the notes")
    allow(page, TOOL)
    expect(told(guest)).to_contain_text("Roadmap")
    do(guest, "Keep a method")
    allow(page)
    expect(told(guest)).to_contain_text('"reserved":true')
    connect(page, guest)
    connect_wallet(page, guest)
    expect(rows).to_have_count(4)
    seen(page, f"grants-{browser_name}")
    rows.first.get_by_role("button").focus()
    for left in (3, 2, 1):
        page.keyboard.press("Enter")
        expect(rows).to_have_count(left)
        expect(rows.first.get_by_role("button")).to_be_focused()
    page.keyboard.press("Enter")
    expect(empty).to_be_visible()
    expect(page.locator("#grants-title")).to_be_focused()


def seen(page: Page, name: str) -> None:
    """Have the page judged in both colours and in two widths, and keep pictures of it."""
    for theme in ("light", "dark"):
        page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
        for width in (1100, 360):
            page.set_viewport_size({"width": width, "height": 900})
            page.locator("#grants").scroll_into_view_if_needed()
            expect(page.locator("#grants")).to_be_visible()
            assert violations(page) == [], (theme, width)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            save(page, f"{name}-{theme}-{width}")
    page.set_viewport_size({"width": 1280, "height": 720})


def test_all_is_taken_back_at_once_and_ends_at_once(page: Page, guest: FrameLocator) -> None:
    connect(page, guest)
    connect_wallet(page, guest)
    expect(grants(page)).to_have_count(2)
    page.get_by_role("button", name="Take everything back").click()
    expect(grants(page)).to_have_count(0)
    do(guest, "Use the credential")
    expect(told(guest)).to_contain_text("OWNER_REQUIRED")
    do(guest, "Ask the wallet")
    expect(told(guest)).to_contain_text("OWNER_REQUIRED: The owner took this session")


def test_a_terminal_is_told_nothing_of_what_the_owner_allowed_to_others(
    page: Page, bridge: RealBridge, attach: Attach
) -> None:
    install(page, "guest", "other")
    page.add_init_script(WALLET)
    attach(page, bridge)
    guest = guest_of(page)
    connect(page, guest)
    connect_wallet(page, guest)
    expect(grants(page)).to_have_count(2)
    assert bridge.execute("workspace.grants.list")["output"] == {"grants": []}
