"""`demo` as a process: its end, the end of its bridge, and what is left of both."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bridge.cli.demo import demo, demo_document
from bridge.cli.demo.demo_error import DemoError
from bridge.cli.main import main
from bridge.client.discovery import running_bridges
from bridge.contract.error_codes import ExitCode
from tests.python.support.command_line import is_gone, pipe, running_command
from tests.python.support.fake_bridge import PATIENCE_SECONDS
from tests.python.support.vectors import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")

LINK = "http://127.0.0.1:1/#bascule=x"


@contextmanager
def waiting_demo(
    runtime: Path,
    *words: str,
    page: bytes = b"/demo/workspace/index.html",
    browser: str = "true",
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Run the demo until it waits for somebody to attach the page; gives its bridge's process."""
    environ = {"BROWSER": browser, "TMPDIR": str(runtime)}
    with running_command(runtime, "demo", *words, environ=environ) as child:
        lines = [pipe(child.stdout).readline() for _ in range(3)]
        assert lines[0].endswith(page + b"\n"), lines
        assert b"The page is opening in your browser" in lines[2], lines
        (entry,) = running_bridges(runtime / "bascule")
        assert links(runtime)
        yield child, entry.pid


def links(folder: Path) -> list[Path]:
    return list(folder.rglob("open-*.html"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_it_quietly_and_leaves_nothing(tmp_path: Path, number: int) -> None:
    with waiting_demo(tmp_path) as (child, bridge):
        child.send_signal(number)
        out, err = child.communicate(timeout=PATIENCE_SECONDS)
    assert (child.returncode, err) == (ExitCode.DONE, b"")
    assert b"Stopped. The bridge and the page's server are gone." in out
    assert is_gone(bridge)
    assert links(tmp_path) == []


def test_the_document_is_shown_in_a_window_where_it_is_asked_for(tmp_path: Path) -> None:
    with waiting_demo(tmp_path, "--document", page=b"/demo/index.html") as (child, _):
        child.send_signal(signal.SIGTERM)
        child.communicate(timeout=PATIENCE_SECONDS)
    assert child.returncode == ExitCode.DONE


@pytest.mark.parametrize(
    ("words", "workspace"),
    [
        ([], True),
        (["--workspace"], True),
        (["--document"], False),
        (["--headless"], False),
        (["--headless", "firefox", "--document"], False),
        (["--headless", "firefox", "--workspace"], True),
    ],
)
def test_without_a_window_the_workspace_is_shown_only_where_it_is_asked_for(
    words: list[str], workspace: bool
) -> None:
    parser = argparse.ArgumentParser()
    demo.add_parser(parser.add_subparsers())
    assert demo._is_workspace(parser.parse_args(["demo", *words])) is workspace


def test_under_nohup_in_the_background_it_ends_as_quietly(tmp_path: Path) -> None:
    kept = tmp_path / "out"
    script = (
        'nohup "$@" >"$OUT" 2>&1 & echo $!; '
        'until grep -q opening "$OUT"; do kill -0 $! || exit 1; done; kill -TERM $!; wait $!'
    )
    words = [sys.executable, "-m", "bridge.cli.main", "demo"]
    ended = subprocess.run(
        ["sh", "-c", script, "sh", *words],
        env={
            **os.environ, "BROWSER": "true", "OUT": str(kept), "XDG_RUNTIME_DIR": str(tmp_path),
        },
        capture_output=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )  # fmt: skip
    assert ended.returncode == ExitCode.DONE, ended.stderr
    said = kept.read_text()
    assert "Stopped." in said
    assert "Traceback" not in said


def test_a_bridge_that_dies_ends_it_with_an_error_that_says_so(tmp_path: Path) -> None:
    with waiting_demo(tmp_path) as (child, bridge):
        os.kill(bridge, signal.SIGKILL)
        out, err = child.communicate(timeout=PATIENCE_SECONDS)
    assert child.returncode == ExitCode.REFUSED
    assert err.startswith(b"bascule demo: the bridge has ended, with status -9,")
    assert b"Traceback" not in out + err
    assert links(tmp_path) == []


async def test_the_file_with_the_link_is_gone_once_the_page_is_attached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    async def attached(_: dict[str, str], _seconds: float | None) -> None:
        (path,) = links(tmp_path)
        seen.append(path.read_text())
        assert path.stat().st_mode & 0o077 == 0

    async def edit(_: dict[str, str]) -> None:
        assert links(tmp_path) == []
        raise DemoError("as far as this test goes")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("webbrowser.open", lambda _: True)
    monkeypatch.setattr(demo, "attached", attached)
    monkeypatch.setattr(demo_document, "edit", edit)
    args = argparse.Namespace(headless=None, screenshot=None, stay=False, shown="document")
    with pytest.raises(DemoError, match="as far as"):
        await demo._show(args, {}, LINK)
    assert len(seen) == 1
    assert LINK in seen[0]


def test_a_browser_that_stays_in_the_foreground_is_served_the_page(tmp_path: Path) -> None:
    browser, closing = tmp_path / "browser", tmp_path / "closing"
    os.mkfifo(closing)
    # It comes back once somebody writes there.
    browser.write_text(f"#!/bin/sh\ncat {closing}\n")
    browser.chmod(0o700)
    with waiting_demo(tmp_path, browser=f"{browser} %s") as (child, _):
        (link,) = links(tmp_path)
        found = re.search(r'href="([^"#]+)', link.read_text())
        assert found
        with urllib.request.urlopen(found[1], timeout=PATIENCE_SECONDS) as page:
            assert b"<html" in page.read()
        child.send_signal(signal.SIGTERM)
        # The demo does not wait for the browser to be closed, which then is, for the test's sake.
        child.wait(PATIENCE_SECONDS)
        with contextlib.suppress(OSError):
            os.close(os.open(closing, os.O_WRONLY | os.O_NONBLOCK))
    assert child.returncode == ExitCode.DONE


@pytest.mark.parametrize("words", [["--stay"], ["--screenshot", "a.png"], ["--document", "--stay"]])
def test_what_is_for_a_demo_without_a_window_is_refused_in_one(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", *words]) == ExitCode.USAGE
    assert "is for --headless" in capsys.readouterr().err


def test_git_ignores_both_pictures() -> None:
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert {"/bascule-demo.png", "/bascule-demo-drawing.png"} <= set(ignored)
