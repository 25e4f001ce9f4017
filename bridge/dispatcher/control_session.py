"""Control protocol 1, for one session: a request that was read gives an answer.

Nothing is remembered between two of them. Contract: control protocol 1.
"""

from __future__ import annotations

from typing import Final

from bridge.contract.error_codes import AppErrorCode, JsonRpcErrorNumber
from bridge.contract.strict_json import JsonValue, dumps
from bridge.dispatcher.app_error import AppError, RpcError, contract_code, wire_error_text
from bridge.dispatcher.call_checks import Expired
from bridge.dispatcher.dispatcher import Dispatcher
from bridge.dispatcher.envelope import Envelope
from bridge.dispatcher.eventually import Eventually, Later, called
from bridge.dispatcher.json_copy import output_error
from bridge.dispatcher.methods import ALWAYS_ANSWERED, METHODS, MethodContext, Result
from bridge.dispatcher.params import ABSENT, Absent
from bridge.dispatcher.plain_json import quick_dumps
from bridge.dispatcher.session_answer import Ending, SessionAnswer

__all__ = ["ControlSession", "failure"]

_PROTOCOL_VERSION: Final = "1"


class ControlSession:
    """The protocol's state for one session: `session` is its name, where it has one."""

    def __init__(self, dispatcher: Dispatcher, session: str | None) -> None:
        self._dispatcher = dispatcher
        self._session = session

    async def handle(self, envelope: Envelope, expired: Expired | None) -> SessionAnswer:
        """Run a request. Raises nothing."""
        try:
            # An unknown method comes before its params.
            known = envelope.method in METHODS or not envelope.is_message
            if envelope.error is not None and known:
                raise envelope.error
            result = called(self._call, envelope, expired)
            if isinstance(result, Later):
                result = await result
            answer = None if envelope.id is ABSENT else _success(envelope.id, result)
            return SessionAnswer(
                answer, Ending(ok=True, deferred=result.get("status") == "deferred")
            )
        except Exception as error:  # noqa: BLE001 - whatever it is becomes an error line
            self._dispatcher.report_host_error(error)
            answer = None if envelope.id is ABSENT else failure(envelope.id, error)
            return SessionAnswer(
                answer, Ending(ok=False, code=contract_code(error) or "HOST_ERROR")
            )

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
