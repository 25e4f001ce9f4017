"""Calls of one command to an app, in one protocol session: results as JSON text.

A command passes on what the app gave, so nothing is read that is not shown. One connection serves
all calls. Contract: control protocol 1.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from bridge.cli.output.json_text import JsonTextError, NumberText, compact, members, read
from bridge.client.bridge_failure import BasculeError, BridgeFailure, ClientErrorCode
from bridge.contract.error_codes import Outcome
from bridge.contract.limits import BRIDGE_LIMITS

if TYPE_CHECKING:
    from bridge.client.app_connection import AppConnection

__all__ = ["AppSession", "Result", "action_error", "bad_answer", "result_of"]

_MARGIN_SECONDS: Final = 5.0
"""A bridge knows more about a call that takes too long: its own answer should come first."""
_FIRST_PAUSE_SECONDS: Final = 0.02
_LONGEST_PAUSE_SECONDS: Final = 1.0
_LIST_LIMIT: Final = 100
_MAX_PAGES: Final = 1_000
ENDED: Final = frozenset({"cancelled", "completed", "failed"})


class Result(NamedTuple):
    """The result object of a call."""

    text: str
    """As the app wrote it."""
    value: dict[str, Any]
    """Its members; numbers are `NumberText`."""

    @property
    def revision(self) -> str | None:
        """The revision's digits, where there is one."""
        revision = self.value.get("revision")
        return revision if isinstance(revision, NumberText) else None

    def text_at(self, name: str) -> str:
        """Return a member that has to be a string."""
        value = self.value.get(name)
        if not isinstance(value, str) or isinstance(value, NumberText):
            raise bad_answer(f"{name} is not a string")
        return value

    def object_at(self, name: str) -> dict[str, Any]:
        """Return a member that has to be an object."""
        value = self.value.get(name)
        if not isinstance(value, dict):
            raise bad_answer(f"{name} is not an object")
        return value


class AppSession:
    """An app, over a bridge or native. Every method raises `BasculeError`."""

    def __init__(
        self,
        connection: AppConnection,
        session: str,
        timeout_seconds: float | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.connection = connection
        self.session = session
        self.timeout_seconds = timeout_seconds
        self._pause = pause

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def request(
        self, method: str, params: str | None = None, timeout_seconds: float | None = None
    ) -> Result:
        """Send one request and return its result. `params` is JSON text, sent as it is."""
        written = "" if params is None else f',"params":{params}'
        message = f'{{"jsonrpc":"2.0","id":1,"method":{compact(method)}{written}}}'
        seconds = timeout_seconds or self.timeout_seconds
        longest = (seconds or BRIDGE_LIMITS.max_call_seconds) + _MARGIN_SECONDS
        response = self.connection.respond(
            self.session, message.encode(), seconds, time.monotonic() + longest
        )
        return result_of(response)

    def look(self, method: str, params: str | None = None) -> Result:
        """Send a request that changes nothing: whatever becomes of it, nothing was done."""
        try:
            return self.request(method, params)
        except BasculeError as error:
            error.outcome = None
            raise

    def describe(self, action: str) -> Result:
        """Return all that is known of an action."""
        return self.look("actions/describe", compact({"action": action}))

    def actions(self, query: str | None = None) -> list[dict[str, Any]]:
        """Return all actions, or those that a query finds, over as many pages as there are."""
        found: list[dict[str, Any]] = []
        params: dict[str, Any] = {"limit": NumberText(_LIST_LIMIT)}
        if query is not None:
            params["query"] = query
        for _ in range(_MAX_PAGES):
            result = self.look("actions/list", compact(params)).value
            actions = result.get("actions")
            if not isinstance(actions, list) or not all(isinstance(a, dict) for a in actions):
                raise bad_answer("actions is not a list of objects", outcome=None)
            found += actions
            cursor = result.get("nextCursor")
            if not isinstance(cursor, str):
                return found
            params["cursor"] = cursor
        raise bad_answer("its list of actions has no end", outcome=None)

    def await_task(
        self,
        task_id: str,
        deadline: float | None,
        watch: Callable[[dict[str, Any]], None] | None = None,
        until: Callable[[dict[str, Any]], bool] | None = None,
    ) -> Result:
        """Return a task once it has ended, or as it is at the deadline on the monotonic clock.

        `watch` is told of the task each time that it was asked for; where `until` gives true it is
        waited for no longer.
        """
        seconds = _FIRST_PAUSE_SECONDS
        while True:
            result = self.look("tasks/get", compact({"id": task_id}))
            task = result.object_at("task")
            if watch is not None:
                watch(task)
            left = None if deadline is None else deadline - time.monotonic()
            enough = until is not None and until(task)
            if enough or task.get("state") in ENDED or (left is not None and left <= 0):
                return result
            self._pause(seconds if left is None else min(seconds, left))
            seconds = min(seconds * 1.5, _LONGEST_PAUSE_SECONDS)


def result_of(response: bytes | None) -> Result:
    """Return the result in a response. Raises the app's error as `ActionError`."""
    try:
        parts = members((response or b"").decode())
        if "error" in parts:
            raise action_error(read(parts["error"]))
        value = read(parts["result"])
    except (JsonTextError, UnicodeDecodeError):
        raise bad_answer("its response is no JSON object") from None
    except KeyError:
        raise bad_answer("its response has neither a result nor an error") from None
    if not isinstance(value, dict):
        raise bad_answer("its result is not an object")
    return Result(parts["result"], value)


def action_error(error: object) -> BasculeError:
    """Return the app's error as an exception."""
    from bridge.client.action_error import ActionError  # noqa: PLC0415 - for errors only

    code = error.get("code") if isinstance(error, dict) else None
    message = error.get("message") if isinstance(error, dict) else None
    if not isinstance(error, dict) or not isinstance(code, NumberText):
        return bad_answer("its error has no code")
    data = error.get("data")
    try:
        number = int(code)
    except ValueError:
        return bad_answer("its error has a code that is no integer")
    return ActionError(number, str(message), data if isinstance(data, dict) else {})


def bad_answer(what: str, outcome: Outcome | None = Outcome.UNKNOWN) -> BridgeFailure:
    """Say that an answer is not what the protocol says. It came from a call that ran."""
    return BridgeFailure(
        ClientErrorCode.BAD_ANSWER,
        f"The app answered with something that the protocol does not know: {what}.",
        outcome=outcome,
    )
