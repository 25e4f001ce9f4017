"""Which native app is meant by what a person or a program gave."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bridge.client.bridge_choice import names_app
from bridge.client.native_connection import NativeConnection
from bridge.client.native_discovery import NativeEntry, listens, native_entries
from bridge.contract.native_names import native_slug

if TYPE_CHECKING:
    from bridge.client.native_async_connection import AsyncNativeConnection

__all__ = ["ChosenNative", "natives_named"]


class ChosenNative(NamedTuple):
    """A native app to call."""

    path: str
    entry: NativeEntry | None = None
    """None where the path was given."""

    @property
    def connection(self) -> NativeConnection:
        """Return a new connection to it."""
        return NativeConnection(self.path)

    def async_connection(self) -> AsyncNativeConnection:
        """Return a new connection for the running event loop."""
        from bridge.client.native_async_connection import (  # noqa: PLC0415 - an event loop
            AsyncNativeConnection,
        )

        return AsyncNativeConnection(self.path)


def natives_named(given: str) -> list[NativeEntry]:
    """Return the running apps that are meant: by name, by slug, or one of several by `SLUG.PID`.

    Raises `RuntimeDirectoryError`. Only sockets that can be meant are dialled: a socket's slug is
    made of its app's name, and so is the one of what was given. Many names have the same slug, so
    that an app is asked for its name where it was not the slug that was given.
    """
    entries = native_entries()
    meant = [entry for entry in entries if entry.endpoint == given]
    if meant:
        return [entry for entry in meant if listens(entry)]
    slug = native_slug(given)
    running = [entry for entry in entries if entry.slug == slug and listens(entry)]
    if slug == given or not running:
        return running
    # Asking every app is not needed by the common call, by a slug.
    from bridge.client.native_states import native_states  # noqa: PLC0415

    return [state.entry for state in native_states(running) if names_app(given, state.name)]
