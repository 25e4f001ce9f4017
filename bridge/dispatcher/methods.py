"""The methods of control protocol 1, in one table: what each takes and gives.

`protocolVersion` is added to every result by the session.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from string import ascii_lowercase, ascii_uppercase
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from bridge.contract.error_codes import AppErrorCode, JsonRpcErrorNumber
from bridge.contract.limits import BRIDGE_LIMITS, JSON_LIMITS, PROTOCOL_LIMITS
from bridge.dispatcher.action_spec import ActionSpec
from bridge.dispatcher.app_error import AppError, RpcError, sendable_error
from bridge.dispatcher.batch import BatchItem
from bridge.dispatcher.call_checks import Expired, ExternalCall
from bridge.dispatcher.dispatcher import Dispatcher
from bridge.dispatcher.eventually import Eventually, and_then
from bridge.dispatcher.host import Resource
from bridge.dispatcher.host_call import Executed
from bridge.dispatcher.host_reading import AsOf
from bridge.dispatcher.json_copy import to_plain
from bridge.dispatcher.list_page import fitting
from bridge.dispatcher.params import (
    ABSENT,
    Params,
    invalid_params,
    optional_boolean,
    optional_count,
    optional_integer,
    optional_string,
    required_objects,
    required_string,
)
from bridge.dispatcher.task_table import Task, TaskState

__all__ = ["ALWAYS_ANSWERED", "METHODS", "Method", "MethodContext", "Result", "task_view"]

Result: TypeAlias = dict[str, Any]


class MethodContext(NamedTuple):
    """What a method works with."""

    dispatcher: Dispatcher
    session: str | None
    expired: Expired | None


Method: TypeAlias = Callable[[MethodContext, Params], Eventually[Result]]

ALWAYS_ANSWERED: Final = frozenset({"agent/info"})
"""Answered even while the dispatcher is disabled."""

_LOWER_ASCII: Final = str.maketrans(ascii_uppercase, ascii_lowercase)
_BLANKS: Final = re.compile(r"[ \t\r\n]+")
_CURSOR: Final = re.compile(r"[1-9][0-9]{0,8}")


def _agent_info(context: MethodContext, _params: Params) -> Result:
    dispatcher = context.dispatcher
    return {
        "app": dispatcher.app._asdict(),
        "enabled": dispatcher.enabled,
        "capabilities": dispatcher.capabilities(),
        "limits": _LIMITS,
        "methods": list(METHODS),
        **_with_revision(dispatcher),
    }


def _actions_list(context: MethodContext, params: Params) -> Eventually[Result]:
    dispatcher = context.dispatcher
    query = (optional_string(params, "query") or "").translate(_LOWER_ASCII)
    words = [word for word in _BLANKS.split(query) if word]
    start = _cursor_index(optional_string(params, "cursor"))
    limit = (
        optional_count(params, "limit", PROTOCOL_LIMITS.max_list_limit)
        or PROTOCOL_LIMITS.default_list_limit
    )

    def page(specs: Mapping[str, ActionSpec]) -> Result:
        found = [spec for spec in specs.values() if _matches(spec, words)]
        listed = fitting(_summary(dispatcher, spec) for spec in found[start : start + limit])
        result: Result = {"actions": listed, **_with_revision(dispatcher)}
        if start + len(listed) < len(found):
            result["nextCursor"] = str(start + len(listed))
        return result

    return and_then(dispatcher.actions(), page)


def _cursor_index(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if _CURSOR.fullmatch(cursor) is None:
        raise RpcError(
            JsonRpcErrorNumber.INVALID_PARAMS,
            "params.cursor must be a nextCursor of an earlier answer",
        )
    return int(cursor)


def _matches(spec: ActionSpec, words: list[str]) -> bool:
    name = spec.name.translate(_LOWER_ASCII)
    description = spec.description.translate(_LOWER_ASCII)
    return all(word in name or word in description for word in words)


def _summary(dispatcher: Dispatcher, spec: ActionSpec) -> Result:
    unavailable = dispatcher.unavailable(spec.name)
    summary: Result = {
        "name": spec.name,
        "description": spec.description,
        "kind": spec.kind,
        "available": unavailable is None,
    }
    if unavailable is not None:
        summary["unavailable"] = unavailable._asdict()
    return summary


def _actions_describe(context: MethodContext, params: Params) -> Eventually[Result]:
    dispatcher = context.dispatcher
    name = required_string(params, "action")

    def describe(spec: ActionSpec) -> Result:
        action = {
            **_summary(dispatcher, spec),
            "inputSchema": spec.input_schema,
            "outputSchema": spec.output_schema,
            "capabilities": spec.capabilities,
            "undo": spec.undo,
        }
        if spec.transaction is not None:
            action["transaction"] = spec.transaction
        if spec.command_id is not None:
            action["commandId"] = spec.command_id
        return {"action": action, **_with_revision(dispatcher, name)}

    return and_then(dispatcher.action(name), describe)


def _actions_execute(context: MethodContext, params: Params) -> Eventually[Result]:
    action = required_string(params, "action")
    expected_revision = optional_integer(params, "expectedRevision")
    call = ExternalCall(
        action,
        params.get("input", ABSENT),
        expected_revision,
        context.session,
        context.expired,
    )

    return and_then(context.dispatcher.execute(call), _executed)


def _executed(executed: Executed) -> Result:
    result: Result = (
        {"status": "completed", "output": executed.output}
        if executed.task is None
        else {"status": "deferred", "task": task_view(executed.task)}
    )
    if executed.revision is not None:
        result["revision"] = executed.revision
    return result


def _actions_batch(context: MethodContext, params: Params) -> Eventually[Result]:
    dispatcher = context.dispatcher
    atomic = optional_boolean(params, "atomic", default=False)
    stop_on_error = optional_boolean(params, "stopOnError", default=True)
    calls = [
        ExternalCall(
            required_string(call, "action"),
            call.get("input", ABSENT),
            optional_integer(call, "expectedRevision"),
            context.session,
            context.expired,
        )
        for call in required_objects(params, "calls", PROTOCOL_LIMITS.max_batch_calls)
    ]
    return and_then(
        dispatcher.batch(calls, atomic=atomic, stop_on_error=stop_on_error),
        lambda done: {
            "atomic": done.atomic,
            "committed": done.committed,
            "results": [_batch_item(item) for item in done.items],
            **_with_revision(dispatcher),
        },
    )


def _batch_item(item: BatchItem) -> Result:
    if item.error is not None:
        return {"ok": False, "error": sendable_error(item.error)}
    if item.executed is None:
        return {"ok": False, "skipped": True}
    told = _executed(item.executed)
    if item.executed.task is None:
        del told["status"]
    return {"ok": True, **told}


def _state_inspect(context: MethodContext, params: Params) -> Eventually[Result]:
    query = {name: to_plain(member) for name, member in _without_version(params).items()}
    return and_then(
        context.dispatcher.inspect_at_revision(query, expired=context.expired),
        lambda seen: {**seen.value, **_revision_member(seen.revision)},
    )


def _without_version(params: Params) -> dict[str, Any]:
    return {name: member for name, member in params.items() if name != "protocolVersion"}


def _tasks_get(context: MethodContext, params: Params) -> Result:
    task = context.dispatcher.tasks.get(required_string(params, "id"))
    return {"task": task_view(task, whole=True), **_with_revision(context.dispatcher)}


def _tasks_cancel(context: MethodContext, params: Params) -> Result:
    task = context.dispatcher.tasks.get(required_string(params, "id"))
    task.cancel()
    return {"task": task_view(task, whole=True), **_with_revision(context.dispatcher)}


def _resources_read(context: MethodContext, params: Params) -> Eventually[Result]:
    uri = required_string(params, "uri")
    offset = optional_integer(params, "offset") or 0
    if offset < 0:
        raise invalid_params("offset", "at least 0")
    most = PROTOCOL_LIMITS.max_resource_chunk_bytes
    limit = optional_count(params, "limit", most) or most

    def answer(read: AsOf[Resource]) -> Result:
        found = read.value
        result: Result = {
            "uri": uri,
            "mimeType": found.mime_type,
            "size": found.size,
            "offset": offset,
            "data": b64encode(found.data).decode(),
        }
        end = offset + len(found.data)
        if end < found.size:
            result["nextOffset"] = end
        return {**result, **_revision_member(read.revision)}

    found = context.dispatcher.read_resource_at_revision(
        uri, offset, limit, expired=context.expired
    )
    return and_then(found, answer)


def _view_render(context: MethodContext, params: Params) -> Eventually[Result]:
    def answer(executed: Executed) -> Result:
        told = _executed(executed)
        if executed.task is not None:
            return told
        if not isinstance(executed.output, dict):
            raise AppError(AppErrorCode.INVALID_OUTPUT, "What the app rendered is not an object.")
        return {**executed.output, **_revision_member(executed.revision)}

    rendered = context.dispatcher.render(
        _without_version(params), session=context.session, expired=context.expired
    )
    return and_then(rendered, answer)


def task_view(task: Task, *, whole: bool = False) -> Result:
    """Tell of a task: of a `whole` one its action, output and error as well."""
    view: Result = {"id": task.id, "state": task.state.value}
    if whole:
        view["action"] = task.action
    if task.progress is not None:
        view["progress"] = task.progress
    if whole and task.state is TaskState.COMPLETED:
        view["output"] = task.output
    if whole and task.state is TaskState.FAILED:
        view["error"] = sendable_error(task.error)
    return view


def _with_revision(dispatcher: Dispatcher, action: str | None = None) -> Result:
    """Return the revision as a member; empty where the host has none."""
    return _revision_member(dispatcher.revision(action))


def _revision_member(revision: int | None) -> Result:
    return {} if revision is None else {"revision": revision}


def _spelled(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


_LIMITS: Final[Mapping[str, int]] = MappingProxyType(
    {
        _spelled(name): int(limit)
        for limits in (JSON_LIMITS, PROTOCOL_LIMITS)
        for name, limit in limits._asdict().items()
    }
    | {"maxCallSeconds": int(BRIDGE_LIMITS.max_call_seconds)}
)

METHODS: Final[Mapping[str, Method]] = MappingProxyType(
    {
        "agent/info": _agent_info,
        "actions/list": _actions_list,
        "actions/describe": _actions_describe,
        "actions/execute": _actions_execute,
        "actions/batch": _actions_batch,
        "state/inspect": _state_inspect,
        "tasks/get": _tasks_get,
        "tasks/cancel": _tasks_cancel,
        "resources/read": _resources_read,
        "view/render": _view_render,
    }
)
