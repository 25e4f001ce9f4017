"""Lets a terminal in, as the owner of a workspace does: by a yes to its first call."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.e2e.support.owner_dialog import allow
from tests.e2e.support.real_bridge import RealBridge

THIS_APP = "This app, until the terminal is detached"
EVERY_APP = "Every app, until the terminal is detached"
SESSION = "cli-json"
"""That of `browser-call`."""


def let_in(page: Page, bridge: RealBridge, session: str = SESSION, choice: str = EVERY_APP) -> None:
    """Have a session search the notes, and say yes as far as a choice goes."""
    call = {"action": "app.notes.notes_search", "input": {"query": ""}}
    begun = bridge.result("actions/execute", call, session=session)
    assert begun["task"]["progress"]["reason"] == "consent", begun
    allow(page, choice)
