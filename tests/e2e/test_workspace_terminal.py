"""A terminal in a workspace: the real command line, bridge and page, and apps in their frames."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from bridge.servers.static_pages import StaticPages
from tests.e2e.conftest import Attach
from tests.e2e.support.let_in import SESSION, let_in
from tests.e2e.support.page_server import PAGES, serve_pages
from tests.e2e.support.real_bridge import RealBridge, run_bridge
from tests.e2e.support.waiting import wait_until

APPS = "/demo/workspace/apps"
APP = ("--app", "Bascule Workspace", "--session", SESSION)


@pytest.fixture(scope="module")
def workspace_pages() -> Iterator[StaticPages]:
    """Serve the workspace, with two apps of the tests' own."""
    mounts = {f"{APPS}/{app}": PAGES / app for app in ("workbench", "mute")}
    with serve_pages(index="demo/workspace/index.html", mounts=mounts) as served:
        yield served


@pytest.fixture
def installed() -> list[str]:
    return ["notes", "workbench"]


@pytest.fixture
def terminal(
    page: Page,
    workspace_pages: StaticPages,
    runtime: Path,
    attach: Attach,
    installed: list[str],
) -> Iterator[RealBridge]:
    """Attach a workspace in which those apps are live, and may be used from the terminal."""

    def listed(route: Route) -> None:
        response = route.fetch()
        names = f"INSTALLED = Object.freeze({json.dumps(installed)})"
        body, count = re.subn(r"INSTALLED = Object\.freeze\(\[[^\]]*\]\)", names, response.text())
        assert count == 1
        route.fulfill(response=response, body=body)

    page.route("**/manifests/installed_apps.js", listed)
    with run_bridge(workspace_pages.origin, workspace_pages.page, runtime) as bridge:
        attach(page, bridge)
        wanted = {f"app:{app}:background" for app in installed}
        wait_until(lambda: wanted <= set(endpoints(bridge)), "the apps")
        let_in(page, bridge)
        yield bridge


def endpoints(bridge: RealBridge) -> list[str]:
    listed = read(bridge, "workspace.endpoints.list")["endpoints"]
    return [str(each["endpoint"]) for each in listed]


def read(bridge: RealBridge, action: str, input_: object = None) -> Any:
    """Run an action that needs no revision."""
    result = bridge.result("actions/execute", {"action": action, "input": input_ or {}})
    assert result["status"] == "completed"
    return result["output"]


def refused(bridge: RealBridge, action: str, **params: object) -> Any:
    """Run an action that fails. Returns its error."""
    done = bridge.call("actions/execute", {"action": action, **params})
    assert done.returncode == 1, done.stdout
    return json.loads(done.stdout)["error"]


def actions(bridge: RealBridge, query: str) -> dict[str, str]:
    """Return the kind of each action that is found."""
    found = bridge.result("actions/list", {"query": query, "limit": 100})["actions"]
    return {each["name"]: each["kind"] for each in found}


def test_a_terminal_finds_the_tools_of_every_app_that_is_live(terminal: RealBridge) -> None:
    found = actions(terminal, "app.")
    assert found["app.notes.notes_search"] == "read"
    assert found["app.notes.notes_add"] == "write"
    assert found["app.workbench.bench_wait"] == "read"
    described = terminal.result("actions/describe", {"action": "app.notes.notes_search"})
    assert described["action"]["inputSchema"]["required"] == ["query"]
    apps = read(terminal, "workspace.apps.list")
    assert apps["untrusted"] is True
    assert [each["id"] for each in apps["apps"]] == ["notes", "workbench"]


def test_what_a_terminal_writes_a_person_sees_and_a_stale_revision_changes_nothing(
    page: Page, terminal: RealBridge
) -> None:
    add = "app.notes.notes_add"
    revision = terminal.result("actions/describe", {"action": add})["revision"]
    stale = refused(terminal, add, input={"title": "Never"}, expectedRevision=revision - 1)
    assert stale["data"]["code"] == "STALE_REVISION"
    missing = refused(terminal, add, input={"title": "Never"})
    assert missing["data"]["code"] == "REVISION_REQUIRED"
    words = ["title=From a terminal", "text=by a bascule"]
    done = terminal.run(["call", *APP, add, *words, "--expected-revision", "latest"])
    assert done.returncode == 0, done.stderr
    notes = page.frame_locator("[data-app=notes].tile iframe")
    expect(notes.get_by_role("button", name="From a terminal")).to_be_visible()
    found = read(terminal, "app.notes.notes_search", {"query": "bascule"})
    assert [each["title"] for each in found["matches"]] == ["From a terminal"]
    after = terminal.result("actions/describe", {"action": add})["revision"]
    assert after > revision


def test_calls_of_a_terminal_are_in_the_audit_as_its_sessions_own(
    page: Page, terminal: RealBridge
) -> None:
    let_in(page, terminal, session="mine")

    def found() -> list[Any]:
        return [
            each
            for each in read(terminal, "workspace.audit.list", {"app": "notes"})["entries"]
            if each["tool"] == "notes_search" and each["caller"] == "external:bridge:mine"
        ]

    wait_until(lambda: [each["status"] for each in found()] == ["completed"], "the call")
    [entry] = found()
    assert entry["target"] == "app:notes:background"
    assert entry["status"] == "completed"


