"""Lines of MCP, written by hand, through `browser-stdio` into pages of real browsers."""

from __future__ import annotations

import base64
import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from bridge.servers.static_pages import StaticPages
from tests.e2e.conftest import Attach
from tests.e2e.support.real_bridge import BASCULE, RealBridge, environment, run_bridge
from tests.e2e.support.transports import both_transports
from tests.e2e.support.word_processor import paragraphs
from tests.python.support.mcp_requests import (
    call,
    cancelled,
    discover,
    initialize,
    legacy,
    modern,
)

PATIENCE_SECONDS = 30


class Gateway:
    """A running `browser-stdio`, and its client's side."""

    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        self.child = child

    def send(self, *lines: bytes) -> None:
        assert self.child.stdin is not None
        self.child.stdin.write(b"".join(line + b"\n" for line in lines))
        self.child.stdin.flush()

    def read(self) -> Any:
        assert self.child.stdout is not None
        return json.loads(self.child.stdout.readline())

    def ask(self, line: bytes) -> Any:
        self.send(line)
        return self.read()

    def execute(self, era: Any, action: str, revision: int | None = None, **given: Any) -> Any:
        """Run an action, and return the whole result of the tool."""
        arguments: dict[str, Any] = {"action": action, "input": given}
        if revision is not None:
            arguments["expectedRevision"] = revision
        answer = self.ask(era("e", "tools/call", name="actions_execute", arguments=arguments))
        assert answer["id"] == "e", answer
        return answer["result"]

    def output(self, era: Any, action: str, revision: int | None = None, **given: Any) -> Any:
        """Run an action that must succeed, and return its output."""
        result = self.execute(era, action, revision, **given)
        assert "isError" not in result, result
        return result["structuredContent"]["output"]

    def end(self) -> None:
        out, err = self.child.communicate(timeout=PATIENCE_SECONDS)
        assert (self.child.returncode, out, err) == (0, b"", b"")


