"""The attach panel as an element: what a person sees and does, and what no page can do for them."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from bridge.servers.static_pages import StaticPages
from tests.e2e.conftest import Attach, launch_dark
from tests.e2e.support.browsers import FIREFOX_PREFS, launched
from tests.e2e.support.real_bridge import RealBridge, run_bridge
from tests.e2e.support.seen_page import save, violations

HOSTILE = "test.\u202egnp.exe"
LONG = "test." + "long-name-" * 12 + "x"


@pytest.fixture
def panel_bridge(pages: StaticPages, runtime: Path) -> Iterator[RealBridge]:
    """Run a bridge whose page is the one with a panel."""
    with run_bridge(pages.origin, f"{pages.origin}/probe/panel.html", runtime) as running:
        yield running


def button(page: Page, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


def with_query(link: str, query: str) -> str:
    return link.replace("panel.html", f"panel.html?{query}")


def open_page(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator("html")).to_have_attribute("data-ready", "yes")


def refused_link(bridge: RealBridge) -> str:
    """Return a link with a token that the bridge does not know."""
    text = json.dumps({"url": bridge.url, "token": "A" * 43})
    blob = base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
    return f"{bridge.page}#bascule={blob}"


def look(bridge: RealBridge, action: str = "test.look", session: str | None = None) -> Any:
    done = bridge.call("actions/execute", {"action": action}, session=session)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


# --- asking


def test_a_link_is_taken_from_the_address_and_asks_before_anything_is_attached(
    page: Page, panel_bridge: RealBridge
) -> None:
    open_page(page, panel_bridge.link)
    assert page.evaluate("location.hash") == ""
    expect(page.locator("#bascule-message")).to_contain_text("asks to use this page")
    expect(page.locator("#bascule-offer")).to_contain_text(panel_bridge.url)
    expect(page.locator("#bascule-offer")).to_contain_text("Panel page")
    assert panel_bridge.call("agent/info").returncode == 3
    button(page, "Attach").click()
    expect(page.locator("#bascule-state")).to_have_text("attached")
    assert panel_bridge.call("agent/info").returncode == 0


def test_a_link_that_is_turned_down_is_forgotten(page: Page, panel_bridge: RealBridge) -> None:
    open_page(page, panel_bridge.link)
    button(page, "Not now").click()
    expect(button(page, "Attach")).to_be_hidden()
    expect(page.locator("#bascule-state")).to_have_text("detached")
    assert panel_bridge.token not in page.evaluate(
        "JSON.stringify([Object.entries(sessionStorage), location.href, history.state])"
    )
    page.evaluate("link => { location.hash = link }", panel_bridge.link.partition("#")[2])
    expect(button(page, "Attach")).to_be_visible()
    assert page.evaluate("location.hash") == ""


def test_no_script_attaches_or_resumes_in_a_persons_place(
    page: Page, panel_bridge: RealBridge
) -> None:
    open_page(page, panel_bridge.link)
    press = "id => document.querySelector('bascule-panel').shadowRoot.getElementById(id).click()"
    page.evaluate(press, "bascule-attach")
    expect(button(page, "Attach")).to_be_visible()
    expect(page.locator("#bascule-state")).to_have_text("detached")
    button(page, "Attach").click()
    expect(page.locator("#bascule-state")).to_have_text("attached")
    # The same press does reach the button: a script may take power away.
    page.evaluate(press, "bascule-switch")
    expect(page.locator("#bascule-badge")).to_have_text("paused")
    page.evaluate(press, "bascule-switch")
    expect(page.locator("#bascule-badge")).to_have_text("paused")
    button(page, "Resume").click()
    expect(page.locator("#bascule-badge")).to_be_hidden()


def test_a_pasted_link_asks_as_an_opened_one_does(page: Page, panel_bridge: RealBridge) -> None:
    open_page(page, panel_bridge.page)
    page.get_by_label("Attach link").fill("https://example.com/")
    button(page, "Use it").click()
    expect(page.locator("#bascule-message")).to_contain_text("no attach link")
    page.get_by_label("Attach link").fill(panel_bridge.link)
    page.keyboard.press("Enter")
    button(page, "Attach").click()
    expect(page.locator("#bascule-state")).to_have_text("attached")


def test_without_a_dispatcher_the_link_leaves_the_address_and_waits(
    page: Page, panel_bridge: RealBridge
) -> None:
    open_page(page, with_query(panel_bridge.link, "bare"))
    assert page.evaluate("location.hash") == ""
    expect(button(page, "Attach")).to_be_disabled()
    page.evaluate("test.panel.dispatcher = test.dispatcher")
    button(page, "Attach").click()
    expect(page.locator("#bascule-state")).to_have_text("attached")


# --- showing


def test_each_call_is_shown_as_it_happens_with_its_session(
    page: Page, panel_bridge: RealBridge, attach: Attach
) -> None:
    attach(page, panel_bridge)
    panel_bridge.execute("test.count", session="writer")
    row = page.locator("#bascule-calls li").first
    expect(row).to_contain_text("write")
    expect(row).to_contain_text("test.count")
    expect(row).to_contain_text("ms")
    expect(row).to_contain_text("writer")
    running = panel_bridge.start_call("actions/execute", {"action": "test.wait"})
    expect(row).to_contain_text("running")
    expect(page.locator("#bascule-badge")).to_have_text("1 running")
    page.evaluate("test.goOn()")
    running.communicate(timeout=30)
    expect(row).to_contain_text("ms")
    expect(page.locator("#bascule-badge")).to_be_hidden()
    look(panel_bridge, "test.fail")
    expect(row).to_contain_text("UNAVAILABLE")
    panel_bridge.call("state/inspect")
    expect(row).to_contain_text("state/inspect")
    expect(page.locator("#bascule-calls li")).to_have_count(4)
    expect(page.locator("#bascule-sessions li")).to_have_count(2)
    expect(page.locator("#bascule-sessions li").last).to_contain_text("writer")
    expect(page.locator("#bascule-sessions li").last).to_contain_text("1 call")
    button(page, "Clear calls").click()
    expect(page.locator("#bascule-calls li")).to_have_count(0)


def test_a_session_that_is_closed_leaves_the_list(
    page: Page, panel_bridge: RealBridge, attach: Attach
) -> None:
    attach(page, panel_bridge)
    line = '{"jsonrpc":"2.0","id":1,"method":"agent/info"}\n'
    with panel_bridge.start(["browser-stdio"]) as stdio:
        assert stdio.stdin is not None
        assert stdio.stdout is not None
        stdio.stdin.write(line)
        stdio.stdin.flush()
        assert '"result"' in stdio.stdout.readline()
        expect(page.locator("#bascule-sessions li")).to_have_count(1)
        stdio.communicate(timeout=30)
    expect(page.locator("#bascule-sessions li")).to_have_count(0)


def test_paused_the_terminal_is_refused_and_shown_so_until_a_person_resumes(
    page: Page, panel_bridge: RealBridge, attach: Attach
) -> None:
    attach(page, panel_bridge)
    button(page, "Pause").click()
    expect(page.locator("#bascule-badge")).to_have_text("paused")
    expect(page.locator("#bascule-message")).to_contain_text("refused until you resume")
    assert look(panel_bridge)["error"]["data"]["code"] == "DISABLED"
    expect(page.locator("#bascule-calls li").first).to_contain_text("DISABLED")
    assert page.evaluate("test.counter.runs") == 0
    button(page, "Resume").click()
    assert "result" in look(panel_bridge)


def test_the_app_is_as_open_after_detaching_as_it_was_before(
    page: Page, panel_bridge: RealBridge, attach: Attach
) -> None:
    attach(page, panel_bridge)
    assert page.evaluate("test.dispatcher.enabled")
    button(page, "Detach").click()
    expect(page.locator("#bascule-state")).to_have_text("detached")
    expect(page.locator("#bascule-message")).to_contain_text("Open the attach link")
    assert page.evaluate("test.dispatcher.enabled") is False
    assert panel_bridge.call("agent/info").returncode == 3
    expect(page.locator("#bascule-sessions")).to_be_hidden()


def test_a_refusal_names_its_cause_and_its_cure(page: Page, panel_bridge: RealBridge) -> None:
    open_page(page, refused_link(panel_bridge))
    button(page, "Attach").click()
    expect(page.locator("#bascule-state")).to_have_text("refused")
    expect(page.locator("#bascule-message")).to_contain_text(
        "open the link of the one that runs now"
    )
    expect(page.get_by_label("Attach link")).to_be_visible()


def test_hostile_names_are_text_that_stays_in_its_place(
    page: Page, panel_bridge: RealBridge
) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    name = "%E2%80%AE%3Cimg%20src=x%20onerror=alert(1)%3E" + "W" * 150
    open_page(page, with_query(panel_bridge.link, f"app={name}"))
    expect(page.locator("#bascule-offer")).to_contain_text(
        "[U+202E]<img src=x onerror=alert(1)>WWW"
    )
    assert page.locator("#bascule-offer img").count() == 0
    button(page, "Attach").click()
    expect(page.locator("#bascule-state")).to_have_text("attached")
    for action in (HOSTILE, "<b>bold</b>", LONG):
        look(panel_bridge, action, session="s" * 128)
    expect(page.locator("#bascule-calls")).to_contain_text("test.[U+202E]gnp.exe")
    expect(page.locator("#bascule-calls")).to_contain_text("<b>bold</b>")
    expect(page.locator("#bascule-calls b")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    overflowing = page.evaluate(
        """[...document.querySelector("bascule-panel").shadowRoot.querySelectorAll("li, dd, p")]
          .filter((each) => each.scrollWidth > each.clientWidth + 1 && !each.matches(".heard"))
          .map((each) => each.outerHTML)"""
    )
    assert overflowing == []


def test_the_list_of_calls_is_bounded(page: Page, panel_bridge: RealBridge, attach: Attach) -> None:
    attach(page, panel_bridge)
    lines = "".join(
        json.dumps(
            {
                "jsonrpc": "2.0",
                "id": number,
                "method": "actions/execute",
                "params": {"action": f"none.{number}"},
            }
        )
        + "\n"
        for number in range(60)
    )
    panel_bridge.run(["browser-stdio"], stdin=lines)
    expect(page.locator("#bascule-calls li").first).to_contain_text("none.59")
    expect(page.locator("#bascule-calls li")).to_have_count(50)


# --- being an element


def test_the_panel_needs_nothing_that_a_strict_policy_forbids(
    page: Page, panel_bridge: RealBridge, attach: Attach
) -> None:
    attach(page, panel_bridge)
    look(panel_bridge)
    expect(page.locator("#bascule-calls li")).to_have_count(1)
    # The sheet is there: without it the dot would have no size.
    assert page.locator("#bascule-dot").evaluate("dot => getComputedStyle(dot).width") == "12px"
    assert [each for each in page.evaluate("test.violations") if "connect-src" not in each] == []
    page.evaluate("document.body.style.cssText; document.body.setAttribute('style', 'color: red')")
    page.wait_for_function("test.violations.some((each) => each.startsWith('style-src'))")


def test_a_panel_that_is_moved_keeps_its_attachment_and_leaves_no_listener(
    page: Page, panel_bridge: RealBridge, attach: Attach
) -> None:
    attach(page, panel_bridge)
    before = page.evaluate("test.listeners()")
    page.evaluate(
        """for (let move = 0; move < 5; move += 1) {
          test.panel.remove();
          document.querySelector("main").append(test.panel);
        }"""
    )
    assert page.evaluate("test.listeners()") == before
    expect(page.locator("#bascule-state")).to_have_text("attached")
    look(panel_bridge)
    expect(page.locator("#bascule-calls li")).to_have_count(1)
    observers = (
        "[test.dispatcher._observers._observers.size, test.dispatcher._enabledObservers.size]"
    )
    assert page.evaluate(observers) == [1, 1]
    page.evaluate("test.panel.remove()")
    assert page.evaluate(observers) == [0, 0]
    assert page.evaluate("test.listeners()") == before - 1
    assert "result" in look(panel_bridge)
    page.evaluate("test.panel.detach()")
    assert panel_bridge.call("agent/info").returncode == 3


def test_two_panels_do_not_take_one_link_twice(page: Page, panel_bridge: RealBridge) -> None:
    open_page(page, with_query(panel_bridge.link, "second"))
    expect(page.get_by_role("button", name="Attach", exact=True)).to_have_count(1)
    button(page, "Attach").click()
    expect(page.locator("#bascule-state").first).to_have_text("attached")
    expect(page.locator("#bascule-state").last).to_have_text("detached")
    button(page, "Pause").click()
    expect(page.locator("#bascule-badge").first).to_have_text("paused")


def test_a_remembered_attachment_comes_back_after_a_reload_paused_if_it_was(
    page: Page, panel_bridge: RealBridge
) -> None:
    open_page(page, with_query(panel_bridge.link, "remember"))
    button(page, "Attach").click()
    expect(page.locator("#bascule-state")).to_have_text("attached")
    page.reload()
    expect(page.locator("#bascule-state")).to_have_text("attached")
    assert "result" in look(panel_bridge)
    button(page, "Pause").click()
    page.reload()
    expect(page.locator("#bascule-state")).to_have_text("attached")
    expect(page.locator("#bascule-badge")).to_have_text("paused")
    assert look(panel_bridge)["error"]["data"]["code"] == "DISABLED"
    button(page, "Detach").click()
    expect(page.locator("#bascule-state")).to_have_text("detached")
    page.reload()
    expect(page.locator("#bascule-state")).to_have_text("detached")


def test_without_remember_a_reload_attaches_nothing(
    page: Page, panel_bridge: RealBridge, attach: Attach
) -> None:
    attach(page, panel_bridge)
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-ready", "yes")
    expect(page.locator("#bascule-state")).to_have_text("detached")


def test_collapsed_it_shows_its_state_in_one_line_and_an_offer_opens_it(
    page: Page, panel_bridge: RealBridge, attach: Attach
) -> None:
    attach(page, panel_bridge)
    page.locator("summary").click()
    expect(page.locator("#bascule-message")).to_be_hidden()
    expect(page.locator("#bascule-state")).to_be_visible()
    box = page.locator("bascule-panel").bounding_box()
    assert box is not None
    assert box["height"] < 60
    page.evaluate("link => { location.hash = link }", panel_bridge.link.partition("#")[2])
    expect(button(page, "Attach")).to_be_visible()
    expect(page.locator("#bascule-message")).to_contain_text("Another terminal")


def test_all_of_it_works_by_keyboard_and_a_second_press_undoes_nothing(
    page: Page, panel_bridge: RealBridge
) -> None:
    open_page(page, panel_bridge.link)
    focused = "document.querySelector('bascule-panel').shadowRoot.activeElement?.id"
    for _ in range(6):
        page.keyboard.press("Tab")
        if page.evaluate(focused) == "bascule-attach":
            break
    assert page.evaluate(focused) == "bascule-attach"
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(page.locator("#bascule-state")).to_have_text("attached")
    assert page.evaluate(focused) == "bascule-body"
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == "bascule-switch"
    page.keyboard.press("Enter")
    expect(page.locator("#bascule-badge")).to_have_text("paused")
    page.keyboard.press("Enter")
    expect(page.locator("#bascule-badge")).to_be_hidden()


def test_calls_are_told_to_those_who_hear_the_page_without_a_word_for_each(
    page: Page, panel_bridge: RealBridge, attach: Attach
) -> None:
    attach(page, panel_bridge)
    page.evaluate(
        """() => {
          const heard = test.panel.shadowRoot.getElementById("bascule-heard");
          test.heard = [];
          new MutationObserver(() => test.heard.push(heard.textContent)).observe(heard, {
            childList: true, characterData: true, subtree: true,
          });
        }"""
    )
    request = {"jsonrpc": "2.0", "method": "actions/execute", "params": {"action": "test.look"}}
    lines = "".join(json.dumps(request | {"id": number}) + "\n" for number in range(20))
    panel_bridge.run(["browser-stdio"], stdin=lines)
    expect(page.locator("#bascule-calls li")).to_have_count(20)
    assert page.evaluate("test.heard[0]") == "Call: test.look"
    assert page.evaluate("test.heard.length") <= 2
    assert (
        page.locator("#bascule-calls").evaluate("list => list.closest('[aria-live], [role=log]')")
        is None
    )


def test_an_app_s_own_ids_are_located_without_ambiguity(
    page: Page, panel_bridge: RealBridge, attach: Attach
) -> None:
    attach(page, panel_bridge)
    look(panel_bridge)
    own = ["state", "message", "link", "calls"]
    page.evaluate(
        """own => document.querySelector("main").append(...own.map((id) => {
          const element = document.createElement("p");
          element.id = id;
          element.textContent = `The app's own ${id}`;
          return element;
        }))""",
        own,
    )
    for name in own:
        expect(page.locator(f"#{name}")).to_have_text(f"The app's own {name}")
    # Locators do see into the panel, so that none of its names may be one that an app would choose.
    expect(page.locator("#bascule-state")).to_have_text("attached")
    named = "[...test.panel.shadowRoot.querySelectorAll('[id]')].map(element => element.id)"
    ids = page.evaluate(named)
    assert "bascule-calls" in ids
    assert [each for each in ids if not each.startswith("bascule-")] == []
    # What refers to an id still finds it.
    expect(page.get_by_role("list", name="Calls").get_by_role("listitem")).to_have_count(1)
    expect(page.get_by_role("list", name="In use by").get_by_role("listitem")).to_have_count(1)


# --- looking


@pytest.mark.parametrize("width", [900, 360])
def test_the_panel_has_no_accessibility_violation_in_any_state(
    page: Page, panel_bridge: RealBridge, browser_name: str, width: int
) -> None:
    look_at_every_state(page, panel_bridge, f"{browser_name}-light-{width}", width)


def test_the_panel_has_no_accessibility_violation_in_the_dark(
    panel_bridge: RealBridge,
    browser_name: str,
    playwright: Any,
    browser_type_launch_args: dict[str, Any],
) -> None:
    with launch_dark(playwright, browser_name, browser_type_launch_args) as page:
        look_at_every_state(page, panel_bridge, f"{browser_name}-dark", 480)
        paper = page.locator("#bascule-panel").evaluate(
            "panel => getComputedStyle(panel).backgroundColor"
        )
        assert paper == "rgb(29, 33, 37)"


def look_at_every_state(page: Page, bridge: RealBridge, name: str, width: int) -> None:
    """Go from an offer to a refusal, and check and keep a picture of each state on the way."""
    page.set_viewport_size({"width": width, "height": 800})

    def check(state: str) -> None:
        assert violations(page) == [], state
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), state
        save(page, f"panel-{name}-{state}")

    open_page(page, bridge.page)
    check("detached")
    open_page(page, bridge.link)
    expect(button(page, "Attach")).to_be_visible()
    check("offered")
    button(page, "Attach").click()
    expect(page.locator("#bascule-state")).to_have_text("attached")
    bridge.execute("test.count", session="writer")
    for action in ("test.fail", HOSTILE, LONG):
        look(bridge, action)
    running = bridge.start_call("actions/execute", {"action": "test.wait"})
    expect(page.locator("#bascule-badge")).to_have_text("1 running")
    check("attached")
    button(page, "Pause").click()
    look(bridge)
    expect(page.locator("#bascule-calls")).to_contain_text("DISABLED")
    check("paused")
    page.evaluate("test.goOn()")
    running.communicate(timeout=30)
    button(page, "Detach").click()
    open_page(page, refused_link(bridge))
    button(page, "Attach").click()
    expect(page.locator("#bascule-state")).to_have_text("refused")
    check("refused")
    open_page(page, bridge.link)
    button(page, "Attach").click()
    expect(page.locator("#bascule-state")).to_have_text("attached")
    bridge.process.kill()
    expect(page.locator("#bascule-state")).to_have_text("suspended")
    check("suspended")


def animation_of_a_running_call(page: Page, bridge: RealBridge, attach: Attach) -> str:
    attach(page, bridge)
    running = bridge.start_call("actions/execute", {"action": "test.wait"})
    outcome = page.locator("#bascule-calls li .outcome").first
    expect(outcome).to_have_text("running")
    name: str = outcome.evaluate("each => getComputedStyle(each, '::before').animationName")
    page.evaluate("test.goOn()")
    running.communicate(timeout=30)
    button(page, "Detach").click()
    expect(page.locator("#bascule-state")).to_have_text("detached")
    return name


@pytest.mark.parametrize(("preference", "animation"), [(0, "pulse"), (1, "none")])
def test_who_prefers_less_motion_sees_none(
    panel_bridge: RealBridge,
    browser_name: str,
    attach: Attach,
    playwright: Any,
    browser_type_launch_args: dict[str, Any],
    preference: int,
    animation: str,
) -> None:
    options = browser_type_launch_args
    if browser_name == "firefox":  # which is told so by a preference only
        prefs = FIREFOX_PREFS | {"ui.prefersReducedMotion": preference}
        options = options | {"firefox_user_prefs": prefs}
    with launched(playwright, browser_name, options) as browser:
        page = browser.new_page()
        if browser_name == "chromium":
            page.emulate_media(reduced_motion="reduce" if preference else "no-preference")
        assert animation_of_a_running_call(page, panel_bridge, attach) == animation
