"""Pages that may not attach, and what they are told: cause and cure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect

from bridge.contract.attach_link import attach_link
from bridge.servers.static_pages import STRICT_CSP, StaticPages
from tests.e2e.conftest import Attach
from tests.e2e.support.browsers import launched
from tests.e2e.support.page_server import serve_pages
from tests.e2e.support.real_bridge import RealBridge, run_bridge

WRONG_TOKEN = "A" * 43


def try_to_attach(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_role("button", name="Attach", exact=True).click()


def refused(page: Page, state: str, cause: str, words: str) -> None:
    expect(page.locator("#state")).to_have_text(state)
    expect(page.locator("#cause")).to_have_text(cause)
    expect(page.locator("#message")).to_contain_text(words)


def calls_accepted(bridge: RealBridge) -> bool:
    return bridge.call("agent/info").returncode == 0


def test_a_wrong_token_is_refused_and_says_where_the_right_one_is(
    page: Page, probe_bridge: RealBridge
) -> None:
    try_to_attach(page, attach_link(probe_bridge.page, probe_bridge.url, WRONG_TOKEN))
    refused(page, "refused", "wrong-token", "open the link")
    assert not calls_accepted(probe_bridge)
    try_to_attach(page, probe_bridge.link)
    expect(page.locator("#state")).to_have_text("attached")


def test_a_page_of_another_origin_is_refused_and_named(
    page: Page, probe_bridge: RealBridge
) -> None:
    with serve_pages() as elsewhere:
        other = f"{elsewhere.origin}/probe/probe.html"
        try_to_attach(page, attach_link(other, probe_bridge.url, probe_bridge.token))
        refused(page, "refused", "wrong-origin", f"--origin {elsewhere.origin}")
    assert not calls_accepted(probe_bridge)
    try_to_attach(page, probe_bridge.link)
    expect(page.locator("#state")).to_have_text("attached")


def test_a_bridge_that_does_not_run_is_named_with_the_command_that_starts_one(
    page: Page, pages: StaticPages, runtime: Path
) -> None:
    with run_bridge(pages.origin, f"{pages.origin}/probe/probe.html", runtime) as gone:
        link = gone.link
    try_to_attach(page, link)
    refused(page, "detached", "bridge-not-running", "bascule browser-bridge --origin")


def test_a_policy_that_forbids_the_connection_is_named(page: Page, runtime: Path) -> None:
    policy = STRICT_CSP.replace("connect-src http://127.0.0.1:*", "connect-src 'none'")
    assert policy != STRICT_CSP
    with (
        serve_pages(headers={"Content-Security-Policy": policy}) as strict,
        run_bridge(strict.origin, f"{strict.origin}/probe/probe.html", runtime) as bridge,
    ):
        try_to_attach(page, bridge.link)
        refused(page, "refused", "blocked-by-csp", "connect-src")


def test_the_link_works_under_isolation_headers(page: Page, runtime: Path, attach: Attach) -> None:
    headers = {
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Embedder-Policy": "require-corp",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    with (
        serve_pages(headers=headers) as isolated,
        run_bridge(isolated.origin, isolated.page, runtime) as bridge,
    ):
        attach(page, bridge)
        assert page.evaluate("crossOriginIsolated") is True
        assert calls_accepted(bridge)


def test_the_page_is_served_under_a_strict_policy(page: Page, pages: StaticPages) -> None:
    """The positive control of all others: the policy that they run under really holds."""
    response = page.goto(pages.page)
    assert response is not None
    assert response.headers["content-security-policy"] == STRICT_CSP
    blocked = page.evaluate(
        """() => new Promise((resolve) => {
            addEventListener("securitypolicyviolation", (event) => resolve(event.blockedURI));
            fetch("http://localhost:9/x").catch(() => {});
        })"""
    )
    assert "localhost:9" in blocked


def test_a_request_that_an_extension_blocks_is_told_apart_as_far_as_can_be(
    page: Page, probe_bridge: RealBridge
) -> None:
    page.route(f"{probe_bridge.url}/**", lambda route: route.abort("blockedbyclient"))
    try_to_attach(page, probe_bridge.link)
    refused(page, "detached", "bridge-not-running", "content blocker")


def test_local_network_access_that_is_denied_is_named(
    playwright: Playwright,
    browser_name: str,
    browser_type_launch_args: dict[str, Any],
    pages: StaticPages,
    runtime: Path,
) -> None:
    """A page from loopback never needs the permission: this one has a public name and address."""
    if browser_name == "firefox":
        pytest.skip("no preference of Firefox makes a page of this machine a public one")
    port = pages.origin.rpartition(":")[2]
    origin = f"http://app.example:{port}"
    args = [
        *browser_type_launch_args["args"],
        "--host-resolver-rules=MAP app.example 127.0.0.1",
        f"--ip-address-space-overrides=127.0.0.1:{port}=public",
        f"--unsafely-treat-insecure-origin-as-secure={origin}",
    ]
    with (
        launched(playwright, browser_name, browser_type_launch_args | {"args": args}) as browser,
        run_bridge(origin, f"{origin}/probe/probe.html", runtime) as bridge,
    ):
        page = browser.new_page()
        try_to_attach(page, bridge.link)
        refused(page, "refused", "permission-denied", "ocal network access")
        assert not calls_accepted(bridge)


def test_a_sandboxed_frame_cannot_reach_the_bridge(
    page: Page, pages: StaticPages, probe_bridge: RealBridge, attach: Attach
) -> None:
    attempt = """async ([url, token]) => {
        try {
            const answer = await fetch(url + "/connect", {
                method: "POST",
                headers: { authorization: "Bearer " + token, "content-type": "application/json" },
                body: JSON.stringify({ app: "Frame" }),
            });
            return [self.origin, answer.status];
        } catch (error) {
            return [self.origin, String(error)];
        }
    }"""
    page.goto(pages.page)
    control = page.evaluate(attempt, [probe_bridge.url, probe_bridge.token])
    assert control == [pages.origin, 200]
    page.evaluate(
        """(source) => {
            const frame = document.createElement("iframe");
            frame.setAttribute("sandbox", "allow-scripts");
            frame.src = source;
            document.body.append(frame);
        }""",
        "about:blank",
    )
    frame = page.frames[-1]
    origin, outcome = frame.evaluate(attempt, [probe_bridge.url, probe_bridge.token])
    assert origin == "null"
    assert "TypeError" in str(outcome)


def test_the_token_leaves_the_address_bar_and_the_history_at_once(
    page: Page, probe_bridge: RealBridge
) -> None:
    page.goto("about:blank")
    page.goto(probe_bridge.link)
    assert "#bascule=" in probe_bridge.link
    expect(page.locator("html")).to_have_attribute("data-ready", "yes")
    assert page.url == probe_bridge.page
    assert page.evaluate("location.href") == probe_bridge.page
    assert page.evaluate("performance.getEntriesByType('navigation').length") == 1
    page.reload()
    assert "bascule=" not in page.url


def test_a_page_attaches_only_when_a_person_asks_for_it(
    browser: Browser, probe_bridge: RealBridge
) -> None:
    """The page's script calls attach by itself at load, before any input event."""
    page = browser.new_page()
    try:
        page.add_init_script(
            """addEventListener("load", () => setTimeout(() => {
                if (navigator.userActivation.isActive) return void (document.title = "active");
                document.getElementById("attach")?.click();
            }, 0));"""
        )
        page.goto(probe_bridge.link)
        expect(page.locator("#state")).not_to_have_text("attached")
        if page.title() != "active":
            expect(page.locator("#cause")).to_have_text("needs-click")
            assert not calls_accepted(probe_bridge)
    finally:
        page.close()


def test_a_service_worker_of_the_page_never_answers_for_the_bridge(
    page: Page, runtime: Path, attach: Attach
) -> None:
    with serve_pages(headers={"Service-Worker-Allowed": "/"}) as served:
        address = f"{served.origin}/probe/probe.html"
        with run_bridge(served.origin, address, runtime) as bridge:
            page.goto(f"{served.origin}/probe/probe.html")
            page.evaluate(
                """async () => {
                    await navigator.serviceWorker.register("/probe/cache_first.js", { scope: "/" });
                    await navigator.serviceWorker.ready;
                }"""
            )
            page.reload()
            assert page.evaluate("navigator.serviceWorker.controller !== null")
            attach(page, bridge)
            first = bridge.execute("test.count")["output"]
            second = bridge.execute("test.count")["output"]
            assert second["runs"] == first["runs"] + 1
            # What a worker of the app's own puts into its cache is beyond the link's reach;
            # that it is never taken for the bridge's answer is not.
            cached = page.evaluate(
                """async () => {
                    const cache = await caches.open("all");
                    return (await cache.keys()).map((request) => request.url);
                }"""
            )
            assert any("/dispatcher/" in url for url in cached), "the cache was really in use"
            expect(page.locator("#state")).to_have_text("attached")
