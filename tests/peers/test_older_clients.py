"""Clients of 2025-06-18 that take no counter-offer, and the option that is there for them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.peers.conftest import require_npm
from tests.peers.support.official_client import ClientKind, running_client
from tests.peers.support.record import read_connections
from tests.peers.support.ways import Way
from tests.peers.support.wire_rules import faults

OLDER = ClientKind("sdk.mjs", "2025-06-18", "2025-06-18")
GATEWAYS = ["headless", "native", "page"]


@pytest.mark.parametrize("gateway", GATEWAYS)
def test_an_older_client_works_where_the_gateway_may_answer_with_its_revision(
    ways: dict[str, Way], gateway: str, tmp_path: Path
) -> None:
    require_npm()
    way = ways[gateway]
    accepting = replace(way, command=(*way.command, "--accept-legacy"))
    with running_client(OLDER, accepting, tmp_path, tmp_path / "errors.txt") as client:
        assert client.told["protocolVersion"] == "2025-06-18"
        assert len(client.do("listTools")["result"]["tools"]) == 9
        given = {"action": "note.echo", "input": {"a": 1}}
        assert client.structured("actions_execute", given)["output"] == {"given": {"a": 1}}
        refused = client.call("actions_execute", {"action": "note.refuse"})
        assert refused["result"]["isError"] is True
    assert [faults(connection) for connection in read_connections(tmp_path)] == [[]]


@pytest.mark.parametrize("gateway", GATEWAYS)
def test_without_that_an_older_client_leaves_and_says_which_revision_it_was_offered(
    ways: dict[str, Way], gateway: str, tmp_path: Path
) -> None:
    require_npm()
    errors = tmp_path / "errors.txt"
    with (
        pytest.raises(AssertionError, match="the client ended"),
        running_client(OLDER, ways[gateway], tmp_path, errors),
    ):
        pass
    assert "2025-11-25" in errors.read_text()
