"""The word processor in real browsers: typing, looks, finding, saving, and a terminal beside it."""

from __future__ import annotations

import json
import struct
from base64 import b64decode
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import BrowserContext, Page, Playwright, expect

from bridge.servers.static_pages import StaticPages
from tests.e2e.conftest import Attach
from tests.e2e.support.browsers import FIREFOX_PREFS, launched
from tests.e2e.support.real_bridge import RealBridge
from tests.e2e.support.word_processor import (
    FIRST,
    copy_elsewhere,
    editor,
    expect_paragraphs,
    expect_styles,
    paragraphs,
    selected,
    shown_text,
    write,
)


@pytest.fixture
def sheet(page: Page, pages: StaticPages) -> Page:
    """Open the word processor with an empty document."""
    page.goto(pages.page)
    write(page, "")
    return page


def revision(page: Page) -> int:
    return int((page.locator("#revision").text_content() or "").split()[-1])


# --- typing


def test_every_letter_is_an_action_and_words_are_undone_one_by_one(sheet: Page) -> None:
    before = revision(sheet)
    sheet.keyboard.type("ab cd")
    expect(sheet.locator("#revision")).to_have_text(f"revision {before + 5}")
    sheet.keyboard.press("Control+z")
    expect_paragraphs(sheet, "ab")
    sheet.keyboard.press("Control+Shift+z")
    expect_paragraphs(sheet, "ab cd")
    sheet.keyboard.press("Control+z")
    sheet.keyboard.press("Control+y")
    expect_paragraphs(sheet, "ab cd")


def test_lines_are_split_and_joined(sheet: Page) -> None:
    sheet.keyboard.type("one two")
    sheet.keyboard.press("ArrowLeft")
    sheet.keyboard.press("ArrowLeft")
    sheet.keyboard.press("ArrowLeft")
    sheet.keyboard.press("Enter")
    expect_paragraphs(sheet, "one", "two")
    sheet.keyboard.press("Backspace")
    expect_paragraphs(sheet, "one two")
    sheet.keyboard.press("Enter")
    sheet.keyboard.press("ArrowLeft")
    sheet.keyboard.press("Delete")
    expect_paragraphs(sheet, "one two")
    sheet.keyboard.type("X")
    assert shown_text(sheet) == "one Xtwo"


def test_a_selection_over_paragraphs_is_replaced_by_what_is_typed(sheet: Page) -> None:
    write(sheet, "one\ntwo\nthree")
    sheet.keyboard.press("Control+Home")
    sheet.keyboard.press("ArrowRight")
    sheet.keyboard.press("Shift+Control+End")
    sheet.keyboard.type("x")
    expect_paragraphs(sheet, "ox")
    sheet.keyboard.press("Control+z")
    expect_paragraphs(sheet, "one", "two", "three")


def test_words_are_erased_by_their_keys(sheet: Page) -> None:
    write(sheet, "one two three")
    sheet.keyboard.press("Control+Backspace")
    expect(paragraphs(sheet)).to_have_text(["one two"])
    sheet.keyboard.press("Control+Home")
    sheet.keyboard.press("Control+Delete")
    assert shown_text(sheet).strip() == "two"


@pytest.mark.parametrize("character", ["😀", "👍🏽", "🇩🇪"])
def test_a_character_is_erased_whole(sheet: Page, character: str) -> None:
    sheet.keyboard.insert_text(f"a{character}b")
    expect_paragraphs(sheet, f"a{character}b")
    sheet.keyboard.press("ArrowLeft")
    sheet.keyboard.press("Backspace")
    assert shown_text(sheet) == "ab"


def test_spaces_stay_as_they_were_typed(sheet: Page) -> None:
    sheet.keyboard.type("a  b ")
    assert shown_text(sheet) == "a  b "
    sheet.keyboard.type(" c")
    assert shown_text(sheet) == "a  b  c"


# --- input methods and other hands in the page


def test_an_input_method_composes_undisturbed(
    sheet: Page, browser_name: str, context: BrowserContext
) -> None:
    if browser_name != "chromium":
        pytest.skip("only Chromium's protocol has an input method")
    write(sheet, "say ")
    method = context.new_cdp_session(sheet)
    before = revision(sheet)
    for text in ("に", "にh", "にほ", "にほん"):
        caret = {"selectionStart": len(text), "selectionEnd": len(text)}
        method.send("Input.imeSetComposition", {"text": text, **caret})
    assert shown_text(sheet) == "say にほん"
    assert revision(sheet) == before
    method.send("Input.insertText", {"text": "日本"})
    expect_paragraphs(sheet, "say 日本")
    assert revision(sheet) == before + 1
    sheet.keyboard.type("!")
    expect_paragraphs(sheet, "say 日本!")
    sheet.keyboard.press("Control+z")
    sheet.keyboard.press("Control+z")
    assert shown_text(sheet) == "say "


