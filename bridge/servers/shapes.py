"""The shapes that bodies and frames have in common, read from their members (Contract: shapes).

No message repeats what the peer sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bridge.broker.events import ChannelResult
from bridge.contract.error_codes import BridgeErrorCode
from bridge.contract.jsonrpc import response_id
from bridge.contract.raw_json import RawObject
from bridge.contract.strict_json import JsonValue

__all__ = [
    "ShapeError",
    "app_error_code",
    "count",
    "deferred_reason",
    "integer",
    "read_result",
    "text",
]

_MAX_WORD_CHARS: Final = 64


class ShapeError(Exception):
    """What came through the gate or the channel is not of the contract's shape."""

    def __init__(self, message: str, code: BridgeErrorCode = BridgeErrorCode.BAD_REQUEST) -> None:
        super().__init__(message)
        self.message = message
        self.code = code


def text(values: Mapping[str, JsonValue], name: str) -> str:
    """Return a member that is a string and not empty. Raises `ShapeError`."""
    value = values.get(name)
    if not isinstance(value, str) or not value:
        raise ShapeError(f"{name} is a string that is not empty.")
    return value


def integer(value: JsonValue) -> int | None:
    """Return a value that is an integer, however its token is spelt, else None."""
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else None


def count(values: Mapping[str, JsonValue], name: str) -> int:
    """Return a member that counts something, from 0. Raises `ShapeError`."""
    value = integer(values.get(name))
    if value is None or value < 0:
        raise ShapeError(f"{name} is an integer from 0.")
    return value


def read_result(body: RawObject) -> ChannelResult:
    """Read one result, posted or in a frame. Raises `ShapeError`."""
    item_id = text(body.values, "id")
    too_large = body.values.get("tooLarge", False)
    if not isinstance(too_large, bool) or too_large == ("response" in body.values):
        raise ShapeError("A result has either a response or tooLarge: true.")
    if too_large:
        return ChannelResult(item_id, None)
    response = body.values["response"]
    return ChannelResult(
        item_id,
        body.raw("response"),
        response_id(response),
        app_error_code(response),
        deferred_reason(response),
    )


def app_error_code(response: JsonValue) -> str | None:
    """Return what a response that is an error calls itself; None of one that is none."""
    error = response.get("error") if isinstance(response, dict) else None
    if error is None:
        return None
    return _short(_object(error, "data").get("code")) or "ERROR"


def deferred_reason(response: JsonValue) -> str | None:
    """Return why the call that a response is to goes on as a task; None where it does not.

    `consent`: the owner of the page is asked first.
    """
    result = _object(response, "result")
    # MCP has the same result within its own.
    told = result if "status" in result else _object(result, "structuredContent")
    if told.get("status") != "deferred":
        return None
    return _short(_object(_object(told, "task"), "progress").get("reason")) or "task"


def _object(value: JsonValue, name: str) -> dict[str, JsonValue]:
    member = value.get(name) if isinstance(value, dict) else None
    return member if isinstance(member, dict) else {}


def _short(value: JsonValue) -> str | None:
    """Return a text that can be shown to who watches; None for any other value."""
    if not isinstance(value, str) or not 0 < len(value) <= _MAX_WORD_CHARS:
        return None
    return value if value.isascii() and value.isprintable() else None
