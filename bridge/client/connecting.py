"""`connect`: one line from a Python program to the app that is open in a browser."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bridge.client.app_client import AppClient
from bridge.client.bridge_address import parse_address
from bridge.client.bridge_choice import ChosenBridge, choose_bridge

if TYPE_CHECKING:
    from bridge.contract.runtime_entry import RuntimeEntry

__all__ = ["connect"]


def connect(  # noqa: PLR0913 - each can be left out
    endpoint: str | RuntimeEntry | None = None,
    *,
    app: str | None = None,
    origin: str | None = None,
    token: str | None = None,
    session: str | None = None,
    timeout: float | None = None,
) -> AppClient:
    """Return a client of the app that is attached to a bridge.

    `with connect() as app:` gives an `AppClient`, `async with connect() as app:` its asynchronous
    twin. Without an endpoint it is this user's only running bridge, or the one that `app` (its
    name or slug) is attached to, or the one for `origin`. An endpoint is an address such as
    `http://127.0.0.1:PORT`, whose `token` is found where it is not given, or an entry of the
    runtime directory. `session` names a protocol session that others may share and that is
    left as it is in the end; without it the client has one of its own. `timeout` bounds every
    method, in seconds, where the method is not given another.

    Nothing is sent before the first call. The bridge is looked for when the block is entered:
    `BridgeFailure` with outcome `not_delivered` when there is none, or several and no choice.
    Raises `ValueError` for an endpoint that is no address, or a choice beside one.
    """
    if endpoint is None:
        if token is not None:
            raise ValueError("a token needs the address that it is for")
        return AppClient(
            partial(choose_bridge, origin=origin, app=app), session=session, timeout=timeout
        )
    if app is not None or origin is not None:
        raise ValueError("app and origin choose among running bridges: leave out the endpoint")
    if isinstance(endpoint, str):
        choose = partial(choose_bridge, parse_address(endpoint), token=token)
    elif token is not None:
        raise ValueError("an entry has its own token")
    else:
        chosen = ChosenBridge(parse_address(endpoint.url), endpoint.token, endpoint)
        return AppClient(lambda: chosen, session=session, timeout=timeout)
    return AppClient(choose, session=session, timeout=timeout)
