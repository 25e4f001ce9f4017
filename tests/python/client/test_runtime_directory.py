"""The runtime directory on a real file system, prepared by somebody who means harm."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bridge.client.runtime_directory import (
    RuntimeDirectory,
    RuntimeDirectoryError,
    runtime_directory_path,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")
NAME = "browser-bridge-1.json"
as_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away"
)
NOBODY = 65_534


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[RuntimeDirectory]:
    with RuntimeDirectory.open(tmp_path / "bascule", create=True) as opened:
        yield opened


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_the_path_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert runtime_directory_path() == tmp_path / "bascule"
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    assert runtime_directory_path() == Path(f"/tmp/bascule-{os.getuid()}")


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_a_new_directory_is_private_whatever_the_umask(tmp_path: Path, mask: int) -> None:
    with umask(mask), RuntimeDirectory.open(tmp_path / "bascule", create=True):
        assert mode_of(tmp_path / "bascule") == 0o700


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077, 0o777])
def test_a_file_is_private_whatever_the_umask(directory: RuntimeDirectory, mask: int) -> None:
    with umask(mask):
        directory.write(NAME, b"secret")
    path = directory.path / NAME
    assert path.is_file()
    assert mode_of(path) == 0o600
    assert path.stat().st_uid == os.getuid()
    assert directory.read(NAME, 100) == b"secret"
    assert directory.names() == [NAME]


def test_a_planted_link_is_replaced_and_its_target_left_alone(
    directory: RuntimeDirectory, tmp_path: Path
) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"before")
    (directory.path / NAME).symlink_to(target)
    directory.write(NAME, b"secret")
    assert target.read_bytes() == b"before"
    assert not (directory.path / NAME).is_symlink()
    assert mode_of(directory.path / NAME) == 0o600


def test_a_planted_open_file_is_replaced_by_a_private_one(directory: RuntimeDirectory) -> None:
    planted = directory.path / NAME
    planted.write_bytes(b"before")
    planted.chmod(0o666)
    with planted.open("rb") as reader:
        directory.write(NAME, b"secret")
        assert reader.read() == b"before"
    assert mode_of(planted) == 0o600
    assert planted.read_bytes() == b"secret"


def test_a_file_that_cannot_be_put_in_place_leaves_nothing(directory: RuntimeDirectory) -> None:
    (directory.path / NAME).mkdir()
    with pytest.raises(RuntimeDirectoryError, match=NAME):
        directory.write(NAME, b"secret")
    assert directory.names() == [NAME]


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o701, 0o750, 0o500])
def test_a_directory_of_another_mode_is_refused_and_not_repaired(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "bascule"
    path.mkdir()
    path.chmod(mode)
    for create in (True, False):
        with pytest.raises(RuntimeDirectoryError, match="mode"):
            RuntimeDirectory.open(path, create=create)
    assert mode_of(path) == mode
    path.chmod(0o700)
    RuntimeDirectory.open(path, create=False).close()


def test_a_link_to_a_private_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "bascule").symlink_to(tmp_path / "real")
    with pytest.raises(RuntimeDirectoryError, match="symbolic link"):
        RuntimeDirectory.open(tmp_path / "bascule", create=True)
    RuntimeDirectory.open(tmp_path / "real", create=True).close()


def test_a_link_to_nowhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bascule").symlink_to(tmp_path / "nowhere")
    with pytest.raises(RuntimeDirectoryError, match="symbolic link"):
        RuntimeDirectory.open(tmp_path / "bascule", create=True)
    assert not (tmp_path / "nowhere").exists()


def test_a_file_in_the_directory_s_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bascule").touch(mode=0o700)
    with pytest.raises(RuntimeDirectoryError, match="not a directory"):
        RuntimeDirectory.open(tmp_path / "bascule", create=True)


@as_root
def test_somebody_else_s_directory_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bascule"
    path.mkdir(mode=0o700)
    os.chown(path, NOBODY, NOBODY)
    with pytest.raises(RuntimeDirectoryError, match="another user"):
        RuntimeDirectory.open(path, create=True)
    assert path.stat().st_uid == NOBODY


def test_a_missing_parent_is_a_refusal_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(RuntimeDirectoryError, match="XDG_RUNTIME_DIR"):
        RuntimeDirectory.open(tmp_path / "none" / "bascule", create=True)


def test_a_missing_directory_is_told_apart_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        RuntimeDirectory.open(tmp_path / "bascule", create=False)
    assert list(tmp_path.iterdir()) == []


def test_files_stay_in_the_directory_that_was_verified(
    directory: RuntimeDirectory, tmp_path: Path
) -> None:
    directory.path.rename(tmp_path / "moved")
    directory.path.mkdir(mode=0o777)
    directory.write(NAME, b"secret")
    assert list(directory.path.iterdir()) == []
    assert (tmp_path / "moved" / NAME).read_bytes() == b"secret"


def test_what_is_no_private_file_of_ours_is_not_read(
    directory: RuntimeDirectory, tmp_path: Path
) -> None:
    (tmp_path / "target").write_bytes(b"x")
    (tmp_path / "target").chmod(0o600)
    (directory.path / "link").symlink_to(tmp_path / "target")
    os.mkfifo(directory.path / "pipe", 0o600)
    (directory.path / "folder").mkdir()
    (directory.path / "open").write_bytes(b"x")
    (directory.path / "open").chmod(0o640)
    directory.write("good", b"x")
    read = {name: directory.read(name, 10) for name in [*directory.names(), "none"]}
    assert read == dict.fromkeys(["link", "pipe", "folder", "open", "none"]) | {"good": b"x"}


@as_root
def test_somebody_else_s_file_is_not_read(directory: RuntimeDirectory) -> None:
    directory.write(NAME, b"x")
    assert directory.read(NAME, 10) == b"x"
    os.chown(directory.path / NAME, NOBODY, NOBODY)
    assert directory.read(NAME, 10) is None


def test_a_file_is_read_up_to_the_limit_and_not_beyond(directory: RuntimeDirectory) -> None:
    directory.write(NAME, b"12345")
    assert directory.read(NAME, 5) == b"12345"
    assert directory.read(NAME, 4) is None


def test_a_written_file_is_removed(directory: RuntimeDirectory) -> None:
    directory.remove(directory.write(NAME, b"x"))
    assert directory.names() == []


def test_a_file_that_took_the_place_of_ours_is_left(directory: RuntimeDirectory) -> None:
    first = directory.write(NAME, b"first")
    directory.write(NAME, b"second")
    directory.remove(first)
    assert directory.read(NAME, 10) == b"second"


def test_removing_twice_is_harmless(directory: RuntimeDirectory) -> None:
    stored = directory.write(NAME, b"x")
    directory.remove(stored)
    directory.remove(stored)
    directory.remove_ours(NAME)
    assert directory.names() == []


def test_only_private_files_of_ours_are_removed_by_name(
    directory: RuntimeDirectory, tmp_path: Path
) -> None:
    (directory.path / "link").symlink_to(tmp_path)
    (directory.path / "folder").mkdir()
    directory.write("good", b"x")
    for name in directory.names():
        directory.remove_ours(name)
    assert directory.names() == ["folder", "link"]
