"""The owner's dialog: what answers it, and what an app in a frame cannot do to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from bridge.servers.static_pages import StaticPages
from tests.e2e.support.page_server import serve_pages
from tests.e2e.support.seen_page import save, violations
from tests.e2e.support.waiting import wait_until

PROBE = "/probe/workspace/consent.html"


@pytest.fixture(scope="module")
def pages() -> Iterator[StaticPages]:
    with serve_pages() as served:
        yield served


@pytest.fixture
def probe(page: Page, pages: StaticPages) -> Page:
    """Open a page that holds the workspace's dialog, a queue, and an app in a frame."""
    page.goto(pages.origin + PROBE)
    page.wait_for_function("() => globalThis.queue !== undefined")
    page.frame_locator("#thief").get_by_role("heading").wait_for()
    return page


def stopped(page: Page, pages: StaticPages) -> None:
    """Open the same page with a clock that only the test moves."""
    page.clock.install(time=0)
    page.goto(pages.origin + PROBE)
    page.wait_for_function("() => globalThis.queue !== undefined")
    page.clock.pause_at(3_600_000)


def dialog(page: Page) -> Locator:
    return page.get_by_role("dialog")


def allow(page: Page) -> Locator:
    return dialog(page).get_by_role("button", name="Allow")


def ask(page: Page, **prompt: Any) -> None:
    page.evaluate("(prompt) => ask(prompt)", prompt)


def expect_answers(page: Page, *wanted: str) -> None:
    page.wait_for_function("(wanted) => answers.join() === wanted", arg=",".join(wanted))


def place_of_allow(page: Page) -> tuple[float, float]:
    """Say where the yes of the next question will be, by asking one and denying it."""
    ask(page)
    expect(allow(page)).to_be_visible()
    box = allow(page).bounding_box()
    assert box is not None
    dialog(page).get_by_role("button", name="Deny").click()
    expect_answers(page, "denied")
    # What is clicked there next must not be the dialog that goes.
    expect(dialog(page)).to_be_hidden()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def press_until_asked(page: Page, x: float, y: float) -> None:
    """Click in the app, which asks then.

    For a moment Chromium goes on sending clicks to where the dialog was.
    """

    def asked() -> bool:
        page.mouse.click(x, y)
        return bool(page.evaluate("queue.current !== null"))

    wait_until(asked)


def test_a_question_names_itself_and_is_answered_by_keyboard_alone(probe: Page) -> None:
    ask(probe)
    expect(
        probe.get_by_role("dialog", name="Let Other call notes_search of Notes?")
    ).to_be_visible()
    expect(probe.locator("#consent-title")).to_be_focused()
    # Nothing is under a key that somebody was pressing.
    probe.keyboard.press("Enter")
    probe.keyboard.press("Space")
    expect(dialog(probe)).to_be_visible()
    probe.keyboard.press("Tab")
    expect(dialog(probe).get_by_label("Only this call")).to_be_focused()
    probe.keyboard.press("ArrowDown")
    expect(dialog(probe).get_by_label("This tool")).to_be_checked()
    probe.keyboard.press("Tab")
    expect(dialog(probe).get_by_role("button", name="Deny")).to_be_focused()
    probe.keyboard.press("Tab")
    expect(allow(probe)).to_be_focused()
    expect(allow(probe)).to_have_attribute("aria-disabled", "false")
    probe.keyboard.press("Enter")
    expect_answers(probe, "session:")
    expect(dialog(probe)).to_be_hidden()


def test_escape_and_deny_both_say_no(probe: Page) -> None:
    ask(probe)
    expect(dialog(probe)).to_be_visible()
    probe.keyboard.press("Escape")
    expect_answers(probe, "denied")
    ask(probe)
    dialog(probe).get_by_role("button", name="Deny").click()
    expect_answers(probe, "denied", "denied")
    # The same dialog takes a yes afterwards.
    ask(probe)
    allow(probe).click()
    expect_answers(probe, "denied", "denied", "once:")


def test_a_question_of_an_agent_s_turn_has_a_stop_for_it_that_is_reached_by_keyboard(
    probe: Page,
) -> None:
    ask(probe)
    stop = dialog(probe).get_by_role("button", name="Stop")
    expect(dialog(probe)).to_be_visible()
    expect(stop).to_have_count(0)
    allow(probe).click()
    expect_answers(probe, "once:")
    ask(probe, subject="agent:other:run")
    expect(stop).to_have_text("Stop agent:other:run")
    expect(probe.locator("#consent-title")).to_be_focused()
    probe.keyboard.press("Tab")
    probe.keyboard.press("Tab")
    expect(stop).to_be_focused()
    probe.keyboard.press("Tab")
    expect(dialog(probe).get_by_role("button", name="Deny")).to_be_focused()
    probe.keyboard.press("Shift+Tab")
    probe.keyboard.press("Enter")
    # A question that does not end with its turn is denied.
    expect_answers(probe, "once:", "denied")
    assert probe.evaluate("stopped.join()") == "agent:other:run"
    # One of somebody else's has none.
    ask(probe)
    expect(dialog(probe)).to_be_visible()
    expect(stop).to_have_count(0)


