"""The notes' backend in the workspace: what outlives a lock and a reload."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import FrameLocator, Page, Route, expect

from bridge.servers.static_pages import StaticPages
from tests.e2e.support.page_server import serve_pages


@pytest.fixture(scope="module")
def pages() -> Iterator[StaticPages]:
    with serve_pages(index="demo/workspace/index.html") as served:
        yield served


def install_notes_only(page: Page) -> None:
    def listed(route: Route) -> None:
        response = route.fetch()
        text = response.text()
        body = re.sub(r"INSTALLED = Object\.freeze\(\[[^\]]*\]\)", 'INSTALLED = ["notes"]', text)
        assert body != text
        route.fulfill(response=response, body=body)

    page.route("**/manifests/installed_apps.js", listed)


def notes_of(page: Page) -> FrameLocator:
    return page.frame_locator("[data-app=notes].tile iframe")


def write_note(page: Page, title: str) -> None:
    notes = notes_of(page)
    notes.get_by_role("button", name="New").click()
    expect(notes.get_by_label("Title")).to_be_focused()
    page.keyboard.type(title)
    expect(notes.locator("#saved")).to_have_text("Saved")
    expect(notes.get_by_role("button", name=title)).to_be_visible()


def wait_until_kept(page: Page, title: str) -> None:
    page.wait_for_function(
        "title => Object.values(localStorage).some((text) => text.includes(title))", arg=title
    )


def lock_and_unlock(page: Page) -> None:
    page.get_by_role("button", name="Lock the workspace").click()
    page.get_by_role("button", name="Lock it").click()
    page.get_by_role("button", name="Unlock").click()


def show_notes(page: Page) -> FrameLocator:
    """Open the tile where a lock has closed it."""
    if page.locator("[data-app=notes].tile").count() == 0:
        dock = page.get_by_role("navigation", name="Apps")
        dock.get_by_role("button", name="Notes").first.click()
    return notes_of(page)


def test_notes_outlive_a_lock_and_a_reload_and_deleted_ones_stay_deleted(
    page: Page, pages: StaticPages
) -> None:
    install_notes_only(page)
    page.goto(pages.page)
    notes = notes_of(page)
    expect(notes.get_by_role("button", name="Roadmap")).to_be_visible()
    write_note(page, "Shopping")
    wait_until_kept(page, "Shopping")
    lock_and_unlock(page)
    notes = show_notes(page)
    expect(notes.get_by_role("button", name="Shopping")).to_be_visible()
    notes.get_by_role("button", name="Roadmap").click()
    notes.get_by_role("button", name="Delete").click()
    expect(notes.locator("#count")).to_have_text("2 notes")
    page.wait_for_function(
        "() => !Object.values(localStorage).some((text) => text.includes('Roadmap'))"
    )
    page.reload()
    expect(notes.get_by_role("button", name="Shopping")).to_be_visible()
    expect(notes.locator("#count")).to_have_text("2 notes")
    expect(notes.get_by_role("button", name="Roadmap")).to_have_count(0)


CALL = """async (method) => {
  const { HttpCanister } = await import("/kernel/canister/http_canister.js");
  const methods = ["find", "moved", "private"].map((name) => (
    { name, kind: "query", input: { type: "object" }, output: true }
  ));
  const setTimer = (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  };
  const powers = { fetch, origin: location.origin, setTimer };
  const canister = new HttpCanister({ base: "/backend/notes", description: { methods } }, powers);
  const call = { attachment: undefined, signal: new AbortController().signal };
  try {
    return await canister.call(method, { text: "a" }, call);
  } catch (error) {
    return { code: error.code };
  }
}"""


def test_a_backend_on_the_server_is_called_in_the_session_and_led_nowhere_else(
    page: Page, pages: StaticPages
) -> None:
    reached: list[str] = []

    def answer(route: Route) -> None:
        request = route.request
        name = request.url.rsplit("/", 1)[1]
        reached.append(name)
        if name == "moved":
            route.fulfill(status=302, headers={"location": "/backend/notes/elsewhere"})
        elif name == "private":
            route.fulfill(status=401, json={"message": "who are you?"})
        else:
            session = "session=s1" in request.all_headers().get("cookie", "")
            route.fulfill(json={"method": request.method, "session": session})

    page.route("**/backend/notes/*", answer)
    page.goto(pages.page)
    page.context.add_cookies([{"name": "session", "value": "s1", "url": pages.origin}])
    assert page.evaluate(CALL, "find") == {"result": {"method": "POST", "session": True}}
    assert page.evaluate(CALL, "moved") == {"code": "TOOL_FAILED"}
    assert page.evaluate(CALL, "private") == {"code": "OWNER_REQUIRED"}
    assert reached == ["find", "moved", "private"]
