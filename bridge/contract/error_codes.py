"""Every error of the contract, in one table.

Application errors travel inside JSON-RPC errors as `data.code` with a number of their own.
Bridge errors travel as HTTP statuses with `{"error": {"code": ...}}`. Both are closed sets:
a code that is not listed here is never sent. `Outcome` says what a failed call may have done,
`ExitCode` what the command line tells the shell.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import Final

__all__ = [
    "BRIDGE_ERROR_NUMBER",
    "BRIDGE_HTTP_STATUS",
    "AppErrorCode",
    "BridgeErrorCode",
    "ExitCode",
    "JsonRpcErrorNumber",
    "Outcome",
]


class JsonRpcErrorNumber(IntEnum):
    """The numbers that JSON-RPC 2.0 itself reserves."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602


BRIDGE_ERROR_NUMBER: Final = -32000
"""JSON-RPC leaves this range to servers: the bridge failed, not the app. `data.code` says how."""


class AppErrorCode(IntEnum):
    """Application errors: the member's name is `data.code`, its value the JSON-RPC number."""

    DISABLED = 1001
    UNKNOWN_ACTION = 1002
    INVALID_INPUT = 1003
    INVALID_OUTPUT = 1004
    CAPABILITY_REQUIRED = 1005
    UNAVAILABLE = 1006
    REVISION_REQUIRED = 1007
    STALE_REVISION = 1008
    TRANSACTION_UNSUPPORTED = 1009
    TRANSACTION_DOMAIN = 1010
    DEFERRED_IN_TRANSACTION = 1011
    ROLLED_BACK = 1012
    UNKNOWN_TASK = 1013
    UNKNOWN_RESOURCE = 1014
    LIMIT_EXCEEDED = 1015
    UNSUPPORTED_PROTOCOL_VERSION = 1016
    SESSION_LIMIT = 1017
    HOST_ERROR = 1018


class Outcome(StrEnum):
    """What a call that failed after the gate may have done. Only facts may be claimed."""

    NOT_DELIVERED = "not_delivered"
    """Never leased to the page: trying again is safe."""
    UNKNOWN = "unknown"
    """It may have run: inspect the state before trying again."""


class BridgeErrorCode(StrEnum):
    """Errors of the HTTP contract, sent as `error.code`."""

    BAD_REQUEST = "BAD_REQUEST"
    UNAUTHORIZED = "UNAUTHORIZED"
    FORBIDDEN_ORIGIN = "FORBIDDEN_ORIGIN"
    NOT_FOUND = "NOT_FOUND"
    UNKNOWN_REQUEST = "UNKNOWN_REQUEST"
    METHOD_NOT_ALLOWED = "METHOD_NOT_ALLOWED"
    ALREADY_ATTACHED = "ALREADY_ATTACHED"
    RESULT_MISMATCH = "RESULT_MISMATCH"
    DUPLICATE_RESULT = "DUPLICATE_RESULT"
    POLL_SUPERSEDED = "POLL_SUPERSEDED"
    STALE_CLIENT = "STALE_CLIENT"
    TOO_LARGE = "TOO_LARGE"
    UNSUPPORTED_MEDIA_TYPE = "UNSUPPORTED_MEDIA_TYPE"
    FORBIDDEN_HOST = "FORBIDDEN_HOST"
    QUEUE_FULL = "QUEUE_FULL"
    BROWSER_GONE = "BROWSER_GONE"
    RESULT_TOO_LARGE = "RESULT_TOO_LARGE"
    NOT_ATTACHED = "NOT_ATTACHED"
    BUSY = "BUSY"
    CLOSING = "CLOSING"
    TIMEOUT = "TIMEOUT"
    TAB_SUSPENDED = "TAB_SUSPENDED"


BRIDGE_HTTP_STATUS: Final[Mapping[BridgeErrorCode, int]] = MappingProxyType(
    {
        BridgeErrorCode.BAD_REQUEST: 400,
        BridgeErrorCode.UNAUTHORIZED: 401,
        BridgeErrorCode.FORBIDDEN_ORIGIN: 403,
        BridgeErrorCode.NOT_FOUND: 404,
        BridgeErrorCode.UNKNOWN_REQUEST: 404,
        BridgeErrorCode.METHOD_NOT_ALLOWED: 405,
        BridgeErrorCode.ALREADY_ATTACHED: 409,
        BridgeErrorCode.RESULT_MISMATCH: 409,
        BridgeErrorCode.DUPLICATE_RESULT: 409,
        BridgeErrorCode.POLL_SUPERSEDED: 409,
        BridgeErrorCode.STALE_CLIENT: 410,
        BridgeErrorCode.TOO_LARGE: 413,
        BridgeErrorCode.UNSUPPORTED_MEDIA_TYPE: 415,
        BridgeErrorCode.FORBIDDEN_HOST: 421,
        BridgeErrorCode.QUEUE_FULL: 429,
        BridgeErrorCode.BROWSER_GONE: 502,
        BridgeErrorCode.RESULT_TOO_LARGE: 502,
        BridgeErrorCode.NOT_ATTACHED: 503,
        BridgeErrorCode.BUSY: 503,
        BridgeErrorCode.CLOSING: 503,
        BridgeErrorCode.TIMEOUT: 504,
        BridgeErrorCode.TAB_SUSPENDED: 504,
    }
)


class ExitCode(IntEnum):
    """Exit statuses of the command line."""

    DONE = 0
    APP_ERROR = 1
    """The app answered, with an error."""
    USAGE = 2
    NO_BRIDGE = 3
    """No bridge, or nothing attached to it. Nothing was done."""
    OUTCOME_UNKNOWN = 4
    """It may have run: inspect the state before trying again."""
    REFUSED = 5
    """Refused by the bridge in any other way. Nothing was done."""
