"""A page that reloads, is left, is frozen, is restored, is opened twice, or dies."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Playwright, expect

from tests.e2e.conftest import Attach
from tests.e2e.support.browsers import CHROMIUM_ARGS, launched
from tests.e2e.support.page_server import serve_pages
from tests.e2e.support.pending_calls import outcome, start_waiting
from tests.e2e.support.raw_chromium import RawChromium
from tests.e2e.support.real_bridge import RealBridge, run_bridge
from tests.e2e.support.transports import both_transports
from tests.e2e.support.waiting import wait_until

pytestmark = both_transports


def attached(bridge: RealBridge) -> bool:
    return bridge.call("agent/info").returncode == 0


def test_a_reload_in_mid_call_gives_an_unknown_outcome_and_runs_nothing_again(
    page: Page, probe_bridge: RealBridge, attach: Attach
) -> None:
    attach(page, probe_bridge)
    call = start_waiting(probe_bridge, page)
    page.reload()
    code, err = outcome(call)
    assert code == 4, err
    assert "may have" in err
    page.goto("about:blank")
    attach(page, probe_bridge)
    assert probe_bridge.execute("test.runs")["output"] == {"runs": 1}


def test_a_page_may_ask_to_be_remembered_over_a_reload(
    page: Page, probe_bridge: RealBridge
) -> None:
    page.goto(probe_bridge.link.replace("#", "?remember=1#"))
    page.get_by_role("button", name="Attach", exact=True).click()
    expect(page.locator("#state")).to_have_text("attached")
    page.reload()
    expect(page.locator("#state")).to_have_text("attached")
    assert attached(probe_bridge)
    page.get_by_role("button", name="Detach").click()
    expect(page.locator("#state")).to_have_text("detached")
    page.reload()
    expect(page.locator("#state")).to_have_text("detached")


def test_a_second_tab_says_elsewhere_and_the_first_goes_on(
    context: BrowserContext, bridge: RealBridge, attach: Attach
) -> None:
    first = context.new_page()
    attach(first, bridge)
    second = context.new_page()
    second.goto(bridge.link)
    second.get_by_role("button", name="Attach", exact=True).click()
    expect(second.locator("#bascule-state")).to_have_text("elsewhere")
    expect(second.locator("#bascule-message")).to_contain_text("nother tab")
    assert attached(bridge)
    first.get_by_role("button", name="Detach").click()
    expect(first.locator("#bascule-state")).to_have_text("detached")


def test_eight_tabs_of_which_one_is_attached_leave_calls_quick(
    context: BrowserContext, bridge: RealBridge, attach: Attach
) -> None:
    attach(context.new_page(), bridge)
    for _ in range(7):
        context.new_page().goto(bridge.page)
    for _ in range(5):
        assert attached(bridge)


def test_detaching_makes_calls_fail_at_once(page: Page, bridge: RealBridge, attach: Attach) -> None:
    attach(page, bridge)
    page.get_by_role("button", name="Detach").click()
    expect(page.locator("#bascule-state")).to_have_text("detached")
    done = bridge.call("agent/info")
    assert done.returncode == 3
    assert "attach" in done.stderr.lower()


def test_a_tab_that_is_closed_fails_its_calls_within_seconds(
    context: BrowserContext, probe_bridge: RealBridge, attach: Attach
) -> None:
    page = context.new_page()
    attach(page, probe_bridge)
    call = start_waiting(probe_bridge, page)
    begin = time.monotonic()
    page.close()
    code, err = outcome(call)
    assert code == 4, err
    assert time.monotonic() - begin < 15


def test_a_killed_tab_fails_its_calls_with_a_typed_error(
    playwright: Playwright,
    browser_name: str,
    browser_type_launch_args: dict[str, Any],
    probe_bridge: RealBridge,
    attach: Attach,
) -> None:
    """Kills a browser's processes by force: no goodbye is sent, only sockets break."""
    name = "chrom" if browser_name == "chromium" else "firefox"
    others = descendants(os.getpid(), name)
    with launched(playwright, browser_name, browser_type_launch_args) as browser:
        page = browser.new_page()
        attach(page, probe_bridge)
        call = start_waiting(probe_bridge, page)
        victims = descendants(os.getpid(), name) - others
        assert victims
        for pid in victims:
            # Of Chromium only the page's process dies, as in a crash; Firefox's have no such mark.
            if browser_name == "firefox" or "type=renderer" in (page_marker(pid) or ""):
                kill(pid)
        code, err = outcome(call)
    assert code == 4, err
    assert "BROWSER_GONE" in err or "page" in err


