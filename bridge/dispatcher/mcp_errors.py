"""Errors of tools for a model that sees nothing but the tools: what to do, by the error's code.

A code that refuses a call says, whoever raises it, that nothing was done. Words only: what an
error is, and the line that tells it, are made elsewhere. Contract: MCP, errors of tools.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from bridge.dispatcher.clipped_text import clipped

__all__ = ["HINTS", "error_text", "for_model", "result_for_model", "short_error_text"]

WireError = dict[str, Any]

HINTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "DISABLED": "Nothing was run. Only the person at the app can let calls in again: in a page"
        " by Resume in Bascule's panel. Ask them to.",
        "UNKNOWN_ACTION": "Nothing was run. Find its exact name with actions_search.",
        "INVALID_INPUT": "Nothing was run. Ask actions_describe for the action's inputSchema, and"
        " call again with an input that matches it.",
        "INVALID_OUTPUT": "An action that was called has run: do not repeat it. Look with"
        " state_inspect what it did. The fault is the app's own.",
        "CAPABILITY_REQUIRED": "Nothing was run. Only the person at the app can give it this"
        " capability. actions_search shows what there is besides.",
        "UNAVAILABLE": "Nothing was run. Try again when the reason is gone, which the person may"
        " have to see to. actions_search tells what can run now.",
        "REVISION_REQUIRED": "Nothing was run. Give expectedRevision: actions_describe tells the"
        " revision that this action expects.",
        "STALE_REVISION": "Nothing was done. Look with state_inspect what has changed, decide anew,"
        " and give the revision that you read then; actions_describe tells it as well.",
        "TRANSACTION_UNSUPPORTED": "Nothing was run. Leave this action out of the atomic batch, or"
        " call actions_batch without atomic.",
        "TRANSACTION_DOMAIN": "Nothing was run. actions_describe tells the transaction domain of"
        " each action: make one atomic batch of each, or call actions_batch without atomic.",
        "DEFERRED_IN_TRANSACTION": "Run this action by itself, with actions_execute.",
        "ROLLED_BACK": "Everything that the batch had done is undone. data.index says which call"
        " failed, from 0, and data.cause why: mend that call and send the batch again.",
        "UNKNOWN_TASK": "Tasks are forgotten some time after their end, and all of them when the"
        " app starts anew. Look with state_inspect whether the work was done.",
        "UNKNOWN_RESOURCE": "Nothing was read. Give the URI exactly as the app gave it; an old one"
        " may be gone: have the app make it again.",
        "LIMIT_EXCEEDED": "An action that was called may have run: look with state_inspect before"
        " you call it again. Ask for less at once.",
        "UNSUPPORTED_PROTOCOL_VERSION": "Nothing was run. The app and this bridge are of different"
        " versions: ask the person to update them.",
        "SESSION_LIMIT": "Nothing was run. Try again in a moment. If it stays so, ask the person to"
        " close other clients of the app.",
        "HOST_ERROR": "Look with state_inspect what was done before you try again: to repeat it may"
        " do it twice.",
        "INVALID_PARAMS": "Nothing was run. Mend the arguments by the inputSchema of the tool.",
    }
)
"""What to do, for each code that a tool's error can have."""

_NO_INSPECTION: Final = (
    "Nothing was read. Find actions of kind read with actions_search, and look by those."
)
_NO_PICTURES: Final = "This app draws no pictures of itself: it has no action ui.render."
_LOOK_OTHERWISE: Final = "Nothing was run. Look with state_inspect instead."
_MAX_TOLD_VIOLATIONS: Final = 3
_MAX_SHORT_CHARS: Final = 2_000
"""Of an error that is told whole elsewhere: clients show a model a few thousand of a text."""
_PARAMS: Final = "params."
_ARGUMENTS: Final = "arguments."


def for_model(error: WireError, tool: str | None = None) -> WireError:
    """Return a nested error with a hint what to do. `tool` is the one that failed, where known.

    A hint of the app's own stays as it is. Raises nothing.
    """
    try:
        return _for_model(error, tool)
    except Exception:  # noqa: BLE001 - an app's own data may do anything when it is read
        return error


def result_for_model(tool: str, result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool's result with hints in the errors within: of calls, and of a task."""
    told = dict(result)
    if tool == "actions_batch":
        told["results"] = [_item(item) for item in told["results"]]
    elif tool in ("task_status", "task_cancel"):
        told["task"] = _item(told["task"])
    return told


def error_text(error: Mapping[str, Any]) -> str:
    """Return what is to be read of an error: its message, the first violations, and the hint."""
    lines = [str(error["message"])]
    data = error.get("data")
    if isinstance(data, Mapping):
        violations = data.get("errors")
        if isinstance(violations, list):
            told = (_violation(each) for each in violations[:_MAX_TOLD_VIOLATIONS])
            lines += [each for each in told if each is not None]
        if isinstance(data.get("hint"), str):
            lines.append(data["hint"])
    return "\n".join(lines)


def short_error_text(error: Mapping[str, Any], max_bytes: int) -> str:
    """Return an error's code and the beginning of `error_text`, of at most `max_bytes` as JSON."""
    data = error.get("data")
    code = data.get("code") if isinstance(data, Mapping) else None
    named = f"{code}: " if isinstance(code, str) else ""
    return clipped(f"{named}{error_text(error)}", _MAX_SHORT_CHARS, max_bytes)


def _for_model(error: WireError, tool: str | None) -> WireError:
    data = error.get("data")
    code = data.get("code") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(code, str) or code not in HINTS:
        return error
    message = error["message"]
    if code == "INVALID_PARAMS" and message.startswith(_PARAMS):
        message = _ARGUMENTS + message.removeprefix(_PARAMS)
    if code == "UNKNOWN_ACTION" and tool == "view_render":
        message = _NO_PICTURES
    told = dict(data)
    if code == "ROLLED_BACK" and isinstance(told.get("cause"), dict):
        told["cause"] = for_model(told["cause"])
    told.setdefault("hint", _hint(code, tool, data))
    return {**error, "message": message, "data": told}


def _hint(code: str, tool: str | None, data: Mapping[str, Any]) -> str:
    if code == "UNKNOWN_ACTION" and tool == "view_render":
        return _LOOK_OTHERWISE
    availability = data.get("availability")
    if isinstance(availability, Mapping) and availability.get("code") == "NO_INSPECTION":
        return _NO_INSPECTION
    return HINTS[code]


def _item(item: Any) -> Any:  # noqa: ANN401 - of a result, as it was made
    if "error" not in item:
        return item
    return {**item, "error": for_model(item["error"])}


def _violation(each: object) -> str | None:
    if not isinstance(each, Mapping):
        return None
    path, message = each.get("path"), each.get("message")
    if not isinstance(path, str) or not isinstance(message, str):
        return None
    return f"{path}: {message}" if path else message
