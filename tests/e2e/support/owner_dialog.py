"""The owner of a workspace, as a test plays them: answers the dialog as a person does."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect


def owner_dialog(page: Page) -> Locator:
    """Return the dialog in which the page asks its owner."""
    return page.locator("#consent")


def allow(page: Page, choice: str | None = None, confirm: str = "Allow") -> None:
    """Say yes to the question that is shown, as far as a choice goes: by default the narrowest.

    Waits for the question, and until a click is taken for the owner's own.
    """
    dialog = owner_dialog(page)
    if choice is not None:
        dialog.get_by_label(choice, exact=True).check()
    answered(page, confirm)


def deny(page: Page) -> None:
    """Say no to the question that is shown."""
    answered(page, "Deny")


def answered(page: Page, name: str) -> None:
    """Click an answer, and wait until that question is not the one that is shown."""
    button = owner_dialog(page).get_by_role("button", name=name, exact=True)
    button.wait_for()
    title = page.locator("#consent-title")
    shown = title.evaluate("(title) => title.dataset.asked")
    button.click()
    gone = f"#consent:not([open]), #consent:not(:has([data-asked='{shown}']))"
    expect(page.locator(gone)).to_have_count(1)