def test_a_terminal_opens_a_tile_whose_tools_are_live_from_then_on(
    page: Page, terminal: RealBridge
) -> None:
    assert actions(terminal, "bench_tile") == {}
    opened = terminal.execute("workspace.tile.open", {"app": "workbench"})["output"]
    assert opened["endpoint"].startswith("app:workbench:tile:main:instance:")
    expect(page.frame_locator("[data-app=workbench].tile iframe").locator("h1")).to_be_visible()
    assert read(terminal, "app.workbench.bench_tile") == {"by": "tile"}
    assert read(terminal, "app.workbench.bench_where") == {"by": "background"}
    none = refused(terminal, "workspace.tile.open", input={"app": "nobody"})
    assert none["data"]["code"] == "INVALID_INPUT"


@pytest.mark.parametrize("installed", [["notes", "mute"]])
def test_an_app_that_answers_nothing_hides_its_own_tools_only(terminal: RealBridge) -> None:
    assert "app.notes.notes_search" in actions(terminal, "app.")
    assert read(terminal, "app.notes.notes_search", {"query": ""})["total"] > 0
    listed = read(terminal, "workspace.tools.list")["endpoints"]
    told = {each["endpoint"]: each.get("unavailable", {}).get("code") for each in listed}
    assert told["app:mute:background"] is not None
    assert told["app:notes:background"] is None


def test_a_call_that_lasts_tells_how_far_it_is_and_is_given_up_in_the_app(
    terminal: RealBridge,
) -> None:
    action = "app.workbench.bench_wait"
    begun = terminal.result("actions/execute", {"action": action, "input": {}})
    assert begun["status"] == "deferred"
    task = {"id": begun["task"]["id"]}

    def state() -> Any:
        return terminal.result("tasks/get", task)["task"]

    wait_until(lambda: state()["progress"]["reason"] == "progress", "progress")
    told = {"phase": "waiting", "completed": 1, "reason": "progress", "message": "waiting"}
    assert state()["progress"] == told
    assert read(terminal, "app.workbench.bench_ended") == {"ended": "not yet"}
    terminal.result("tasks/cancel", task)
    wait_until(lambda: state()["state"] == "cancelled", "the end")
    assert read(terminal, "app.workbench.bench_ended") == {"ended": "given up"}


def test_bytes_of_a_tool_are_a_resource_that_another_tool_can_be_given(
    terminal: RealBridge,
) -> None:
    output = read(terminal, "app.workbench.bench_picture")
    attachment = output["attachment"]
    assert (attachment["mimeType"], attachment["size"]) == ("image/png", 300_000)
    picture = b""
    offset: int | None = 0
    while offset is not None:
        part = terminal.result("resources/read", {"uri": attachment["resource"], "offset": offset})
        picture += b64decode(part["data"])
        offset = part.get("nextOffset")
    assert picture == bytes(index % 251 for index in range(300_000))
    halves = [b64encode(half).decode() for half in (picture[:150_000], picture[150_000:])]
    for given in ({"resource": attachment["resource"]}, {"data": halves}):
        done = terminal.run(
            ["call", *APP, "app.workbench.bench_sum", "--json", "--input-file", "-"],
            stdin=json.dumps({"arguments": {}, "attachment": given}),
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["output"] == {"sum": sum(picture)}


def test_a_tool_that_fails_says_what_it_wants_to_say_and_nothing_else(
    terminal: RealBridge,
) -> None:
    failed = refused(terminal, "app.workbench.bench_fail", input={})
    assert failed["message"] == "The bench is broken."
    assert failed["data"]["code"] == "HOST_ERROR"
    leaked = terminal.call("actions/execute", {"action": "app.workbench.bench_leak", "input": {}})
    assert leaked.returncode == 1
    assert "HOST_ERROR" in leaked.stdout
    assert "secret" not in leaked.stdout + leaked.stderr


def test_a_locked_workspace_lets_no_terminal_in_until_it_is_unlocked(
    page: Page, terminal: RealBridge
) -> None:
    search: dict[str, Any] = {"input": {"query": ""}}
    resource = read(terminal, "app.workbench.bench_picture")["attachment"]["resource"]
    page.get_by_role("button", name="Lock the workspace").click()
    page.get_by_role("button", name="Lock it").click()
    assert actions(terminal, "app.") == {}
    error = refused(terminal, "workspace.apps.list")
    assert error["data"]["availability"]["code"] == "LOCKED"
    error = refused(terminal, "app.notes.notes_search", **search)
    assert error["data"]["availability"]["code"] == "LOCKED"
    page.get_by_role("button", name="Unlock").click()
    wait_until(lambda: "app.notes.notes_search" in actions(terminal, "app."), "the notes")
    # What it was allowed has ended with the lock: the owner is asked anew.
    let_in(page, terminal)
    read(terminal, "app.notes.notes_search", {"query": ""})
    gone = terminal.call("resources/read", {"uri": resource})
    assert "UNKNOWN_RESOURCE" in gone.stdout
