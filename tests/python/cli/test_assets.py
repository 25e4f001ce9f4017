"""`assets` writes the browser's modules, and nothing over other people's files."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge import browser_assets as assets_module
from bridge.browser_assets import browser_assets
from bridge.cli.main import main
from bridge.contract.error_codes import ExitCode


def modules() -> dict[str, bytes]:
    root = browser_assets()
    files = (path for path in root.rglob("*") if path.is_file())
    found = {str(path.relative_to(root)): path.read_bytes() for path in files}
    return {name: data for name, data in found.items() if not name.startswith(("demo/", "node/"))}


def written(directory: Path) -> dict[str, bytes]:
    files = (path for path in directory.rglob("*") if path.is_file())
    return {str(path.relative_to(directory)): path.read_bytes() for path in files}


def test_the_modules_are_written_byte_for_byte(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "public" / "bascule"
    assert main(["assets", str(target)]) == ExitCode.DONE
    expected = modules()
    assert {"index.js", "link/worker.js"} <= expected.keys()
    assert written(target) == expected
    out, err = capfd.readouterr()
    assert out == ""
    assert str(len(expected)) in err


def test_writing_again_changes_nothing(tmp_path: Path) -> None:
    for _ in range(2):
        assert main(["assets", str(tmp_path)]) == ExitCode.DONE
    assert written(tmp_path) == modules()


def test_other_people_s_files_stay(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "index.js").write_text("mine")
    (tmp_path / "other.js").write_text("mine too")
    assert main(["assets", str(tmp_path)]) == ExitCode.USAGE
    assert str(tmp_path / "index.js") in capfd.readouterr().err
    assert written(tmp_path) == {"index.js": b"mine", "other.js": b"mine too"}
    assert main(["assets", "--force", str(tmp_path)]) == ExitCode.DONE
    assert written(tmp_path) == {**modules(), "other.js": b"mine too"}


@pytest.mark.parametrize("force", [False, True])
def test_a_link_is_never_written_through(tmp_path: Path, *, force: bool) -> None:
    target, victim = tmp_path / "out", tmp_path / "victim"
    victim.write_text("mine")
    target.mkdir()
    (target / "index.js").symlink_to(victim)
    status = main(["assets", str(target), *(["--force"] if force else [])])
    assert status == (ExitCode.DONE if force else ExitCode.USAGE)
    assert victim.read_text() == "mine"
    assert (target / "index.js").is_symlink() is not force


def test_a_file_in_the_directory_s_place_is_wrong_usage(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("mine")
    assert main(["assets", str(tmp_path / "file")]) == ExitCode.USAGE
    assert "file" in capfd.readouterr().err
    assert (tmp_path / "file").read_text() == "mine"


def test_a_directory_in_a_file_s_place_is_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "index.js").mkdir()
    assert main(["assets", str(tmp_path)]) == ExitCode.USAGE
    assert main(["assets", "--force", str(tmp_path)]) == ExitCode.USAGE
    assert (tmp_path / "index.js").is_dir()


BUNDLE = {"bascule.js": b"export {};", "bascule.min.js": b"export{}", "bascule.js.map": b"{}"}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Pretend that this is an installation of its own."""
    folder = tmp_path / "site" / "bridge"
    folder.mkdir(parents=True)
    monkeypatch.setattr(assets_module, "__file__", str(folder / "browser_assets.py"))
    return folder


@pytest.mark.parametrize("place", ["browser_bundle", "../build/bundle"])
def test_the_bundle_is_written_from_an_installation_or_a_checkout(
    package: Path, tmp_path: Path, place: str
) -> None:
    (package / place).mkdir(parents=True)
    for name, data in BUNDLE.items():
        (package / place / name).write_bytes(data)
    for _ in range(2):
        assert main(["assets", "--bundle", str(tmp_path / "out")]) == ExitCode.DONE
    assert written(tmp_path / "out") == BUNDLE
    (tmp_path / "out" / "bascule.js").write_text("mine")
    assert main(["assets", "--bundle", str(tmp_path / "out")]) == ExitCode.USAGE
    assert written(tmp_path / "out")["bascule.js"] == b"mine"


def test_without_a_bundle_it_is_said_how_to_get_one(
    package: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["assets", "--bundle", str(tmp_path / "out")]) == ExitCode.USAGE
    assert "scripts/build" in capfd.readouterr().err
    assert not (tmp_path / "out").exists()
