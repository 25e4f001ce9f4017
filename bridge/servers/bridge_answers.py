"""From the broker's answers and from refusals to statuses and bytes (Contract: errors).

Every error says what happened, whether the call may have run, and what to do next; never what the
peer sent. What pages and terminals wrote passes through as the bytes that it came in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, assert_never

import orjson

from bridge.broker.call_journal import CallSeen
from bridge.broker.effects import (
    Accepted,
    Answer,
    CallsSeen,
    ChannelOpened,
    CloseJob,
    Connected,
    Failure,
    Item,
    NoResponse,
    PollAnswer,
    RawResponse,
    SessionClosed,
    SessionKept,
)
from bridge.contract.error_codes import BRIDGE_HTTP_STATUS, BridgeErrorCode, Outcome
from bridge.contract.limits import JSON_LIMITS
from bridge.servers.bridge_routes import RouteName

__all__ = [
    "ERROR_TEXTS",
    "ErrorText",
    "HttpAnswer",
    "error_answer",
    "error_hint",
    "error_message",
    "error_object",
    "http_answer",
    "wire_item",
]

JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A status, a body, and the headers that only this answer has."""

    status: int
    body: bytes
    content_type: str = JSON
    """Empty where there is no body that could have one."""
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ErrorText:
    """What is said with an error code, to people."""

    message: str
    hint: str | None = None


_CODE = BridgeErrorCode

ERROR_TEXTS: Final[Mapping[BridgeErrorCode, ErrorText]] = {
    _CODE.BAD_REQUEST: ErrorText("The request is malformed."),
    _CODE.UNAUTHORIZED: ErrorText(
        "The bearer token is missing or wrong.",
        "Each run of the bridge has a new token: a terminal gives the one that it printed last, "
        "a page attaches again.",
    ),
    _CODE.FORBIDDEN_ORIGIN: ErrorText(
        "This origin may not call this route.",
        "Start the bridge with --origin set to the page's origin, exactly as browsers write it.",
    ),
    _CODE.NOT_FOUND: ErrorText("There is no such route."),
    _CODE.UNKNOWN_REQUEST: ErrorText(
        "No request of this id is outstanding: it was never delivered, timed out or was abandoned."
    ),
    _CODE.METHOD_NOT_ALLOWED: ErrorText("This route takes another method."),
    _CODE.ALREADY_ATTACHED: ErrorText(
        "A page is attached already.", "Detach that page, or close its tab and wait a moment."
    ),
    _CODE.RESULT_MISMATCH: ErrorText(
        "The response carries another JSON-RPC id than the request, which is still outstanding."
    ),
    _CODE.DUPLICATE_RESULT: ErrorText("This request is answered already; the first answer holds."),
    _CODE.POLL_SUPERSEDED: ErrorText("A newer poll or channel of the same client has taken over."),
    _CODE.STALE_CLIENT: ErrorText(
        "This client is not attached: it is unknown, was disconnected or has expired.",
        "Connect again.",
    ),
    _CODE.TOO_LARGE: ErrorText(
        f"A message has at most {JSON_LIMITS.max_encoded_bytes} bytes.",
        "Send large data in several calls.",
    ),
    _CODE.UNSUPPORTED_MEDIA_TYPE: ErrorText(
        "A body must be plain JSON, sent as Content-Type: application/json."
    ),
    _CODE.FORBIDDEN_HOST: ErrorText(
        "This Host is not one of the bridge's names.",
        "Call 127.0.0.1 or localhost with the bridge's port; for a forwarded port start the "
        "bridge with --public-host.",
    ),
    _CODE.QUEUE_FULL: ErrorText(
        "Too many calls are waiting for the page.", "Wait for some of them, then try again."
    ),
    _CODE.BROWSER_GONE: ErrorText(
        "The page went away before it answered.",
        "Attach it again: `bascule open` opens it, then press Attach.",
    ),
    _CODE.RESULT_TOO_LARGE: ErrorText(
        "The action ran, but its response is larger than a message may be.",
        "Ask for less at once.",
    ),
    _CODE.NOT_ATTACHED: ErrorText(
        "No page is attached.", "`bascule open` opens the app's page; press Attach there."
    ),
    _CODE.BUSY: ErrorText("The bridge has too many requests in hand.", "Try again in a moment."),
    _CODE.CLOSING: ErrorText("The bridge is shutting down."),
    _CODE.TIMEOUT: ErrorText("The page did not answer in time."),
    _CODE.TAB_SUSPENDED: ErrorText(
        "The browser has suspended the page's tab.", "Bring the tab to the front."
    ),
}