COMPOSE = """(letters) => {
    const text = document.querySelector("#text");
    const fire = (kind) => text.dispatchEvent(new CompositionEvent(kind, { bubbles: true }));
    const node = text.lastElementChild.lastChild;
    fire("compositionstart");
    node.appendData(letters);
    document.getSelection().collapse(node, node.length);
    window.endComposition = () => fire("compositionend");
}"""


def test_what_a_terminal_writes_during_a_composition_comes_after_it(
    page: Page, bridge: RealBridge, attach: Attach
) -> None:
    attach(page, bridge)
    write(page, "say ")
    page.evaluate(COMPOSE, "日本")
    bridge.execute("document.text.insert", {"text": "Terminal. ", "at": 0})
    assert shown_text(page) == "say 日本"
    page.evaluate("endComposition()")
    expect_paragraphs(page, "Terminal. say 日本")
    assert bridge.execute("document.read")["output"]["text"] == "Terminal. say 日本"
    page.keyboard.type("!")
    assert shown_text(page) == "Terminal. say 日本!"


def test_what_something_else_does_to_the_page_is_read_or_put_right(sheet: Page) -> None:
    write(sheet, "one teh\ntwo")
    before = revision(sheet)
    sheet.evaluate("document.querySelector('#text > p').firstChild.data = 'one the'")
    expect(sheet.locator("#revision")).to_have_text(f"revision {before + 1}")
    sheet.evaluate("document.querySelector('#text').append(document.createElement('hr'))")
    expect(sheet.locator("#text hr")).to_have_count(0)
    assert shown_text(sheet).startswith("one the\ntwo")
    editor(sheet).press("Control+z")
    editor(sheet).press("Control+z")
    assert shown_text(sheet) == "one teh\ntwo"


def test_text_is_pasted_without_its_looks(sheet: Page) -> None:
    write(sheet, "ab")
    sheet.keyboard.press("ArrowLeft")
    copy_elsewhere(sheet, "one\r\n<b>two</b>", "<b>looks</b>")
    editor(sheet).focus()
    sheet.keyboard.press("Control+v")
    expect_paragraphs(sheet, "aone", "<b>two</b>b")
    sheet.keyboard.press("Control+z")
    expect_paragraphs(sheet, "ab")


def test_copying_and_cutting_give_the_text_and_its_looks(sheet: Page) -> None:
    write(sheet, "one\ntwo")
    sheet.evaluate(
        """document.addEventListener("paste", ({ clipboardData }) => {
            window.pasted = ["plain", "html"].map((kind) => clipboardData.getData(`text/${kind}`));
        }, { capture: true })"""
    )
    sheet.keyboard.press("Control+a")
    sheet.keyboard.press("Control+c")
    sheet.keyboard.press("Control+End")
    sheet.keyboard.press("Control+v")
    expect_paragraphs(sheet, "one", "twoone", "two")
    plain, html = sheet.evaluate("pasted")
    assert plain == "one\ntwo"
    assert "<p>one</p>" in html
    assert "<p>two</p>" in html
    sheet.keyboard.press("Control+a")
    sheet.keyboard.press("Control+x")
    expect_paragraphs(sheet, "")
    sheet.keyboard.press("Control+v")
    expect_paragraphs(sheet, "one", "twoone", "two")


# --- looks


def test_signs_at_the_beginning_of_a_paragraph_make_its_style(sheet: Page) -> None:
    sheet.keyboard.type("# Title")
    sheet.keyboard.press("Enter")
    sheet.keyboard.type("body")
    sheet.keyboard.press("Enter")
    sheet.keyboard.type("- item")
    sheet.keyboard.press("Enter")
    sheet.keyboard.type("second")
    expect_styles(sheet, "heading-1", "body", "list", "list")
    expect_paragraphs(sheet, "Title", "body", "item", "second")
    sheet.keyboard.press("Enter")
    sheet.keyboard.press("Enter")
    expect_styles(sheet, "heading-1", "body", "list", "list", "body")


