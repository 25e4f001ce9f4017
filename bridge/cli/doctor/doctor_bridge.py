"""The doctor's steps to a page: the runtime directory, the bridges in it, and what one tells."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from bridge import __version__
from bridge.cli.doctor import doctor_facts
from bridge.cli.doctor.doctor_report import Finding, failed, ok, wrong
from bridge.cli.running_apps import running_apps
from bridge.cli.target import ChosenBridge
from bridge.client.bridge_address import BridgeAddress, parse_address
from bridge.client.bridge_failure import BridgeFailure
from bridge.client.discovery import is_running
from bridge.client.native_discovery import listens, native_entries
from bridge.client.runtime_directory import (
    RuntimeDirectory,
    RuntimeDirectoryError,
    runtime_directory_name,
)
from bridge.contract.error_codes import BridgeErrorCode, ExitCode
from bridge.contract.runtime_entry import (
    MAX_ENTRY_BYTES,
    EntryError,
    decode_entry,
    entry_name,
    entry_pid,
    file_problem,
)

__all__ = ["others", "status_now", "way_to_page", "what_runs"]

_START_BRIDGE: Final = "bascule browser-bridge --origin ORIGIN --open"
_GIVE_IT: Final = "Give the token of {url}, where it is not a bridge of yours: --token-file FILE."
_PATIENCE_SECONDS: Final = 2.0


class _Entries(NamedTuple):
    """What bridges have left in the runtime directory."""

    running: int
    stale: int
    distrusted: tuple[str, ...]
    """Why each file is not read that has the name of an entry."""


def what_runs(*, app: str | None, address: BridgeAddress | None = None) -> Iterator[Finding]:
    """Yield whether the runtime directory can be trusted, and whether anything runs.

    `app` is the name that was given. Without one only a bridge will do: what an MCP client starts
    without a name looks for a bridge. `address` is what was named without its token.
    """
    start = _start(app)
    token_first = () if address is None else (_GIVE_IT.format(url=address.url),)
    try:
        path = runtime_directory_name()
        entries = _entries(path)
        sockets = native_entries()
        natives = [entry for entry in sockets if listens(entry)]
    except FileNotFoundError:
        yield wrong(
            "directory",
            f"There is no {path}: nothing of yours has been started.",
            *token_first,
            *start,
            status=ExitCode.NO_BRIDGE,
        )
        return
    except RuntimeDirectoryError as error:
        problem, _, cure = str(error).partition(". ")
        yield wrong("directory", f"{problem[:1].upper()}{problem[1:]}.", cure)
        return
    private = "" if sys.platform == "win32" else ", of mode 0700 and yours"
    yield ok("directory", f"{path}{private}")
    if entries.distrusted:
        yield wrong(
            "token",
            f"A bridge's token cannot be believed: {entries.distrusted[0]}.",
            "Stop that bridge and start it again; it writes a file that only you can read.",
        )
        return
    told = f"{_many(entries.running, 'bridge', 'bridges')}, "
    told += _many(len(natives), "native app", "native apps")
    told += _left_behind(entries.stale, len(sockets) - len(natives))
    if entries.running or (natives and app is not None):
        yield ok("running", told)
    elif natives:
        yield wrong(
            "running",
            f"No bridge runs: {told}.",
            *token_first,
            *start,
            "A native app is looked at where it is named, and so is what "
            "`bascule mcp-config CLIENT APP` writes for it.",
            *others(),
            status=ExitCode.NO_BRIDGE,
        )
    else:
        advice = (*token_first, *start)
        yield wrong("running", f"Nothing runs: {told}.", *advice, status=ExitCode.NO_BRIDGE)


def _start(app: str | None) -> tuple[str, ...]:
    """Return how what is missing is started."""
    if app is None:
        return (
            "Start a bridge for the app that is served at ORIGIN. One that was started with "
            "another XDG_RUNTIME_DIR is not seen from here.",
            _START_BRIDGE,
        )
    return (
        f"Start {app}; for an app in a browser, start a bridge for the ORIGIN that serves it. What "
        "was started with another XDG_RUNTIME_DIR is not seen from here.",
        _START_BRIDGE,
    )


def others() -> tuple[str, ...]:
    """Return the commands that look at what runs, to choose from."""
    try:
        words = [word for word, _ in running_apps("APP")]
    except RuntimeDirectoryError:
        return ()
    return tuple(f"bascule doctor {shlex.quote(word)}" for word in words)


def status_now(chosen: ChosenBridge) -> Mapping[str, object]:
    """Return what the bridge says of its page now; nothing where it says nothing."""
    try:
        with chosen.connection as connection:
            status = json.loads(connection.status(_PATIENCE_SECONDS))
    except BridgeFailure:
        return {}
    return status if isinstance(status, dict) else {}


def way_to_page(chosen: ChosenBridge, url_in_file: str | None = None) -> Iterator[Finding]:
    """Yield the steps from a bridge's token to its page.

    `url_in_file` is whose token it is, by the file that it came from.
    """
    url, entry = chosen.address.url, chosen.entry
    if entry is not None and not _is_at(entry.url, chosen.address):
        # The token that was given is another bridge's.
        url_in_file, entry = entry.url, None
    if entry is None:
        yield ok("bridge", f"{url}, by the token that was given")
    else:
        where = entry_name(entry.pid)
        yield ok("bridge", f"{url} for {entry.origin}, process {entry.pid}")
        yield ok("token", f"readable, and by you alone: {where}")
    try:
        with chosen.connection as connection:
            status: dict[str, Any] = json.loads(connection.status())
    except BridgeFailure as failure:
        theirs = url_in_file is not None and not _is_at(url_in_file, chosen.address)
        of_another = failure.code == BridgeErrorCode.UNAUTHORIZED and theirs
        advice = (f"This token is that of {url_in_file}.",) if of_another else ()
        yield failed("answer", failure, *advice, *(others() if entry is None else ()))
        return
    yield doctor_facts.bridge_version(status, __version__, url)
    told = status.get("origin")
    origin = told if isinstance(told, str) else "its origin"
    yield doctor_facts.local_network(status, origin)
    yield doctor_facts.page_attached(status, origin, chosen.address.port)
    yield doctor_facts.page_state(status)
    yield doctor_facts.transport(status)


def _is_at(url: str, address: BridgeAddress) -> bool:
    """Say whether both are one address; what is no address is none."""
    try:
        return parse_address(url).port == address.port
    except ValueError:
        return False


def _entries(path: str) -> _Entries:
    """Look at every entry. Raises `FileNotFoundError` and `RuntimeDirectoryError`."""
    running = stale = 0
    distrusted = []
    with RuntimeDirectory.open(path, create=False) as directory:
        for name in directory.names():
            pid = entry_pid(name)
            if pid is None:
                continue
            data = directory.read(name, MAX_ENTRY_BYTES)
            try:
                entry = None if data is None else decode_entry(data)
            except EntryError as error:
                distrusted.append(f"{path}/{name}: {error}")
                continue
            if entry is None:
                problem = _problem(f"{path}/{name}")
                distrusted += [] if problem is None else [f"{path}/{name}: {problem}"]
            elif entry.pid == pid and is_running(entry):
                running += 1
            else:
                stale += 1
    return _Entries(running, stale, tuple(distrusted))


def _problem(path: str) -> str | None:
    """Say why a file was not read; None where it has gone in the meantime."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    problem = None
    if sys.platform != "win32":
        problem = file_problem(status.st_mode, status.st_uid, os.getuid())
    return problem or "it cannot be read"


def _left_behind(entries: int, sockets: int) -> str:
    """Say what ended processes have left, and that nothing has to be done about it."""
    left = [_many(entries, "entry", "entries") + " of killed bridges"] if entries else []
    left += [_many(sockets, "socket", "sockets") + " of killed apps"] if sockets else []
    if not left:
        return ""
    return f"; left behind: {' and '.join(left)}, harmless, and gone when the next one starts"


def _many(count: int, one: str, more: str) -> str:
    return f"{count or 'no'} {one if count == 1 else more}"
