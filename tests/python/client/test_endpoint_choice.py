"""Apps in a browser and native ones are found alike, by name, slug, instance or path."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bridge.client import ActionError, BridgeFailure, Outcome, connect
from bridge.client.endpoint_choice import SeveralApps, choose_endpoint
from bridge.client.native_choice import ChosenNative
from bridge.client.native_discovery import native_entries
from bridge.dispatcher.dispatcher import AppName, Dispatcher
from tests.python.support.app_callers import both_clients
from tests.python.support.command_line import entry_for, post_entry
from tests.python.support.dispatchers import ScriptedHost, dispatcher_of
from tests.python.support.fake_bridge import Answer, FakeBridge, Received, fake_bridge, status_of
from tests.python.support.native_app import running_app, short_directory

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no native sockets")


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with short_directory() as path:
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(path))
        yield path


def app_called(name: str) -> Dispatcher:
    dispatcher = Dispatcher(ScriptedHost(), app=AppName(name, "1"))
    dispatcher.set_enabled(True)
    return dispatcher


@pytest.fixture
def page(runtime: Path) -> Iterator[FakeBridge]:
    """A bridge with the page "My App" attached."""

    def script(received: Received) -> Answer:
        if received.path == "/status":
            return status_of("My App")
        return Answer(body=b'{"jsonrpc":"2.0","id":1,"result":{"here":"page"}}')

    with fake_bridge(script) as bridge:
        post_entry(runtime, entry_for(bridge))
        yield bridge


def name_of(endpoint: str | None = None, **more: Any) -> str:
    with connect(endpoint, **more) as app:
        result = app.request("agent/info")
    told = result.get("app", {"name": "page"})
    assert isinstance(told, dict)
    return str(told["name"])


@both_clients
async def test_a_native_app_is_called_as_any_other(runtime: Path, using: Any) -> None:
    with running_app(None, dispatcher_of(lambda action, given, _: {"did": action, **given})):
        async with using(connect("test")) as app:
            assert (await app.info()).name == "Test"
            assert [action.name for action in await app.actions("A")] == ["a"]
            assert (await app.describe("a")).kind == "read"
            assert (await app.call("a", {"n": 2**70})).output == {"did": "a", "n": 2**70}
            with pytest.raises(ActionError) as caught:
                await app.call("none")
            assert caught.value.code == "UNKNOWN_ACTION"
            with pytest.raises(ActionError):
                await app.inspect()
            with pytest.raises(BridgeFailure, match="without a bridge"):
                await app.status()
            with pytest.raises(BridgeFailure, match="without a bridge"):
                await app.calls(0)


async def test_calls_of_an_asynchronous_client_may_overlap(runtime: Path) -> None:
    with running_app(None, dispatcher_of(lambda _action, given, _: given)):
        async with connect("test") as app:
            results = await asyncio.gather(*(app.call("a", {"n": n}) for n in range(12)))
            assert [result.output for result in results] == [{"n": n} for n in range(12)]


def test_name_slug_instance_path_and_entry_mean_the_same_app(runtime: Path) -> None:
    name = "Mein Gemälde — 絵"
    with running_app(None, app_called(name)) as server:
        assert name_of("mein-gemalde") == name
        assert name_of(name) == name
        assert name_of(app=name) == name
        assert name_of(f"mein-gemalde.{os.getpid()}") == name
        assert name_of(str(server.path)) == name
        [entry] = native_entries()
        with connect(entry) as app:
            assert app.info().name == name


def test_another_name_with_the_same_slug_is_not_meant(runtime: Path) -> None:
    with running_app(None, app_called("絵")):
        assert name_of("絵") == "絵"
        with pytest.raises(BridgeFailure, match="No app 画 is attached") as caught:
            name_of("画")
        assert caught.value.code == "NO_BRIDGE"
        assert caught.value.outcome == Outcome.NOT_DELIVERED
        assert "Native apps that run: app." in str(caught.value)
        assert "Start it; for an app in a browser, start a bridge" in str(caught.value)


def test_a_page_and_a_native_app_are_told_apart_by_name(page: FakeBridge) -> None:
    with running_app(None, app_called("Draw")):
        assert name_of("draw") == "Draw"
        assert name_of("Draw") == "Draw"
        assert name_of("my-app") == "page"
        assert name_of("My App") == "page"
        assert name_of(origin="http://127.0.0.1:8765") == "page"


def test_without_a_name_a_bridge_comes_before_a_native_app(page: FakeBridge) -> None:
    with running_app(None, app_called("Draw")):
        assert name_of() == "page"


def test_without_a_name_and_a_bridge_the_only_native_app_is_called(runtime: Path) -> None:
    with running_app(None, app_called("Draw")):
        assert name_of() == "Draw"
        with running_app(None, app_called("Paint")), pytest.raises(SeveralApps) as caught:
            name_of()
        assert [entry.slug for entry in caught.value.natives] == ["draw", "paint"]
        assert caught.value.outcome == Outcome.NOT_DELIVERED


def test_a_name_comes_before_a_slug_that_both_have(page: FakeBridge) -> None:
    with running_app(None, app_called("my app")):
        assert name_of("My App") == "page"
        assert name_of("my app") == "my app"
        with pytest.raises(SeveralApps) as caught:
            choose_endpoint("my-app")
        assert len(caught.value.natives) == 1
        assert [state.app for state in caught.value.states] == ["My App"]


def test_two_instances_are_listed_and_one_is_meant_by_its_path(runtime: Path) -> None:
    with (
        running_app(None, app_called("Draw")) as one,
        running_app(None, app_called("Draw")),
    ):
        with pytest.raises(SeveralApps, match=r"SLUG\.PID or path") as caught:
            name_of("draw")
        assert str(one.path) in str(caught.value)
        assert choose_endpoint(str(one.path)) == ChosenNative(str(one.path))
        assert name_of(str(one.path)) == "Draw"


def test_nothing_runs_means_that_nothing_was_delivered(runtime: Path) -> None:
    for endpoint in (None, "draw", "Draw", "draw.1"):
        with pytest.raises(BridgeFailure) as caught:
            name_of(endpoint)
        assert caught.value.code == "NO_BRIDGE"
        assert caught.value.outcome == Outcome.NOT_DELIVERED
        if endpoint is None:
            assert caught.value.message == "No bridge is running."
        else:
            assert caught.value.message == f"No app {endpoint} runs."
            assert (caught.value.hint or "").startswith("Start it; for an app in a browser")


@pytest.mark.parametrize(
    ("endpoint", "more"),
    [
        ("", {}),
        ("draw", {"token": "t"}),
        ("draw", {"app": "draw"}),
        ("draw", {"origin": "http://127.0.0.1:1"}),
        (None, {"token": "t"}),
        ("http://example.com:80", {}),
    ],
)
def test_a_choice_that_makes_no_sense_is_a_value_error(
    endpoint: str | None, more: dict[str, Any]
) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - each says what it is
        connect(endpoint, **more)


def test_an_app_that_disables_itself_is_gone_and_its_last_call_open(runtime: Path) -> None:
    def execute(*_: object) -> object:
        dispatcher.set_enabled(False)
        return {}

    dispatcher = dispatcher_of(execute)
    with running_app(None, dispatcher), connect("test") as app:
        assert app.info().enabled
        with pytest.raises(BridgeFailure) as caught:
            app.call("a")
        assert caught.value.outcome == Outcome.UNKNOWN
        with pytest.raises(BridgeFailure) as caught:
            app.info()
        assert caught.value.outcome == Outcome.NOT_DELIVERED
        with pytest.raises(BridgeFailure) as caught:
            name_of("test")
        assert caught.value.code == "NO_BRIDGE"
