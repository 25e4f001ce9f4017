"""What is installed: the packages, the browser's modules, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from bridge import __version__

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel once."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel without its dependencies, and return the directory."""
    folder = tmp_path_factory.mktemp("site")
    options = ["--no-deps", "--no-index", "--no-compile", "--quiet", "--target", str(folder)]
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, str(wheel)],
        check=True,
        capture_output=True,
    )
    return folder


def run_installed(
    installed: Path, cwd: Path, *arguments: str
) -> subprocess.CompletedProcess[bytes]:
    """Run the installed package, away from the checkout."""
    code = (
        "import sys; sys.path.insert(0, sys.argv.pop(1));"
        "import bridge; print(bridge.__file__, file=sys.stderr);"
        "from bridge.cli.main import main; sys.exit(main())"
    )
    return subprocess.run(
        [sys.executable, "-c", code, str(installed), *arguments],
        cwd=cwd,
        capture_output=True,
        env={**os.environ, "XDG_RUNTIME_DIR": str(cwd)},
        check=False,
    )


def sources(room: str) -> dict[str, bytes]:
    files = (path for path in (ROOT / room).rglob("*") if path.is_file())
    found = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in files}
    return {name: data for name, data in found.items() if "__pycache__" not in name}


def built(folder: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (ROOT / folder).iterdir()}


def test_the_wheel_has_the_package_and_the_browser_s_modules_and_nothing_else(
    wheel: Path,
) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    metadata = {name for name in held if name.startswith(f"bascule-{__version__}.dist-info/")}
    scripts = {f"bridge/{name}": data for name, data in sources("browser_worker").items()}
    bundle = {f"bridge/browser_bundle/{name}": data for name, data in built("build/bundle").items()}
    expected = {**sources("bridge"), **scripts, **bundle}
    assert {
        "bridge/py.typed",
        "bridge/browser_worker/link/worker.js",
        "bridge/browser_bundle/bascule.js",
        "bridge/browser_bundle/bascule.min.js.map",
    } <= expected.keys()
    assert held.keys() - metadata == expected.keys()
    assert [name for name in expected if held[name] != expected[name]] == []


def test_the_wheel_s_metadata_names_the_command_and_the_licence(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        folder = f"bascule-{__version__}.dist-info"
        assert (
            "bascule = bridge.cli.main:main" in archive.read(f"{folder}/entry_points.txt").decode()
        )
        assert f"Version: {__version__}\n" in archive.read(f"{folder}/METADATA").decode()
        assert f"{folder}/licenses/LICENSE" in archive.namelist()


def test_the_installed_command_writes_the_modules_byte_for_byte(
    installed: Path, tmp_path: Path
) -> None:
    done = run_installed(installed, tmp_path, "assets", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert str(installed).encode() in done.stderr.splitlines()[0]
    out = tmp_path / "out"
    written = {
        f"browser_worker/{path.relative_to(out).as_posix()}": path.read_bytes()
        for path in out.rglob("*")
        if path.is_file()
    }
    modules = sources("browser_worker")
    others = ("browser_worker/demo/", "browser_worker/node/")
    assert written == {name: data for name, data in modules.items() if not name.startswith(others)}


def test_the_installed_command_writes_the_bundle_byte_for_byte(
    installed: Path, tmp_path: Path
) -> None:
    done = run_installed(installed, tmp_path, "assets", "--bundle", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    written = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert written == built("build/bundle")


def test_a_source_distribution_brings_the_bundle_along(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as held:
        names = {name.partition("/")[2] for name in held.getnames()}
    assert {"build/bundle/bascule.js", "scripts/config/wheel_files.py"} <= names


def test_the_installed_command_has_packages_of_tools_to_start_from(
    installed: Path, tmp_path: Path
) -> None:
    made = run_installed(installed, tmp_path, "tools", "new", "books", "--sample", "receivables")
    assert made.returncode == 0, made.stderr
    report = run_installed(installed, tmp_path, "tools", "call", "books", "ageing_report")
    assert report.returncode == 0, report.stderr
    assert b'"overdue": {"count": 7, "amount": 102600}' in report.stdout


def test_the_installed_command_runs_one_shot_commands(installed: Path, tmp_path: Path) -> None:
    done = run_installed(installed, tmp_path, "--version")
    assert (done.returncode, done.stdout) == (0, f"bascule {__version__}\n".encode())
    assert run_installed(installed, tmp_path, "list").returncode == 0
