"""Which bridge is called: the one that was named, or the one that is found running.

The token is looked up as late as possible, and the process that it belongs to is looked at again
before it is sent, so that nobody who takes a dead bridge's port gets it. Contract: secrets.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.client.bridge_address import BridgeAddress, parse_address
from bridge.client.bridge_connection import BridgeConnection
from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode
from bridge.client.discovery import is_running, running_bridges, written_bridges
from bridge.client.runtime_directory import RuntimeDirectoryError
from bridge.contract.error_codes import Outcome
from bridge.contract.runtime_entry import RuntimeEntry

if TYPE_CHECKING:
    from bridge.client.async_bridge_connection import AsyncBridgeConnection
    from bridge.client.bridge_states import BridgeState

__all__ = [
    "ChosenBridge",
    "NoBridgeRuns",
    "SeveralBridges",
    "app_slug",
    "choose_bridge",
    "names_app",
]

_NOT_IN_SLUGS: Final = r"[\W_]+"


class ChosenBridge(NamedTuple):
    """A bridge to call, and what is known of its process."""

    address: BridgeAddress
    token: str
    entry: RuntimeEntry | None
    """None when the token was given, and its bridge is not one of this user's."""

    def __repr__(self) -> str:
        """Return what may be printed: everything but the token."""
        return f"ChosenBridge(address={self.address!r}, entry={self.entry!r})"

    @property
    def connection(self) -> BridgeConnection:
        """Return a new connection to it."""
        return BridgeConnection(self.address, self.token, self.may_run)

    def async_connection(self, *, channel: bool = False) -> AsyncBridgeConnection:
        """Return a new connection for the running event loop.

        With a `channel` its calls share one WebSocket: for those who make many.
        """
        from bridge.client.async_bridge_connection import (  # noqa: PLC0415 - an event loop
            AsyncBridgeConnection,
        )

        return AsyncBridgeConnection(self.address, self.token, self.may_run, channel=channel)

    def may_run(self) -> bool:
        """Say whether it can still be called. Ask before each call that follows the first."""
        return self.entry is None or is_running(self.entry)


class NoBridgeRuns(BridgeFailure):
    """None runs at all, or none for the origin that was given."""

    def __init__(self, origin: str | None) -> None:
        which = "" if origin is None else f" for the origin {origin}"
        super().__init__(
            ClientErrorCode.NO_BRIDGE,
            f"No bridge{which} is running.",
            hint=f"Start one: bascule browser-bridge --origin {origin or 'ORIGIN'}",
            outcome=Outcome.NOT_DELIVERED,
        )


class SeveralBridges(BridgeFailure):
    """Several bridges fit, and nothing says which is meant. `states` are those that do."""

    def __init__(self, states: Sequence[BridgeState]) -> None:
        listed = "; ".join(
            f"{s.app or '(no app)'}, {s.entry.origin}, {s.entry.url}" for s in states
        )
        super().__init__(
            ClientErrorCode.SEVERAL_BRIDGES,
            f"Several bridges are running: {listed}.",
            hint="Choose one by its app, its origin or its address.",
            outcome=Outcome.NOT_DELIVERED,
        )
        self.states = tuple(states)


def app_slug(name: str) -> str:
    """Return an app's name as it is easily typed: lower case, with hyphens between the words."""
    return re.sub(_NOT_IN_SLUGS, "-", name.lower()).strip("-")


def names_app(given: str, name: str | None) -> bool:
    """Say whether what was given is an app's name or its slug."""
    return name is not None and (given == name or given == app_slug(name))


def choose_bridge(
    address: BridgeAddress | None = None,
    *,
    token: str | None = None,
    origin: str | None = None,
    app: str | None = None,
) -> ChosenBridge:
    """Return the bridge to call now.

    An `address` with a `token` is taken as given; without one the token is that of this user's
    bridge there. Without an address it is the bridge for `origin`, the one that `app` (its name or
    its slug) is attached to, or the only one. Raises `BridgeFailure` with outcome `not_delivered`
    when there is none, `SeveralBridges` when there are several.
    """
    if address is None:
        entry = _found(origin, app)
        return ChosenBridge(parse_address(entry.url), entry.token, entry)
    if token is None:
        entry = _entry_at(address)
        return ChosenBridge(address, entry.token, entry)
    return ChosenBridge(address, token, _entry_of(token))


def _found(origin: str | None, app: str | None) -> RuntimeEntry:
    entries = _running()
    if origin is not None:
        entries = [entry for entry in entries if entry.origin == origin]
    if app is None and len(entries) == 1:
        return entries[0]
    if not entries:
        raise NoBridgeRuns(origin)
    # Asking every bridge is not needed by the common call, to the only one.
    from bridge.client.bridge_states import bridge_states  # noqa: PLC0415

    states = bridge_states(entries)
    fitting = [state for state in states if app is None or names_app(app, state.app)]
    # A name is meant before a slug that other apps share.
    exact = [state for state in fitting if app is not None and state.app == app] or fitting
    if len(exact) == 1:
        return exact[0].entry
    if not fitting:
        raise _no_bridge(
            "The bridge has ended." if app is None else f"No bridge has the app {app} attached.",
            _what_there_is(states),
        )
    raise SeveralBridges(exact)


def _what_there_is(states: Sequence[BridgeState]) -> str:
    """Return which apps are attached, and how a page that is missing becomes so."""
    attached = ", ".join(state.app for state in states if state.app is not None)
    told = [f"Attached: {attached}."] if attached else []
    waiting = [state.entry for state in states if state.state == "waiting"]
    # After a reload this is what a person needs.
    if len(waiting) == 1:
        told.append(
            f"The bridge for {waiting[0].origin} waits for its page: "
            f"`bascule open {parse_address(waiting[0].url).port}` opens it; press Attach there."
        )
    return " ".join(told) or "`bascule list` shows the bridges that you have."


def _entry_at(address: BridgeAddress) -> RuntimeEntry:
    """Return the entry of this user's running bridge at an address."""
    for entry in _running():
        if parse_address(entry.url).port == address.port:
            return entry
    raise _no_bridge(
        f"You have no bridge running at {address.url}.",
        "Give its token if it is somebody else's, or runs elsewhere.",
    )


def _running() -> list[RuntimeEntry]:
    try:
        return running_bridges()
    except RuntimeDirectoryError as error:
        raise _no_bridge(str(error)) from None


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


def _no_bridge(message: str, hint: str | None = None) -> BridgeFailure:
    return BridgeFailure(
        ClientErrorCode.NO_BRIDGE, message, hint=hint, outcome=Outcome.NOT_DELIVERED
    )
