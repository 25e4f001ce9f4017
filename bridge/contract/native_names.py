"""Where a native app's socket is, and what it is called there.

`SLUG.PID.TOKEN.sock` in the directory `native` of the runtime directory: the slug is made of the
app's name, the token keeps instances apart. Pure rules; whoever applies them does the input and
output. Contract: native endpoints.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from bridge.contract.runtime_entry import runtime_directory

__all__ = [
    "MAX_PATH_BYTES",
    "MAX_SLUG_CHARS",
    "SocketName",
    "native_directory",
    "native_slug",
    "path_fits",
    "read_socket_name",
]

MAX_SLUG_CHARS: Final = 40
MAX_PATH_BYTES: Final = 103
"""What `sun_path` holds before its final zero: 107 bytes on Linux, 103 on macOS."""

_MAX_NAME_BYTES: Final = MAX_SLUG_CHARS + len(".4294967295.01234567.sock")
_MAX_READ_CHARS: Final = 1_024
"""How much of a name a slug is made of. A title can be a whole document."""
_NAME: Final = re.compile(
    r"(?P<slug>[a-z0-9]+(?:-[a-z0-9]+)*)\.(?P<pid>[1-9][0-9]{0,9})\.(?P<token>[0-9a-f]{8})\.sock"
)
_NOT_IN_SLUGS: Final = re.compile(r"[^a-z0-9]+")


class SocketName(NamedTuple):
    """A socket's file name, taken apart."""

    slug: str
    pid: int
    """The process that made it. For people: a number says nothing of who answers."""
    token: str
    """Eight hexadecimal digits that no other instance has."""

    @property
    def file_name(self) -> str:
        """The name in the directory."""
        return f"{self.slug}.{self.pid}.{self.token}.sock"


def native_slug(name: str) -> str:
    """Make of any name what is easily typed: at most 40 of `a-z`, `0-9` and inner hyphens.

    Accents are left out, and so is what has no ASCII letter; where nothing is left it is `app`. A
    slug is its own slug.
    """
    name = name[:_MAX_READ_CHARS]
    if not name.isascii():
        # Loaded where it is wanted: most names are ASCII, and a command waits for every import.
        from unicodedata import normalize  # noqa: PLC0415

        name = normalize("NFKD", name).encode("ascii", "ignore").decode()
    words = _NOT_IN_SLUGS.sub("-", name.lower()).strip("-")
    return words[:MAX_SLUG_CHARS].strip("-") or "app"


def read_socket_name(file_name: str) -> SocketName | None:
    """Take a file's name apart; None when it is no socket's, or its slug is too long."""
    match = _NAME.fullmatch(file_name)
    if match is None or len(match["slug"]) > MAX_SLUG_CHARS:
        return None
    return SocketName(match["slug"], int(match["pid"]), match["token"])


def native_directory(environ: Mapping[str, str], uid: int) -> str:
    """Return where this user's sockets are.

    Where the runtime directory's own path leaves too little for a name, it is the one that is
    used where none is set: both sides come to the same, since both know the same environment.
    """
    directory = runtime_directory(environ, uid) + "/native"
    if path_fits(directory, "x" * _MAX_NAME_BYTES):
        return directory
    return runtime_directory({}, uid) + "/native"


def path_fits(directory: str, file_name: str) -> bool:
    """Say whether the system can bind and dial a socket of this name there."""
    path = f"{directory}/{file_name}".encode("utf-8", "surrogateescape")
    return len(path) <= MAX_PATH_BYTES
