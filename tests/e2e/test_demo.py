"""`demo` without a window, in real browsers: what it shows, and that it stays where asked to."""

from __future__ import annotations

import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.support.real_bridge import BASCULE, environment

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
    assert "bascule demo --workspace" in shown[-1]
    assert (demo.returncode, err) == (0, "")
    assert "Stopped." in out
    assert list(runtime.rglob("browser-bridge-*")) == []
    assert {path.name for path in tmp_path.iterdir()} == {
        "bascule-demo.png",
        "bascule-demo-drawing.png",
    }
