"""`doctor` and the block of `mcp-config`, with the word processor in real browsers."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
from playwright.sync_api import Page

from bridge.contract.mcp_messages import META_CLIENT_CAPABILITIES, META_PROTOCOL_VERSION, MODERN
from tests.e2e.conftest import Attach
from tests.e2e.support.real_bridge import RealBridge
from tests.e2e.support.transports import both_transports
from tests.e2e.support.waiting import wait_until

APP = "bascule-write"
META = {META_PROTOCOL_VERSION: MODERN, META_CLIENT_CAPABILITIES: {}}


def findings(bridge: RealBridge, status: int) -> dict[str, dict[str, Any]]:
    """Return what the doctor found, by the name of the check."""
    done = bridge.run(["doctor", "--json"])
    assert done.returncode == status, (done.stdout, done.stderr)
    return {finding["check"]: finding for finding in json.loads(done.stdout)}


@both_transports
def test_every_step_to_an_attached_page_is_well(
    page: Page, bridge: RealBridge, attach: Attach, transport: str
) -> None:
    attach(page, bridge)
    found = findings(bridge, 0)
    assert {finding["state"] for finding in found.values()} == {"ok"}
    assert found["tab"]["text"] == "visible"
    told = "a WebSocket" if transport == "channel" else "long polling"
    assert found["transport"]["text"].startswith(told)
    assert found["app"]["text"].startswith("Bascule Write ")


def test_a_page_that_was_reloaded_is_missed_and_the_cure_is_told(
    page: Page, bridge: RealBridge, attach: Attach
) -> None:
    attach(page, bridge)
    page.reload()
    # A page that was left has two seconds to come back.
    wait_until(lambda: "none attached" in bridge.run(["status"]).stdout, "the page to be missed")
    found = findings(bridge, 3)
    assert found["page"]["state"] == "wrong"
    assert f"bascule open {bridge.port}" in found["page"]["advice"]
    # Otherwise the link would be a step within the page that is open.
    page.goto("about:blank")
    attach(page, bridge)
    assert findings(bridge, 0)["page"]["state"] == "ok"


@pytest.mark.parametrize("client", ["claude-desktop", "generic"])
def test_the_printed_block_starts_a_gateway_that_reaches_the_page(
    client: str, page: Page, bridge: RealBridge, attach: Attach
) -> None:
    attach(page, bridge)
    block = json.loads(bridge.run(["mcp-config", client, APP]).stdout)
    server = block["mcpServers"]["bascule"]
    requests = [
        {"method": "server/discover", "params": {"_meta": META}},
        {
            "method": "tools/call",
            "params": {
                "_meta": META,
                "name": "actions_search",
                "arguments": {"query": "insert text"},
            },
        },
    ]
    lines = [json.dumps({"jsonrpc": "2.0", "id": n} | r) for n, r in enumerate(requests)]
    ended = subprocess.run(
        [server["command"], *server["args"]],
        input="\n".join(lines) + "\n",
        # As a client that clears the environment: what the block has, and no more.
        env=server["env"],
        cwd="/",
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    answers = {answer["id"]: answer for answer in map(json.loads, ended.stdout.splitlines())}
    assert MODERN in answers[0]["result"]["supportedVersions"]
    assert "document.text.insert" in json.dumps(answers[1]["result"]["structuredContent"])
