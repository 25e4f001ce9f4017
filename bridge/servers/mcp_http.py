"""MCP over HTTP: what a POST to `/mcp` is answered at once, and what has to go to the page. Pure.

Stateless in both revisions: no session ids, nothing is remembered of a client. In the page all
modern requests share one session and all legacy ones another, and so what its owner allows one
client, each client of that revision may: they have one token, and nothing else that tells them
apart and could be believed. Contract: MCP.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bridge import __version__
from bridge.broker.effects import Answer, Failure, RawResponse
from bridge.broker.events import CallLabel, Opening
from bridge.contract.error_codes import BridgeErrorCode, JsonRpcErrorNumber
from bridge.contract.jsonrpc import RequestId, StringId, request_id
from bridge.contract.limits import JSON_LIMITS, BridgeLimits
from bridge.contract.mcp_messages import (
    INITIALIZE,
    Era,
    Refusal,
    era_of,
    meta_refusal,
    method_refusal,
    shape_refusal,
    version_refusal,
)
from bridge.contract.strict_json import dumps
from bridge.dispatcher.envelope import Envelope, read_envelope
from bridge.dispatcher.mcp_answers import error_line
from bridge.dispatcher.mcp_front import Answered, AppRequest, McpFront, ServerInfo
from bridge.dispatcher.mcp_opening import OPENING_ID, made_up_opening
from bridge.dispatcher.mcp_undelivered import undelivered
from bridge.dispatcher.params import ABSENT
from bridge.servers.bridge_answers import HttpAnswer, error_hint, error_message
from bridge.servers.bridge_gate import RequestHead
from bridge.servers.call_label import call_label
from bridge.servers.mcp_headers import (
    accepts_both,
    claims_modern,
    legacy_header_refusal,
    modern_header_refusal,
)

__all__ = ["LEGACY_SESSION", "MODERN_SESSION", "McpHttp", "McpRequest"]

MODERN_SESSION: Final = "mcp-http"
LEGACY_SESSION: Final = "mcp-http-legacy"

_LINE_BREAKS: Final = bytes.maketrans(b"\r\n", b"  ")
_CANCELLATION: Final = (
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%b}}'
)
_BAD_REQUEST: Final = 400
_NOT_FOUND: Final = 404
_TOO_LARGE: Final = 413
_NOT_ACCEPTABLE: Final = 406
_TAKEN: Final = HttpAnswer(202, b"", content_type="")
_NOT_ACCEPTED: Final = "The header Accept must admit application/json and text/event-stream."


@dataclass(frozen=True, slots=True)
class McpRequest:
    """A request that the page has to answer."""

    request: AppRequest
    line: bytes
    """The client's own message, on one line."""
    session: str
    request_id: RequestId
    label: CallLabel
    opening: Opening | None
    cancellation: bytes | None
    """What the page is told when the client hangs up. None of 2025-11-25, in which that says
    nothing."""


class McpHttp:
    """The endpoint of one bridge."""

    def __init__(self, limits: BridgeLimits) -> None:
        self._max_label_chars = limits.max_label_chars
        self._front = McpFront(ServerInfo("bascule", __version__, "Bascule"))
        self._opening = Opening(made_up_opening(__version__), StringId(OPENING_ID))

    def take(self, head: RequestHead, body: bytes) -> HttpAnswer | McpRequest:
        """Take one message with the headers that it came with."""
        if not accepts_both(head.values(b"accept")):
            return _refused(None, _NOT_ACCEPTABLE, _NOT_ACCEPTED)
        envelope = read_envelope(body)
        refusal = _header_refusal(head, envelope) if envelope.is_message else None
        if refusal is not None:
            known = None if envelope.id is ABSENT else envelope.id
            return _refused(known, _BAD_REQUEST, refusal.message, refusal.number)
        taken = self._front.take_envelope(envelope)
        match taken:
            case Answered(line, refused):
                status = _status(envelope, len(body)) if refused else 200
                return HttpAnswer(status, line.encode())
            case AppRequest():
                return self._request(taken, body)
            case _:
                # A cancellation names an id that other clients may use at the same time: over
                # HTTP it is the stream that tells whose request ends.
                return _TAKEN

    def answered(self, request: AppRequest, answer: Answer) -> bytes:
        """Return the line by which the broker's answer is told."""
        match answer:
            case RawResponse(body):
                return body
            case Failure(code, outcome):
                line = undelivered(
                    self._front,
                    request,
                    code.value,
                    error_message(code),
                    outcome=outcome,
                    hint=error_hint(code, outcome),
                    nobody_there=code is BridgeErrorCode.NOT_ATTACHED,
                )
                return line.encode()
            case _:
                raise ValueError(f"a request is not answered by {answer}")

    def _request(self, request: AppRequest, body: bytes) -> McpRequest:
        modern = request.era is Era.MODERN
        message = {"method": request.method, "params": request.params}
        return McpRequest(
            request,
            body.translate(_LINE_BREAKS),
            MODERN_SESSION if modern else LEGACY_SESSION,
            request_id({"id": request.id}),
            call_label(message, self._max_label_chars),
            None if modern else self._opening,
            _CANCELLATION % dumps(request.id) if modern else None,
        )


def _header_refusal(head: RequestHead, envelope: Envelope) -> Refusal | None:
    """Check what the headers say, at its place among the checks of a message."""
    method, params = envelope.method, envelope.params
    modern = era_of(method, params) is Era.MODERN
    if envelope.id is ABSENT:
        # A notification is only taken note of.
        return None if modern or claims_modern(head) else legacy_header_refusal(head)
    if modern or claims_modern(head):
        # What the message lacks comes first; its revision and its method come later.
        return meta_refusal(params) or modern_header_refusal(head, method, params)
    # With an `initialize` the revision is yet to be agreed on.
    return None if method == INITIALIZE else legacy_header_refusal(head)


def _refused(
    request: object,
    status: int,
    message: str,
    number: int = JsonRpcErrorNumber.INVALID_REQUEST,
) -> HttpAnswer:
    known = request if isinstance(request, str | int) else None
    return HttpAnswer(status, error_line(known, number, message).encode())


def _status(envelope: Envelope, size: int) -> int:
    """Return the status of a refusal: in the modern revision alone it says what is wrong."""
    method, params = envelope.method, envelope.params
    if not envelope.is_message:
        return _TOO_LARGE if size > JSON_LIMITS.max_encoded_bytes else _BAD_REQUEST
    if era_of(method, params) is Era.LEGACY:
        return 200
    if version_refusal(params) is not None:
        return _BAD_REQUEST
    if method_refusal(method, Era.MODERN) is not None:
        return _NOT_FOUND
    return 200 if shape_refusal(params, Era.MODERN) is None else _BAD_REQUEST