def descendants(root: int, name: str) -> set[int]:
    """Return the processes below one that belong to a browser, by its executable's name."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                text = (folder / "stat").read_text()
            except OSError:
                continue
            parents[int(folder.name)] = int(text.rpartition(")")[2].split()[1])
    found: set[int] = set()
    for pid in parents:
        above: int | None = pid
        while above is not None and above != root:
            above = parents.get(above)
        if above == root and pid != root and name in (page_marker(pid) or ""):
            found.add(pid)
    return found


def page_marker(pid: int) -> str | None:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return None


def kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def test_a_page_that_is_left_and_restored_attaches_again(
    playwright: Playwright,
    browser_name: str,
    browser_type_launch_args: dict[str, Any],
    runtime: Path,
    attach: Attach,
    transport_options: list[str],
) -> None:
    """In Chromium the page is restored; Firefox, driven like this, loads it anew instead."""
    if browser_name == "firefox":
        pytest.skip("Firefox under automation does not restore a page that used a worker")
    options = browser_type_launch_args | {"ignore_default_args": ["--disable-back-forward-cache"]}
    with (
        # A page that may not be stored is never restored.
        serve_pages(headers={"Cache-Control": "no-cache"}) as pages,
        run_bridge(
            pages.origin, f"{pages.origin}/probe/probe.html", runtime, *transport_options
        ) as bridge,
        launched(playwright, browser_name, options) as browser,
    ):
        page = browser.new_page()
        attach(page, bridge)
        page.evaluate("window.sameDocument = true")
        page.evaluate("location.href = '/demo/index.html'")
        page.wait_for_url("**/demo/index.html")
        wait_until(lambda: bridge.call("agent/info").returncode == 3)
        page.evaluate("history.back()")
        # A page that is restored does not load again.
        page.wait_for_url("**/probe/probe.html", wait_until="commit")
        assert page.evaluate("window.sameDocument") is True
        expect(page.locator("#state")).to_have_text("attached")
        assert attached(bridge)


def test_leaving_the_page_ends_the_attachment_cleanly(
    page: Page, bridge: RealBridge, attach: Attach
) -> None:
    attach(page, bridge)
    page.goto("about:blank")
    wait_until(lambda: bridge.call("agent/info").returncode == 3)
    attach(page, bridge)
    assert attached(bridge)


def test_a_frozen_tab_is_told_to_callers_at_once_and_works_after_it_thaws(
    playwright: Playwright,
    browser_name: str,
    browser_type_launch_args: dict[str, Any],
    probe_bridge: RealBridge,
    tmp_path: Path,
) -> None:
    """Only Chromium's protocol can freeze a tab, and only one that it drives by itself."""
    if browser_name == "firefox":
        pytest.skip("no protocol of Firefox freezes a tab")
    with RawChromium(
        browser_type_launch_args["executable_path"], CHROMIUM_ARGS, tmp_path / "profile"
    ) as chromium:
        tab = chromium.open(probe_bridge.link)
        tab.wait_for("document.getElementById('attach') !== null && window.probe !== undefined")
        tab.click("attach")
        tab.wait_for("document.getElementById('state').textContent === 'attached'")
        assert attached(probe_bridge)
        chromium.open("about:blank")
        tab.send("Page.setWebLifecycleState", state="frozen")
        wait_until(lambda: "TAB_SUSPENDED" in status_code(probe_bridge))
        done = probe_bridge.call("agent/info")
        assert done.returncode in {3, 5}, done.stderr
        tab.send("Page.setWebLifecycleState", state="active")
        wait_until(lambda: attached(probe_bridge))


def status_code(bridge: RealBridge) -> str:
    """Return the code of what a call gets now."""
    stdin = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "agent/info"}) + "\n"
    return bridge.run(["browser-stdio"], stdin=stdin).stdout
