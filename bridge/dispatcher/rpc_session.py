"""One agent's protocol state: takes a line, gives a line or nothing.

It never raises; what goes wrong is an error line. Contract: control protocol 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from bridge.contract.error_codes import AppErrorCode, JsonRpcErrorNumber
from bridge.contract.strict_json import JsonValue, dumps
from bridge.dispatcher.app_error import AppError, RpcError, contract_code, wire_error_text
from bridge.dispatcher.call_checks import Expired
from bridge.dispatcher.dispatcher import Dispatcher
from bridge.dispatcher.envelope import Envelope, read_envelope
from bridge.dispatcher.eventually import Eventually, Later, called
from bridge.dispatcher.json_copy import output_error
from bridge.dispatcher.methods import ALWAYS_ANSWERED, METHODS, MethodContext, Result
from bridge.dispatcher.params import ABSENT, Absent
from bridge.dispatcher.plain_json import quick_dumps

__all__ = ["Ending", "RpcSession", "failure"]

_PROTOCOL_VERSION: Final = "1"


class Ending(NamedTuple):
    """How a request ended."""

    ok: bool
    deferred: bool = False
    code: str | None = None


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