def test_erasing_at_the_beginning_takes_a_style_first(sheet: Page) -> None:
    sheet.keyboard.type("body")
    sheet.keyboard.press("Enter")
    sheet.keyboard.type("> quoted")
    sheet.keyboard.press("Home")
    sheet.keyboard.press("Backspace")
    expect_styles(sheet, "body", "body")
    sheet.keyboard.press("Backspace")
    expect_paragraphs(sheet, "bodyquoted")


def test_styles_have_keys_and_a_list(sheet: Page) -> None:
    write(sheet, "one\ntwo")
    sheet.keyboard.press("Control+Alt+2")
    expect_styles(sheet, "body", "heading-2")
    expect(sheet.get_by_label("Paragraph style")).to_have_value("heading-2")
    sheet.keyboard.press("Control+a")
    sheet.get_by_label("Paragraph style").select_option("Numbered list")
    expect_styles(sheet, "numbered", "numbered")


def test_a_style_is_chosen_for_a_selection_that_the_browser_tells_of_later(sheet: Page) -> None:
    write(sheet, "one\ntwo")
    sheet.keyboard.press("Control+Alt+2")
    expect(sheet.get_by_label("Paragraph style")).to_have_value("heading-2")
    sheet.evaluate(
        """() => {
          const style = document.querySelector("#style");
          document.getSelection().selectAllChildren(document.querySelector("#text"));
          style.value = "numbered";
          style.dispatchEvent(new Event("change"));
        }"""
    )
    expect_styles(sheet, "numbered", "numbered")


def test_marks_are_switched_for_a_selection_and_for_what_comes(sheet: Page) -> None:
    bold = sheet.get_by_role("button", name="Bold")
    sheet.keyboard.type("plain ")
    sheet.keyboard.press("Control+b")
    expect(bold).to_have_attribute("aria-pressed", "true")
    sheet.keyboard.type("bold")
    bold.click()
    sheet.keyboard.type(" again")
    expect(sheet.locator("#text strong")).to_have_text("bold")
    assert shown_text(sheet) == "plain bold again"
    sheet.keyboard.press("Control+a")
    sheet.keyboard.press("Control+i")
    expect(sheet.locator("#text em")).to_have_count(3)
    sheet.keyboard.press("Control+i")
    expect(sheet.locator("#text em")).to_have_count(0)
    expect(sheet.get_by_role("button", name="Italic")).to_have_attribute("aria-pressed", "false")


# --- the title


def test_the_title_is_part_of_the_document(page: Page, bridge: RealBridge, attach: Attach) -> None:
    attach(page, bridge)
    title = page.get_by_role("textbox", name="Title")
    expect(title).to_have_value("The bridge that waits")
    title.press("Control+a")
    title.press_sequentially("Mine")
    assert bridge.result("state/inspect")["title"] == "Mine"
    expect(page).to_have_title("Mine · Bascule Write")
    bridge.execute("document.title.set", {"title": "A terminal's"})
    expect(title).to_have_value("A terminal's")
    title.press("Control+z")
    expect(title).to_have_value("Mine")
    title.press("Enter")
    expect(editor(page)).to_be_focused()


# --- find and replace


def test_find_counts_and_goes_round(sheet: Page) -> None:
    write(sheet, "a Cat, a cat\nconcatenate")
    sheet.keyboard.press("Control+f")
    query = sheet.get_by_role("textbox", name="Find", exact=True)
    expect(query).to_be_focused()
    query.press_sequentially("cat")
    count = sheet.locator("#find-count")
    expect(count).to_have_text("1 of 3")
    query.press("Enter")
    expect(count).to_have_text("2 of 3")
    query.press("Shift+Enter")
    query.press("Shift+Enter")
    expect(count).to_have_text("3 of 3")
    sheet.get_by_label("Whole words").check()
    expect(count).to_contain_text("2")
    sheet.get_by_label("Match case").check()
    sheet.get_by_role("button", name="Next").click()
    expect(count).to_have_text("1 of 1")
    query.press("Escape")
    expect(editor(sheet)).to_be_focused()
    assert selected(sheet) == "cat"
    query_box = sheet.locator("#find")
    expect(query_box).to_be_hidden()


def test_one_match_or_all_are_replaced(sheet: Page) -> None:
    write(sheet, "cat cat cat")
    sheet.keyboard.press("Control+h")
    sheet.get_by_role("textbox", name="Find", exact=True).press_sequentially("cat")
    expect(sheet.locator("#find-count")).to_have_text("1 of 3")
    sheet.get_by_role("textbox", name="Replace with").fill("dog")
    sheet.get_by_role("button", name="Replace", exact=True).click()
    expect_paragraphs(sheet, "dog cat cat")
    sheet.get_by_role("button", name="Replace all").click()
    expect_paragraphs(sheet, "dog dog dog")
    expect(sheet.locator("#find-count")).to_have_text("2 replaced")
    sheet.get_by_role("button", name="Undo").click()
    expect_paragraphs(sheet, "dog cat cat")


