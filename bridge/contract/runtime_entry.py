"""What a running bridge leaves in the runtime directory, and who may be believed there.

Pure rules: where the directory is, which directory and which file may be trusted by what `lstat`
says of them, and the format of an entry. Whoever applies them does the input and output.
Contract: secrets.
"""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Mapping
from typing import Final, NamedTuple

__all__ = [
    "MAX_ENTRY_BYTES",
    "EntryError",
    "RuntimeEntry",
    "decode_entry",
    "directory_problem",
    "encode_entry",
    "entry_name",
    "entry_pid",
    "file_problem",
    "runtime_directory",
    "windows_runtime_directory",
]

MAX_ENTRY_BYTES: Final = 16_384
"""An entry holds two addresses, a token and two numbers."""

_URL: Final = re.compile(r"http://127\.0\.0\.1:([1-9][0-9]{0,4})")
_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/=-]{16,512}")
_NAME: Final = re.compile(r"browser-bridge-([1-9][0-9]{0,9})\.json")
_MAX_TEXT_CHARS: Final = 4_096


class EntryError(ValueError):
    """These bytes are not an entry. The message holds nothing of them."""


class RuntimeEntry(NamedTuple):
    """One running bridge: where it is, its token, and which process it is."""

    url: str
    """`http://127.0.0.1:PORT`."""
    token: str
    origin: str
    page: str
    pid: int
    process_start: int | None
    """When the process started, in the kernel's clock ticks; None where that cannot be told."""

    def __repr__(self) -> str:
        """Return what may be printed: everything but the token."""
        return f"RuntimeEntry(url={self.url!r}, origin={self.origin!r}, pid={self.pid})"


def runtime_directory(environ: Mapping[str, str], uid: int) -> str:
    """Return where entries are kept: a directory of one user, on one machine.

    A relative `XDG_RUNTIME_DIR` counts as not set, as its specification asks.
    """
    base = environ.get("XDG_RUNTIME_DIR", "")
    if base.startswith("/"):
        return base.rstrip("/") + "/bascule"
    return f"/tmp/bascule-{uid}"  # noqa: S108 - owner and mode are verified before every use


def windows_runtime_directory(environ: Mapping[str, str]) -> str | None:
    """Return the directory on Windows, under the user's own profile; None without a profile."""
    base = environ.get("LOCALAPPDATA", "")
    return base.rstrip("\\") + r"\bascule\run" if base else None


def directory_problem(mode: int, owner: int, uid: int) -> str | None:
    """Say why a directory cannot be trusted, from its `lstat`; None when it can be."""
    if stat.S_ISLNK(mode):
        return "it is a symbolic link"
    if not stat.S_ISDIR(mode):
        return "it is not a directory"
    if owner != uid:
        return "it belongs to another user"
    if stat.S_IMODE(mode) & 0o777 != 0o700:
        return f"its mode is {stat.S_IMODE(mode) & 0o777:04o}, not 0700"
    return None


def file_problem(mode: int, owner: int, uid: int) -> str | None:
    """Say why a file cannot be trusted, from its `fstat`; None when it can be."""
    if not stat.S_ISREG(mode):
        return "it is not a regular file"
    if owner != uid:
        return "it belongs to another user"
    if stat.S_IMODE(mode) & 0o077:
        return "others may use it"
    return None


def entry_name(pid: int) -> str:
    """Return the file name of a process's entry."""
    return f"browser-bridge-{pid}.json"


def entry_pid(name: str) -> int | None:
    """Return the process that a file name speaks of; None when it is not an entry's."""
    match = _NAME.fullmatch(name)
    return int(match[1]) if match else None


def encode_entry(entry: RuntimeEntry) -> bytes:
    """Write an entry as one line of JSON."""
    return (
        json.dumps(
            {
                "url": entry.url,
                "token": entry.token,
                "origin": entry.origin,
                "page": entry.page,
                "pid": entry.pid,
                "processStart": entry.process_start,
            }
        ).encode()
        + b"\n"
    )


def decode_entry(data: bytes) -> RuntimeEntry:
    """Read an entry. Unknown members are ignored. Raises `EntryError`."""
    if len(data) > MAX_ENTRY_BYTES:
        raise EntryError("too large")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise EntryError("not JSON") from None
    if not isinstance(value, dict):
        raise EntryError("not an object")
    start = value.get("processStart")
    return RuntimeEntry(
        url=_url(value.get("url")),
        token=_text(value.get("token"), _TOKEN),
        origin=_text(value.get("origin")),
        page=_text(value.get("page")),
        pid=_number(value.get("pid")),
        process_start=None if start is None else _number(start),
    )


def _url(value: object) -> str:
    match = _URL.fullmatch(value) if isinstance(value, str) else None
    if match is None or int(match[1]) > 65_535:
        raise EntryError("not a bridge's address")
    return match[0]


def _text(value: object, pattern: re.Pattern[str] | None = None) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= _MAX_TEXT_CHARS:
        raise EntryError("a text is missing")
    if pattern is not None and not pattern.fullmatch(value):
        raise EntryError("a text is malformed")
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value < 2**63:
        raise EntryError("a number is malformed")
    return value