def test_a_question_that_nobody_answers_says_how_long_it_waits_and_ends(
    page: Page, pages: StaticPages
) -> None:
    stopped(page, pages)
    ask(page, seconds=10)
    ask(page, subject="app:second", title="Another question?")
    left = page.locator("#consent-left")
    expect(left).to_contain_text("denied in 10 s")
    expect(dialog(page)).to_contain_text("1 more question after it")
    page.clock.run_for(4_000)
    expect(left).to_contain_text("denied in 6 s")
    page.clock.run_for(6_500)
    expect_answers(page, "timeout")
    # The next one is before the owner, and not yet to be answered with yes.
    expect(page.get_by_role("dialog", name="Another question?")).to_be_visible()
    expect(allow(page)).to_have_attribute("aria-disabled", "true")
    page.clock.run_for(1_000)
    allow(page).click()
    expect_answers(page, "timeout", "once:")


def test_a_double_click_on_an_app_does_not_hit_the_yes_that_comes_up_below_it(
    page: Page, pages: StaticPages
) -> None:
    stopped(page, pages)
    page.frame_locator("#thief").get_by_role("heading").wait_for()
    x, y = place_of_allow(page)
    press_until_asked(page, x, y)
    expect(allow(page)).to_be_visible()
    for _ in range(3):
        page.mouse.click(x, y)
        page.mouse.dblclick(x, y)
        page.clock.run_for(500)
    # Clicks that come to the app late are refused there: it asks already.
    said = "answers.filter((each) => each !== 'busy').join()"
    assert page.evaluate(said) == "denied"
    # Who waits until it can be read, and clicks at the very same place, means it.
    page.clock.run_for(1_000)
    page.mouse.click(x, y)
    page.wait_for_function(f"{said} === 'denied,once:'")


def test_what_an_app_lays_over_itself_does_not_lie_over_the_question(probe: Page) -> None:
    covering = "document.getElementById('thief').contentWindow.postMessage({ cover: true }, '*')"
    probe.evaluate(covering)
    probe.wait_for_function("() => thefts.count === 1")
    go_on = probe.frame_locator("#thief").get_by_role("button", name="Go on")
    # It can cover itself: where no question is, its own button is clicked.
    go_on.click()
    probe.wait_for_function("() => typed.includes('covered')")
    expect(dialog(probe)).to_be_visible()
    probe.evaluate(covering)
    probe.wait_for_function("() => thefts.count === 2")
    expect(allow(probe)).to_have_attribute("aria-disabled", "false")
    for name in ("Allow", "Deny"):
        button = dialog(probe).get_by_role("button", name=name)
        box = button.bounding_box()
        assert box is not None
        middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
        at = probe.evaluate("([x, y]) => document.elementFromPoint(x, y).textContent", middle)
        assert at == name
    allow(probe).click()
    expect_answers(probe, "once:")
    assert probe.evaluate("typed.join()") == "covered"


def test_a_click_that_a_script_makes_says_nothing(probe: Page) -> None:
    ask(probe)
    expect(allow(probe)).to_have_attribute("aria-disabled", "false")
    probe.evaluate(
        """() => {
          const allow = document.getElementById("consent-allow");
          allow.click();
          allow.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1 }));
          allow.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
        }"""
    )
    assert probe.evaluate("answers.length") == 0
    allow(probe).click()
    expect_answers(probe, "once:")


def test_a_resize_makes_the_yes_wait_again(page: Page, pages: StaticPages) -> None:
    stopped(page, pages)
    ask(page)
    page.clock.run_for(700)
    expect(allow(page)).to_have_attribute("aria-disabled", "false")
    page.set_viewport_size({"width": 900, "height": 700})
    expect(allow(page)).to_have_attribute("aria-disabled", "true")
    page.clock.run_for(700)
    allow(page).click()
    expect_answers(page, "once:")


def tell_thief(page: Page, how: str) -> None:
    page.evaluate(
        "(how) => document.getElementById('thief').contentWindow.postMessage({ steal: how }, '*')",
        how,
    )


def test_a_frame_that_takes_the_keyboard_loses_it_to_the_question(probe: Page) -> None:
    probe.frame_locator("#thief").get_by_label("A field").focus()
    # Without a question it can: what it is kept from is not what it cannot do.
    probe.evaluate("document.querySelector('h1').tabIndex = -1")
    probe.evaluate("document.querySelector('h1').focus()")
    tell_thief(probe, "once")
    probe.wait_for_function("() => document.activeElement?.id === 'thief'")
    probe.keyboard.press("a")
    probe.wait_for_function("() => typed.join('') === 'a'")
    ask(probe)
    expect(allow(probe)).to_have_attribute("aria-disabled", "false")
    tell_thief(probe, "once")
    probe.wait_for_function("() => thefts.count === 2")
    expect(probe.locator("#consent-title")).to_be_focused()
    expect(allow(probe)).to_have_attribute("aria-disabled", "false")
    probe.keyboard.press("b")
    allow(probe).click()
    expect_answers(probe, "once:")
    # It has it again, as it had it before, when the question is answered.
    probe.wait_for_function("() => document.activeElement?.id === 'thief'")
    probe.keyboard.press("c")
    probe.wait_for_function("() => typed.includes('c')")
    assert probe.evaluate("typed.join('')") == "ac"


