"""Official MCP clients edit the document that is open in a real browser, in both revisions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Attach
from tests.e2e.support.real_bridge import RealBridge
from tests.e2e.support.word_processor import FIRST, paragraphs
from tests.peers.support.official_client import CLIENTS, NPM, ClientKind, running_client
from tests.peers.support.record import read_connections
from tests.peers.support.ways import Way, bascule
from tests.peers.support.wire_rules import LEGACY, MODERN, faults

EDITED = "A drawbridge is a bridge that stays up until somebody lowers it."
KINDS = [kind for kind in CLIENTS if kind.program != "sdk.mjs" and kind.mode != "auto"]
"""The newest client of each language, once in each revision."""


def test_both_revisions_are_spoken_by_both_clients() -> None:
    spoken = {(kind.program, kind.revision) for kind in KINDS}
    programs = ("pypi_client.py", "client.mjs")
    assert spoken == {(program, era) for program in programs for era in (MODERN, LEGACY)}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_an_official_client_edits_the_text_that_is_open_in_the_browser(
    page: Page, bridge: RealBridge, attach: Attach, kind: ClientKind, tmp_path: Path
) -> None:
    if kind.is_npm and not (NPM / "node_modules").is_dir():
        pytest.fail("the official npm packages are missing: scripts/setup installs them")
    record = tmp_path / "record"
    record.mkdir()
    way = Way("page", bascule("browser-stdio"), {"XDG_RUNTIME_DIR": str(bridge.runtime)})
    with running_client(kind, way, record, tmp_path / "errors.txt") as client:
        assert client.told["protocolVersion"] == kind.revision
        # The client is there before the page is.
        early = client.call("state_inspect")["result"]
        assert early["isError"] is True
        assert early["structuredContent"]["error"]["data"]["code"] == "NOT_ATTACHED"
        attach(page, bridge)
        expect(paragraphs(page).first).to_have_text(FIRST)

        found = client.structured("actions_search", {"query": "replace text"})
        assert "document.text.replace" in [action["name"] for action in found["actions"]]
        told = client.structured("actions_describe", {"action": "document.text.replace"})
        write = {"action": "document.text.replace", "expectedRevision": told["revision"]}
        replacing = {"start": 0, "end": len("A bascule"), "text": "A drawbridge"}
        client.structured("actions_execute", {**write, "input": replacing})
        expect(paragraphs(page).first).to_have_text(EDITED)

        late = client.call("actions_execute", {**write, "input": replacing})["result"]
        assert late["isError"] is True
        assert "STALE_REVISION" in late["content"][0]["text"]
        read = client.structured("actions_execute", {"action": "document.read"})
        assert read["output"]["text"].startswith(EDITED)

        picture = client.call("view_render")["result"]
        assert not picture.get("isError"), json.dumps(picture)[:500]
        assert picture["structuredContent"]["mimeType"].startswith("image/")
        undo = {"action": "document.undo", "expectedRevision": read["revision"]}
        client.structured("actions_execute", undo)
        expect(paragraphs(page).first).to_have_text(FIRST)

    connections = read_connections(record)
    assert faults(connections[-1]) == []
    assert [fault for conn in connections[:-1] for fault in faults(conn, cut_off=True)] == []
