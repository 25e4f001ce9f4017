"""Tools of the browser as actions, and actions as its tools; also where there is no such thing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Playwright, expect

from bridge.servers.static_pages import StaticPages
from tests.e2e.conftest import Attach
from tests.e2e.support.browsers import CHROMIUM_ARGS, FIREFOX_PREFS, launched
from tests.e2e.support.real_bridge import RealBridge, run_bridge
from tests.e2e.support.waiting import wait_until

TITLE = {
    "type": "object",
    "properties": {"title": {"type": "string"}},
    "required": ["title"],
    "additionalProperties": False,
}


@pytest.fixture
def tool_page(
    playwright: Playwright, browser_name: str, browser_type_launch_args: dict[str, Any]
) -> Iterator[Page]:
    """Open a page in a browser that is asked for the registry of tools."""
    if browser_name == "chromium":
        options: dict[str, Any] = {"args": [*CHROMIUM_ARGS, "--enable-features=WebMCP"]}
    else:
        prefs = {"dom.modelcontext.enabled": True, "dom.modelcontext.testing.enabled": True}
        options = {"firefox_user_prefs": FIREFOX_PREFS | prefs}
    with launched(playwright, browser_name, browser_type_launch_args | options) as browser:
        yield browser.new_page()


@pytest.fixture(params=["", "?own"], ids=["tools alone", "beside a dispatcher"])
def bridge(
    request: pytest.FixtureRequest, pages: StaticPages, runtime: Any
) -> Iterator[RealBridge]:
    """Run a bridge for the page, which has a dispatcher of its own or none."""
    page = f"{pages.origin}/probe/webmcp.html{request.param}"
    with run_bridge(pages.origin, page, runtime) as running:
        yield running


def names(bridge: RealBridge) -> list[str]:
    done = bridge.call("actions/list")
    assert done.returncode == 0, done.stderr
    return [action["name"] for action in json.loads(done.stdout)["result"]["actions"]]


def own_actions(bridge: RealBridge) -> list[str]:
    return ["own.list", "own.add"] if bridge.page.endswith("?own") else []


def execute(bridge: RealBridge, action: str, given: dict[str, object]) -> dict[str, Any]:
    """Run an action without a revision: a tool has none."""
    done = bridge.call("actions/execute", {"action": action, "input": given})
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_a_terminal_runs_a_tool_that_the_page_registered_with_the_browser(
    tool_page: Page, bridge: RealBridge, attach: Attach
) -> None:
    attach(tool_page, bridge)
    assert names(bridge) == own_actions(bridge)
    tool_page.evaluate("webmcp.registerTools()")
    tools = ["webmcp.add_todo", "webmcp.list_todos", "webmcp.refuse"]
    wait_until(lambda: sorted(names(bridge)[len(own_actions(bridge)) :]) == tools)
    added = execute(bridge, "webmcp.add_todo", {"title": "Milk"})
    assert added["result"]["output"] == {"text": "Milk is added"}
    expect(tool_page.locator("#todos li")).to_have_text(["Milk"])
    listed = bridge.run(["actions", "to-do", "--query", "webmcp.add"])
    assert "webmcp.add_todo" in listed.stdout, listed
    called = bridge.run(["call", "to-do", "webmcp.list_todos"])
    assert (called.returncode, json.loads(called.stdout)) == (0, {"todos": ["Milk"]}), called
    called = bridge.run(["call", "to-do", "webmcp.add_todo", "title=Tea"])
    assert called.returncode == 0, called
    expect(tool_page.locator("#todos li")).to_have_text(["Milk", "Tea"])
    assert execute(bridge, "webmcp.list_todos", {})["result"]["output"] == {
        "todos": ["Milk", "Tea"]
    }
    refused = execute(bridge, "webmcp.refuse", {})["error"]
    assert (refused["data"]["code"], refused["message"]) == ("HOST_ERROR", "Not today.")
    tool_page.evaluate("webmcp.takeBack()")
    wait_until(lambda: "webmcp.add_todo" not in names(bridge))
    gone = execute(bridge, "webmcp.add_todo", {"title": "Bread"})["error"]
    assert gone["data"]["code"] == "UNKNOWN_ACTION"
    expect(tool_page.locator("#todos li")).to_have_text(["Milk", "Tea"])


def test_schemas_and_kinds_come_from_the_browser(
    tool_page: Page, bridge: RealBridge, attach: Attach, browser_name: str
) -> None:
    if browser_name == "firefox":
        pytest.skip("This version of Firefox lists a tool without its schema and annotations.")
    tool_page.goto(bridge.page)
    tool_page.evaluate("webmcp.registerTools()")
    attach(tool_page, bridge)
    described = json.loads(bridge.call("actions/describe", {"action": "webmcp.add_todo"}).stdout)[
        "result"
    ]["action"]
    assert (described["kind"], described["inputSchema"]) == ("write", TITLE)
    wrong = execute(bridge, "webmcp.add_todo", {"titel": "Milk"})
    assert wrong["error"]["data"]["code"] == "INVALID_INPUT"
    expect(tool_page.locator("#todos li")).to_have_count(0)


def test_an_agent_in_the_browser_runs_the_app_s_actions(
    tool_page: Page, bridge: RealBridge, attach: Attach
) -> None:
    attach(tool_page, bridge)
    tool_page.evaluate("webmcp.register()")
    wait_until(lambda: tool_page.evaluate("webmcp.names()") == ["own.add", "own.list"])
    added = tool_page.evaluate("webmcp.call('own.add', {title: 'Milk'})")
    assert added == {"todos": ["Milk"]}
    expect(tool_page.locator("#todos li")).to_have_text(["Milk"])
    refused = tool_page.evaluate("webmcp.call('own.add', {title: 5})")
    assert refused["isError"] is True
    assert refused["structuredContent"]["error"]["data"]["code"] == "INVALID_INPUT"
    assert names(bridge) == own_actions(bridge), "its own registrations are not offered to it"
    tool_page.evaluate("webmcp.stop()")
    wait_until(lambda: tool_page.evaluate("webmcp.names()") == [])


def test_a_browser_without_a_registry_attaches_as_ever(
    page: Page, bridge: RealBridge, attach: Attach
) -> None:
    attach(page, bridge)
    assert page.evaluate("webmcp.there") is False
    page.evaluate("webmcp.register()")
    assert names(bridge) == own_actions(bridge)
    if own_actions(bridge):
        assert bridge.execute("own.list")["output"] == {"todos": []}


@pytest.mark.parametrize("bridge", ["?own"], indirect=True)
def test_a_page_that_is_detached_has_its_own_actions_only(
    tool_page: Page, bridge: RealBridge, attach: Attach
) -> None:
    attach(tool_page, bridge)
    tool_page.evaluate("webmcp.registerTools()")
    wait_until(lambda: len(tool_page.evaluate("webmcp.actions()")) == 5)
    tool_page.get_by_role("button", name="Detach").click()
    wait_until(lambda: tool_page.evaluate("webmcp.actions()") == own_actions(bridge))
