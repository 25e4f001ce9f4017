"""Whether a click is still fresh, as the page tells: asking it makes one fresh, in Chromium."""

from __future__ import annotations

from playwright.sync_api import Page

_TOLD = "no click is fresh"
_WATCH = f"""
if (window.top === window) {{
  setInterval(() => {{
    if (!navigator.userActivation.isActive) console.debug("{_TOLD}");
  }}, 300);
}}
"""


def watch_clicks(page: Page) -> None:
    """Let pages that are loaded from now on tell when no click is fresh."""
    page.add_init_script(_WATCH)


def wait_for_none(page: Page) -> None:
    """Wait until no click is fresh, and the page has had time to notice."""
    for _ in range(2):
        page.wait_for_event("console", lambda message: message.text == _TOLD)
