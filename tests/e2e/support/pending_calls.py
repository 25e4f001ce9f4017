"""Calls of the tests' own page that have begun and do not end by themselves."""

from __future__ import annotations

import subprocess

from playwright.sync_api import Page, expect

from tests.e2e.support.real_bridge import RealBridge


def start_waiting(bridge: RealBridge, page: Page) -> subprocess.Popen[str]:
    """Start a call that the page has begun and does not end."""
    revision = bridge.result("agent/info")["revision"]
    params = {"action": "test.countAndWait", "expectedRevision": revision}
    call = bridge.start_call("actions/execute", params)
    expect(page.locator("#waiting")).to_have_text("1")
    return call


def outcome(call: subprocess.Popen[str]) -> tuple[int, str]:
    """Return the exit status of a call that ends, and what it said."""
    _, err = call.communicate(timeout=40)
    return call.returncode, err
