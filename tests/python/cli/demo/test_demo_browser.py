"""What a person is told while their browser is to open the page of the demo."""

from __future__ import annotations

import asyncio
import threading
import webbrowser
from pathlib import Path

import pytest

from bridge.cli.demo.demo_browser import opened_in_browser, tell_of_opening

FOR_EVER = 3_600.0
OPENING = "The page is opening in your browser"
NOTHING = "Nothing opened? Open this file in a browser: "

Captured = pytest.CaptureFixture[str]


async def test_without_a_browser_the_demo_that_needs_no_yes_is_recommended(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webbrowser.open", lambda _url: False)
    await tell_of_opening(tmp_path / "open.html", FOR_EVER, FOR_EVER)
    out = capsys.readouterr().out
    assert "`bascule demo --headless --stay` shows" in out
    assert str(tmp_path / "open.html") in out
    assert OPENING not in out


async def test_a_browser_that_cannot_be_run_is_none(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: str) -> bool:
        raise webbrowser.Error("no such browser")

    monkeypatch.setattr("webbrowser.open", fail)
    await tell_of_opening(tmp_path / "open.html", FOR_EVER, FOR_EVER)
    assert "No browser could be started" in capsys.readouterr().out


async def test_a_browser_that_started_and_attached_nothing_may_have_died(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webbrowser.open", lambda _url: True)
    await tell_of_opening(tmp_path / "open.html", FOR_EVER, 0)
    opening, nothing = capsys.readouterr().out.splitlines()
    assert opening.startswith(OPENING)
    assert nothing == f"{NOTHING}{tmp_path / 'open.html'}"


async def test_a_browser_that_does_not_come_back_is_not_waited_for(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = threading.Event()
    monkeypatch.setattr("webbrowser.open", lambda _url: closed.wait())
    try:
        await tell_of_opening(tmp_path / "open.html", 0, 0)
    finally:
        closed.set()
    assert NOTHING in capsys.readouterr().out


async def test_nothing_more_is_said_once_the_page_is_attached(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = asyncio.Event()
    loop = asyncio.get_running_loop()
    monkeypatch.setattr(
        "webbrowser.open", lambda _url: loop.call_soon_threadsafe(opened.set) is not None
    )
    before = asyncio.all_tasks()
    async with opened_in_browser("http://127.0.0.1:1/#bascule=x"):
        await opened.wait()
    assert asyncio.all_tasks() == before
    assert NOTHING not in capsys.readouterr().out
