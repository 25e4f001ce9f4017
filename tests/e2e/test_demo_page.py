"""The demo page by itself: what a person sees and does."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from bridge.servers.static_pages import StaticPages
from tests.e2e.conftest import Attach, launch_dark
from tests.e2e.support.real_bridge import BASCULE, ROOT, RealBridge, environment
from tests.e2e.support.seen_page import save, violations
from tests.e2e.support.word_processor import FIRST, write


def test_the_page_tells_how_to_start_a_bridge(page: Page, pages: StaticPages) -> None:
    page.goto(pages.page)
    expect(page.locator("#bascule-state")).to_have_text("detached")
    expect(page.locator("#bascule-message")).to_contain_text(
        f"browser-bridge --origin {pages.origin}"
    )
    assert page.get_by_role("button", name="Attach", exact=True).is_hidden()


def test_all_of_it_works_by_keyboard(page: Page, bridge: RealBridge) -> None:
    page.goto(bridge.link)
    attach = page.get_by_role("button", name="Attach", exact=True)
    expect(attach).to_be_visible()
    reached = []
    for _ in range(12):
        page.keyboard.press("Tab")
        focused = "document.activeElement.shadowRoot?.activeElement ?? document.activeElement"
        reached.append(page.evaluate(f"({focused}).id"))
        if reached[-1] == "bascule-attach":
            break
    assert "text" in reached, reached
    page.keyboard.press("Enter")
    expect(page.locator("#bascule-state")).to_have_text("attached")


def open_everything(page: Page) -> None:
    """Show what is hidden at first: the find bar with its marks, a notice, all styles."""
    page.get_by_role("button", name="New document").click()
    write(page, "# Heading\n- item\nsecond item")
    for key in ("2", "3", "4", "6", "7"):
        page.keyboard.press("Enter")
        page.keyboard.press(f"Control+Alt+{key}")
        page.keyboard.type("words and words")
    page.keyboard.press("Control+f")
    page.keyboard.type("words")


def check(page: Page, name: str) -> None:
    """Look for violations in each state of the page, and keep pictures of them."""
    assert violations(page) == []
    save(page, name)
    for button in ("Export", "Keyboard shortcuts"):
        page.get_by_role("button", name=button).click()
        assert violations(page) == []
        save(page, f"{name}-{button.split()[0].lower()}")
        page.keyboard.press("Escape")
    open_everything(page)
    assert violations(page) == []
    save(page, f"{name}-all")


@pytest.mark.parametrize("width", [1100, 360])
def test_the_page_has_no_accessibility_violation(
    page: Page, bridge: RealBridge, attach: Attach, width: int, browser_name: str
) -> None:
    page.set_viewport_size({"width": width, "height": 720})
    attach(page, bridge)
    bridge.execute("document.text.insert", {"text": "From a terminal. ", "at": 0})
    expect(page.locator("#bascule-calls li")).to_have_count(1)
    check(page, f"demo-{browser_name}-light-{width}")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


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
        check(page, f"demo-{browser_name}-dark")


def test_the_tour_runs_from_a_terminal_to_its_end(browser_name: str, tmp_path: Path) -> None:
    picture = tmp_path / "tour.png"
    done = subprocess.run(
        [*BASCULE, "demo", "--headless", browser_name, "--screenshot", str(picture)],
        env=environment(tmp_path) | {"HOME": str(tmp_path)},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    before, after = done.stdout.split("After:")
    assert f"| {FIRST}" in before
    assert f"| Hello from a terminal! {FIRST}" in after
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_an_attach_link_can_be_pasted(page: Page, bridge: RealBridge) -> None:
    page.goto(bridge.page)
    page.get_by_label("Attach link").fill("https://example.com/nothing")
    page.get_by_role("button", name="Use it").click()
    expect(page.locator("#bascule-message")).to_contain_text("no attach link")
    page.get_by_label("Attach link").fill(bridge.link)
    page.get_by_role("button", name="Use it").click()
    page.get_by_role("button", name="Attach", exact=True).click()
    expect(page.locator("#bascule-state")).to_have_text("attached")


def test_screenshots_are_kept_outside_of_the_sources() -> None:
    ignored = Path(ROOT / ".gitignore").read_text(encoding="utf-8")
    assert "build/" in ignored
