"""The channel in real browsers: opened where it can be, and changed for polling where it breaks."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bridge.servers.static_pages import STRICT_CSP, StaticPages
from tests.e2e.conftest import Attach
from tests.e2e.support.page_server import serve_pages
from tests.e2e.support.pending_calls import start_waiting
from tests.e2e.support.real_bridge import RealBridge, run_bridge
from tests.e2e.support.relay import Relay, relay_to


@pytest.fixture
def relayed(pages: StaticPages, runtime: Path) -> Iterator[tuple[RealBridge, Relay]]:
    """Run a bridge that the page reaches through a relay."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    with (
        run_bridge(
            pages.origin,
            f"{pages.origin}/probe/probe.html",
            runtime,
            "--public-host",
            f"127.0.0.1:{port}",
        ) as bridge,
        relay_to(bridge.port, listener) as relay,
    ):
        yield bridge, relay


def attach_through(page: Page, bridge: RealBridge, relay: Relay) -> None:
    page.goto(bridge.page)
    page.locator("html[data-ready]").wait_for()
    configuration = {"url": f"http://127.0.0.1:{relay.port}", "token": bridge.token}
    # A click first: the page attaches on a person's wish only.
    page.get_by_role("button", name="Attach", exact=True).click()
    page.evaluate("(configuration) => probe.attach(configuration)", configuration)
    expect(page.locator("#state")).to_have_text("attached")


def echo(bridge: RealBridge, value: object) -> object:
    done = bridge.result("actions/execute", {"action": "test.echo", "input": {"value": value}})
    return done["output"]["value"]


def carried_by(page: Page, transport: str) -> None:
    expect(page.locator("#transport")).to_have_text(transport)


def test_calls_go_over_a_channel(page: Page, probe_bridge: RealBridge, attach: Attach) -> None:
    attach(page, probe_bridge)
    carried_by(page, "channel")
    expect(page.locator("#transportNote")).to_have_text("")
    for value in ("é 😀 \u2028", 0.1, 10**300, [None, True], "x" * 60_000):
        assert echo(probe_bridge, value) == value
    page.get_by_role("button", name="Detach", exact=True).click()
    expect(page.locator("#state")).to_have_text("detached")
    assert probe_bridge.call("agent/info").returncode == 3


def test_a_result_of_the_largest_size_goes_over_a_channel_and_a_larger_one_fails_alone(
    page: Page, probe_bridge: RealBridge, attach: Attach
) -> None:
    attach(page, probe_bridge)
    carried_by(page, "channel")
    four = {"action": "test.large", "input": {"parts": 4, "size": 262_000}}
    output = probe_bridge.result("actions/execute", four)["output"]
    assert [len(part) for part in output["parts"]] == [262_000] * 4
    five = {"action": "test.large", "input": {"parts": 5, "size": 262_000}}
    assert probe_bridge.call("actions/execute", five).returncode != 0
    assert echo(probe_bridge, 1) == 1
    carried_by(page, "channel")


def test_an_app_that_wants_polling_gets_it(
    page: Page, pages: StaticPages, runtime: Path, attach: Attach
) -> None:
    address = f"{pages.origin}/probe/probe.html?polling"
    with run_bridge(pages.origin, address, runtime) as bridge:
        attach(page, bridge)
        carried_by(page, "polling")
        expect(page.locator("#transportNote")).to_contain_text("asked for polling")
        assert echo(bridge, 1) == 1


def test_a_bridge_that_offers_no_channel_is_polled(
    page: Page, pages: StaticPages, runtime: Path, attach: Attach
) -> None:
    address = f"{pages.origin}/probe/probe.html"
    with run_bridge(pages.origin, address, runtime, "--no-channel") as bridge:
        attach(page, bridge)
        carried_by(page, "polling")
        expect(page.locator("#transportNote")).to_contain_text("offers no channel")
        assert echo(bridge, 1) == 1


def test_a_policy_that_names_no_web_sockets_means_polling_and_is_named(
    page: Page, runtime: Path, attach: Attach
) -> None:
    policy = STRICT_CSP.replace(" ws://127.0.0.1:*", "")
    assert policy != STRICT_CSP
    with (
        serve_pages(headers={"Content-Security-Policy": policy}) as strict,
        run_bridge(strict.origin, f"{strict.origin}/probe/probe.html", runtime) as bridge,
    ):
        attach(page, bridge)
        carried_by(page, "polling")
        expect(page.locator("#transportNote")).to_contain_text("connect-src")
        assert echo(bridge, 1) == 1


def test_a_channel_that_breaks_in_the_middle_of_a_call_loses_nothing(
    page: Page, relayed: tuple[RealBridge, Relay]
) -> None:
    bridge, relay = relayed
    attach_through(page, bridge, relay)
    carried_by(page, "channel")
    call = start_waiting(bridge, page)
    assert relay.cut_channels() > 0
    carried_by(page, "polling")
    expect(page.locator("#state")).to_have_text("attached")
    page.evaluate("probe.goOn()")
    out, err = call.communicate(timeout=40)
    assert call.returncode == 0, err
    runs = json.loads(out)["result"]["output"]["runs"]
    # The answer of the next poll brings a ticket, and the channel is back.
    assert bridge.result("actions/execute", {"action": "test.runs"})["output"]["runs"] == runs
    carried_by(page, "channel")
    assert echo(bridge, "back") == "back"


def test_a_channel_that_cannot_be_opened_means_polling_and_says_so(
    page: Page, relayed: tuple[RealBridge, Relay]
) -> None:
    bridge, relay = relayed
    relay.refuse_channels = True
    attach_through(page, bridge, relay)
    carried_by(page, "polling")
    expect(page.locator("#transportNote")).to_contain_text("No WebSocket could be opened")
    assert echo(bridge, 1) == 1
    relay.refuse_channels = False
    assert echo(bridge, 2) == 2


def test_a_channel_that_takes_long_to_open_takes_over_from_polling(
    page: Page, relayed: tuple[RealBridge, Relay]
) -> None:
    bridge, relay = relayed
    relay.channels_pass.clear()
    attach_through(page, bridge, relay)
    carried_by(page, "polling")
    assert echo(bridge, 1) == 1
    relay.channels_pass.set()
    carried_by(page, "channel")
    expect(page.locator("#state")).to_have_text("attached")
    assert echo(bridge, 2) == 2
