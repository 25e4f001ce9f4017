"""The drawing app of the demo, driven by the real command line."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.cli.demo import demo_drawing
from bridge.cli.demo.demo_drawing import DrawingApp, draw, drawing_app
from bridge.client.native_discovery import native_entries

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no native endpoints on Windows")


@pytest.fixture(autouse=True)
def _runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="draw-") as name:
        monkeypatch.setenv("XDG_RUNTIME_DIR", name)
        yield


@pytest.mark.parametrize("of_another_run", [False, True])
async def test_commands_draw_in_an_app_of_its_own(
    of_another_run: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "drawing.png"
    if of_another_run:
        picture.write_bytes(b"of another run")
    async with drawing_app(headless=True) as app:
        assert app is not None
        assert [entry.path for entry in native_entries()] == [app.path]
        assert await draw(app, picture)
    shown = capsys.readouterr().out
    assert "$ bascule call bascule-draw draw.shape.add kind=rectangle" in shown
    assert "| bascule batch bascule-draw --atomic" in shown
    assert '"resource": "draw:export/task-1.svg"' in shown
    assert ("--force" in shown) == of_another_run
    assert picture.read_bytes().startswith(b"\x89PNG")
    # It was ended by a signal, and has removed its socket.
    assert native_entries() == []


async def test_a_call_that_fails_is_shown_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    gone = DrawingApp(1, "/nowhere/bascule-draw.1.00000000.sock")
    assert not await draw(gone)
    shown = capsys.readouterr().out
    assert "$ bascule call" in shown
    assert "$ bascule task" not in shown


async def test_an_app_that_cannot_be_served_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/proc/self/none")
    async with drawing_app(headless=True) as app:
        assert app is None
    assert "it is left out" in capsys.readouterr().out


async def test_an_app_that_says_nothing_is_not_waited_for_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(demo_drawing, "_START_SECONDS", 0.0)
    async with drawing_app(headless=True) as app:
        assert app is None
