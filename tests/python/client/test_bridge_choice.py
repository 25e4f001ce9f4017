"""Which of several bridges a name means, and what is said when it means none or several."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bridge.client import BridgeFailure, Outcome, connect
from bridge.client.bridge_choice import SeveralBridges, app_slug, choose_bridge, names_app
from bridge.client.process_identity import process_start
from tests.python.support.command_line import ORIGIN, ended_process, entry_for, post_entry
from tests.python.support.fake_bridge import Answer, FakeBridge, Received, fake_bridge, status_of

OTHER = "http://localhost:3000"


def app_called(name: str | None) -> Any:
    def script(received: Received) -> Answer:
        if received.path == "/status":
            return status_of(name)
        return Answer(body=b'{"jsonrpc":"2.0","id":1,"result":{"here":"%b"}}' % str(name).encode())

    return script


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[FakeBridge, FakeBridge]]:
    """Run two bridges: this process is the one, its parent the other."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with fake_bridge(app_called("My Editor")) as one, fake_bridge(app_called("Paint")) as two:
        post_entry(tmp_path, entry_for(one))
        pid = os.getppid()
        start = process_start(pid)
        post_entry(tmp_path, entry_for(two, pid=pid, process_start=start, origin=OTHER))
        yield one, two


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Bascule Write", "bascule-write"),
        ("  My -- Editor 2! ", "my-editor-2"),
        ("snake_case", "snake-case"),
        ("Zeichnung für Élodie", "zeichnung-für-élodie"),
        ("日本語 ワープロ", "日本語-ワープロ"),
        ("!!!", ""),
    ],
)
def test_a_slug_is_easily_typed(name: str, slug: str) -> None:
    assert app_slug(name) == slug
    assert names_app(name, name)
    assert names_app(slug, name)


def test_a_name_of_nothing_names_no_app() -> None:
    assert not names_app("", None)
    assert not names_app("paint", None)
    assert not names_app("Paint 2", "Paint")


@pytest.mark.parametrize(
    ("given", "which"),
    [
        ({"app": "My Editor"}, 0),
        ({"app": "my-editor"}, 0),
        ({"app": "paint"}, 1),
        ({"origin": ORIGIN}, 0),
        ({"origin": OTHER}, 1),
        ({"origin": OTHER, "app": "paint"}, 1),
    ],
    ids=str,
)
def test_an_app_or_an_origin_names_one_bridge(
    two: tuple[FakeBridge, FakeBridge], given: dict[str, Any], which: int
) -> None:
    assert choose_bridge(**given).address.url == two[which].url
    with connect(**given) as client:
        assert client.request("m")["here"] == ("My Editor", "Paint")[which]


def test_an_address_alone_is_of_a_bridge_of_one_s_own(two: tuple[FakeBridge, FakeBridge]) -> None:
    with connect(two[1].url) as client:
        assert client.request("m")["here"] == "Paint"


def test_several_are_listed(two: tuple[FakeBridge, FakeBridge]) -> None:
    with pytest.raises(SeveralBridges) as caught:
        connect().info()
    assert caught.value.outcome is Outcome.NOT_DELIVERED
    assert [state.app for state in caught.value.states] in (
        ["My Editor", "Paint"],
        ["Paint", "My Editor"],
    )
    for word in ("My Editor", "Paint", ORIGIN, OTHER, two[0].url, two[1].url):
        assert word in caught.value.message
    assert two[0].token not in str(caught.value)


def test_who_is_not_there_is_told_who_is(two: tuple[FakeBridge, FakeBridge]) -> None:
    with pytest.raises(BridgeFailure) as caught:
        choose_bridge(app="Pant")
    assert "Pant" in caught.value.message
    assert "My Editor" in (caught.value.hint or "")
    assert caught.value.outcome is Outcome.NOT_DELIVERED
    with pytest.raises(BridgeFailure):
        choose_bridge(app="paint", origin=ORIGIN)


def test_a_name_comes_before_a_slug_that_others_share(
    two: tuple[FakeBridge, FakeBridge],
) -> None:
    two[0].script = app_called("paint")
    assert choose_bridge(app="paint").address.url == two[0].url
    assert choose_bridge(app="Paint").address.url == two[1].url
    two[0].script = app_called("PAINT")
    with pytest.raises(SeveralBridges):
        choose_bridge(app="paint")


def test_a_bridge_that_ended_is_neither_asked_nor_meant(
    two: tuple[FakeBridge, FakeBridge], tmp_path: Path
) -> None:
    with fake_bridge(app_called("Ghost")) as ghost:
        post_entry(tmp_path, entry_for(ghost, pid=ended_process(), process_start=1))
        for given in ({"app": "Ghost"}, {"address": None, "origin": "http://ghost"}):
            with pytest.raises(BridgeFailure):
                choose_bridge(**given)
        with pytest.raises(BridgeFailure):
            connect(ghost.url).info()
        assert ghost.received == []


@pytest.mark.parametrize("other", ["Paint", None])
def test_where_a_page_is_missing_it_is_told_how_to_attach_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str | None
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with fake_bridge(lambda _: status_of(None, link="detached")) as waiting:
        post_entry(tmp_path, entry_for(waiting))
        with fake_bridge(app_called(other)) as second:
            if other is not None:
                pid = os.getppid()
                start = process_start(pid)
                post_entry(tmp_path, entry_for(second, pid=pid, process_start=start, origin=OTHER))
            with pytest.raises(BridgeFailure) as raised:
                choose_bridge(app="My Editor")
    hint = str(raised.value.hint)
    port = waiting.url.rpartition(":")[2]
    assert f"for {ORIGIN} waits for its page: `bascule open {port}`" in hint
    assert ("Attached: Paint." in hint) is (other is not None)