@contextmanager
def gateway(runtime: Path, *options: str) -> Iterator[Gateway]:
    with subprocess.Popen(
        [*BASCULE, "browser-stdio", *options],
        env=environment(runtime),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        try:
            yield Gateway(child)
        finally:
            child.kill()


def revision_of(client: Gateway, era: Any, action: str) -> int:
    answer = client.ask(
        era("d", "tools/call", name="actions_describe", arguments={"action": action})
    )
    return int(answer["result"]["structuredContent"]["revision"])


def open_era(client: Gateway, era: Any) -> None:
    answer = client.ask(initialize(0) if era is legacy else discover(0))
    assert "error" not in answer


def write(client: Gateway, era: Any, text: str) -> None:
    revision = revision_of(client, era, "document.text.insert")
    client.output(era, "document.text.insert", revision, text=text, at=0)


def sessions(page: Page) -> list[str]:
    return list(page.evaluate("probe.sessions()"))


ERAS = pytest.mark.parametrize("era", [modern, legacy], ids=["modern", "legacy"])


@ERAS
@both_transports
def test_a_text_is_edited_and_again_after_the_page_was_reloaded(
    page: Page, bridge: RealBridge, attach: Attach, era: Any
) -> None:
    with gateway(bridge.runtime) as client:
        open_era(client, era)
        # No page yet: it is said what to do.
        result = client.execute(era, "document.read")
        assert result["isError"] is True
        assert "press Attach" in result["content"][0]["text"]
        attach(page, bridge)
        write(client, era, "one ")
        expect(paragraphs(page).first).to_contain_text("one A bascule is")
        page.reload()
        attach(page, bridge)
        write(client, era, "two ")
        expect(paragraphs(page).first).to_contain_text("two ")
        assert client.output(era, "document.read")["text"].startswith("two ")
        client.end()


def test_both_revisions_are_served_by_one_gateway_beside_each_other(
    page: Page, bridge: RealBridge, attach: Attach
) -> None:
    attach(page, bridge)
    with gateway(bridge.runtime) as client:
        client.ask(discover(0))
        client.ask(initialize(1))
        write(client, legacy, "old ")
        write(client, modern, "new ")
        write(client, legacy, "older ")
        expect(paragraphs(page).first).to_contain_text("older new old A bascule is")
        listed = client.ask(modern(2, "resources/list"))["result"]
        assert listed["resultType"] == "complete"
        assert "resultType" not in client.ask(legacy(3, "resources/list"))["result"]
        client.end()


def test_a_model_is_shown_a_picture_where_it_asks_for_one_of_a_kind_that_it_can_see(
    page: Page, bridge: RealBridge, attach: Attach
) -> None:
    attach(page, bridge)
    with gateway(bridge.runtime) as client:
        client.ask(discover(0))
        drawn: dict[str, Any] = {}
        for kind in ("svg", "png"):
            asked = modern(kind, "tools/call", name="view_render", arguments={"format": kind})
            drawn[kind] = client.ask(asked)["result"]["content"][1]
        assert drawn["svg"]["type"] == "resource_link"
        assert (drawn["png"]["type"], drawn["png"]["mimeType"]) == ("image", "image/png")
        assert base64.b64decode(drawn["png"]["data"]).startswith(b"\x89PNG")
        client.end()


@ERAS
def test_another_page_that_takes_the_place_of_the_first_is_introduced_to_the_client(
    page: Page, probe_bridge: RealBridge, attach: Attach, era: Any
) -> None:
    attach(page, probe_bridge)
    with gateway(probe_bridge.runtime) as client:
        open_era(client, era)
        assert client.output(era, "test.echo", n=1) == {"n": 1}
        page.locator("#detach").click()
        expect(page.locator("#state")).to_have_text("detached")
        gone = client.execute(era, "test.echo")["structuredContent"]["error"]
        assert gone["data"]["code"] == "NOT_ATTACHED"
        other = page.context.new_page()
        attach(other, probe_bridge)
        assert client.output(era, "test.echo", n=2) == {"n": 2}
        assert len(sessions(other)) == 1
        client.end()


@ERAS
def test_a_bridge_that_was_restarted_is_found_by_the_same_gateway(
    page: Page, pages: StaticPages, runtime: Path, attach: Attach, era: Any
) -> None:
    address = f"{pages.origin}/probe/probe.html"
    with gateway(runtime) as client:
        open_era(client, era)
        for number in range(2):
            with run_bridge(pages.origin, address, runtime) as running:
                attach(page, running)
                assert client.output(era, "test.echo", n=number) == {"n": number}
            failed = client.execute(era, "test.echo")["structuredContent"]["error"]
            assert failed["data"]["code"] == "NO_BRIDGE"
            assert failed["data"]["outcome"] == "not_delivered"
        client.end()


def test_a_copy_that_is_thrown_away_reserves_no_session_and_one_that_is_used_does(
    page: Page, probe_bridge: RealBridge, attach: Attach
) -> None:
    attach(page, probe_bridge)
    with gateway(probe_bridge.runtime) as client:
        client.ask(discover(0))
        client.ask(modern(1, "tools/list"))
        client.child.kill()
    with gateway(probe_bridge.runtime) as client:
        client.ask(initialize(0))
        client.ask(legacy(1, "tools/list"))
        client.end()
    # Through the same bridge, so that whatever came before would be there by now.
    assert probe_bridge.result("agent/info", session="mine")["app"]["name"] == "Probe"
    assert sessions(page) == ["mine"]
    with gateway(probe_bridge.runtime) as client:
        client.output(modern, "test.echo")
        assert len(sessions(page)) == 2
        client.end()
    # The end of the input releases it.
    assert sessions(page) == ["mine"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["SIGTERM", "SIGKILL"])
def test_a_killed_gateway_leaves_its_session_and_nothing_else(
    page: Page, probe_bridge: RealBridge, attach: Attach, number: signal.Signals
) -> None:
    attach(page, probe_bridge)
    with gateway(probe_bridge.runtime) as client:
        client.ask(initialize(0))
        client.output(legacy, "test.echo")
        left = sessions(page)
        assert len(left) == 1
        client.child.send_signal(number)
        client.child.wait(PATIENCE_SECONDS)
    # The bridge closes it in the page when nothing has been heard of it for a quarter of an hour.
    assert sessions(page) == (left if number == signal.SIGKILL else [])
    with gateway(probe_bridge.runtime) as client:
        client.ask(initialize(0))
        assert client.output(legacy, "test.echo", n=1) == {"n": 1}
        client.end()
    assert sessions(page) == (left if number == signal.SIGKILL else [])


@both_transports
def test_calls_are_answered_as_they_end_and_a_cancelled_one_never(
    page: Page, probe_bridge: RealBridge, attach: Attach
) -> None:
    attach(page, probe_bridge)
    with gateway(probe_bridge.runtime) as client:
        revision = revision_of(client, modern, "test.countAndWait")
        waits = {"action": "test.countAndWait", "expectedRevision": revision}
        client.send(call("slow", "actions_execute", **waits))
        expect(page.locator("#waiting")).to_have_text("1")
        quick = {"action": "test.echo", "input": {"n": 1}}
        client.send(*(call(n, "actions_execute", **quick) for n in range(8)))
        assert {client.read()["id"] for _ in range(8)} == set(range(8))
        client.send(cancelled("slow"))
        assert client.ask(call("after", "actions_execute", **quick))["id"] == "after"
        page.evaluate("probe.goOn()")
        assert client.ask(call("last", "actions_execute", **quick))["id"] == "last"
        client.end()


def test_a_task_is_waited_for_with_progress(
    page: Page, probe_bridge: RealBridge, attach: Attach
) -> None:
    attach(page, probe_bridge)
    with gateway(probe_bridge.runtime) as client:
        revision = revision_of(client, modern, "test.countAndWait")
        # What takes longer than five seconds is answered as a task.
        waits = {"action": "test.countAndWait", "expectedRevision": revision}
        deferred = client.ask(call(1, "actions_execute", **waits))["result"]["structuredContent"]
        assert deferred["status"] == "deferred"
        task = deferred["task"]["id"]
        client.send(call(2, "task_status", token="t", id=task, waitMs=25_000))
        told = client.read()
        assert told["method"] == "notifications/progress"
        assert told["params"]["progressToken"] == "t"
        page.evaluate("probe.goOn()")
        ended = client.read()["result"]["structuredContent"]["task"]
        assert (ended["state"], ended["output"]["runs"]) == ("completed", 1)
        client.end()
