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

    Native apps are among the first two, by their slug, or by `SLUG.PID` where several have the
    same. Raises `RuntimeDirectoryError`.
    """
    for state in bridge_states(running_bridges()):
        word = _word(what, state)
        if word is not None:
            yield word, f"{state.app or 'no page attached'}, {state.entry.origin}"
    if native and what in {"APP", "--app"}:
        entries = running_natives()
        slugs = [entry.slug for entry in entries]
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
    return state.entry.url.rpartition(":")[2] if what == "APP" else None
