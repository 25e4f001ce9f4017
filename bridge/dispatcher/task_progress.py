"""Tells an MCP client how a task goes on that it waits for: one line at each change.

Knows no clock and sends nothing. Contract: MCP.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from bridge.contract.strict_json import dumps

__all__ = ["TaskProgressLines", "is_unfinished"]

_UNFINISHED: Final = ("queued", "running", "cancelling")


def is_unfinished(task: Mapping[str, Any]) -> bool:
    """Say whether a task, as it is told, may still change."""
    return task.get("state") in _UNFINISHED


class TaskProgressLines:
    """The lines for one call, by its own token. Without a token there are none."""

    def __init__(self, token: str | int | None) -> None:
        self._token = token
        self._sent = 0
        self._told: tuple[object, object] | None = None

    def line(self, task: Mapping[str, Any]) -> str | None:
        """Return what is to be sent of an unfinished task; None where nothing has changed."""
        state, progress = task.get("state"), task.get("progress")
        if self._token is None or self._told == (state, progress):
            return None
        self._told = (state, progress)
        self._sent += 1
        message = progress.get("message") if isinstance(progress, Mapping) else None
        params = {
            "progressToken": self._token,
            "progress": self._sent,
            "message": message if isinstance(message, str) and message else state,
        }
        line = {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}
        return dumps(line).decode()
