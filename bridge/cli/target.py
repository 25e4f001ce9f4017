"""Which bridge a command calls: the one that was named, or the one that is found running.

The token is looked up as late as possible, and before each use the process that it belongs to is
looked at again, so that nobody who takes a dead bridge's port is sent it. Contract: secrets.
"""

from __future__ import annotations

import argparse
import json
import re
import stat
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bridge.cli.parsing import Parser, UsageError
from bridge.client.bridge_address import BridgeAddress, parse_address
from bridge.client.bridge_connection import BridgeConnection
from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode
from bridge.client.discovery import is_running, running_bridges, written_bridges
from bridge.client.runtime_directory import RuntimeDirectoryError
from bridge.contract.error_codes import Outcome
from bridge.contract.runtime_entry import MAX_ENTRY_BYTES, RuntimeEntry

__all__ = ["ChosenBridge", "Target", "add_target_options"]

_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/=-]{1,512}")


def add_target_options(parser: Parser) -> None:
    """Add the options that name a bridge."""
    group = parser.add_argument_group(
        "which bridge", "Without these, the bridge that you have running is found by itself."
    )
    group.add_argument("--url", metavar="URL", help="its address, http://127.0.0.1:PORT")
    token = group.add_mutually_exclusive_group()
    token.add_argument(
        "--token-file",
        metavar="FILE",
        help="a file with its token, or with the line of JSON that the bridge printed",
    )
    token.add_argument(
        "--token",
        metavar="TOKEN",
        help="its token itself. Prefer a file: the arguments of a program can be read by every "
        "user of the machine while it runs, and stay in the shell's history",
    )
    group.add_argument("--origin", metavar="ORIGIN", help="of several, the one for this origin")
    group.add_argument("--app", metavar="NAME", help="of several, the one this app is attached to")


@dataclass(frozen=True, slots=True)
class ChosenBridge:
    """A bridge to call, and what is known of its process."""

    connection: BridgeConnection
    entry: RuntimeEntry | None

    def may_run(self) -> bool:
        """Say whether it can still be called. Ask before each call that follows the first."""
        return self.entry is None or is_running(self.entry)


@dataclass(frozen=True, slots=True)
class Target:
    """A choice of bridge, made by arguments and environment."""

    address: BridgeAddress | None
    token: str | None = field(repr=False)
    origin: str | None
    app: str | None

    @classmethod
    def from_arguments(cls, args: argparse.Namespace) -> Target:
        """Read the options of `add_target_options`. Raises `UsageError`."""
        url, token = args.url or args.environment_url, args.token
        if args.token_file is not None:
            token, url_in_file = _read_token_file(Path(args.token_file))
            url = url or url_in_file
        elif token is None:
            token = args.environment_token
        if token is not None and not _TOKEN.fullmatch(token):
            raise UsageError("what was given as the token cannot be one")
        if token is not None and url is None:
            raise UsageError("a token needs the address that it is for: give --url too")
        if url is not None and (args.app is not None or args.origin is not None):
            raise UsageError("--app and --origin choose among running bridges: leave out the URL")
        try:
            address = None if url is None else parse_address(url)
        except ValueError as error:
            raise UsageError(str(error)) from None
        return cls(address, token, args.origin, args.app)

    def choose(self) -> ChosenBridge:
        """Return the bridge to call now.

        Raises `BridgeFailure` when there is none, `UsageError` when there are several.
        """
        if self.address is None:
            entry = self._found()
            return ChosenBridge(BridgeConnection(parse_address(entry.url), entry.token), entry)
        if self.token is None:
            entry = _entry_at(self.address)
            return ChosenBridge(BridgeConnection(self.address, entry.token), entry)
        return ChosenBridge(BridgeConnection(self.address, self.token), _entry_of(self.token))

    def _found(self) -> RuntimeEntry:
        try:
            entries = running_bridges()
        except RuntimeDirectoryError as error:
            raise _no_bridge(str(error)) from None
        if self.origin is not None:
            entries = [entry for entry in entries if entry.origin == self.origin]
        if self.app is None and len(entries) == 1:
            return entries[0]
        if not entries:
            which = "" if self.origin is None else f" for the origin {self.origin}"
            raise _no_bridge(
                f"No bridge{which} is running.",
                f"Start one: bascule browser-bridge --origin {self.origin or 'ORIGIN'}",
            )
        return self._choose(entries)

    def _choose(self, entries: Sequence[RuntimeEntry]) -> RuntimeEntry:
        # Asking every bridge is not needed by the common call, to the only one.
        from bridge.cli.bridge_states import bridge_states  # noqa: PLC0415
        from bridge.cli.terminal_text import printable  # noqa: PLC0415

        states = bridge_states(entries)
        fitting = [state for state in states if self.app in {None, state.app}]
        if len(fitting) == 1:
            return fitting[0].entry
        if not fitting and self.app is not None:
            raise _no_bridge(
                f"No bridge has the app {self.app} attached.", "`bascule list` shows those you have"
            )
        listed = "".join(
            f"\n  {printable(s.app or '(no app)')}  {s.entry.origin}  {s.entry.url}"
            for s in fitting
        )
        raise UsageError(
            f"several bridges are running; choose by --app, --origin or --url:{listed}"
        )


def _entry_at(address: BridgeAddress) -> RuntimeEntry:
    """Return the entry of this user's running bridge at an address."""
    try:
        running = running_bridges()
    except RuntimeDirectoryError as error:
        raise _no_bridge(str(error)) from None
    for entry in running:
        if parse_address(entry.url).port == address.port:
            return entry
    raise _no_bridge(
        f"You have no bridge running at {address.url}.",
        "Give --token-file if it is somebody else's, or runs elsewhere.",
    )


def _entry_of(token: str) -> RuntimeEntry | None:
    """Return the entry of a token that was given, where it has one.

    A token whose bridge is known to have ended is kept back: its port may be anybody's now.
    """
    try:
        written = written_bridges()
    except RuntimeDirectoryError:
        return None
    for entry in written:
        if entry.token == token:
            if is_running(entry):
                return entry
            raise _no_bridge("The bridge of this token has ended.", "Start a new one.")
    return None


def _read_token_file(path: Path) -> tuple[str, str | None]:
    """Return the token, and the address where the file has it."""
    try:
        with path.open("rb") as file:
            mode = path.stat().st_mode
            text = file.read(MAX_ENTRY_BYTES).decode().strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise UsageError(f"the token file {path} cannot be read: {reason}") from None
    if sys.platform != "win32" and stat.S_ISREG(mode) and stat.S_IMODE(mode) & 0o077:
        print(f"bascule: warning: others may read {path}; chmod 600 it", file=sys.stderr)
    if not text.startswith("{"):
        return text, None
    try:
        value = json.loads(text.splitlines()[0])
    except ValueError:
        value = None
    token, url = (value.get("token"), value.get("url")) if isinstance(value, dict) else (None, None)
    if not isinstance(token, str) or not isinstance(url, str | None):
        raise UsageError(f"the token file {path} holds no token")
    return token, url


def _no_bridge(message: str, hint: str | None = None) -> BridgeFailure:
    return BridgeFailure(
        ClientErrorCode.NO_BRIDGE, message, hint=hint, outcome=Outcome.NOT_DELIVERED
    )
