"""What the running native apps are called, as far as each of them tells within a moment."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from bridge.client.bridge_failure import BasculeError, ClientErrorCode
from bridge.client.control_calls import Request, read_info
from bridge.client.control_results import AppInfo
from bridge.client.native_connection import NativeConnection
from bridge.client.native_discovery import NativeEntry
from bridge.contract.error_codes import AppErrorCode

__all__ = ["NativeState", "native_states"]

_PATIENCE_SECONDS: Final = 1.0


class NativeState(NamedTuple):
    """A native app that runs."""

    entry: NativeEntry
    name: str | None
    """The app's own name, whole; None where it does not tell."""
    state: str
    """running, busy (all its connections are taken) or silent."""

    def facts(self) -> dict[str, object]:
        """Return what a list tells of it."""
        return {
            "kind": "native",
            "name": self.name,
            "slug": self.entry.slug,
            "pid": self.entry.pid,
            "path": self.entry.path,
            "state": self.state,
        }


def native_states(entries: Iterable[NativeEntry]) -> list[NativeState]:
    """Ask each app who it is. Those that ended in the meantime are left out."""
    states = [_state(entry) for entry in entries]
    return [state for state in states if state is not None]


def _state(entry: NativeEntry) -> NativeState | None:
    try:
        with NativeConnection(entry.path) as connection:
            return NativeState(entry, _info(connection).name, "running")
    except BasculeError as failure:
        if failure.code == AppErrorCode.SESSION_LIMIT.name:
            return NativeState(entry, None, "busy")
        if failure.code in {ClientErrorCode.UNREACHABLE, ClientErrorCode.CONNECTION_LOST}:
            return None
        return NativeState(entry, None, "silent")


def _info(connection: NativeConnection) -> AppInfo:
    steps = read_info()
    step = next(steps)
    try:
        while isinstance(step, Request):
            answer = connection.call("", step.message, _PATIENCE_SECONDS)
            step = steps.send(answer or b"")
    except StopIteration as end:
        info: AppInfo = end.value
        return info
    raise AssertionError("asking who an app is takes no pause")
