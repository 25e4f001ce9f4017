"""What MCP's messages mean here: revisions, reserved keys, error numbers, and the first checks.

Both revisions are told apart by each message alone. Knows no tool and no app. Contract: MCP.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, IntEnum
from typing import Any, Final, NamedTuple

from bridge.contract.error_codes import JsonRpcErrorNumber

__all__ = [
    "INITIALIZE",
    "LATER_METHODS",
    "LEGACY",
    "LEGACY_METHODS",
    "META_CLIENT_CAPABILITIES",
    "META_CLIENT_INFO",
    "META_LOG_LEVEL",
    "META_PROTOCOL_VERSION",
    "META_SERVER_INFO",
    "MODERN",
    "MODERN_METHODS",
    "OLDER",
    "PING",
    "SUPPORTED",
    "Era",
    "McpErrorNumber",
    "Refusal",
    "era_of",
    "meta_refusal",
    "method_refusal",
    "progress_token",
    "selects_mcp",
    "shape_refusal",
    "version_refusal",
]

MODERN: Final = "2026-07-28"
LEGACY: Final = "2025-11-25"
OLDER: Final = "2025-06-18"
"""Answered to an `initialize` only where somebody asked for it."""
SUPPORTED: Final = (MODERN, LEGACY)

META_PROTOCOL_VERSION: Final = "io.modelcontextprotocol/protocolVersion"
META_CLIENT_CAPABILITIES: Final = "io.modelcontextprotocol/clientCapabilities"
META_CLIENT_INFO: Final = "io.modelcontextprotocol/clientInfo"
META_LOG_LEVEL: Final = "io.modelcontextprotocol/logLevel"
META_SERVER_INFO: Final = "io.modelcontextprotocol/serverInfo"
_NEEDED: Final = f"{META_PROTOCOL_VERSION} and {META_CLIENT_CAPABILITIES}"

INITIALIZE: Final = "initialize"
PING: Final = "ping"
"""Answered in the legacy revision at any time, before `initialize` as well."""
_DISCOVER: Final = "server/discover"
LATER_METHODS: Final = frozenset(
    {"tools/call", "resources/list", "resources/templates/list", "resources/read"}
)
"""The methods that need an app."""
_OF_RESOURCES: Final = LATER_METHODS - {"tools/call"}
MODERN_METHODS: Final = LATER_METHODS | {_DISCOVER, "tools/list"}
LEGACY_METHODS: Final = LATER_METHODS | {INITIALIZE, PING, "tools/list"}

_LOG_LEVELS: Final = frozenset(
    {"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
)


class Era(Enum):
    """Which of the two kinds of revision a message is of."""

    MODERN = "modern"
    LEGACY = "legacy"


class McpErrorNumber(IntEnum):
    """The numbers that MCP adds to those of JSON-RPC."""

    RESOURCE_NOT_FOUND = -32002
    """In the legacy revision only; the modern one has invalid params for it."""
    HEADER_MISMATCH = -32020
    """Over HTTP only."""
    MISSING_CAPABILITY = -32021
    UNSUPPORTED_PROTOCOL_VERSION = -32022


class Refusal(NamedTuple):
    """Why a request is not taken: a JSON-RPC error."""

    number: int
    message: str
    data: Mapping[str, Any] | None = None


def selects_mcp(method: str, params: Mapping[str, Any]) -> bool:
    """Say whether a request is one of MCP, and of no other protocol: by its envelope or method."""
    return method == INITIALIZE or era_of(method, params) is Era.MODERN


def era_of(method: str, params: Mapping[str, Any]) -> Era:
    """Say by which rules a message is read. Nothing is remembered from an earlier one."""
    meta = params.get("_meta")
    if method == _DISCOVER or (
        isinstance(meta, Mapping)
        and (META_PROTOCOL_VERSION in meta or META_CLIENT_CAPABILITIES in meta)
    ):
        return Era.MODERN
    return Era.LEGACY


def meta_refusal(params: Mapping[str, Any]) -> Refusal | None:
    """Check that a modern request has what every one has. The first of the checks."""
    meta = params.get("_meta")
    if not isinstance(meta, Mapping):
        return _invalid_params(f"params._meta must be an object with {_NEEDED}")
    if META_PROTOCOL_VERSION not in meta or META_CLIENT_CAPABILITIES not in meta:
        return _invalid_params(f"params._meta must have {_NEEDED}")
    if not isinstance(meta[META_CLIENT_CAPABILITIES], Mapping):
        return _invalid_params(f"params._meta: {META_CLIENT_CAPABILITIES} must be an object")
    return None


def version_refusal(params: Mapping[str, Any]) -> Refusal | None:
    """Check the revision of a modern request, after `meta_refusal` and, over HTTP, the headers."""
    version = params["_meta"][META_PROTOCOL_VERSION]
    if not isinstance(version, str):
        return _invalid_params(f"params._meta: {META_PROTOCOL_VERSION} must be a string")
    if version != MODERN:
        return Refusal(
            McpErrorNumber.UNSUPPORTED_PROTOCOL_VERSION,
            "This revision is not served; see supported.",
            {"supported": list(SUPPORTED), "requested": version},
        )
    return None


def method_refusal(method: str, era: Era, *, resources: bool = True) -> Refusal | None:
    """Check that there is such a method. A server without `resources` has none that reads them."""
    known = method in (MODERN_METHODS if era is Era.MODERN else LEGACY_METHODS)
    if known and (resources or method not in _OF_RESOURCES):
        return None
    return Refusal(JsonRpcErrorNumber.METHOD_NOT_FOUND, "No such method in this revision of MCP.")


def shape_refusal(params: Mapping[str, Any], era: Era) -> Refusal | None:
    """Check the members of `_meta` that any request may have. The last of the common checks."""
    if "_meta" not in params:
        return None
    meta = params["_meta"]
    if not isinstance(meta, Mapping):
        return _invalid_params("params._meta must be an object")
    if "progressToken" in meta and progress_token(params) is None:
        return _invalid_params("params._meta.progressToken must be a string or an integer")
    if era is Era.MODERN and META_LOG_LEVEL in meta and not _is_level(meta[META_LOG_LEVEL]):
        return _invalid_params(f"params._meta: {META_LOG_LEVEL} must be a level of syslog")
    return None


def progress_token(params: Mapping[str, Any]) -> str | int | None:
    """Return the token by which a request asks to be told of its progress."""
    meta = params.get("_meta")
    token = meta.get("progressToken") if isinstance(meta, Mapping) else None
    return token if isinstance(token, str | int) and not isinstance(token, bool) else None


def _is_level(value: object) -> bool:
    return isinstance(value, str) and value in _LOG_LEVELS


def _invalid_params(message: str) -> Refusal:
    return Refusal(JsonRpcErrorNumber.INVALID_PARAMS, message)
