"""A `task_status` call with `waitMs`, as whoever stands between client and app waits for it.

The app is asked again and again by the client's own message without `waitMs`, so that nothing in
between needs to hold a request open in the app. Pure: the time is passed in, in seconds of any
clock that goes forward. Contract: MCP.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from bridge.contract.limits import MCP_LIMITS
from bridge.contract.strict_json import StrictJsonError, dumps
from bridge.dispatcher.mcp_front import AppRequest
from bridge.dispatcher.task_progress import TaskProgressLines, is_unfinished

__all__ = ["AskAgain", "TaskWait", "WaitOver", "task_wait"]

_MAX_WAIT_MS: Final = MCP_LIMITS.max_task_wait_seconds * 1_000
_FIRST_PAUSE_SECONDS: Final = 0.05
_LONGEST_PAUSE_SECONDS: Final = 0.5


class WaitOver(NamedTuple):
    """The app's last answer is the call's answer."""


class AskAgain(NamedTuple):
    """Send `TaskWait.line` to the app once more."""

    after_seconds: float
    progress: str | None
    """A line to be sent to the client at once."""


Step: TypeAlias = WaitOver | AskAgain


def task_wait(request: AppRequest, now: float) -> TaskWait | None:
    """Begin to wait, or return None where the call does not ask for that.

    A `waitMs` that the tool does not take is none: the app says what is wrong with it.
    """
    if request.method != "tools/call" or request.params.get("name") != "task_status":
        return None
    arguments = request.params.get("arguments")
    wait_ms = arguments.get("waitMs") if isinstance(arguments, Mapping) else None
    if not isinstance(wait_ms, int) or isinstance(wait_ms, bool) or not 0 < wait_ms <= _MAX_WAIT_MS:
        return None
    try:
        return TaskWait(request, now + wait_ms / 1000)
    except StrictJsonError:
        # Written anew it is over a limit: the client's own line was just within.
        return None


class TaskWait:
    """One waiting call. Made by `task_wait`."""

    def __init__(self, request: AppRequest, until: float) -> None:
        self._until = until
        self._pause = _FIRST_PAUSE_SECONDS
        self._progress = TaskProgressLines(request.progress_token)
        arguments = {
            name: value for name, value in request.params["arguments"].items() if name != "waitMs"
        }
        message: dict[str, Any] = {
            "jsonrpc": "2.0",
            "id": request.id,
            "method": request.method,
            "params": {**request.params, "arguments": arguments},
        }
        self.line: bytes = dumps(message)
        """What the app is asked, each time."""

    def answered(self, answer: bytes | str, now: float) -> Step:
        """Take the app's answer, which the caller keeps, and say what comes next."""
        task = _task_of(answer)
        if task is None or not is_unfinished(task) or now >= self._until:
            return WaitOver()
        pause = min(self._pause, self._until - now)
        self._pause = min(self._pause * 2, _LONGEST_PAUSE_SECONDS)
        return AskAgain(pause, self._progress.line(task))


def _task_of(answer: bytes | str) -> Mapping[str, Any] | None:
    """Return the task that an answer tells of, if it does."""
    try:
        value: object = orjson.loads(answer)
    except orjson.JSONDecodeError:
        return None
    for name in ("result", "structuredContent", "task"):
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else None
