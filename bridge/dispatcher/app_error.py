"""Errors that become JSON-RPC errors.

Everything else that is raised becomes `HOST_ERROR` without its text, in one place:
`to_wire_error`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from bridge.contract.error_codes import AppErrorCode, JsonRpcErrorNumber
from bridge.contract.limits import JSON_LIMITS
from bridge.contract.strict_json import StrictJsonError, dumps

__all__ = [
    "AppError",
    "RpcError",
    "contract_code",
    "limit_exceeded",
    "sendable_error",
    "to_wire_error",
    "wire_error_text",
]


class AppError(Exception):
    """An application error of the closed set, with the members that its row of the table has.

    `code` is an `AppErrorCode` or its name, `message` says what happened and what to do, for a
    person, and `data` holds members beside `code`. Raises `ValueError` for a code that is not in
    the set.
    """

    def __init__(
        self, code: AppErrorCode | str, message: str, data: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        if not isinstance(code, AppErrorCode):
            if code not in AppErrorCode.__members__:
                raise ValueError(f"no application error: {code}")
            code = AppErrorCode[code]
        self.code = code
        self.message = message
        self.data: Mapping[str, Any] = {} if data is None else data


class RpcError(Exception):
    """An error of JSON-RPC itself: a bad line, request, method or parameter."""

    def __init__(self, kind: JsonRpcErrorNumber, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


def contract_code(error: object) -> str | None:
    """Return the code that an error of the contract has, or None for what a host raised."""
    try:
        if isinstance(error, AppError) and isinstance(error.code, AppErrorCode):
            return error.code.name
        if isinstance(error, RpcError) and isinstance(error.kind, JsonRpcErrorNumber):
            return error.kind.name
    except Exception:  # noqa: BLE001, S110 - an exception whose own attributes raise is not ours
        pass
    return None


_HOST_ERROR_MESSAGE: Final = (
    "The app failed while it handled this call; it may have done part of it."
)
_ERROR_LIMITS: Final = JSON_LIMITS._replace(
    max_encoded_bytes=JSON_LIMITS.max_encoded_bytes - 4_096,
    max_depth=JSON_LIMITS.max_depth - 1,
    max_values=JSON_LIMITS.max_values - 3,
)
"""What an error may hold, so that the line around it, its id included, stays within the limits."""
_NESTED_LIMITS: Final = _ERROR_LIMITS._replace(max_depth=JSON_LIMITS.max_depth - 5)
"""What an error may hold that stands inside a result, or inside another error."""


def to_wire_error(error: object) -> dict[str, Any]:
    """Make of anything raised what may be sent. No text of an unknown exception leaks."""
    if isinstance(error, AppError) and isinstance(error.code, AppErrorCode):
        return {
            "code": int(error.code),
            "message": error.message,
            "data": {**error.data, "code": error.code.name},
        }
    if isinstance(error, RpcError) and isinstance(error.kind, JsonRpcErrorNumber):
        return {"code": int(error.kind), "message": error.message}
    return _host_error()


def sendable_error(error: object) -> dict[str, Any]:
    """Return the same, always fit to be sent inside a result.

    An error that cannot be written keeps its code, and one that cannot even be read is
    `HOST_ERROR`.
    """
    try:
        whole = to_wire_error(error)
        try:
            dumps(whole, _NESTED_LIMITS)
        except Exception:  # noqa: BLE001 - the app's own data may do anything when it is read
            whole["message"] = "The error cannot be told in full."
            if "data" in whole:
                whole["data"] = {"code": whole["data"]["code"]}
    except Exception:  # noqa: BLE001 - an exception of the app's may do so as well
        return _host_error()
    return whole


def wire_error_text(error: object) -> bytes:
    """Return the same as JSON, without fail."""
    try:
        whole = to_wire_error(error)
        return dumps(whole, _ERROR_LIMITS)
    except Exception:  # noqa: BLE001 - see sendable_error
        return dumps(sendable_error(error))


def _host_error() -> dict[str, Any]:
    code = AppErrorCode.HOST_ERROR
    return {"code": int(code), "message": _HOST_ERROR_MESSAGE, "data": {"code": code.name}}


def limit_exceeded(error: StrictJsonError) -> AppError:
    """Say which application error a refusal of the JSON writer or reader is."""
    return AppError(
        AppErrorCode.LIMIT_EXCEEDED,
        f"Over the limit {error.limit} of {error.maximum}.",
        {"limit": error.limit, "maximum": error.maximum},
    )
