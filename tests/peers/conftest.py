"""The app, what leads to it, and one conversation for each official client on each way."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.interrupts import heed_interrupts
from tests.peers.support.conversation import Conversation, hold
from tests.peers.support.official_client import CLIENTS, NPM, ClientKind
from tests.peers.support.ways import Way, opened_ways

WAYS = ("agent", "headless", "native", "page", "page-in-javascript", "http")


def pytest_configure() -> None:
    heed_interrupts()


@pytest.fixture(scope="session")
def ways() -> Iterator[dict[str, Way]]:
    # Short: a socket's path has to fit.
    folder = tempfile.mkdtemp(prefix="bp-", dir="/tmp")
    try:
        with opened_ways(Path(folder)) as opened:
            yield opened
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def require_npm() -> None:
    if not (NPM / "node_modules").is_dir():
        pytest.fail("the official npm packages are missing: scripts/setup installs them")


@pytest.fixture(
    scope="session",
    params=[(kind, way) for way in WAYS for kind in CLIENTS],
    ids=lambda param: f"{param[1]}-{param[0].name}",
)
def conversation(
    request: pytest.FixtureRequest,
    ways: dict[str, Way],
    tmp_path_factory: pytest.TempPathFactory,
) -> Conversation:
    """Return what came of one client's conversation by one way."""
    kind: ClientKind = request.param[0]
    way = ways[request.param[1]]
    if kind.is_npm:
        require_npm()
    return hold(kind, way, tmp_path_factory.mktemp("conversation"))
