"""Which bridge or app a command calls, by its arguments and environment. Contract: secrets."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.cli.usage_error import SeveralFitError, UsageError
from bridge.client.bridge_address import BridgeAddress, parse_address
from bridge.client.bridge_choice import ChosenBridge, SeveralBridges, choose_bridge
from bridge.contract.runtime_entry import MAX_ENTRY_BYTES

if TYPE_CHECKING:
    import argparse

    from bridge.cli.parsing import Parser
    from bridge.client.bridge_states import BridgeState
    from bridge.client.native_choice import ChosenNative

__all__ = ["ChosenBridge", "Target", "add_target_options", "named_by_file", "read_token_file"]

_BEARER: Final = r"[A-Za-z0-9._~+/=-]{1,512}"


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


class Target(NamedTuple):
    """A choice of bridge, made by arguments and environment."""

    address: BridgeAddress | None
    token: str | None
    origin: str | None
    app: str | None
    url_in_file: str | None = None
    """Whose token it is, by the token file itself."""

    def __repr__(self) -> str:
        """Return what may be printed: everything but the token."""
        return f"Target(address={self.address!r}, origin={self.origin!r}, app={self.app!r})"

    @classmethod
    def from_arguments(cls, args: argparse.Namespace, *, warn: bool = True) -> Target:
        """Read the options of `add_target_options`. Raises `UsageError`.

        With `warn`, standard error is told of a token file that others may read.
        """
        url, token, from_file = args.url or args.environment_url, args.token, None
        if args.token_file is not None:
            token, from_file = read_token_file(args.token_file, warn=warn)
        elif token is None:
            token = args.environment_token
        if token is not None and not re.fullmatch(_BEARER, token):
            raise UsageError("what was given as the token cannot be one")
        if args.app is not None or args.origin is not None:
            _check_choice(args, url, token, from_file)
        # An argument comes before the environment, also where it is in a file.
        url = args.url or from_file or args.environment_url
        if token is not None and url is None:
            raise UsageError("a token needs the address that it is for: give --url too")
        try:
            address = None if url is None else parse_address(url)
        except ValueError as error:
            raise UsageError(str(error)) from None
        return cls(address, token, args.origin, args.app, from_file)

    def choose(self) -> ChosenBridge:
        """Return the bridge to call now.

        Raises `BridgeFailure` when there is none, `UsageError` when there are several.
        """
        try:
            return choose_bridge(self.address, token=self.token, origin=self.origin, app=self.app)
        except SeveralBridges as several:
            raise _which(several.states) from None

    def choose_app(self) -> ChosenBridge | ChosenNative:
        """Return the app to call now, a native one included.

        Raises `BridgeFailure` when there is none, `UsageError` when there are several.
        """
        if self.address is not None or self.origin is not None:
            # Only a page has those.
            return self.choose()
        from bridge.client.endpoint_choice import (  # noqa: PLC0415 - not for a known address
            SeveralApps,
            choose_endpoint,
        )

        try:
            return choose_endpoint(self.app)
        except SeveralBridges as several:
            raise _which(several.states) from None
        except SeveralApps as several:
            natives = [f"{entry.endpoint}  {entry.path}" for entry in several.natives]
            raise _which(several.states, natives) from None


def _which(states: Sequence[BridgeState], natives: Sequence[str] = ()) -> UsageError:
    from bridge.cli.output.terminal_text import printable  # noqa: PLC0415 - rarely needed

    bridges = [f"{s.app or '(no app)'}  {s.entry.origin}  {s.entry.url}" for s in states]
    listed = tuple(printable(each) for each in (*bridges, *natives))
    if not natives:
        return SeveralFitError(
            "several bridges are running; choose by --app, --origin or --url:", listed
        )
    return SeveralFitError(
        "several apps are running; choose a native one by its SLUG.PID, a bridge's by --origin or "
        "--url:",
        listed,
    )


def _check_choice(
    args: argparse.Namespace, url: str | None, token: str | None, from_file: str | None
) -> None:
    """Raise `UsageError` where an app or an origin was named, and a bridge beside it."""
    if url is not None:
        raise UsageError("--app and --origin choose among running bridges: leave out the URL")
    given = "the app's name" if args.app is not None else "--origin"
    if from_file is not None:
        raise UsageError(f"{named_by_file(args.token_file, from_file)}: leave out {given}")
    if token is not None:
        raise UsageError(f"a token needs its bridge's address: give that in place of {given}")


def named_by_file(path: str, url: str) -> str:
    """Return the words that say which bridge a token file is for, safe to print."""
    from bridge.cli.output.terminal_text import printable  # noqa: PLC0415 - for mistakes only

    return f"{printable(path)} already names its bridge ({printable(url)})"


def read_token_file(path: str, *, warn: bool = True) -> tuple[str, str | None]:
    """Return the token, and the address where the file has it. Raises `UsageError`.

    With `warn`, standard error is told where others may read the file.
    """
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib costs a call its start
            mode = os.fstat(file.fileno()).st_mode
            text = file.read(MAX_ENTRY_BYTES).decode().strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise UsageError(f"the token file {path} cannot be read: {reason}") from None
    others = sys.platform != "win32" and stat.S_ISREG(mode) and stat.S_IMODE(mode) & 0o077
    if warn and others:
        print(f"bascule: warning: others may read {path}; chmod 600 it", file=sys.stderr)
    if not text:
        raise UsageError(f"the token file {path} is empty")
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
