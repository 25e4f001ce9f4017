"""Control protocol 1 from a caller's side: requests as bytes, answers as values. Knows no sockets.

Each method is a sequence of steps, a generator that yields what is to be sent or waited for, and
is sent what came of it. Whoever drives it, blocking or not, decides how. Contract: control
protocol 1.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias, TypeVar, cast

from bridge.client.action_error import ActionError
from bridge.client.answer_shapes import flag, integer, items, misshapen, obj, optional, text
from bridge.client.bridge_failure import BasculeError, BridgeFailure, DeadlineExceeded
from bridge.client.control_results import (
    ActionDescription,
    ActionSummary,
    AppInfo,
    CallEvent,
    CallEvents,
    CallResult,
    JsonObject,
    Task,
    Unavailability,
)
from bridge.contract.error_codes import Outcome
from bridge.contract.strict_json import JsonValue, StrictJsonError, dumps, loads

__all__ = [
    "Pause",
    "Request",
    "Step",
    "Steps",
    "call_action",
    "cancel_task",
    "describe_action",
    "get_task",
    "inspect_state",
    "list_actions",
    "raw_request",
    "read_calls",
    "read_info",
    "read_status",
    "task_and_revision",
    "wait_for_task",
]

__tracebackhide__ = True
"""A failed test shows its own line and the error, not ours in between."""

_LIST_LIMIT: Final = 100
_MAX_PAGES: Final = 1_000
_FIRST_PAUSE_SECONDS: Final = 0.02
_LONGEST_PAUSE_SECONDS: Final = 1.0


class Request(NamedTuple):
    """Send this JSON-RPC request to the page. The reply is its response."""

    message: bytes


class Pause(NamedTuple):
    """Wait so long. There is no reply."""

    seconds: float


Step: TypeAlias = Request | Pause
T = TypeVar("T")
Steps: TypeAlias = Generator[Step, bytes, T]


def raw_request(method: str, params: object = None) -> Steps[dict[str, JsonValue]]:
    """Send any method, and return the whole result object.

    Raises `StrictJsonError` for what cannot be written, before anything is sent, `ActionError` for
    the app's errors.
    """
    name = dumps(method)
    written = b"" if params is None else b',"params":' + dumps(params)
    # One request at a time and connection: the bridge tells them apart by ids of its own.
    response = yield Request(b'{"jsonrpc":"2.0","id":1,"method":' + name + written + b"}")
    try:
        value = loads(response)
    except StrictJsonError:
        raise misshapen("its response is not strict JSON within the limits") from None
    if not isinstance(value, dict) or value.get("id") not in (1, None):
        raise misshapen("it is no response to this request")
    if "error" in value:
        raise _action_error(value["error"])
    return cast("dict[str, JsonValue]", obj(value, "result"))


def read_info() -> Steps[AppInfo]:
    """Return what the app says of itself, which it does while it is disabled too."""
    result = yield from raw_request("agent/info")
    app = obj(result, "app")
    return AppInfo(
        name=text(app, "name"),
        version=text(app, "version"),
        enabled=flag(result, "enabled"),
        capabilities=integer(result, "capabilities"),
        limits=obj(result, "limits"),
        methods=tuple(str(method) for method in items(result, "methods")),
        revision=_revision(result),
    )


def list_actions(query: str | None) -> Steps[list[ActionSummary]]:
    """Return all actions in the host's order; with a query, those that have all of its words."""
    params: dict[str, object] = {"limit": _LIST_LIMIT}
    if query is not None:
        params["query"] = query
    found: list[ActionSummary] = []
    for _ in range(_MAX_PAGES):
        result = yield from raw_request("actions/list", params)
        page = items(result, "actions")
        found += [_summary(_as_object(action)) for action in page]
        if not optional(result, "nextCursor"):
            return found
        if not page:
            raise misshapen("an empty page of a list has another one after it")
        cursor = text(result, "nextCursor")
        if cursor == params.get("cursor"):
            break
        params["cursor"] = cursor
    raise misshapen("a list of actions has no end")


def describe_action(action: str) -> Steps[ActionDescription]:
    """Return all that is known of an action."""
    result = yield from raw_request("actions/describe", {"action": action})
    told = obj(result, "action")
    summary = _summary(told)
    return ActionDescription(
        name=summary.name,
        description=summary.description,
        kind=summary.kind,
        available=summary.available,
        unavailable=summary.unavailable,
        input_schema=told.get("inputSchema"),
        output_schema=told.get("outputSchema"),
        capabilities=integer(told, "capabilities"),
        undo=flag(told, "undo"),
        transaction=text(told, "transaction") if optional(told, "transaction") else None,
        command_id=integer(told, "commandId") if optional(told, "commandId") else None,
        revision=_revision(result),
    )


def call_action(
    action: str, input_value: object, expected_revision: int | Literal["latest"] | None
) -> Steps[CallResult]:
    """Execute an action. `"latest"` reads the action's revision first, and sends it.

    What fails in that first step was no call: its outcome is `not_delivered`.
    """
    params: dict[str, object] = {"action": action}
    if input_value is not None:
        params["input"] = input_value
    if expected_revision == "latest":
        revision = yield from _latest_revision(action)
    else:
        revision = expected_revision
    if revision is not None:
        params["expectedRevision"] = revision
    result = yield from raw_request("actions/execute", params)
    status = text(result, "status")
    if status == "completed":
        return CallResult("completed", result.get("output"), None, _revision(result))
    if status == "deferred":
        return CallResult("deferred", None, _task(obj(result, "task")), _revision(result))
    raise misshapen("status is neither completed nor deferred")


