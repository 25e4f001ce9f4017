"""A line, read as far as it can be tied to a request: its id, method and params, or its fault.

Reserves nothing and runs nothing, and does not know which protocol the line is of.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final, NamedTuple

from bridge.contract.error_codes import JsonRpcErrorNumber
from bridge.contract.limits import JSON_LIMITS, PROTOCOL_LIMITS
from bridge.contract.strict_json import JsonValue, StrictJsonError, check_size, loads
from bridge.dispatcher.app_error import RpcError, limit_exceeded
from bridge.dispatcher.params import ABSENT, Absent, Params

__all__ = ["Envelope", "read_envelope"]

_NO_PARAMS: Final[Params] = MappingProxyType({})
_OTHER: Final = "other"


class Envelope(NamedTuple):
    """A parsed line."""

    id: JsonValue | Absent
    """The id to answer with; absent for a notification, None where it is unknown."""
    method: str = ""
    params: Params = _NO_PARAMS
    error: Exception | None = None
    """What is wrong with the line, if anything."""
    kind: str = "message"
    """A `message` with a method, whose params may be wrong; an `array`, `response` or `other`."""

    @property
    def is_message(self) -> bool:
        """Whether it asks for something, or tells it: there is a method, be it an empty one."""
        return self.kind == "message"


def read_envelope(line: bytes | str) -> Envelope:
    """Read a line as far as it can be tied to an id. Raises nothing."""
    try:
        if isinstance(line, str):
            # Before it is encoded: characters are at most as many as bytes.
            check_size(line, JSON_LIMITS.max_encoded_bytes)
            line = line.encode()
        message = loads(line)
    except StrictJsonError as error:
        if error.kind == "limit":
            return Envelope(None, error=limit_exceeded(error), kind=_OTHER)
        return _unreadable(error)
    except UnicodeEncodeError:
        return _unreadable("not strict JSON: a lone surrogate")
    return _checked_envelope(message)


def _unreadable(why: object) -> Envelope:
    """Say why, in words that say already what it is not."""
    text = f"The message is {why}."
    return Envelope(None, error=RpcError(JsonRpcErrorNumber.PARSE_ERROR, text), kind=_OTHER)


def _checked_envelope(message: JsonValue) -> Envelope:
    if isinstance(message, list):
        text = "An array is no request; use actions/batch for several calls."
        return _refused(None, text, "array")
    if not isinstance(message, dict):
        return _refused(None, "A request is a JSON object.")
    request_id: JsonValue | Absent = message.get("id", ABSENT)
    kind = "response" if _is_response(message) else _OTHER
    if request_id is not ABSENT and not _is_id(request_id):
        return _refused(None, "An id is a string of at most 256 bytes or an integer.", kind)
    method = message.get("method")
    if message.get("jsonrpc") != "2.0" or not isinstance(method, str):
        known = None if request_id is ABSENT else request_id
        return _refused(known, 'A request has jsonrpc "2.0" and a method.', kind)
    params = message.get("params", {})
    if not isinstance(params, dict):
        error = RpcError(JsonRpcErrorNumber.INVALID_PARAMS, "params must be an object")
        return Envelope(request_id, method, error=error)
    return Envelope(request_id, method, params)


def _is_response(message: dict[str, JsonValue]) -> bool:
    return "method" not in message and ("result" in message or "error" in message)


def _refused(request_id: JsonValue | Absent, text: str, kind: str = _OTHER) -> Envelope:
    error = RpcError(JsonRpcErrorNumber.INVALID_REQUEST, text)
    return Envelope(request_id, error=error, kind=kind)


def _is_id(value: object) -> bool:
    if type(value) is int:
        return True
    if isinstance(value, str):
        return len(value.encode()) <= PROTOCOL_LIMITS.max_id_bytes
    return isinstance(value, int) and not isinstance(value, bool)
