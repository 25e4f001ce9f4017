"""What of MCP is answered without an app: the checks of every message, and what a server is.

Remembers nothing from one message to the next. Imports no dispatcher and no validator: a gateway
starts with it. Contract: MCP.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from bridge.contract.error_codes import JsonRpcErrorNumber
from bridge.contract.limits import MCP_LIMITS
from bridge.contract.mcp_messages import (
    INITIALIZE,
    LATER_METHODS,
    LEGACY,
    OLDER,
    SUPPORTED,
    Era,
    Refusal,
    era_of,
    meta_refusal,
    method_refusal,
    progress_token,
    shape_refusal,
    version_refusal,
)
from bridge.contract.strict_json import dumps
from bridge.dispatcher.app_error import to_wire_error
from bridge.dispatcher.envelope import Envelope, read_envelope
from bridge.dispatcher.mcp_answers import McpAnswers, ServerInfo, error_line, result_line
from bridge.dispatcher.mcp_catalog import NINE_TOOLS, Catalog
from bridge.dispatcher.params import ABSENT, Params

__all__ = [
    "Answered",
    "AppRequest",
    "Cancelled",
    "Ignored",
    "McpFront",
    "ServerInfo",
    "Taken",
]

_FIRST_PAGE: Final = "0"
_LASTING_MS: Final = MCP_LIMITS.catalog_ttl_seconds * 1_000


class Answered(NamedTuple):
    """The message is dealt with by this line."""

    line: str
    refused: bool = False
    """Whether it is an error: the message was no valid request."""


class Cancelled(NamedTuple):
    """A request is not wanted any more, if it is still in flight."""

    request_id: str | int


class Ignored(NamedTuple):
    """Nothing is to be done, and nothing to be sent."""


class AppRequest(NamedTuple):
    """A request that needs an app, whose common checks it has passed.

    `tools/call` of a tool that there is, with arguments that are an object or absent;
    `resources/list` or `resources/templates/list`, whose cursor is a text or absent; or
    `resources/read`, whose uri is a text.
    """

    id: str | int
    method: str
    params: Mapping[str, Any]
    era: Era
    progress_token: str | int | None


Taken: TypeAlias = Answered | Cancelled | Ignored | AppRequest
_IGNORED: Final = Ignored()


class McpFront:
    """The front of one server.

    `accept_older` answers an offer of 2025-06-18 as it was made, for clients that refuse the
    counter-offer. `catalog` is what the server offers.
    """

    def __init__(
        self, server: ServerInfo, *, accept_older: bool = False, catalog: Catalog = NINE_TOOLS
    ) -> None:
        self._server = server
        self._catalog = catalog
        self._accept_older = accept_older
        self._answers = McpAnswers(server)
        self._written: dict[tuple[str, Era], bytes] = {}
        """Results that never change."""

    def take(self, line: bytes | str) -> Taken:
        """Take one line. Raises nothing."""
        return self.take_envelope(read_envelope(line))

    def take_envelope(self, envelope: Envelope) -> Taken:
        """Take one line that was read before."""
        if envelope.error is not None and not envelope.is_message:
            return self._unreadable(envelope, envelope.error)
        if envelope.id is ABSENT:
            return _notification(envelope)
        method, params = envelope.method, envelope.params
        era = era_of(method, params)
        refusal = _refusal(envelope, era, self._catalog)
        if refusal is not None:
            return Answered(error_line(envelope.id, *refusal), refused=True)
        if method in LATER_METHODS:
            # The envelope's id is a string or an integer.
            request_id: Any = envelope.id
            return AppRequest(request_id, method, params, era, progress_token(params))
        return Answered(result_line(envelope.id, self._result(method, params, era)))

    def result(
        self,
        request: AppRequest,
        result: Mapping[str, Any],
        *,
        ttl_ms: int | None = None,
        or_else: Mapping[str, Any] | None = None,
    ) -> str:
        """Return the line of a result.

        `ttl_ms` says for how long it may be kept, `or_else` what to give where that is too much
        for a line; without it that is an error.
        """
        return self._answers.result(request.id, request.era, result, ttl_ms, or_else)

    def tool_result(
        self,
        request: AppRequest,
        structured: Mapping[str, Any],
        content: Sequence[Mapping[str, Any]] = (),
    ) -> str:
        """Return the line of a tool's result, as structure and as text; `content` follows."""
        return self._answers.tool_result(request.id, request.era, structured, content)

    def tool_failure(self, request: AppRequest, error: Mapping[str, Any]) -> str:
        """Return the line of a tool that failed, by a nested error `{code, message, data}`."""
        return self._answers.tool_failure(request.id, request.era, error)

    def error(
        self,
        request: AppRequest,
        number: int,
        message: str,
        data: Mapping[str, Any] | None = None,
    ) -> str:
        """Return the line of a JSON-RPC error."""
        return error_line(request.id, number, message, data)

    def _unreadable(self, envelope: Envelope, error: Exception) -> Taken:
        if envelope.kind == "response":
            # This server asks nothing, so whatever it answers is no answer to us.
            return _IGNORED
        wire = to_wire_error(error)
        message = wire["message"]
        if envelope.kind == "array":
            message = "An array is no request; send each message by itself."
        line = error_line(envelope.id, wire["code"], message, wire.get("data"))
        return Answered(line, refused=True)

    def _result(self, method: str, params: Params, era: Era) -> bytes:
        """Return the result of a method that needs no app, as it is written."""
        detail = ""
        if method == INITIALIZE:
            detail = self._version(params["protocolVersion"])
        elif method == "tools/list":
            detail = params.get("cursor", _FIRST_PAGE)
        key = (method + detail, era)
        if key not in self._written:
            self._written[key] = dumps(_RESULTS[method](self, era, detail))
        return self._written[key]

    def _version(self, offered: str) -> str:
        return OLDER if self._accept_older and offered == OLDER else LEGACY

    def _discover(self, era: Era, _version: str) -> dict[str, Any]:
        result = {
            "supportedVersions": list(SUPPORTED),
            "capabilities": dict(self._catalog.capabilities),
            "instructions": self._catalog.instructions,
        }
        return self._answers.in_era(era, result, _LASTING_MS)

    def _initialize(self, _era: Era, version: str) -> dict[str, Any]:
        return {
            "protocolVersion": version,
            "capabilities": dict(self._catalog.capabilities),
            "serverInfo": self._server.as_json(),
            "instructions": self._catalog.instructions,
        }

    def _ping(self, _era: Era, _version: str) -> dict[str, Any]:
        return {}

    def _tools_list(self, era: Era, cursor: str) -> dict[str, Any]:
        pages, number = self._catalog.pages, int(cursor)
        more = {} if number + 1 == len(pages) else {"nextCursor": str(number + 1)}
        return self._answers.in_era(era, {"tools": pages[number], **more}, _LASTING_MS)