def _latest_revision(action: str) -> Steps[int | None]:
    # The action's own revision is told where it is described, and nowhere else.
    try:
        result = yield from raw_request("actions/describe", {"action": action})
        return _revision(result)
    except BridgeFailure as failure:
        failure.outcome = Outcome.NOT_DELIVERED
        raise
    except BasculeError as error:
        error.outcome = None
        raise


def inspect_state(query: JsonObject | None) -> Steps[dict[str, JsonValue]]:
    """Return what the app tells of its state."""
    return (yield from raw_request("state/inspect", query))


def get_task(task_id: str) -> Steps[Task]:
    """Return how a task is doing."""
    task, _ = yield from task_and_revision(task_id)
    return task


def task_and_revision(task_id: str) -> Steps[tuple[Task, int | None]]:
    """Return how a task is doing, and the host's state number; None where the host has none."""
    result = yield from raw_request("tasks/get", {"id": task_id})
    return _task(obj(result, "task")), _revision(result)


def cancel_task(task_id: str) -> Steps[Task]:
    """Ask for a task's end, and return how it is doing."""
    result = yield from raw_request("tasks/cancel", {"id": task_id})
    return _task(obj(result, "task"))


def wait_for_task(task_id: str) -> Steps[Task]:
    """Return a task once it has ended, however it did. The driver's deadline bounds the wait."""
    pause = _FIRST_PAUSE_SECONDS
    try:
        while True:
            task = yield from get_task(task_id)
            if task.ended:
                return task
            yield Pause(pause)
            pause = min(pause * 1.5, _LONGEST_PAUSE_SECONDS)
    except DeadlineExceeded as late:
        raise DeadlineExceeded(
            late.code,
            "The task has not ended by the deadline; it goes on.",
            outcome=Outcome.UNKNOWN,
        ) from None


def read_calls(body: bytes) -> CallEvents:
    """Read the bridge's answer about others' calls."""
    value = _bridge_object(body)
    return CallEvents(
        now=integer(value, "now"),
        next=integer(value, "next"),
        missed=integer(value, "missed"),
        events=tuple(_event(_as_object(event)) for event in items(value, "events")),
    )


def read_status(body: bytes) -> dict[str, JsonValue]:
    """Read what the bridge tells of itself."""
    return _bridge_object(body)


def _bridge_object(body: bytes) -> dict[str, JsonValue]:
    try:
        value = loads(body)
    except StrictJsonError:
        value = None
    if not isinstance(value, dict):
        raise misshapen("the bridge's answer is not a JSON object")
    return value


def _as_object(value: JsonValue) -> Mapping[str, JsonValue]:
    if not isinstance(value, dict):
        raise misshapen("an item is not an object")
    return value


def _revision(result: Mapping[str, JsonValue]) -> int | None:
    return integer(result, "revision") if optional(result, "revision") else None


def _summary(told: Mapping[str, JsonValue]) -> ActionSummary:
    kind = text(told, "kind")
    if kind not in {"read", "write"}:
        raise misshapen("kind is neither read nor write")
    unavailable = None
    if optional(told, "unavailable"):
        why = obj(told, "unavailable")
        unavailable = Unavailability(text(why, "code"), text(why, "reason"))
    return ActionSummary(
        name=text(told, "name"),
        description=text(told, "description"),
        kind=cast('Literal["read", "write"]', kind),
        available=flag(told, "available"),
        unavailable=unavailable,
    )


def _task(told: Mapping[str, JsonValue]) -> Task:
    return Task(
        id=text(told, "id"),
        state=text(told, "state"),
        action=text(told, "action") if optional(told, "action") else None,
        progress=told.get("progress"),
        output=told.get("output"),
        error=_action_error(told["error"]) if optional(told, "error") else None,
    )


def _action_error(error: JsonValue) -> ActionError:
    members = _as_object(error)
    data = members.get("data")
    return ActionError(
        integer(members, "code"), text(members, "message"), data if isinstance(data, dict) else {}
    )


def _event(told: Mapping[str, JsonValue]) -> CallEvent:
    phase = text(told, "phase")
    if phase not in {"begin", "end"}:
        raise misshapen("phase is neither begin nor end")
    duration = told.get("durationMs")
    return CallEvent(
        seq=integer(told, "seq"),
        phase=cast('Literal["begin", "end"]', phase),
        # A number of the bridge's own: all that counts is which two events have the same.
        call=str(integer(told, "call")),
        session=text(told, "session"),
        method=text(told, "method") if optional(told, "method") else None,
        action=text(told, "action") if optional(told, "action") else None,
        at=integer(told, "at"),
        ok=flag(told, "ok") if optional(told, "ok") else None,
        code=text(told, "code") if optional(told, "code") else None,
        duration_ms=duration if isinstance(duration, int | float) else None,
        deferred=text(told, "deferred") if optional(told, "deferred") else None,
    )