def test_matches_are_shown_where_the_terminal_has_moved_them(
    page: Page, bridge: RealBridge, attach: Attach
) -> None:
    attach(page, bridge)
    write(page, "A bascule, another bascule.")
    page.keyboard.press("Control+f")
    page.keyboard.type("bascule")
    marked = "[...CSS.highlights.get('found')].map((range) => range.toString().toLowerCase())"
    expect(page.locator("#find-count")).to_have_text("1 of 2")
    bridge.execute("document.text.insert", {"text": "Bascule! ", "at": 0})
    expect(page.locator("#find-count")).to_have_text("2 of 3")
    assert page.evaluate(marked) == ["bascule"] * 3


# --- counts, keys, export


def test_words_and_characters_are_counted(sheet: Page) -> None:
    sheet.keyboard.insert_text("one two 😀")
    expect(sheet.locator("#counts")).to_have_text("2 words · 9 characters")


def test_the_toolbar_is_one_stop_and_arrows_move_within(sheet: Page) -> None:
    names = sheet.evaluate(
        "[...document.querySelectorAll('#toolbar :is(button, select)')].map((e) => e.ariaLabel)"
    )
    assert None not in names
    sheet.get_by_role("button", name="Undo").focus()
    for name in [*names[1:], names[0]]:
        sheet.keyboard.press("ArrowRight")
        assert sheet.evaluate("document.activeElement.ariaLabel") == name
    sheet.keyboard.press("End")
    assert sheet.evaluate("document.activeElement.ariaLabel") == names[-1]
    assert sheet.locator("#toolbar [tabindex='0']").count() == 1
    sheet.keyboard.press("Tab")
    assert sheet.evaluate("document.activeElement.closest('#toolbar')") is None
    expect(sheet.get_by_label("Paragraph style")).to_have_value("body")


def test_the_shortcuts_are_shown_and_leave(sheet: Page) -> None:
    editor(sheet).press("Control+/")
    dialog = sheet.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog).to_contain_text("Ctrl+Alt+1")
    expect(dialog).to_contain_text("Find and replace")
    sheet.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(editor(sheet)).to_be_focused()


def test_the_document_can_be_taken_away_as_markdown_and_html(sheet: Page) -> None:
    sheet.keyboard.type("## Part")
    sheet.keyboard.press("Enter")
    sheet.keyboard.type("a < b")
    sheet.get_by_role("button", name="Export").click()
    output = sheet.get_by_label("The document in this format")
    expect(output).to_have_value("# The bridge that waits\n\n### Part\n\na \\< b\n")
    sheet.get_by_label("Format", exact=True).select_option("HTML")
    assert "<p>a &lt; b</p>" in output.input_value()
    sheet.get_by_role("button", name="Close").click()
    expect(output).to_be_hidden()


def test_colours_are_switched_and_remembered(sheet: Page) -> None:
    background = "getComputedStyle(document.querySelector('.page')).backgroundColor"
    button = sheet.locator("#theme")
    dark = sheet.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    system, other = ("dark", "light") if dark else ("light", "dark")
    shown = sheet.evaluate(background)
    button.click()
    expect(button).to_have_accessible_name(f"Colours: {other}")
    chosen = sheet.evaluate(background)
    assert chosen != shown, "the first press changes what is seen"
    button.click()
    expect(button).to_have_accessible_name(f"Colours: {system}")
    assert sheet.evaluate(background) == shown
    button.click()
    expect(button).to_have_accessible_name("Colours: as the system")
    button.click()
    sheet.reload()
    expect(sheet.locator("#theme")).to_have_accessible_name(f"Colours: {other}")
    assert sheet.evaluate(background) == chosen


def test_nothing_moves_for_those_who_want_no_motion(
    pages: StaticPages,
    browser_name: str,
    playwright: Playwright,
    browser_type_launch_args: dict[str, Any],
) -> None:
    durations = """[...document.querySelectorAll("*")].map((e) => getComputedStyle(e))
        .filter((style) => style.transitionDuration !== "0s" || style.animationName !== "none")
        .length"""
    arguments = browser_type_launch_args
    for reduced in (False, True):
        if browser_name == "firefox":
            prefs = FIREFOX_PREFS | {"ui.prefersReducedMotion": int(reduced)}
            arguments = arguments | {"firefox_user_prefs": prefs}
        with launched(playwright, browser_name, arguments) as browser:
            page = browser.new_page()
            if browser_name == "chromium":
                page.emulate_media(reduced_motion="reduce" if reduced else "no-preference")
            page.goto(pages.page)
            expect(editor(page)).to_contain_text(FIRST)
            assert (page.evaluate(durations) == 0) is reduced


