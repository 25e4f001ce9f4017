"""One agent's protocol state: takes a line, gives a line or nothing.

It never raises; what goes wrong is an error line. Contract: control protocol 1.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Final, NamedTuple

from bridge.contract.error_codes import AppErrorCode, JsonRpcErrorNumber
from bridge.contract.limits import JSON_LIMITS, PROTOCOL_LIMITS
from bridge.contract.strict_json import JsonValue, StrictJsonError, check_size, dumps, loads
from bridge.dispatcher.app_error import (
    AppError,
    RpcError,
    contract_code,
    limit_exceeded,
    wire_error_text,
)
from bridge.dispatcher.call_checks import Expired
from bridge.dispatcher.dispatcher import Dispatcher
from bridge.dispatcher.eventually import Eventually, Later, called
from bridge.dispatcher.json_copy import output_error
from bridge.dispatcher.methods import ALWAYS_ANSWERED, METHODS, MethodContext, Result
from bridge.dispatcher.params import ABSENT, Absent, Params
from bridge.dispatcher.plain_json import quick_dumps

__all__ = ["Ending", "Envelope", "RpcSession", "failure", "read_envelope"]

_PROTOCOL_VERSION: Final = "1"
_NO_PARAMS: Final[Params] = MappingProxyType({})


class Envelope(NamedTuple):
    """A parsed line."""

    id: JsonValue | Absent
    """The id to answer with; absent for a notification, None where it is unknown."""
    method: str = ""
    params: Params = _NO_PARAMS
    error: Exception | None = None
    """What is wrong with the line, if anything."""


class Ending(NamedTuple):
    """How a request ended."""

    ok: bool
    deferred: bool = False
    code: str | None = None


def read_envelope(line: bytes | str) -> Envelope:
    """Read a line as far as it can be tied to an id. Reserves nothing and runs nothing."""
    try:
        if isinstance(line, str):
            # Before it is encoded: characters are at most as many as bytes.
            check_size(line, JSON_LIMITS.max_encoded_bytes)
            line = line.encode()
        message = loads(line)
    except StrictJsonError as error:
        if error.kind == "limit":
            return Envelope(None, error=limit_exceeded(error))
        return _unreadable(str(error))
    except UnicodeEncodeError:
        return _unreadable("not strict JSON: a lone surrogate")
    return _checked_envelope(message)


def _unreadable(why: str) -> Envelope:
    text = f"The line is not strict JSON ({why})."
    return Envelope(None, error=RpcError(JsonRpcErrorNumber.PARSE_ERROR, text))


def _checked_envelope(message: JsonValue) -> Envelope:
    if isinstance(message, list):
        return _refused(None, "An array is no request; use actions/batch for several calls.")
    if not isinstance(message, dict):
        return _refused(None, "A request is a JSON object.")
    request_id: JsonValue | Absent = message.get("id", ABSENT)
    if request_id is not ABSENT and not _is_id(request_id):
        return _refused(None, "An id is a string of at most 256 bytes or an integer.")
    method = message.get("method")
    if message.get("jsonrpc") != "2.0" or not isinstance(method, str):
        known = None if request_id is ABSENT else request_id
        return _refused(known, 'A request has jsonrpc "2.0" and a method.')
    params = message.get("params", {})
    if not isinstance(params, dict):
        error = RpcError(JsonRpcErrorNumber.INVALID_PARAMS, "params must be an object")
        return Envelope(request_id, method, error=error)
    return Envelope(request_id, method, params)


def _refused(request_id: JsonValue | Absent, text: str) -> Envelope:
    return Envelope(request_id, error=RpcError(JsonRpcErrorNumber.INVALID_REQUEST, text))


def _is_id(value: object) -> bool:
    if type(value) is int:
        return True
    if isinstance(value, str):
        return len(value.encode()) <= PROTOCOL_LIMITS.max_id_bytes
    return isinstance(value, int) and not isinstance(value, bool)


class RpcSession:
    """The state of one agent session: `session` is its name, where it has one."""

    def __init__(self, dispatcher: Dispatcher, session: str | None = None) -> None:
        self._dispatcher = dispatcher
        self._session = session

    async def receive(self, line: bytes | str, *, expired: Expired | None = None) -> str | None:
        """Take one line, and return one, or None for a notification.

        `expired` says whether the caller has gone by now: a call whose turn comes later than that
        is not begun, save a notification, for whose answer nobody stays. Over a host that answers
        at once this coroutine ends at its first step. Where the caller is cancelled, a call that
        has begun goes on.
        """
        envelope = read_envelope(line)
        return await self.handle(envelope, expired=None if envelope.id is ABSENT else expired)

    async def handle(
        self,
        envelope: Envelope,
        *,
        expired: Expired | None = None,
        ended: Callable[[Ending], None] | None = None,
    ) -> str | None:
        """Take one line that was read before. `ended` is told once and raises nothing."""
        try:
            # An unknown method comes before its params.
            if envelope.error is not None and (envelope.method == "" or envelope.method in METHODS):
                raise envelope.error
            result = called(self._call, envelope, expired)
            if isinstance(result, Later):
                result = await result
            answer = None if envelope.id is ABSENT else _success(envelope.id, result)
            ending = Ending(ok=True, deferred=result.get("status") == "deferred")
        except Exception as error:  # noqa: BLE001 - whatever it is becomes an error line
            self._dispatcher.report_host_error(error)
            answer = None if envelope.id is ABSENT else failure(envelope.id, error)
            ending = Ending(ok=False, code=contract_code(error) or "HOST_ERROR")
        if ended is not None:
            ended(ending)
        return answer

    def _call(self, envelope: Envelope, expired: Expired | None) -> Eventually[Result]:
        method = METHODS.get(envelope.method)
        if method is None:
            raise RpcError(
                JsonRpcErrorNumber.METHOD_NOT_FOUND,
                "No such method; see agent/info for all of them.",
            )
        params = envelope.params
        if params.get("protocolVersion", _PROTOCOL_VERSION) != _PROTOCOL_VERSION:
            raise AppError(
                AppErrorCode.UNSUPPORTED_PROTOCOL_VERSION,
                "This app speaks control protocol 1.",
                {"supported": [_PROTOCOL_VERSION]},
            )
        if envelope.method not in ALWAYS_ANSWERED:
            self._dispatcher.require_enabled()
        return method(MethodContext(self._dispatcher, self._session, expired), params)


def _success(request_id: JsonValue | Absent, result: Result) -> str:
    result["protocolVersion"] = _PROTOCOL_VERSION
    whole = {"jsonrpc": "2.0", "id": request_id, "result": result}
    try:
        # Whatever an app gave was copied when it was checked: all of it is plain.
        return (quick_dumps(whole) or dumps(whole)).decode()
    except Exception as error:  # noqa: BLE001 - what it holds may do anything when it is read
        raise output_error(error, result) from None


def failure(request_id: JsonValue | Absent, error: object) -> str:
    """Return the error line for a request: its id, or None where that could not be read."""
    known = dumps(None if request_id is ABSENT else request_id)
    return (
        b'{"jsonrpc":"2.0","id":' + known + b',"error":' + wire_error_text(error) + b"}"
    ).decode()
