"""One JSON-RPC line in, at most one line out: a bridge seen as a JSON-RPC peer.

What never reaches the page is answered here: lines that are no messages, and calls that the
bridge could not bring to an answer. Does no input or output itself. Contract: strict JSON.
"""

from __future__ import annotations

from collections.abc import Callable

from bridge.client.bridge_failure import BridgeFailure
from bridge.contract.error_codes import BRIDGE_ERROR_NUMBER, AppErrorCode, JsonRpcErrorNumber
from bridge.contract.jsonrpc import IntegerId, NoId, StringId, request_id
from bridge.contract.limits import JSON_LIMITS
from bridge.contract.strict_json import JsonValue, StrictJsonError, dumps, loads

__all__ = ["StdioGateway"]

Call = Callable[[bytes], bytes | None]
Report = Callable[[BridgeFailure], object]


class StdioGateway:
    """Answers lines. `call` sends one message to the page and gives its response."""

    def __init__(self, call: Call, report: Report) -> None:
        self._call = call
        self._report = report

    def answer(self, line: bytes | None) -> bytes | None:
        """Return the line that answers, without its line break; None where nothing does.

        None as `line` is one that was too long to keep. `report` is told of a notification that
        failed, since nothing may answer it.
        """
        if line is None:
            return _limit_error("encodedBytes", JSON_LIMITS.max_encoded_bytes)
        if not line.strip(b" \t\r"):
            return None
        try:
            message = loads(line)
        except StrictJsonError as error:
            return _json_error(error)
        if not isinstance(message, dict):
            array = isinstance(message, list)
            text = "an array is no message: use actions/batch" if array else "no object"
            return _error(None, JsonRpcErrorNumber.INVALID_REQUEST, text)
        try:
            return self._call(line)
        except BridgeFailure as failure:
            return self._failed(message, failure)

    def _failed(self, message: dict[str, JsonValue], failure: BridgeFailure) -> bytes | None:
        data: dict[str, JsonValue] = {"code": str(failure.code)}
        if failure.outcome is not None:
            data["outcome"] = failure.outcome.value
        if failure.hint is not None:
            data["hint"] = failure.hint
        match request_id(message):
            case NoId():
                self._report(failure)
                return None
            case StringId() | IntegerId():
                request: JsonValue = message["id"]
            case _:
                request = None
        return _error(request, BRIDGE_ERROR_NUMBER, failure.message, data)


def _json_error(error: StrictJsonError) -> bytes:
    if error.limit is not None and error.maximum is not None:
        return _limit_error(error.limit, error.maximum)
    return _error(None, JsonRpcErrorNumber.PARSE_ERROR, str(error))


def _limit_error(limit: str, maximum: int) -> bytes:
    code = AppErrorCode.LIMIT_EXCEEDED
    text = f"the line is over the limit {limit} of {maximum}"
    return _error(None, code, text, {"code": code.name, "limit": limit, "maximum": maximum})


def _error(
    request: JsonValue, number: int, message: str, data: dict[str, JsonValue] | None = None
) -> bytes:
    error: dict[str, JsonValue] = {"code": int(number), "message": message}
    if data is not None:
        error["data"] = data
    return dumps({"jsonrpc": "2.0", "id": request, "error": error})