_RESULTS: Final[Mapping[str, Callable[[McpFront, Era, str], dict[str, Any]]]] = {
    "server/discover": McpFront._discover,  # noqa: SLF001 - of this class's own
    INITIALIZE: McpFront._initialize,  # noqa: SLF001
    "ping": McpFront._ping,  # noqa: SLF001
    "tools/list": McpFront._tools_list,  # noqa: SLF001
}


def _notification(envelope: Envelope) -> Taken:
    """Read the one notification that asks for something. No other is anything to us."""
    request_id = envelope.params.get("requestId")
    if (
        envelope.method == "notifications/cancelled"
        and isinstance(request_id, str | int)
        and not isinstance(request_id, bool)
    ):
        return Cancelled(request_id)
    return _IGNORED


def _refusal(envelope: Envelope, era: Era, catalog: Catalog) -> Refusal | None:
    """Check a request, in the contract's order."""
    method, params = envelope.method, envelope.params
    if era is Era.MODERN:
        refusal = meta_refusal(params) or version_refusal(params)
        if refusal is not None:
            return refusal
    refusal = method_refusal(method, era, resources="resources" in catalog.capabilities)
    if refusal is not None:
        return refusal
    if envelope.error is not None:
        return _invalid_params(str(envelope.error))
    refusal = shape_refusal(params, era)
    if refusal is not None:
        return refusal
    check = _PARAMS.get(method)
    wrong = None if check is None else check(params, catalog)
    return None if wrong is None else _invalid_params(wrong)


def _invalid_params(message: str) -> Refusal:
    return Refusal(JsonRpcErrorNumber.INVALID_PARAMS, message)


def _initialize_params(params: Params, _catalog: Catalog) -> str | None:
    if not isinstance(params.get("protocolVersion"), str):
        return "params.protocolVersion must be a string"
    for name in ("capabilities", "clientInfo"):
        if not isinstance(params.get(name), Mapping):
            return f"params.{name} must be an object"
    return None


def _tools_list_params(params: Params, catalog: Catalog) -> str | None:
    if "cursor" not in params:
        return None
    further = range(1, len(catalog.pages))
    if not further:
        return "params.cursor must be left out: there are no further pages"
    # As it was told, character by character: no other text names a page.
    if params["cursor"] in map(str, further):
        return None
    return "params.cursor must be the nextCursor of an answer before"


def _tools_call_params(params: Params, catalog: Catalog) -> str | None:
    name = params.get("name")
    if not isinstance(name, str):
        return "params.name must be a string"
    if name not in catalog.tools:
        return "No such tool; see tools/list."
    if not isinstance(params.get("arguments", {}), Mapping):
        return "params.arguments must be an object"
    return None


def _resources_list_params(params: Params, _catalog: Catalog) -> str | None:
    if not isinstance(params.get("cursor", ""), str):
        return "params.cursor must be a string"
    return None


def _resources_read_params(params: Params, _catalog: Catalog) -> str | None:
    return None if isinstance(params.get("uri"), str) else "params.uri must be a string"


_PARAMS: Final[Mapping[str, Callable[[Params, Catalog], str | None]]] = {
    INITIALIZE: _initialize_params,
    "tools/list": _tools_list_params,
    "tools/call": _tools_call_params,
    "resources/list": _resources_list_params,
    "resources/templates/list": _resources_list_params,
    "resources/read": _resources_read_params,
}
