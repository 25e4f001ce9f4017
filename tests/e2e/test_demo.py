"""`demo` in real browsers, with a window's owner and without: what it shows, and how it ends."""

from __future__ import annotations

import json
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.support.let_in import EVERY_APP
from tests.e2e.support.owner_dialog import allow, owner_dialog
from tests.e2e.support.real_bridge import BASCULE, ROOT, environment
from tests.e2e.support.waiting import wait_until

PATIENCE_SECONDS = 60


@pytest.fixture
def runtime() -> Iterator[Path]:
    # Short: a socket's path has little room.
    with tempfile.TemporaryDirectory(prefix="demo-") as name:
        yield Path(name)


def test_a_headless_demo_stays_to_be_driven_and_ends_quietly(
    browser_name: str, runtime: Path, tmp_path: Path
) -> None:
    env = environment(runtime)
    with subprocess.Popen(
        [*BASCULE, "demo", "--headless", browser_name, "--stay"],
        cwd=tmp_path,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as demo:
        try:
            assert demo.stdout is not None
            shown = []
            for line in demo.stdout:
                if line == "Ctrl-C ends the demo.\n":
                    break
                shown.append(line)
            else:
                pytest.fail("".join(shown))
            listed = subprocess.run(
                [*BASCULE, "actions", "bascule-write"],
                env=env,
                capture_output=True,
                encoding="utf-8",
                timeout=PATIENCE_SECONDS,
                check=True,
            )
            demo.send_signal(signal.SIGTERM)
            out, err = demo.communicate(timeout=PATIENCE_SECONDS)
        finally:
            demo.kill()
    assert "document.text.insert" in listed.stdout
    assert "bascule mcp-config CLIENT bascule-write" in "".join(shown)
    assert shown[-1] == "  bascule demo --headless --workspace\n"
    assert (demo.returncode, err) == (0, "")
    assert "Stopped." in out
    assert list(runtime.rglob("browser-bridge-*")) == []
    assert {path.name for path in tmp_path.iterdir()} == {
        "bascule-demo.png",
        "bascule-demo-drawing.png",
    }


@contextmanager
def demo_in_a_window(
    page: Page, runtime: Path, folder: Path, *words: str
) -> Iterator[subprocess.Popen[str]]:
    """Run `scripts/demo` and attach the page that it opens, as whoever sits there does."""
    opened = folder / "opened"
    browser = folder / "browser"
    # What the demo starts as the person's browser only tells which page it was to open.
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}.part && mv {opened}.part {opened}\n')
    browser.chmod(0o700)
    # Nor is a window put on the screen of whoever runs the tests.
    more = {"BROWSER": f"{browser} %s", "TMPDIR": str(folder), "DISPLAY": ""}
    with subprocess.Popen(
        [str(ROOT / "scripts" / "demo"), *words],
        cwd=folder,
        env=environment(runtime, **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as demo:
        try:
            wait_until(opened.exists, "the browser", PATIENCE_SECONDS)
            page.goto(opened.read_text().strip())
            page.get_by_role("button", name="Attach", exact=True).click()
            yield demo
        finally:
            demo.kill()


def test_the_owner_of_the_workspace_is_asked_once_by_the_demo_which_reads_what_it_did(
    page: Page, runtime: Path, tmp_path: Path
) -> None:
    with demo_in_a_window(page, runtime, tmp_path) as demo:
        assert demo.stdout is not None
        for line in demo.stdout:
            if line.startswith("$ ") and "notes_add" in line:
                break
        dialog = owner_dialog(page)
        expect(dialog).to_contain_text("Let the terminal cli use the app notes?")
        allow(page, EVERY_APP)
        shown = []
        for line in demo.stdout:
            shown.append(line)
            if line == "Ctrl-C ends the demo.\n":
                break
            # The yes is to all that comes.
            assert dialog.is_hidden()
        note = page.frame_locator("[data-app=notes].tile iframe").get_by_role("button")
        expect(note.filter(has_text="Hello from a terminal")).to_be_visible()
        board = page.frame_locator("[data-app=board].tile iframe")
        expect(board.get_by_role("option", name="rectangle")).to_have_count(1)
        demo.send_signal(signal.SIGTERM)
        _, err = demo.communicate(timeout=PATIENCE_SECONDS)
    assert demo.returncode == 0
    assert err.count("Waiting for a yes in the page.") == 1
    _, _, audit = "".join(shown).partition(
        "$ bascule call bascule-workspace workspace.audit.list\n"
    )
    called = [json.loads(line) for line in audit.splitlines() if line.startswith("{")]
    assert [(entry["caller"], entry["tool"], entry["status"]) for entry in called] == [
        ("external:bridge:cli", tool, "completed")
        for tool in ("workspace.tile.open", "notes_add", "workspace.tile.open", "board_add")
    ]
    assert "bascule demo --document\n" in audit


def test_the_word_processor_in_a_window_is_edited_and_left_to_be_tried(
    page: Page, runtime: Path, tmp_path: Path
) -> None:
    with demo_in_a_window(page, runtime, tmp_path, "--document") as demo:
        assert demo.stdout is not None
        shown = []
        for line in demo.stdout:
            shown.append(line)
            if line == "Ctrl-C ends the demo.\n":
                break
        expect(page.locator("#text")).to_contain_text("Hello from a terminal!")
        demo.send_signal(signal.SIGTERM)
        _, err = demo.communicate(timeout=PATIENCE_SECONDS)
    assert demo.returncode == 0, err
    told = "".join(shown)
    assert '"resource": "draw:export/task-1.svg"' in told
    assert "Edit the text in the page as well" in told


def test_a_demo_of_the_workspace_without_a_window_ends_with_the_question(
    browser_name: str, runtime: Path, tmp_path: Path
) -> None:
    done = subprocess.run(
        [*BASCULE, "demo", "--workspace", "--headless", browser_name],
        cwd=tmp_path,
        env=environment(runtime),
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert '"reason": "consent"' in done.stdout
    assert "bascule task bascule-workspace task-1 --wait" in done.stderr
    assert "only a person can say yes" in done.stdout
    assert (tmp_path / "bascule-demo.png").exists()
