"""Official clients of packages that are served over MCP: each tool under its own name."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.peers.conftest import require_npm
from tests.peers.support.official_client import CLIENTS, ClientKind, OfficialClient, running_client
from tests.peers.support.record import read_connections
from tests.peers.support.ways import Way, bascule
from tests.peers.support.wire_rules import faults

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "bridge" / "demo" / "packages"
OUTSIDE = ROOT / "tests" / "python" / "support" / "outside_tools.py"
OLDER = ClientKind("sdk.mjs", "2025-06-18", "2025-06-18")
PACKAGES = tuple(str(SAMPLES / name) for name in ("catalog", "receivables", "weather"))


def of_kind(kind: ClientKind) -> str:
    return kind.name


@contextmanager
def connected(kind: ClientKind, folder: Path, *more: str) -> Iterator[OfficialClient]:
    """Let a client start the packages; in the end, look at every line that was sent."""
    if kind.is_npm:
        require_npm()
    way = Way("packages", bascule("tools", "serve", *PACKAGES, "--mcp", *more))
    with running_client(kind, way, folder, folder / "errors.txt") as client:
        yield client
    # One client of them starts a server to look, and another to stay.
    connections = read_connections(folder)
    assert connections
    assert [fault for connection in connections for fault in faults(connection)] == []


@pytest.mark.parametrize("kind", CLIENTS, ids=of_kind)
def test_tools_are_listed_and_called_by_their_own_names(kind: ClientKind, tmp_path: Path) -> None:
    with connected(kind, tmp_path) as client:
        assert client.told["protocolVersion"] == kind.revision
        listed = {tool["name"]: tool for tool in client.do("listTools")["result"]["tools"]}
        assert list(listed) == [
            "catalog_list",
            "ageing_report",
            "clients_list",
            "invoice_get",
            "invoice_mark_paid",
            "invoice_remind",
            "invoices_list",
            "weather_forecast",
            "weather_places",
            "weather_watch",
        ]
        paid = listed["invoice_mark_paid"]
        assert paid["title"] == "Mark an invoice as paid"
        assert paid["inputSchema"]["required"] == ["number"]
        assert paid["annotations"] == {
            "title": "Mark an invoice as paid",
            "readOnlyHint": False,
            "destructiveHint": True,
            "idempotentHint": True,
            "openWorldHint": False,
        }
        assert paid["_meta"]["bascule/tool"]["category"] == "write"
        assert paid["_meta"]["bascule/tool"]["askOnKeys"] == ["writeOff"]

        report = client.call("ageing_report")["result"]
        assert report["structuredContent"]["overdue"] == {"count": 7, "amount": 102_600}
        assert "7 of them are overdue, 102,600 EUR together" in report["content"][0]["text"]
        assert "_meta" not in report or "bascule" not in report["_meta"]
        # What is written stays for as long as the server runs.
        done = client.structured("invoice_mark_paid", {"number": "INV-2026-004"})
        assert done["invoice"]["state"] == "paid"
        assert client.structured("ageing_report")["overdue"] == {"count": 6, "amount": 77_800}


@pytest.mark.parametrize("kind", CLIENTS, ids=of_kind)
def test_what_goes_wrong_is_told_as_mcp_has_it(kind: ClientKind, tmp_path: Path) -> None:
    with connected(kind, tmp_path) as client:
        own = client.call("weather_forecast", {"place": "Atlantis"})["result"]
        assert own["isError"] is True
        assert own["content"][0]["text"].startswith("There is no forecast for Atlantis")
        wrong = client.call("weather_forecast", {"place": "Oslo", "days": 0})["result"]
        assert wrong["isError"] is True
        assert "/days" in wrong["content"][0]["text"]
        assert client.call("no_such_tool")["error"]["code"] == -32602


@pytest.mark.parametrize("kind", CLIENTS, ids=of_kind)
def test_tools_of_an_outside_server_are_served_beside(kind: ClientKind, tmp_path: Path) -> None:
    with connected(kind, tmp_path, "--import", f"{sys.executable} {OUTSIDE}") as client:
        listed = {tool["name"]: tool for tool in client.do("listTools")["result"]["tools"]}
        assert "catalog_list" in listed
        assert listed["read_note"]["annotations"]["destructiveHint"] is True
        assert listed["read_note"]["_meta"]["bascule/tool"]["category"] == "unknown"
        assert client.structured("read_note", {"a": 1}) == {"a": 1}
        (link,) = client.call("link")["result"]["content"]
        assert link["type"] == "resource"
        dead = client.call("die")["result"]
        assert dead["isError"] is True
        # The packages are there still.
        assert client.structured("catalog_list")["count"] == 4


def test_an_older_client_is_answered_where_that_is_asked_for(tmp_path: Path) -> None:
    with connected(OLDER, tmp_path, "--accept-legacy") as client:
        assert client.told["protocolVersion"] == "2025-06-18"
        assert client.structured("catalog_list")["count"] == 4
