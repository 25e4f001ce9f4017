"""The apps and bridges that run, as words that name them on a command line, and about each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bridge.client.bridge_choice import app_slug
from bridge.client.bridge_states import bridge_states
from bridge.client.discovery import running_bridges
from bridge.client.native_discovery import running_natives

if TYPE_CHECKING:
    from bridge.client.bridge_states import BridgeState

__all__ = ["running_apps"]


def running_apps(what: str, *, native: bool = True) -> Iterator[tuple[str, str]]:
    """Yield each as `APP`, or as a value of `--app`, `--url` or `--origin`.

    Native apps are among the first two, by their slug. As an `APP` that several have, a slug gives
    way to the bridge's port and to `SLUG.PID`. Raises `RuntimeDirectoryError`.
    """
    states = bridge_states(running_bridges())
    entries = running_natives() if native and what in {"APP", "--app"} else []
    slugs = [entry.slug for entry in entries]
    if what == "APP":
        slugs += [app_slug(state.app) for state in states if state.app is not None]
    for state in states:
        word = _word(what, state)
        if word is not None:
            shared = what == "APP" and slugs.count(word) > 1
            about = f"{state.app or 'no page attached'}, {state.entry.origin}"
            yield _port(state) if shared else word, about
    for entry in entries:
        alone = slugs.count(entry.slug) == 1
        yield entry.slug if alone else entry.endpoint, f"native, process {entry.pid}"


def _word(what: str, state: BridgeState) -> str | None:
    if what == "--url":
        return state.entry.url
    if what == "--origin":
        return state.entry.origin
    if state.app is not None:
        return app_slug(state.app) or state.entry.url
    return _port(state) if what == "APP" else None


def _port(state: BridgeState) -> str:
    return state.entry.url.rpartition(":")[2]
