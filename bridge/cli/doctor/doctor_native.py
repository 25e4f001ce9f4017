"""The doctor's steps to a native app: its socket, and who listens there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bridge.cli.doctor.doctor_report import Finding, failed, ok, wrong
from bridge.client.bridge_failure import BridgeFailure
from bridge.client.native_connection import try_dial

if TYPE_CHECKING:
    from bridge.client.native_choice import ChosenNative

__all__ = ["way_to_app"]


def way_to_app(chosen: ChosenNative) -> Iterator[Finding]:
    """Yield where the socket is, and whether it is this user who listens."""
    entry = chosen.entry
    yield ok("socket", chosen.path if entry is None else f"{entry.endpoint}, {chosen.path}")
    try:
        dialled = try_dial(chosen.path)
    except BridgeFailure as failure:
        yield failed("peer", failure)
        return
    if dialled is None:
        yield wrong(
            "peer",
            "The app is busy: so many wait to be let in that no more may.",
            "Has it stopped looking at its connections? Start it again.",
        )
        return
    dialled.close()
    yield ok("peer", f"a process of your own user ({os.getuid()}) listens")
