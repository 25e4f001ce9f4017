"""Which app is called: a browser's over its bridge, or a native one, whichever is meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bridge.client.bridge_choice import (
    ChosenBridge,
    NoBridgeRuns,
    SeveralBridges,
    choose_bridge,
    names_app,
)
from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode
from bridge.client.native_choice import ChosenNative, natives_named
from bridge.client.native_discovery import NativeEntry, running_natives
from bridge.client.runtime_directory import RuntimeDirectoryError
from bridge.contract.error_codes import Outcome

if TYPE_CHECKING:
    from bridge.client.bridge_states import BridgeState

__all__ = ["SeveralApps", "choose_endpoint"]


class SeveralApps(BridgeFailure):
    """Several apps fit, native ones among them, and nothing says which is meant."""

    def __init__(self, natives: Sequence[NativeEntry], states: Sequence[BridgeState] = ()) -> None:
        self.natives = tuple(natives)
        self.states = tuple(states)
        listed = [f"{entry.endpoint} (native, {entry.path})" for entry in natives]
        listed += [f"{s.app or '(no app)'}, {s.entry.origin}, {s.entry.url}" for s in states]
        super().__init__(
            ClientErrorCode.SEVERAL_BRIDGES,
            f"Several apps are running: {'; '.join(listed)}.",
            hint="Choose a native one by its SLUG.PID or path, a browser's by its origin or URL.",
            outcome=Outcome.NOT_DELIVERED,
        )


def choose_endpoint(app: str | None = None) -> ChosenBridge | ChosenNative:
    """Return what to call now: the app of this name or slug, or the only one.

    A name is meant before a slug that others share. A path names a native app's socket, and
    `SLUG.PID` one of its instances. Without a name a bridge comes first, and a native app is
    called where no bridge runs. Raises `BridgeFailure` with outcome `not_delivered` when there is
    none; `SeveralBridges` or `SeveralApps` when there are several.
    """
    if app is None:
        return _only()
    if app.startswith("/"):
        return ChosenNative(app)
    natives = _found(app)
    if not natives:
        return _bridge_or_hint(app)
    bridge: ChosenBridge | None = None
    states: tuple[BridgeState, ...] = ()
    try:
        bridge = choose_bridge(app=app)
    except SeveralBridges as several:
        states = several.states
    except BridgeFailure as failure:
        if failure.code != ClientErrorCode.NO_BRIDGE:
            raise
    if bridge is None and not states and len(natives) == 1:
        return ChosenNative(natives[0].path, natives[0])
    return _told_apart(app, natives, bridge, states)


def _only() -> ChosenBridge | ChosenNative:
    try:
        return choose_bridge()
    except SeveralBridges:
        raise
    except BridgeFailure as failure:
        natives = _found(None)
        if len(natives) == 1:
            return ChosenNative(natives[0].path, natives[0])
        if natives:
            raise SeveralApps(natives) from None
        raise failure from None


def _found(app: str | None) -> list[NativeEntry]:
    try:
        return running_natives() if app is None else natives_named(app)
    except RuntimeDirectoryError:
        # A bridge's own directory is looked at as well, and that says what is wrong.
        return []


def _bridge_or_hint(app: str) -> ChosenBridge:
    try:
        return choose_bridge(app=app)
    except SeveralBridges:
        raise
    except BridgeFailure as failure:
        if isinstance(failure, NoBridgeRuns):
            # Whoever named it may mean a native one, for which a bridge is of no use.
            failure.message = f"No app {app} runs."
            failure.hint = (
                "Start it; for an app in a browser, start a bridge: "
                "bascule browser-bridge --origin ORIGIN"
            )
        slugs = sorted({entry.slug for entry in _found(None)})
        if failure.code == ClientErrorCode.NO_BRIDGE and slugs:
            told = f"Native apps that run: {', '.join(slugs)}."
            failure.message = f"No app {app} is attached to a bridge, or runs natively."
            failure.hint = f"{failure.hint} {told}" if failure.hint else told
        raise


def _told_apart(
    app: str,
    natives: Sequence[NativeEntry],
    bridge: ChosenBridge | None,
    states: Sequence[BridgeState],
) -> ChosenBridge | ChosenNative:
    """Choose the one whose whole name was given, where that is one."""
    # Asking every app is not needed by the common call, to the only one.
    from bridge.client.bridge_states import bridge_states  # noqa: PLC0415
    from bridge.client.native_states import native_states  # noqa: PLC0415

    if bridge is not None and bridge.entry is not None:
        states = [s for s in bridge_states([bridge.entry]) if names_app(app, s.app)]
    exact_natives = [s.entry for s in native_states(natives) if s.name == app]
    exact_states = [state for state in states if state.app == app]
    if len(exact_natives) + len(exact_states) == 1:
        if exact_natives:
            return ChosenNative(exact_natives[0].path, exact_natives[0])
        return choose_bridge(app=app)
    if exact_natives or exact_states:
        raise SeveralApps(exact_natives, exact_states)
    if len(natives) == 1 and not states:
        return ChosenNative(natives[0].path, natives[0])
    raise SeveralApps(natives, states)