_OUTCOMES: Final[Mapping[Outcome, str]] = {
    Outcome.NOT_DELIVERED: "The call was not delivered: trying it again is safe.",
    Outcome.UNKNOWN: "The call may have run: inspect the state before trying it again.",
}
_HEADERS: Final[Mapping[BridgeErrorCode, tuple[tuple[str, str], ...]]] = {
    _CODE.UNAUTHORIZED: (("WWW-Authenticate", "Bearer"),),
    _CODE.BUSY: (("Retry-After", "1"),),
}


def error_answer(
    code: BridgeErrorCode,
    *,
    message: str | None = None,
    hint: str | None = None,
    outcome: Outcome | None = None,
    headers: tuple[tuple[str, str], ...] = (),
) -> HttpAnswer:
    """Return the answer for an error. `message` and `hint` replace the usual texts of the code."""
    return HttpAnswer(
        BRIDGE_HTTP_STATUS[code],
        orjson.dumps({"error": error_object(code, message, outcome, hint)}),
        headers=(*_HEADERS.get(code, ()), *headers),
    )


def error_object(
    code: BridgeErrorCode,
    message: str | None,
    outcome: Outcome | None,
    hint: str | None = None,
) -> dict[str, str]:
    """Return an error as it is written, in an answer of its own or among others."""
    error = {"code": code.value, "message": message or error_message(code)}
    hint = hint or error_hint(code, outcome)
    if hint is not None:
        error["hint"] = hint
    if outcome is not None:
        error["outcome"] = outcome.value
    return error


def error_message(code: BridgeErrorCode) -> str:
    """Return what has happened."""
    return ERROR_TEXTS[code].message


def error_hint(code: BridgeErrorCode, outcome: Outcome | None) -> str | None:
    """Return what to do about it, and what may have been done; None where there is nothing."""
    hints = (None if outcome is None else _OUTCOMES[outcome], ERROR_TEXTS[code].hint)
    return " ".join(hint for hint in hints if hint) or None


def http_answer(answer: Answer) -> HttpAnswer:  # noqa: PLR0911 - one for each answer
    """Return what the broker's answer is on the wire."""
    match answer:
        case Connected(client, ticket):
            return _ok(
                {
                    "client": client,
                    "protocolVersion": "1",
                    "maxMessageBytes": JSON_LIMITS.max_encoded_bytes,
                    "channel": _channel(ticket),
                }
            )
        case PollAnswer(now, items, ticket):
            requests = [wire_item(item) for item in items]
            return _ok({"now": now, "requests": requests, "channel": _channel(ticket)})
        case ChannelOpened():
            raise ValueError("an opened channel is answered by its handshake")
        case Accepted() | SessionClosed() | SessionKept():
            return _ok(_done(answer))
        case RawResponse(body):
            return HttpAnswer(200, body)
        case NoResponse():
            return HttpAnswer(202, b"null")
        case CallsSeen(now, last_seq, missed, events):
            told = [_event(event) for event in events]
            return _ok({"now": now, "next": last_seq, "missed": missed, "events": told})
        case Failure(code, outcome):
            return error_answer(code, outcome=outcome)
        case _:
            assert_never(answer)


def _done(answer: Accepted | SessionClosed | SessionKept) -> dict[str, bool]:
    match answer:
        case Accepted():
            return {"accepted": True}
        case SessionClosed():
            return {"closed": True}
        case SessionKept(kept):
            return {"kept": kept}
        case _:
            assert_never(answer)


def _event(event: CallSeen) -> dict[str, object]:
    ends = event.duration_ms is not None
    told: dict[str, object] = {
        "seq": event.seq,
        "phase": "end" if ends else "begin",
        "call": event.call,
        "session": event.session,
        "at": event.at_unix_ms,
    }
    if event.label.method is not None:
        told["method"] = event.label.method
    if event.label.action is not None:
        told["action"] = event.label.action
    if event.duration_ms is not None:
        told |= {"ok": event.code is None, "durationMs": round(event.duration_ms, 3)}
    if event.code is not None:
        told["code"] = event.code
    if event.deferred is not None:
        told["deferred"] = event.deferred
    return told


def _channel(ticket: str | None) -> dict[str, str] | None:
    return None if ticket is None else {"path": RouteName.CHANNEL.value, "ticket": ticket}


def wire_item(item: Item) -> dict[str, object]:
    """Return an item as it is written, in a poll's answer or in a frame."""
    common = {"id": item.id, "seq": item.seq, "session": item.session}
    if isinstance(item, CloseJob):
        return {**common, "closeSession": True, "deadline": item.deadline_unix_ms}
    # The bytes were read strictly when they came in: they need no second encoding.
    request = orjson.Fragment(item.request)
    return {**common, "request": request, "deadline": item.deadline_unix_ms}


def _ok(value: Mapping[str, object]) -> HttpAnswer:
    return HttpAnswer(200, orjson.dumps(value))
