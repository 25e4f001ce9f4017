"""A bridge that is stopped, killed, or started again while a page is attached."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bridge.servers.static_pages import StaticPages
from tests.e2e.conftest import Attach
from tests.e2e.support.pending_calls import outcome, start_waiting
from tests.e2e.support.real_bridge import RealBridge, run_bridge
from tests.e2e.support.transports import both_transports

pytestmark = both_transports


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_a_signal_answers_everyone_and_removes_the_runtime_file(
    page: Page, probe_bridge: RealBridge, attach: Attach, number: signal.Signals
) -> None:
    attach(page, probe_bridge)
    call = start_waiting(probe_bridge, page)
    entries = list((probe_bridge.runtime / "bascule").glob("*.json"))
    assert len(entries) == 1
    probe_bridge.process.send_signal(number)
    assert probe_bridge.process.wait(10) == 0
    code, err = outcome(call)
    assert code == 4, err
    assert not entries[0].exists()
    expect(page.locator("#state")).not_to_have_text("attached")


def test_a_killed_bridge_is_noticed_and_the_next_one_attaches_by_its_own_link(
    page: Page, pages: StaticPages, runtime: Path, attach: Attach, transport_options: list[str]
) -> None:
    address = f"{pages.origin}/probe/probe.html"
    with run_bridge(pages.origin, address, runtime, *transport_options) as first:
        attach(page, first)
        call = start_waiting(first, page)
        os.kill(first.process.pid, signal.SIGKILL)
        code, err = outcome(call)
        assert code == 4, err
        expect(page.locator("#state")).to_have_text("suspended")
        assert first.call("agent/info").returncode == 3
    with run_bridge(pages.origin, address, runtime, *transport_options) as second:
        assert second.token != first.token
        attach(page, second)
        assert second.result("agent/info")["app"]["name"] == "Probe"


def test_a_bridge_of_the_same_port_with_another_token_is_not_taken_for_the_old_one(
    page: Page, pages: StaticPages, runtime: Path, attach: Attach, transport_options: list[str]
) -> None:
    address = f"{pages.origin}/probe/probe.html"
    with run_bridge(pages.origin, address, runtime, *transport_options) as first:
        attach(page, first)
        port = first.port
        first.process.kill()
        first.process.wait(10)
    with run_bridge(pages.origin, address, runtime, *transport_options, port=port) as second:
        expect(page.locator("#state")).to_have_text("refused", timeout=30_000)
        expect(page.locator("#cause")).to_have_text("wrong-token")
        assert second.call("agent/info").returncode == 3