# --- saving


def test_a_document_is_there_again_after_a_reload(sheet: Page) -> None:
    sheet.keyboard.type("# Kept")
    sheet.get_by_role("textbox", name="Title").fill("Saved title")
    # At once: what is not yet saved is saved when the page is left.
    sheet.reload()
    expect_paragraphs(sheet, "Kept")
    expect_styles(sheet, "heading-1")
    expect(sheet.get_by_role("textbox", name="Title")).to_have_value("Saved title")
    expect(sheet.locator("#saved")).to_have_text("Saved here")


def test_damaged_data_is_said_and_put_aside(page: Page, pages: StaticPages) -> None:
    page.goto(pages.page)
    expect(editor(page)).to_contain_text(FIRST)
    page.evaluate("localStorage.setItem('bascule-write.document', '{damaged')")
    page.reload()
    expect(page.locator("#notice")).to_contain_text("damaged")
    expect(editor(page)).to_contain_text(FIRST)
    assert page.evaluate("localStorage.getItem('bascule-write.damaged')") == "{damaged"
    page.get_by_role("button", name="Dismiss").click()
    expect(page.locator("#notice")).to_be_hidden()


def test_a_tab_follows_another_that_has_written(
    context: BrowserContext, pages: StaticPages
) -> None:
    first, second = context.new_page(), context.new_page()
    for page in (first, second):
        page.goto(pages.page)
        expect(editor(page)).to_contain_text(FIRST)
    # A browser gives keys to the tab in front only.
    first.bring_to_front()
    write(first, "from the first")
    expect(first.locator("#saved")).to_have_text("Saved here")
    expect_paragraphs(second, "from the first")
    second.bring_to_front()
    editor(second).press("Control+End")
    second.keyboard.type(" and the second")
    expect_paragraphs(first, "from the first and the second")
    first.bring_to_front()
    editor(first).press("Control+z")
    expect_paragraphs(first, "from the first")


TAKE_THEIRS = "Take the other tab\u2019s"


@pytest.mark.parametrize("choice", [TAKE_THEIRS, "Keep this one"])
def test_two_tabs_that_have_both_written_ask_a_person(
    page: Page, pages: StaticPages, choice: str
) -> None:
    page.goto(pages.page)
    write(page, "mine")
    expect(page.locator("#saved")).to_have_text("Saved here")
    # Another tab saves between a letter and its saving here: no event can tell of it in time.
    page.evaluate(
        """() => {
            const key = "bascule-write.document";
            const saved = JSON.parse(localStorage.getItem(key));
            saved.stamp = "another tab";
            saved.paragraphs = [["body", [["theirs", 0]]]];
            localStorage.setItem(key, JSON.stringify(saved));
        }"""
    )
    page.keyboard.type("!")
    expect(page.locator("#notice")).to_contain_text("Another tab")
    assert "theirs" in page.evaluate("localStorage.getItem('bascule-write.document')")
    page.get_by_role("button", name=choice).click()
    expect_paragraphs(page, "mine!" if choice == "Keep this one" else "theirs")
    expect(page.locator("#saved")).to_have_text("Saved here")
    if choice != "Keep this one":
        editor(page).press("Control+z")
        expect_paragraphs(page, "mine!")


# --- a terminal beside it


def test_nothing_is_lost_when_a_person_types_while_a_terminal_writes(
    page: Page, bridge: RealBridge, attach: Attach
) -> None:
    attach(page, bridge)
    write(page, "")
    letters = "the quick brown fox jumps over the lazy dog " * 3
    typed = Event()

    def from_terminal() -> int:
        count = 0
        while not typed.is_set() and count < 40:
            read = bridge.result("actions/execute", {"action": "document.read"})
            done = bridge.call(
                "actions/execute",
                {
                    "action": "document.text.insert",
                    "input": {"text": "T", "at": 0},
                    "expectedRevision": read["revision"],
                },
            )
            count += done.returncode == 0
        return count

    with ThreadPoolExecutor(1) as pool:
        terminal = pool.submit(from_terminal)
        try:
            page.keyboard.type(letters, delay=10)
        finally:
            typed.set()
        written = terminal.result(60)
    expect(editor(page)).to_contain_text("T" * written)
    assert shown_text(page) == "T" * written + letters
    assert bridge.execute("document.read")["output"]["text"] == shown_text(page)


