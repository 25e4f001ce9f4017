"""The rules of the runtime directory, without one."""

from __future__ import annotations

import json
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.contract.runtime_entry import (
    MAX_ENTRY_BYTES,
    EntryError,
    RuntimeEntry,
    decode_entry,
    directory_problem,
    encode_entry,
    entry_name,
    entry_pid,
    file_problem,
    runtime_directory,
    windows_runtime_directory,
)

ENTRY = RuntimeEntry(
    url="http://127.0.0.1:40000",
    token="t" * 43,
    origin="http://127.0.0.1:8765",
    page="http://127.0.0.1:8765/",
    pid=123,
    process_start=456,
)


def test_the_directory_is_in_the_session_s_runtime_directory() -> None:
    assert runtime_directory({"XDG_RUNTIME_DIR": "/run/user/7"}, 7) == "/run/user/7/bascule"
    assert runtime_directory({"XDG_RUNTIME_DIR": "/run/user/7/"}, 7) == "/run/user/7/bascule"


@pytest.mark.parametrize("base", ["", "relative", "./run"])
def test_without_a_usable_one_the_directory_is_the_user_s_own_below_tmp(base: str) -> None:
    assert runtime_directory({"XDG_RUNTIME_DIR": base}, 1000) == "/tmp/bascule-1000"
    assert runtime_directory({}, 1000) == "/tmp/bascule-1000"


def test_on_windows_the_directory_is_in_the_profile() -> None:
    environ = {"LOCALAPPDATA": "C:\\Users\\me\\AppData\\Local"}
    assert windows_runtime_directory(environ) == r"C:\Users\me\AppData\Local\bascule\run"
    assert windows_runtime_directory({}) is None


def test_a_private_directory_of_ours_is_trusted() -> None:
    assert directory_problem(stat.S_IFDIR | 0o700, 7, 7) is None


@pytest.mark.parametrize(
    ("mode", "owner", "words"),
    [
        (stat.S_IFLNK | 0o777, 7, "symbolic link"),
        (stat.S_IFREG | 0o700, 7, "not a directory"),
        (stat.S_IFDIR | 0o700, 8, "another user"),
        (stat.S_IFDIR | 0o700, 0, "another user"),
        *((stat.S_IFDIR | 0o700 | 1 << bit, 7, "mode") for bit in range(6)),
        (stat.S_IFDIR | 0o500, 7, "mode"),
    ],
)
def test_any_other_directory_is_refused_with_the_reason(mode: int, owner: int, words: str) -> None:
    assert words in (directory_problem(mode, owner, 7) or "")


def test_a_private_file_of_ours_is_trusted() -> None:
    assert file_problem(stat.S_IFREG | 0o600, 7, 7) is None


@pytest.mark.parametrize(
    ("mode", "owner"),
    [
        (stat.S_IFLNK | 0o600, 7),
        (stat.S_IFIFO | 0o600, 7),
        (stat.S_IFREG | 0o600, 8),
        *((stat.S_IFREG | 0o600 | 1 << bit, 7) for bit in range(6)),
    ],
)
def test_any_other_file_is_refused(mode: int, owner: int) -> None:
    assert file_problem(mode, owner, 7) is not None


@pytest.mark.parametrize("start", [None, 1, 2**62])
def test_an_entry_comes_back_as_it_was_written(start: int | None) -> None:
    entry = ENTRY._replace(process_start=start)
    data = encode_entry(entry)
    assert data.count(b"\n") == 1
    assert data.endswith(b"\n")
    assert decode_entry(data) == entry


def test_an_entry_does_not_show_its_token() -> None:
    assert ENTRY.token not in repr(ENTRY)


def test_unknown_members_of_an_entry_are_ignored() -> None:
    value = json.loads(encode_entry(ENTRY)) | {"later": [1]}
    assert decode_entry(json.dumps(value).encode()) == ENTRY


@pytest.mark.parametrize(
    "changes",
    [
        {"url": "http://127.0.0.1:0"},
        {"url": "http://127.0.0.1:65536"},
        {"url": "http://127.0.0.1:80/"},
        {"url": "http://127.0.0.1.evil.example:80"},
        {"url": "http://localhost:80"},
        {"url": "https://127.0.0.1:80"},
        {"url": "http://user@127.0.0.1:80"},
        {"url": None},
        {"token": "short"},
        {"token": "t" * 43 + "\r\nX: y"},
        {"token": None},
        {"origin": ""},
        {"page": 7},
        {"pid": 0},
        {"pid": -1},
        {"pid": True},
        {"pid": 1.5},
        {"pid": 2**63},
        {"processStart": "1"},
        {"processStart": False},
        {"page": "p" * 4097},
    ],
    ids=str,
)
def test_a_malformed_member_makes_no_entry(changes: dict[str, object]) -> None:
    good = json.loads(encode_entry(ENTRY))
    assert decode_entry(json.dumps(good).encode()) == ENTRY
    with pytest.raises(EntryError):
        decode_entry(json.dumps(good | changes).encode())


@pytest.mark.parametrize("name", ["url", "token", "origin", "page", "pid"])
def test_a_missing_member_makes_no_entry(name: str) -> None:
    value = json.loads(encode_entry(ENTRY))
    del value[name]
    with pytest.raises(EntryError):
        decode_entry(json.dumps(value).encode())


def test_an_entry_is_read_up_to_its_limit_and_not_beyond() -> None:
    data = encode_entry(ENTRY)
    assert decode_entry(data.ljust(MAX_ENTRY_BYTES)) == ENTRY
    with pytest.raises(EntryError):
        decode_entry(data.ljust(MAX_ENTRY_BYTES + 1))


@given(st.binary(max_size=200) | st.sampled_from([b"[" * 10_000, b"[]", b"1", b"\xff", b"{}"]))
def test_any_bytes_give_an_entry_or_an_error(data: bytes) -> None:
    with pytest.raises(EntryError):
        decode_entry(data)


@given(st.integers(1, 4_194_304))
def test_a_name_tells_the_process(pid: int) -> None:
    assert entry_pid(entry_name(pid)) == pid


@pytest.mark.parametrize(
    "name",
    [
        "browser-bridge-.json",
        "browser-bridge-0.json",
        "browser-bridge-07.json",
        "browser-bridge-1.json.bak",
        ".browser-bridge-1.json",
        "browser-bridge-1.json\n",
        "browser-bridge-\u0661.json",
        "other",
    ],
)
def test_other_names_are_no_entries(name: str) -> None:
    assert entry_pid(name) is None
