"""Slugs of any name, names of sockets, and the directory that they are in."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.contract.native_names import (
    MAX_PATH_BYTES,
    MAX_SLUG_CHARS,
    SocketName,
    native_directory,
    native_slug,
    path_fits,
    read_socket_name,
)

SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Bascule Draw", "bascule-draw"),
        ("  My App 2! ", "my-app-2"),
        ("Café Ünïcode", "cafe-unicode"),
        ("Zeichnen — 絵", "zeichnen"),
        ("絵を描く", "app"),
        ("🙂", "app"),
        ("", "app"),
        ("../../etc/passwd", "etc-passwd"),
        ("a\x00b\n", "a-b"),
        ("\ud800 lone", "lone"),
        ("x" * 100_000, "x" * MAX_SLUG_CHARS),
        ("y" * (MAX_SLUG_CHARS - 1) + " z", "y" * (MAX_SLUG_CHARS - 1)),
    ],
)
def test_a_slug_is_easily_typed(name: str, slug: str) -> None:
    assert native_slug(name) == slug


@given(st.text(st.characters()))
def test_any_name_has_a_slug_which_is_its_own(name: str) -> None:
    slug = native_slug(name)
    assert SLUG.fullmatch(slug)
    assert len(slug) <= MAX_SLUG_CHARS
    assert native_slug(slug) == slug


@given(st.text(), st.integers(1, 4_294_967_295), st.integers(0, 2**32 - 1))
def test_a_socket_s_name_can_be_taken_apart(name: str, pid: int, token: int) -> None:
    made = SocketName(native_slug(name), pid, f"{token:08x}")
    assert read_socket_name(made.file_name) == made


@pytest.mark.parametrize(
    "name",
    [
        "draw.1.0123456.sock",
        "draw.01.01234567.sock",
        "draw.0.01234567.sock",
        "Draw.1.01234567.sock",
        "-draw.1.01234567.sock",
        "draw.1.0123456G.sock",
        "draw.1.01234567.sock\n",
        "draw.1.01234567",
        ".0123456789abcdef",
        "../draw.1.01234567.sock",
        "x" * (MAX_SLUG_CHARS + 1) + ".1.01234567.sock",
    ],
)
def test_what_is_no_socket_s_name_is_none(name: str) -> None:
    assert read_socket_name("draw.1.01234567.sock") is not None
    assert read_socket_name(name) is None


def test_the_directory_is_in_the_runtime_directory() -> None:
    assert native_directory({"XDG_RUNTIME_DIR": "/run/user/7"}, 7) == "/run/user/7/bascule/native"
    assert native_directory({}, 7) == "/tmp/bascule-7/native"


def test_a_long_runtime_directory_gives_way_to_a_short_one() -> None:
    long = {"XDG_RUNTIME_DIR": "/" + "x" * 120}
    assert native_directory(long, 7) == "/tmp/bascule-7/native"


@pytest.mark.parametrize("uid", [0, 1000, 4_294_967_294])
def test_every_name_fits_into_the_directory(uid: int) -> None:
    longest = SocketName("x" * MAX_SLUG_CHARS, 4_294_967_295, "01234567").file_name
    for base in (f"/run/user/{uid}", "/" + "y" * 21, "/" + "y" * 22, "/" + "é" * 11):
        directory = native_directory({"XDG_RUNTIME_DIR": base}, uid)
        assert path_fits(directory, longest)
        assert len(f"{directory}/{longest}".encode()) <= MAX_PATH_BYTES


def test_a_path_is_measured_in_bytes_at_its_limit() -> None:
    assert path_fits("/d", "x" * (MAX_PATH_BYTES - 3))
    assert not path_fits("/d", "x" * (MAX_PATH_BYTES - 2))
    assert not path_fits("/d", "é" * ((MAX_PATH_BYTES - 3) // 2 + 1))