def test_a_terminal_s_edit_leaves_caret_and_selection_where_they_are(
    page: Page, bridge: RealBridge, attach: Attach
) -> None:
    attach(page, bridge)
    write(page, "one two")
    page.keyboard.press("Control+Shift+ArrowLeft")
    assert selected(page) == "two"
    bridge.execute("document.text.insert", {"text": "zero\n", "at": 0})
    expect_paragraphs(page, "zero", "one two")
    assert selected(page) == "two"
    bridge.execute("document.paragraph.style", {"style": "heading-1", "paragraph": 1})
    expect_styles(page, "body", "heading-1")
    assert selected(page) == "two"
    assert page.evaluate("CSS.highlights.has('from-terminal')")


def test_a_terminal_writes_a_whole_document_and_undo_takes_it_back(
    page: Page, bridge: RealBridge, attach: Attach
) -> None:
    attach(page, bridge)
    before = shown_text(page)
    markdown = "# Report\n\n## First\n\nSome **bold** words.\n\n1. one\n2. two\n"
    bridge.execute("document.import", {"format": "markdown", "text": markdown})
    expect_paragraphs(page, "First", "Some bold words.", "one", "two")
    expect_styles(page, "heading-1", "body", "numbered", "numbered")
    expect(page.locator("#text strong")).to_have_text("bold")
    exported = bridge.execute("document.export", {"format": "markdown"})["output"]["text"]
    assert exported == markdown
    found = bridge.execute("document.find", {"query": "WORDS"})["output"]
    assert found["total"] == 1
    bridge.execute("document.select", {"start": 11, "end": 15})
    state = bridge.result("state/inspect")
    assert state["selection"] == {"start": 11, "end": 15}
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("textbox", name="Title")).to_have_value("The bridge that waits")
    assert shown_text(page) == before


def test_markup_from_a_terminal_is_text(page: Page, bridge: RealBridge, attach: Attach) -> None:
    attach(page, bridge)
    hostile = "<img src=x onerror=alert(1)><script>alert(1)</script>"
    bridge.execute("document.text.insert", {"text": hostile, "at": 0})
    expect(editor(page)).to_contain_text(hostile)
    assert page.locator("#text img, #text script").count() == 0


@pytest.fixture
def trouble(page: Page) -> Callable[[], list[str]]:
    """Collect what the page's console tells of the Content-Security-Policy and of failures."""
    found: list[str] = []
    page.on("console", lambda message: found.append(message.text))
    page.on("pageerror", lambda error: found.append(str(error)))
    return lambda: found


def test_all_of_it_works_under_a_strict_policy_without_a_word_in_the_console(
    page: Page, pages: StaticPages, trouble: Callable[[], list[str]]
) -> None:
    page.goto(pages.page)
    write(page, "# Head\nwords")
    page.keyboard.press("Control+b")
    page.keyboard.type("bold")
    page.keyboard.press("Control+f")
    page.keyboard.type("words")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Export").click()
    page.keyboard.press("Escape")
    page.locator("#theme").click()
    expect(page.locator("#saved")).to_have_text("Saved here")
    assert trouble() == []


# --- batches, exports, pictures