def test_a_frame_that_takes_the_keyboard_again_and_again_has_to_go(probe: Page) -> None:
    probe.frame_locator("#thief").get_by_label("A field").focus()
    ask(probe)
    expect(allow(probe)).to_have_attribute("aria-disabled", "false")
    tell_thief(probe, "always")
    expect(probe.locator("#thief")).to_have_count(0)
    assert probe.evaluate("thefts.count") >= 5
    expect(probe.locator("#consent-title")).to_be_focused()
    assert probe.evaluate("answers.length") == 0
    probe.keyboard.press("Tab")
    expect(dialog(probe).get_by_label("Only this call")).to_be_focused()
    allow(probe).click()
    expect_answers(probe, "once:")


@pytest.mark.only_browser("chromium")
def test_an_app_has_no_more_attempts_for_having_more_frames(probe: Page) -> None:
    """Frames of one app take turns; another app's frame, which tries less often, stays.

    In Firefox they cannot: only the frame that had the keyboard last takes it back by script.
    """
    probe.evaluate(
        """() => {
          const thief = document.getElementById("thief");
          for (const [id, app] of [["second", "many"], ["third", "many"], ["other", "other"]]) {
            const frame = thief.cloneNode();
            frame.id = id;
            frame.dataset.app = app;
            document.body.append(frame);
          }
        }"""
    )
    for name in ("second", "third", "other"):
        probe.frame_locator(f"#{name}").get_by_role("heading").wait_for()
    ask(probe)
    expect(allow(probe)).to_have_attribute("aria-disabled", "false")
    turns = ["second", "third", "other", "second", "third", "second", "third"]
    for at, name in enumerate(turns):
        expect(probe.locator("#consent-title")).to_be_focused()
        expect(probe.locator(f"#{name}")).to_have_count(1)
        probe.evaluate(
            "(id) => document.getElementById(id).contentWindow.postMessage({ steal: 'once' }, '*')",
            name,
        )
        probe.wait_for_function("(length) => caught.length === length", arg=at + 1)
    assert probe.evaluate("caught") == turns
    # The fifth theft of the app was the second frame's, and each one after it costs a frame.
    expect(probe.locator("#second")).to_have_count(0)
    expect(probe.locator("#third")).to_have_count(0)
    expect(probe.locator("#other")).to_have_count(1)
    expect(probe.locator("#consent-title")).to_be_focused()
    allow(probe).click()
    expect_answers(probe, "once:")


def test_a_secret_is_asked_for_entered_and_not_left_in_the_page(probe: Page) -> None:
    ask(
        probe,
        title="Connect Other to Entered?",
        choices=[{"id": "yes", "label": "Until the workspace is locked"}],
        input={"kind": "secret", "label": "Credential", "maxChars": 40},
        confirm="Connect",
    )
    connect = dialog(probe).get_by_role("button", name="Connect")
    expect(dialog(probe)).to_contain_text("Until the workspace is locked")
    field = dialog(probe).get_by_label("Credential")
    expect(field).to_have_attribute("type", "password")
    # Without it there is nothing to say yes to, however long one waits.
    field.fill("x")
    expect(connect).to_have_attribute("aria-disabled", "false")
    field.fill("")
    expect(connect).to_have_attribute("aria-disabled", "true")
    field.fill("sesame")
    connect.click()
    expect_answers(probe, "yes:sesame")
    assert probe.locator("#consent input").count() == 0


LONG = "\n".join(f'  "line {at}": "<b>not markup</b> and many words after it",' for at in range(90))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 360])
def test_a_long_question_is_seen_whole_at_any_width(
    probe: Page, width: int, theme: str, browser_name: str
) -> None:
    probe.set_viewport_size({"width": width, "height": 740})
    probe.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
    probe.evaluate("() => { document.getElementById('thief').hidden = true; }")
    ask(
        probe,
        title="Let Other call notes_search of Notes?",
        facts=[
            {"label": "From", "value": "Other (tile), asked by a terminal over Assistant"},
            {"label": "To", "value": "Notes (background)"},
            {"label": "Tool", "value": "notes_search"},
            {"label": "Arguments", "value": "{\n" + LONG + "\n}", "code": True},
        ],
        quote="I need this to find your roadmap, " * 3,
    )
    ask(probe, subject="app:second")
    expect(allow(probe)).to_have_attribute("aria-disabled", "false")
    for name in ("Allow", "Deny"):
        expect(dialog(probe).get_by_role("button", name=name)).to_be_in_viewport(ratio=1)
    assert probe.locator("#consent b").count() == 0
    box = dialog(probe).get_by_role("region", name="Arguments")
    assert box.evaluate("(box) => box.scrollHeight > box.clientHeight")
    assert probe.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(probe) == []
    save(probe, f"consent-{width}-{theme}-{browser_name}")
    allow(probe).click()
    expect_answers(probe, "once:")
