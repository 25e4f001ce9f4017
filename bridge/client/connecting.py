"""`connect`: one line from a Python program to an app, in a browser or native."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from bridge.client.app_client import AppClient
from bridge.client.bridge_address import parse_address
from bridge.client.bridge_choice import ChosenBridge, choose_bridge
from bridge.client.endpoint_choice import choose_endpoint
from bridge.client.native_choice import ChosenNative
from bridge.client.native_discovery import NativeEntry

if TYPE_CHECKING:
    from bridge.client.app_connection import ChosenApp
    from bridge.contract.runtime_entry import RuntimeEntry

__all__ = ["connect"]


def connect(  # noqa: PLR0913 - each can be left out
    endpoint: str | RuntimeEntry | NativeEntry | None = None,
    *,
    app: str | None = None,
    origin: str | None = None,
    token: str | None = None,
    session: str | None = None,
    timeout: float | None = None,
) -> AppClient:
    """Return a client of an app: one that is attached to a bridge, or a native one.

    `with connect() as app:` gives an `AppClient`, `async with connect() as app:` its asynchronous
    twin. An endpoint is an app's name or slug, wherever it runs; an address such as
    `http://127.0.0.1:PORT` of a bridge, whose `token` is found where it is not given; a native
    app's `SLUG.PID` or the path of its socket; or an entry that discovery found. `app` is the same
    as a name. Without any of them it is the bridge for `origin`, this user's only running bridge,
    or where none runs the only native app. `session` names a protocol session that others may
    share and that is left as it is in the end; without it the client has one of its own, as it
    always has with a native app. `timeout` bounds every method, in seconds, where the method is
    not given another.

    Nothing is sent before the first call. The app is looked for when the block is entered:
    `BridgeFailure` with outcome `not_delivered` when there is none, or several and no choice.
    Raises `ValueError` for an empty name, an address that is none, or a choice beside an endpoint.
    """
    if endpoint is None:
        choose = _found(app, origin, token)
    elif app is not None or origin is not None:
        raise ValueError("app and origin choose among running bridges: leave out the endpoint")
    elif isinstance(endpoint, str) and "://" in endpoint:
        choose = partial(choose_bridge, parse_address(endpoint), token=token)
    else:
        choose = _named(endpoint, token)
    return AppClient(choose, session=session, timeout=timeout)


def _found(app: str | None, origin: str | None, token: str | None) -> Callable[[], ChosenApp]:
    if token is not None:
        raise ValueError("a token needs the address that it is for")
    if origin is not None:
        # Only a page has an origin.
        return partial(choose_bridge, origin=origin, app=app)
    return partial(choose_endpoint, app)


def _named(
    endpoint: str | RuntimeEntry | NativeEntry, token: str | None
) -> Callable[[], ChosenApp]:
    if not endpoint:
        raise ValueError("the endpoint is empty")
    if isinstance(endpoint, str):
        if token is not None:
            raise ValueError("a token needs the address that it is for")
        return partial(choose_endpoint, endpoint)
    if token is not None:
        raise ValueError("an entry has its own token, or needs none")
    if isinstance(endpoint, NativeEntry):
        native = ChosenNative(endpoint.path, endpoint)
        return lambda: native
    chosen = ChosenBridge(parse_address(endpoint.url), endpoint.token, endpoint)
    return lambda: chosen