def edits_at(bridge: RealBridge, *calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the params of an atomic batch of writes at the revision that is read now."""
    revision = bridge.result("agent/info")["revision"]
    batch = [{"action": a, "input": i, "expectedRevision": revision} for a, i in calls]
    return {"atomic": True, "calls": batch}


def test_an_atomic_batch_from_a_terminal_is_one_step_of_undo(
    page: Page, bridge: RealBridge, attach: Attach
) -> None:
    attach(page, bridge)
    write(page, "one two!")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Control+Shift+ArrowLeft")
    page.evaluate(
        """() => {
            // It is shown for a moment only.
            globalThis.shown = [];
            const { highlights } = CSS;
            const set = highlights.set.bind(highlights);
            highlights.set = (name, ranges) => {
                globalThis.shown.push(name);
                return set(name, ranges);
            };
        }"""
    )
    batch = edits_at(
        bridge,
        ("document.title.set", {"title": "Counted"}),
        ("document.text.insert", {"text": "zero\n", "at": 0}),
        ("document.paragraph.style", {"style": "heading-1", "paragraph": 0}),
        ("document.paragraph.insert", {"text": "three", "style": "list"}),
    )
    done = bridge.result("actions/batch", batch)
    assert done["committed"] is True
    assert [item["ok"] for item in done["results"]] == [True] * 4
    expect_paragraphs(page, "zero", "one two!", "three")
    expect_styles(page, "heading-1", "body", "list")
    assert selected(page) == "two"
    assert revision(page) == done["revision"]
    assert page.evaluate("globalThis.shown") == ["from-terminal"]
    page.get_by_role("button", name="Undo").click()
    expect_paragraphs(page, "one two!")
    expect(page.get_by_role("textbox", name="Title")).to_have_value("The bridge that waits")
    page.get_by_role("button", name="Redo").click()
    expect_paragraphs(page, "zero", "one two!", "three")


def test_an_atomic_batch_that_fails_is_never_seen(
    page: Page, bridge: RealBridge, attach: Attach
) -> None:
    attach(page, bridge)
    write(page, "one two")
    page.keyboard.press("Control+Shift+ArrowLeft")
    before = revision(page)
    page.evaluate(
        """() => {
            globalThis.mutations = 0;
            const count = (records) => (globalThis.mutations += records.length);
            const all = { childList: true, characterData: true, subtree: true };
            new MutationObserver(count).observe(document.querySelector("main"), all);
        }"""
    )
    calls: list[tuple[str, dict[str, Any]]] = [
        ("document.text.insert", {"text": "zero ", "at": 0}),
        ("document.select", {"start": 0}),
        ("document.text.insert", {"text": "!", "at": 99}),
    ]
    failed = bridge.call("actions/batch", edits_at(bridge, *calls))
    assert failed.returncode == 1
    error = json.loads(failed.stdout)["error"]["data"]
    assert (error["code"], error["index"]) == ("ROLLED_BACK", 2)
    assert error["cause"]["data"]["errors"][0]["path"] == "/at"
    assert page.evaluate("globalThis.mutations") == 0
    assert (selected(page), revision(page)) == ("two", before)
    assert bridge.result("agent/info")["revision"] == before
    calls[2] = ("document.text.insert", {"text": "!", "at": 12})
    bridge.result("actions/batch", edits_at(bridge, *calls))
    expect_paragraphs(page, "zero one two!")
    assert page.evaluate("globalThis.mutations") > 0


def test_an_ordered_batch_goes_on_past_an_error_only_when_it_is_asked_to(
    page: Page, bridge: RealBridge, attach: Attach
) -> None:
    attach(page, bridge)
    write(page, "")
    reads = [{"action": name} for name in ("document.read", "document.nothing", "document.outline")]
    stopped = bridge.result("actions/batch", {"calls": reads})
    assert stopped["results"][2] == {"ok": False, "skipped": True}
    went_on = bridge.result("actions/batch", {"calls": reads, "stopOnError": False})
    assert [item["ok"] for item in went_on["results"]] == [True, False, True]


HOLDABLE_PAUSES = """() => {
    // The pauses of the page's own work, which a test can make as long as it likes.
    globalThis.held = null;
    globalThis.MessageChannel = class extends MessageChannel {
        constructor() {
            super();
            const port = this.port2;
            const post = port.postMessage.bind(port);
            port.postMessage = (message) => {
                if (globalThis.held === null) post(message);
                else globalThis.held.push(() => post(message));
            };
        }
    };
}"""
HOLD = "globalThis.held = []"
RELEASE = (
    "() => { const held = globalThis.held; globalThis.held = null; held.forEach((go) => go()); }"
)


@pytest.fixture
def held(page: Page, bridge: RealBridge, attach: Attach) -> Page:
    """Attach a page with a large document, whose work between two actions is at rest."""
    page.add_init_script(f"({HOLDABLE_PAUSES})()")
    attach(page, bridge)
    text = "A line of some words.\n" * 5_000
    bridge.execute("document.import", {"format": "text", "text": text})
    page.evaluate(HOLD)
    return page


def start_export(bridge: RealBridge) -> dict[str, Any]:
    done = bridge.result(
        "actions/execute", {"action": "document.export.file", "input": {"format": "markdown"}}
    )
    assert done["status"] == "deferred"
    return dict(done["task"])


def task_of(bridge: RealBridge, task: dict[str, Any], *states: str) -> dict[str, Any]:
    """Ask for a task until it is in one of these states."""
    for _ in range(50):
        now = dict(bridge.result("tasks/get", {"id": task["id"]})["task"])
        if now["state"] in states:
            return now
    pytest.fail(f"the task is still {now}")


def test_an_export_is_a_task_that_can_be_cancelled(held: Page, bridge: RealBridge) -> None:
    task = start_export(bridge)
    assert task["state"] == "running"
    assert task["progress"] == {
        "reason": "export",
        "message": "Written 0 of 5000 paragraphs.",
        "done": 0,
        "total": 5_000,
    }
    cancelling = bridge.result("tasks/cancel", {"id": task["id"]})["task"]
    assert cancelling["state"] == "cancelling"
    held.evaluate(RELEASE)
    assert task_of(bridge, task, "cancelled", "completed", "failed")["state"] == "cancelled"


def test_an_export_whose_document_a_person_changes_fails_as_stale(
    held: Page, bridge: RealBridge
) -> None:
    task = start_export(bridge)
    editor(held).press("Control+Home")
    held.keyboard.type("x")
    held.evaluate(RELEASE)
    ended = task_of(bridge, task, "completed", "failed")
    assert ended["state"] == "failed"
    assert ended["error"]["data"]["code"] == "STALE_REVISION"


def test_an_export_is_read_in_parts_from_its_first_byte_to_its_last(
    held: Page, bridge: RealBridge, tmp_path: Path
) -> None:
    task = start_export(bridge)
    held.evaluate(RELEASE)
    output = task_of(bridge, task, "completed", "failed")["output"]
    assert output["size"] > 65_536
    first = bridge.result("resources/read", {"uri": output["resource"]})
    assert first["nextOffset"] == len(b64decode(first["data"])) == 65_536
    file = tmp_path / "export.md"
    done = bridge.run(["read", "bascule-write", output["resource"], "-o", str(file)])
    assert done.returncode == 0, done.stderr
    assert file.stat().st_size == output["size"]
    assert file.read_text().count("A line of some words.\n") == 5_000
    gone = bridge.call("resources/read", {"uri": "write:export/99.md"})
    assert json.loads(gone.stdout)["error"]["data"]["code"] == "UNKNOWN_RESOURCE"


SHOWN_TEXTS = """(svg) => {
    const parsed = new DOMParser().parseFromString(svg, "image/svg+xml");
    document.body.replaceChildren(document.importNode(parsed.documentElement, true));
    const picture = document.querySelector("svg");
    const { width, height } = picture.getBoundingClientRect();
    return [...picture.querySelectorAll("text")].map((text) => {
        const box = text.getBBox();
        const within = box.x >= 0 && box.x + box.width <= width && box.y + box.height <= height;
        return [text.textContent, box.width > 0 && within];
    });
}"""


def test_the_page_is_drawn_as_svg_that_a_browser_shows(
    page: Page, bridge: RealBridge, attach: Attach, context: BrowserContext, tmp_path: Path
) -> None:
    attach(page, bridge)
    hostile = "<script>alert(1)</script> & more"
    bridge.execute("document.paragraph.insert", {"text": hostile})
    file = tmp_path / "page.svg"
    done = bridge.run(["render", "bascule-write", "-o", str(file)])
    assert done.returncode == 0, done.stderr
    svg = file.read_text()
    names = {element.tag.rpartition("}")[2] for element in ET.fromstring(svg).iter()}
    assert names == {"svg", "title", "rect", "text"}
    other = context.new_page()
    texts = other.evaluate(SHOWN_TEXTS, svg)
    assert ["The bridge that waits", True] in texts
    assert [hostile, True] in texts
    assert all(shown for _, shown in texts)


def test_the_page_is_drawn_as_png_under_a_strict_policy(
    page: Page,
    bridge: RealBridge,
    attach: Attach,
    tmp_path: Path,
    trouble: Callable[[], list[str]],
) -> None:
    attach(page, bridge)
    write(page, "")
    sizes = []
    for name in ("empty.png", "full.png"):
        file = tmp_path / name
        done = bridge.run(["render", "bascule-write", "-o", str(file), "width=640"])
        assert done.returncode == 0, done.stderr
        png = file.read_bytes()
        assert png.startswith(b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", png[16:24])
        assert width == 640
        sizes.append((height, len(png)))
        bridge.execute("document.paragraph.insert", {"text": "Some words that are drawn. " * 20})
    assert sizes[0] < sizes[1]
    drawn = bridge.result("view/render", {"format": "png", "width": 640})
    assert (drawn["mimeType"], drawn["width"]) == ("image/png", 640)
    assert drawn["resource"].startswith("write:picture/")
    assert trouble() == []
