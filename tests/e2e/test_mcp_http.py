"""MCP clients at `/mcp`, and the pages of real browsers that run what they call."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from bridge.contract.mcp_messages import MODERN
from bridge.servers.static_pages import StaticPages
from tests.e2e.conftest import Attach
from tests.e2e.support.real_bridge import RealBridge, run_bridge
from tests.e2e.support.transports import both_transports
from tests.e2e.support.waiting import SECONDS, wait_until
from tests.python.support.mcp_requests import call


@pytest.fixture
def in_turns(
    pages: StaticPages, runtime: Path, transport_options: list[str]
) -> Iterator[RealBridge]:
    """Run a bridge for a page whose actions wait for each other."""
    page = f"{pages.origin}/probe/probe.html?turns"
    with run_bridge(pages.origin, page, runtime, *transport_options) as running:
        yield running


class Client:
    """A client whose every call has a connection of its own."""

    def __init__(self, bridge: RealBridge) -> None:
        self._bridge = bridge

    def send(self, request_id: int, action: str, revision: int | None = None) -> HTTPConnection:
        """Call an action, and return the connection that its answer comes by."""
        arguments: dict[str, Any] = {"action": action}
        if revision is not None:
            arguments["expectedRevision"] = revision
        headers = {
            "Authorization": f"Bearer {self._bridge.token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": MODERN,
            "Mcp-Method": "tools/call",
            "Mcp-Name": "actions_execute",
        }
        opened = HTTPConnection("127.0.0.1", self._bridge.port, timeout=SECONDS)
        opened.request("POST", "/mcp", call(request_id, "actions_execute", **arguments), headers)
        return opened

    def hung_up(self) -> int:
        """Return how many callers the bridge has noticed to have gone."""
        opened = HTTPConnection("127.0.0.1", self._bridge.port, timeout=SECONDS)
        opened.request("GET", "/status", headers={"Authorization": f"Bearer {self._bridge.token}"})
        counters = json.loads(opened.getresponse().read())["counters"]
        opened.close()
        return int(counters.get("abandoned", 0))


def output(opened: HTTPConnection) -> Any:
    result = json.loads(opened.getresponse().read())["result"]
    opened.close()
    assert "isError" not in result, result
    return result["structuredContent"]["output"]


@pytest.mark.parametrize("hangs_up", [True, False])
@both_transports
def test_a_call_that_waits_in_the_page_is_not_begun_once_its_client_has_closed_the_stream(
    page: Page, in_turns: RealBridge, attach: Attach, hangs_up: bool
) -> None:
    attach(page, in_turns)
    client = Client(in_turns)

    def has_come(count: int) -> None:
        wait_until(lambda: page.evaluate("probe.asked()") == count, "the page to be asked")

    holder = client.send(1, "test.countAndWait", revision=1)
    has_come(1)
    waiting = client.send(2, "test.count", revision=2)
    has_come(2)
    if hangs_up:
        waiting.close()
        wait_until(lambda: client.hung_up() == 1, "the bridge to notice")
    # Behind whatever the page was told of the other one, and the last to have a turn.
    last = client.send(3, "test.runs")
    has_come(3)
    page.evaluate("probe.goOn()")
    assert output(holder) == {"runs": 1}
    if not hangs_up:
        assert output(waiting) == {"runs": 2}
    assert output(last) == {"runs": 1 if hangs_up else 2}
