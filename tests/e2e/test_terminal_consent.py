"""A terminal that the owner of a workspace lets in, or not: the real commands, bridge and page."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import struct
import subprocess
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, Route, expect

from bridge.client import ActionError, CallResult, connect
from bridge.client.page_attaching import detaching, drive
from bridge.contract.attach_link import attach_link
from bridge.servers.static_pages import StaticPages
from tests.e2e.conftest import STATE, Attach
from tests.e2e.support.let_in import EVERY_APP, THIS_APP, let_in
from tests.e2e.support.owner_dialog import allow, deny, owner_dialog
from tests.e2e.support.page_server import serve_pages
from tests.e2e.support.real_bridge import RealBridge, run_bridge
from tests.e2e.support.relay import relay_to
from tests.e2e.support.seen_page import save
from tests.e2e.support.waiting import wait_until
from tests.e2e.test_mcp_gateway import gateway, open_era
from tests.python.support.mcp_requests import legacy, modern

PATIENCE_SECONDS = 60
SLUG = "bascule-workspace"
SEARCH = ("call", SLUG, "app.notes.notes_search", "query=road")
ADD = ("call", SLUG, "app.notes.notes_add", "title=By a terminal", "--expected-revision", "latest")
DRAW = (
    "call", SLUG, "app.board.board_add", "kind=rectangle", "x=100", "y=100", "width=200",
    "height=100", "--expected-revision", "latest",
)  # fmt: skip
TOOLS = ("app.notes.notes_search", "app.board.board_add")


@pytest.fixture(scope="module")
def workspace_pages() -> Iterator[StaticPages]:
    with serve_pages(index="demo/workspace/index.html") as served:
        yield served


@pytest.fixture
def terminal(
    page: Page, workspace_pages: StaticPages, runtime: Path, attach: Attach
) -> Iterator[RealBridge]:
    """Attach a workspace in which nobody is allowed anything yet."""
    with run_bridge(workspace_pages.origin, workspace_pages.page, runtime) as bridge:
        attach(page, bridge)
        wait_for_apps(bridge)
        yield bridge


def wait_for_apps(bridge: RealBridge) -> None:
    def live() -> bool:
        listed = bridge.result("actions/list", {"query": "app.", "limit": 100})["actions"]
        return set(TOOLS) <= {each["name"] for each in listed}

    wait_until(live, "the apps")


@contextmanager
def running(bridge: RealBridge, *words: str) -> Iterator[subprocess.Popen[str]]:
    """Run a command that waits for the owner."""
    child = bridge.start(words)
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def ended(child: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = child.communicate(timeout=PATIENCE_SECONDS)
    return child.returncode, out, err


def succeed(bridge: RealBridge, *words: str) -> Any:
    """Run a command that is to need no yes any more, and return what it printed."""
    done = bridge.run(words)
    assert done.returncode == 0, done.stderr
    assert "Waiting for a yes" not in done.stderr
    return json.loads(done.stdout)


def audit(bridge: RealBridge, session: str = "cli") -> list[tuple[str, str]]:
    """Return which tools the session called, and how that ended."""
    entries = succeed(bridge, "call", SLUG, "workspace.audit.list")["entries"]
    of = [each for each in entries if each["caller"] == f"external:bridge:{session}"]
    return [(each["tool"], each["status"]) for each in of if each["target"] != "kernel"]


def grants(bridge: RealBridge) -> list[tuple[Any, Any]]:
    listed = succeed(bridge, "call", SLUG, "workspace.grants.list")["grants"]
    return [(each["app"], each["tool"]) for each in listed]


def notes(page: Page) -> FrameLocator:
    return page.frame_locator("[data-app=notes].tile iframe")


def note(page: Page) -> Locator:
    return notes(page).get_by_role("button", name="By a terminal")


def test_a_terminal_is_asked_about_once_and_adds_a_note_draws_and_reads_what_it_did(
    page: Page, terminal: RealBridge, browser_name: str
) -> None:
    with running(terminal, *ADD) as adding:
        dialog = owner_dialog(page)
        expect(dialog).to_contain_text("Let the terminal cli use the app notes?")
        for words in ("external:bridge:cli", "app:notes:background", "notes_add", "By a terminal"):
            expect(dialog).to_contain_text(words)
        expect(note(page)).to_have_count(0)
        save(page, f"terminal-asks-{browser_name}")
        allow(page, EVERY_APP)
        status, out, err = ended(adding)
    assert status == 0, err
    assert "Waiting for a yes in the page." in err
    assert json.loads(out)["note"]["title"] == "By a terminal"
    expect(note(page)).to_be_visible()
    succeed(
        terminal, "call", SLUG, "workspace.tile.open", "app=board", "--expected-revision", "latest"
    )
    succeed(terminal, *DRAW)
    board = page.frame_locator("[data-app=board].tile iframe")
    shapes = board.get_by_role("listbox", name="Shapes on the board").get_by_role("option")
    expect(shapes).to_have_count(1)
    assert audit(terminal) == [("notes_add", "completed"), ("board_add", "completed")]
    assert grants(terminal) == [(None, "*")]
    expect(owner_dialog(page)).to_be_hidden()


def test_a_no_fails_the_call_and_is_heard_for_a_while_without_another_question(
    page: Page, terminal: RealBridge
) -> None:
    with running(terminal, *ADD) as adding:
        deny(page)
        status, out, err = ended(adding)
    assert (status, out) == (1, "")
    assert "[OWNER_REQUIRED]" in err
    assert "nothing was run" in err
    done = terminal.run([*ADD, "--json"])
    assert done.returncode == 1
    error = json.loads(done.stdout)["error"]
    assert error["data"]["availability"]["code"] == "OWNER_REQUIRED"
    assert error["data"]["retryAfterMs"] > 0
    expect(owner_dialog(page)).to_be_hidden()
    expect(note(page)).to_have_count(0)
    # Another session is another terminal to the owner: it is not told no for this one's sake.
    let_in(page, terminal, session="another")


def test_an_owner_who_does_not_answer_has_said_no(
    page: Page, workspace_pages: StaticPages, runtime: Path, attach: Attach
) -> None:
    def hurried(route: Route) -> None:
        response = route.fetch()
        body, count = re.subn(
            r"seconds = BUS_LIMITS\.consentSeconds", "seconds = 2", response.text()
        )
        assert count == 1
        route.fulfill(response=response, body=body)

    page.route("**/kernel/consent/consent_queue.js", hurried)
    with run_bridge(workspace_pages.origin, workspace_pages.page, runtime) as bridge:
        attach(page, bridge)
        wait_for_apps(bridge)
        with running(bridge, *ADD) as adding:
            expect(owner_dialog(page)).to_be_visible()
            expect(owner_dialog(page)).to_be_hidden()
            status, out, err = ended(adding)
        assert (status, out) == (1, ""), err
        assert "[OWNER_REQUIRED]" in err
        assert "did not answer in time" in err
        assert "nothing was run" in err
        expect(note(page)).to_have_count(0)


def test_a_yes_to_one_call_is_none_to_the_next(page: Page, terminal: RealBridge) -> None:
    last = page.locator("#bascule-calls [part=call]").first
    for _ in range(2):
        with running(terminal, *SEARCH) as searching:
            expect(owner_dialog(page)).to_be_visible()
            expect(last).to_contain_text("waits for a yes")
            allow(page)
            status, out, err = ended(searching)
        assert status == 0, err
        assert [each["title"] for each in json.loads(out)["matches"]] == ["Roadmap"]
        expect(last).to_have_attribute("data-phase", "done")
    assert grants(terminal) == []


def test_who_does_not_wait_is_given_a_task_that_says_what_it_waits_for(
    page: Page, terminal: RealBridge
) -> None:
    done = terminal.run([*SEARCH, "--no-wait"])
    assert done.returncode == 0, done.stderr
    assert "The call waits for a yes in the page." in done.stderr
    task = json.loads(done.stdout)
    assert task["progress"]["reason"] == "consent"
    expect(owner_dialog(page)).to_be_visible()
    looked = terminal.run(["task", SLUG, task["id"]])
    assert "Waiting for a yes in the page." in looked.stderr
    with running(terminal, "task", SLUG, task["id"], "--wait") as waiting:
        allow(page, THIS_APP)
        status, out, err = ended(waiting)
    assert status == 0, err
    assert json.loads(out)["total"] == 1
    # A grant for one app is none for another.
    succeed(terminal, *SEARCH)
    asked = json.loads(terminal.run([*DRAW, "--no-wait"]).stdout)
    expect(owner_dialog(page)).to_contain_text("board_add")
    terminal.run(["task", SLUG, asked["id"], "--cancel"])
    expect(owner_dialog(page)).to_be_hidden()
    assert audit(terminal)[-1] == ("board_add", "cancelled")


def test_an_interrupt_takes_the_question_back(page: Page, terminal: RealBridge) -> None:
    with running(terminal, *ADD) as adding:
        expect(owner_dialog(page)).to_be_visible()
        assert adding.stderr is not None
        assert "Waiting for a yes" in adding.stderr.readline()
        adding.send_signal(signal.SIGINT)
        status, out, err = ended(adding)
    assert (status, out) == (-signal.SIGINT, "")
    assert "nothing was run" in err
    expect(owner_dialog(page)).to_be_hidden()
    expect(note(page)).to_have_count(0)
    # It was no no: the next call asks at once.
    let_in(page, terminal)


def test_to_detach_takes_the_question_back_and_ends_what_was_allowed(
    page: Page, terminal: RealBridge, attach: Attach
) -> None:
    let_in(page, terminal, session="cli")
    assert succeed(terminal, *SEARCH)["total"] == 1
    with running(terminal, *ADD, "--session", "other") as adding:
        expect(owner_dialog(page)).to_be_visible()
        drive(detaching(page, terminal.started))
        expect(owner_dialog(page)).to_be_hidden()
        status, out, err = ended(adding)
    assert (status, out) == (4, ""), err
    assert "may have run" in err
    expect(note(page)).to_have_count(0)
    page.get_by_role("button", name="Who may do what").click()
    expect(page.get_by_role("list", name="Who may do what").get_by_role("listitem")).to_have_count(
        0
    )
    # It is the same page as before, and the same session's name.
    page.evaluate("globalThis.same = true")
    attach(page, terminal)
    assert page.evaluate("globalThis.same") is True
    with running(terminal, *SEARCH) as searching:
        allow(page)
        assert ended(searching)[0] == 0


def test_a_bridge_that_is_killed_takes_its_questions_with_it(
    page: Page, terminal: RealBridge
) -> None:
    with running(terminal, *ADD) as adding:
        expect(owner_dialog(page)).to_be_visible()
        os.kill(terminal.process.pid, signal.SIGKILL)
        status, out, _ = ended(adding)
        assert (status, out) == (4, "")
        # What nothing reaches three times, for longer than a bridge keeps a page's place, is gone.
        expect(owner_dialog(page)).to_be_hidden(timeout=15_000)
    # It was not given up yet: the page tries to come back.
    expect(page.locator(STATE)).to_have_text("suspended")
    page.get_by_role("button", name="Activity").click()
    called = page.locator("#activity li").filter(has_text="notes_add")
    expect(called).to_have_attribute("data-status", "cancelled")
    expect(called).to_contain_text("nothing was run")
    expect(note(page)).to_have_count(0)


def test_a_short_break_of_the_way_to_the_bridge_leaves_the_question(
    page: Page, workspace_pages: StaticPages, runtime: Path
) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"127.0.0.1:{listener.getsockname()[1]}"
    served = (workspace_pages.origin, workspace_pages.page, runtime)
    with (
        run_bridge(*served, "--public-host", address) as bridge,
        relay_to(bridge.port, listener) as relay,
    ):
        page.goto(attach_link(workspace_pages.page, f"http://{address}", bridge.token))
        page.get_by_role("button", name="Attach", exact=True).click()
        expect(page.locator(STATE)).to_have_text("attached")
        wait_for_apps(bridge)
        with running(bridge, *ADD) as adding:
            expect(owner_dialog(page)).to_be_visible()
            asked = page.locator("#consent-title").get_attribute("data-asked")
            wait_until(lambda: relay.cut_channels() > 0, "the channel")
            wait_until(lambda: relay.cut_channels() > 0, "the channel, opened again")
            expect(page.locator(f"#consent [data-asked='{asked}']")).to_be_visible()
            allow(page)
            status, _, err = ended(adding)
        assert status == 0, err
        expect(note(page)).to_be_visible()


def test_what_was_allowed_a_terminal_is_seen_and_taken_back(
    page: Page, terminal: RealBridge
) -> None:
    let_in(page, terminal, session="cli")
    succeed(terminal, *SEARCH)
    page.get_by_role("button", name="Who may do what").click()
    rows = page.get_by_role("list", name="Who may do what").get_by_role("listitem")
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("cli")
    expect(rows.first).to_contain_text("every app")
    rows.first.get_by_role("button").click()
    expect(rows).to_have_count(0)
    with running(terminal, *SEARCH) as searching:
        expect(owner_dialog(page)).to_contain_text("notes_search")
        allow(page)
        assert ended(searching)[0] == 0


def test_a_batch_waits_for_the_yes_to_its_first_line(page: Page, terminal: RealBridge) -> None:
    lines = "".join(
        json.dumps({"action": "app.notes.notes_search", "input": {"query": query}}) + "\n"
        for query in ("road", "")
    )
    with running(terminal, "call", SLUG, "--batch") as batch:
        assert batch.stdin is not None
        batch.stdin.write(lines)
        batch.stdin.close()
        batch.stdin = None
        allow(page, THIS_APP)
        status, out, err = ended(batch)
    assert status == 0, err
    one, all_ = [json.loads(line)["output"]["total"] for line in out.splitlines()]
    assert (one, all_ > one) == (1, True)
    assert err.count("Waiting for a yes") == 1


def test_bytes_of_a_file_go_to_a_tool_of_an_app_that_the_owner_lets_it_use(
    page: Page, terminal: RealBridge, tmp_path: Path
) -> None:
    picture = tmp_path / "picture.png"
    picture.write_bytes(png(6, 4))
    terminal.execute("workspace.tile.open", {"app": "board"})
    words = ["app.board.board_import_image", "arguments.text=A red field"]
    put = ("call", SLUG, *words, f"attachment=@{picture}", "--expected-revision", "latest")
    with running(terminal, *put) as putting:
        expect(owner_dialog(page)).to_contain_text("board_import_image")
        allow(page, THIS_APP)
        status, _, err = ended(putting)
    assert status == 0, err
    board = page.frame_locator("[data-app=board].tile iframe")
    shapes = board.get_by_role("listbox", name="Shapes on the board").get_by_role("option")
    expect(shapes).to_have_attribute("aria-label", re.compile("A red field"))


def test_a_script_waits_for_the_yes_and_its_end_ends_what_it_was_allowed(
    page: Page, terminal: RealBridge
) -> None:
    search = ("app.notes.notes_search", {"query": "road"})
    with ThreadPoolExecutor(1) as threads:
        app = connect(terminal.url, token=terminal.token, timeout=PATIENCE_SECONDS)
        calling = threads.submit(app.call, *search)
        expect(owner_dialog(page)).to_contain_text(app.session)
        allow(page, THIS_APP)
        given = calling.result(PATIENCE_SECONDS)
        assert isinstance(given, CallResult)
        assert given.status == "completed"
        assert app.call(*search, wait_for_consent=False).status == "completed"
        # One thread, as a test with a page has: the call is begun, answered, and waited for.
        begun = app.call("app.board.board_list", wait_for_consent=False)
        assert begun.task is not None
        allow(page)
        assert app.wait_task(begun.task).state == "completed"
        seen = [event.deferred for event in app.calls(0).events if event.session == app.session]
        assert seen.count("consent") == 2
        page.get_by_role("button", name="Who may do what").click()
        rows = page.get_by_role("list", name="Who may do what").get_by_role("listitem")
        expect(rows).to_have_count(1)
        asking = threads.submit(app.call, "app.board.board_list")
        deny(page)
        with pytest.raises(ActionError, match="OWNER_REQUIRED"):
            asking.result(PATIENCE_SECONDS)
        app.close()
        expect(rows).to_have_count(0)


@pytest.mark.parametrize("era", [modern, legacy], ids=["modern", "legacy"])
def test_a_model_is_told_what_its_call_waits_for_and_follows_it(
    page: Page, terminal: RealBridge, era: Any
) -> None:
    with gateway(terminal.runtime, "--app", "Bascule Workspace", "--protocol", "mcp") as client:
        open_era(client, era)
        begun = client.execute(era, "app.notes.notes_search", query="road")["structuredContent"]
        assert begun["status"] == "deferred"
        assert begun["task"]["progress"]["reason"] == "consent"
        assert "asked in the page" in begun["task"]["progress"]["message"]
        status = {"name": "task_status", "arguments": {"id": begun["task"]["id"], "waitMs": 20_000}}
        client.send(era("s", "tools/call", **status))
        allow(page, THIS_APP)
        task = client.read()["result"]["structuredContent"]["task"]
        assert task["state"] == "completed"
        assert task["output"]["total"] == 1
        assert client.output(era, "app.notes.notes_search", query="road")["total"] == 1


def png(width: int, height: int) -> bytes:
    """Return a red picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = (b"\0" + b"\xff\0\0" * width) * height
    parts = (chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)
