"""A package's files: what is opened, what is not, and that nothing outside of it is."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from bridge.tools.package_files import (
    PackageFileError,
    check_package_file,
    list_directory,
    read_package_file,
)

needs_links = pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")


def rule_of(call: Callable[[], object]) -> str:
    with pytest.raises(PackageFileError) as caught:
        call()
    assert "/" not in str(caught.value).replace("NAME/", "")
    return caught.value.rule


def package(tmp_path: Path) -> Path:
    (tmp_path / "package" / "tools").mkdir(parents=True)
    (tmp_path / "package" / "tools" / "a.json").write_bytes(b"{}")
    return tmp_path / "package"


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    root = package(tmp_path)
    assert read_package_file(root, "tools/a.json", 2) == b"{}"
    assert rule_of(lambda: read_package_file(root, "tools/a.json", 1)) == "file-size"


def test_a_file_is_checked_as_it_would_be_read_whatever_its_length(tmp_path: Path) -> None:
    root = package(tmp_path)
    check_package_file(root, "tools/a.json")
    assert rule_of(lambda: check_package_file(root, "tools/b.json")) == "missing-file"
    assert rule_of(lambda: check_package_file(root, "tools")) == "not-a-file"


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    root = package(tmp_path)
    assert rule_of(lambda: read_package_file(root, "tools/b.json", 9)) == "missing-file"
    assert rule_of(lambda: read_package_file(root, "tools/a.json/b", 9)) == "missing-file"
    assert rule_of(lambda: list_directory(root, "handlers", 9)) == "missing-file"


@needs_links
def test_a_link_out_of_the_package_is_not_followed(tmp_path: Path) -> None:
    root = package(tmp_path)
    secret = tmp_path / "secret.json"
    secret.write_bytes(b'"secret"')
    (root / "tools" / "b.json").symlink_to(secret)
    assert (root / "tools" / "b.json").read_bytes() == b'"secret"'
    assert rule_of(lambda: read_package_file(root, "tools/b.json", 99)) == "symlink"


@needs_links
def test_a_link_that_stays_inside_is_not_followed_either(tmp_path: Path) -> None:
    root = package(tmp_path)
    (root / "tools" / "b.json").symlink_to("a.json")
    assert rule_of(lambda: read_package_file(root, "tools/b.json", 99)) == "symlink"
    (root / "tools" / "c.json").symlink_to("nothing.json")
    assert rule_of(lambda: read_package_file(root, "tools/c.json", 99)) == "symlink"


@needs_links
def test_a_directory_that_is_a_link_is_not_gone_into(tmp_path: Path) -> None:
    root = package(tmp_path)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.json").write_bytes(b"{}")
    (root / "handlers").symlink_to(outside)
    assert (root / "handlers" / "a.json").exists()
    assert rule_of(lambda: read_package_file(root, "handlers/a.json", 9)) == "symlink"
    assert rule_of(lambda: list_directory(root, "handlers", 9)) == "symlink"


@needs_links
def test_the_package_itself_may_be_reached_by_a_link(tmp_path: Path) -> None:
    root = package(tmp_path)
    (tmp_path / "link").symlink_to(root)
    assert read_package_file(tmp_path / "link", "tools/a.json", 9) == b"{}"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names there")
def test_a_pipe_does_not_hold_the_reader(tmp_path: Path) -> None:
    root = package(tmp_path)
    os.mkfifo(root / "tools" / "b.json")
    assert rule_of(lambda: read_package_file(root, "tools/b.json", 9)) == "not-a-file"


def test_a_directory_is_no_file_and_a_file_is_no_directory(tmp_path: Path) -> None:
    root = package(tmp_path)
    (root / "tools" / "b.json").mkdir()
    rule = rule_of(lambda: read_package_file(root, "tools/b.json", 9))
    assert rule in ("not-a-file", "unreadable")
    assert rule_of(lambda: list_directory(root, "tools/a.json", 9)) == "not-a-directory"


def test_a_file_that_may_not_be_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = package(tmp_path)

    def forbid(path: Path, _flags: int) -> int:
        raise PermissionError(13, "Permission denied", str(path))

    # Whoever runs the tests may be allowed to read everything.
    monkeypatch.setattr(os, "open", forbid)
    assert rule_of(lambda: read_package_file(root, "tools/a.json", 9)) == "unreadable"


@pytest.mark.parametrize(
    "name", ["../secret", "tools/../../secret", "/etc/passwd", "./a", "a//b", ""]
)
def test_a_name_that_leads_elsewhere_is_a_mistake_of_the_caller(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="not a file's name"):
        read_package_file(package(tmp_path), name, 9)


def test_a_listing_is_in_order_bounded_and_without_hidden_names(tmp_path: Path) -> None:
    root = package(tmp_path)
    for name in ("c.json", "b.json", ".hidden", "Z"):
        (root / "tools" / name).touch()
    assert list_directory(root, "tools", 4) == (("Z", "a.json", "b.json", "c.json"), True)
    names, complete = list_directory(root, "tools", 3)
    assert (len(names), complete) == (3, False)
