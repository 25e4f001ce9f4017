"""`scripts/setup` and `scripts/demo`: what each installs, with programs that only write it down."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.python.support.fake_bridge import PATIENCE_SECONDS
from tests.python.support.vectors import ROOT

PEERS = "npm ci --prefix tests/peers/npm"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a checkout whose Python, npm and apt write their arguments down."""
    folder = tmp_path / "checkout"
    for name in ("scripts/setup", "scripts/demo", "pyproject.toml", "package-lock.json"):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target)
    peers = folder / "tests" / "peers" / "npm"
    peers.mkdir(parents=True)
    (peers / "package-lock.json").touch()
    (peers / "node_modules").mkdir()
    (folder / "node_modules").mkdir()
    log = f'echo "$(basename "$0") $*" >>"{folder}/log"'
    for name in (".venv/bin/python", ".venv/bin/bascule", "bin/npm", "bin/apt-get", "bin/sudo"):
        program = folder / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\n{log}\n")
        program.chmod(0o755)
    for name in ("Xvfb", "node"):
        (folder / "bin" / name).symlink_to("/bin/true")
    (folder / "log").touch()
    return folder


def installed(folder: Path, script: str, *words: str, browsers: bool = True) -> list[str]:
    """Run a script, and return what was run by it in this run."""
    (folder / "log").write_text("")
    browser = "/bin/true" if browsers else "/nonexistent"
    done = subprocess.run(
        [folder / "scripts" / script, *words],
        env={
            "PATH": f"{folder}/bin:{os.environ['PATH']}",
            "BASCULE_CHROMIUM": browser,
            "BASCULE_FIREFOX": browser,
        },
        capture_output=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    # What pretends to be apt has installed nothing, and is believed.
    assert done.returncode == 0, done.stderr
    lines = (folder / "log").read_text().splitlines()
    return [line for line in lines if " -c " not in line]


def packages(lines: list[str]) -> list[str]:
    return [line.partition(" -q ")[2] for line in lines if " pip install " in line]


def test_the_demo_installs_nothing_that_only_tests_need(checkout: Path) -> None:
    lines = installed(checkout, "demo", "--headless", "--stay")
    (asked,) = packages(lines)
    assert asked.startswith("-e . playwright==")
    assert not [line for line in lines if line.startswith("npm")]
    assert lines[-1] == "bascule demo --headless --stay"
    # All that the tests need has more.
    lines = installed(checkout, "setup")
    assert packages(lines) == ["-e .[dev]"]
    assert [line for line in lines if line.startswith(PEERS)]


def test_a_demo_in_one_s_own_browser_needs_bascule_alone(checkout: Path) -> None:
    lines = installed(checkout, "demo", browsers=False)
    assert packages(lines) == ["-e ."]
    assert lines[-1] == "bascule demo"
    assert not [line for line in lines if line.startswith("apt-get install")]


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["--headless"], ["chromium"]),
        (["--headless", "firefox"], ["firefox-esr"]),
        (["--headless=firefox"], ["firefox-esr"]),
    ],
)
def test_the_demo_installs_the_browser_that_it_shows(
    words: list[str], wanted: list[str], checkout: Path
) -> None:
    lines = installed(checkout, "demo", *words, browsers=False)
    asked = [line.split() for line in lines if "install" in line and "recommends" in line]
    assert asked
    assert {word for line in asked for word in line if word in {"chromium", "firefox-esr"}} == set(
        wanted
    )


def test_what_is_there_is_not_installed_again(checkout: Path) -> None:
    assert packages(installed(checkout, "setup", "--runtime")) == ["-e ."]
    assert packages(installed(checkout, "setup", "--runtime")) == []
    assert len(packages(installed(checkout, "setup", "--demo"))) == 1
    for words in (["--demo"], ["--runtime"]):
        assert packages(installed(checkout, "setup", *words)) == []
    assert packages(installed(checkout, "setup")) == ["-e .[dev]"]
    for words in ([], ["--demo"], ["--runtime"]):
        assert packages(installed(checkout, "setup", *words)) == []
    with (checkout / "pyproject.toml").open("a") as file:
        file.write("\n# Another version asks for other packages.\n")
    assert packages(installed(checkout, "setup", "--runtime")) == ["-e ."]
