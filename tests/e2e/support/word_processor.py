"""What the tests ask of the demo's page: its text, its paragraphs, its selection."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

FIRST = "A bascule is a bridge that stays up until somebody lowers it."
"""The first paragraph that a newcomer finds."""


def editor(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Document text")


def paragraphs(page: Page) -> Locator:
    return page.locator("#text > *")


def shown_text(page: Page) -> str:
    """Return the text as the page shows it, a line feed between paragraphs."""
    return str(
        page.evaluate(
            "[...document.querySelectorAll('#text > *')].map((e) => e.textContent).join('\\n')"
        )
    )


def expect_paragraphs(page: Page, *texts: str) -> None:
    """Wait until the page shows these paragraphs and no others."""
    expect(paragraphs(page)).to_have_text(list(texts))


def expect_styles(page: Page, *styles: str) -> None:
    """Wait until the paragraphs have these styles."""
    expect(paragraphs(page)).to_have_count(len(styles))
    for index, style in enumerate(styles):
        expect(paragraphs(page).nth(index)).to_have_attribute("data-style", style)


def write(page: Page, text: str) -> None:
    """Put a text in the place of all that there is, by hand."""
    editor(page).press("Control+a")
    editor(page).press("Delete")
    for index, line in enumerate(text.split("\n")):
        if index > 0:
            page.keyboard.press("Enter")
        page.keyboard.type(line)


def selected(page: Page) -> str:
    return str(page.evaluate("document.getSelection().toString()"))


def copy_elsewhere(page: Page, text: str, html: str) -> None:
    """Put a text and its looks into the clipboard, as another program does."""
    page.evaluate(
        """([text, html]) => {
            const other = document.createElement("textarea");
            other.value = "x";
            document.body.append(other);
            other.focus();
            other.select();
            other.addEventListener("copy", (event) => {
                event.preventDefault();
                event.clipboardData.setData("text/plain", text);
                event.clipboardData.setData("text/html", html);
            });
        }""",
        [text, html],
    )
    page.keyboard.press("Control+c")
    page.evaluate("document.querySelector('body > textarea').remove()")
