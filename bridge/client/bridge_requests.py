"""The bytes of every request to a bridge, and what its answers say. Knows no sockets.

Contract: HTTP, errors.
"""

from __future__ import annotations

import json
from typing import Final

from bridge.client.bridge_address import BridgeAddress
from bridge.client.bridge_failure import BridgeFailure, DeadlineExceeded
from bridge.client.connection_failures import not_a_bridge
from bridge.client.http_response import HttpResponse
from bridge.contract.error_codes import BridgeErrorCode, Outcome
from bridge.contract.terminal_channel import TERMINAL_PROTOCOL

__all__ = [
    "BridgeRequests",
    "call_members",
    "on_one_line",
    "read_answer",
    "read_kept",
    "read_notified",
    "read_response",
    "refusal",
]

_BEFORE_THE_CALL: Final = frozenset(
    {
        BridgeErrorCode.BAD_REQUEST,
        BridgeErrorCode.UNAUTHORIZED,
        BridgeErrorCode.FORBIDDEN_ORIGIN,
        BridgeErrorCode.NOT_FOUND,
        BridgeErrorCode.METHOD_NOT_ALLOWED,
        BridgeErrorCode.TOO_LARGE,
        BridgeErrorCode.UNSUPPORTED_MEDIA_TYPE,
        BridgeErrorCode.FORBIDDEN_HOST,
        # A socket too many is told so before it has said what it wants.
        BridgeErrorCode.BUSY,
    }
)
"""Refusals without an outcome, since there was no call yet."""


class BridgeRequests:
    """Writes requests to one bridge. Keeps its token out of sight."""

    __slots__ = ("_get", "_post")

    def __init__(self, address: BridgeAddress, token: str) -> None:
        common = (
            f"Host: {address.host}:{address.port}\r\nAuthorization: Bearer {token}\r\n"
        ).encode()
        self._get = b" HTTP/1.1\r\n" + common + b"\r\n"
        self._post = (
            b" HTTP/1.1\r\n" + common + b"Content-Type: application/json\r\nContent-Length: "
        )

    def call(
        self,
        session: str,
        request: bytes,
        timeout_seconds: float | None = None,
        opening: bytes | None = None,
    ) -> bytes:
        """Return a call's bytes. `request` is the JSON text of an object, sent as it is.

        So is `opening`, which the page gets first where it has had nothing in this session yet.
        """
        members = call_members(session, request, timeout_seconds, opening)
        return self._posted(b"/rpc", b"{%b}" % members)

    def terminal(self, key: bytes) -> bytes:
        """Return the bytes that ask for a terminal's channel, by a WebSocket's key."""
        return (
            b"GET /terminal%bConnection: Upgrade\r\nUpgrade: websocket\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %b\r\n"
            b"Sec-WebSocket-Protocol: %b\r\n\r\n"
            % (self._get.removesuffix(b"\r\n"), key, TERMINAL_PROTOCOL.encode())
        )

    def close_session(self, session: str) -> bytes:
        """Return the bytes that release a session in the page."""
        return self._posted(b"/session/close", json.dumps({"session": session}).encode())

    def keep_session(self, session: str) -> bytes:
        """Return the bytes that say that a session in the page is still needed."""
        return self._posted(b"/session/keep", json.dumps({"session": session}).encode())

    def calls(self, after: int | None, wait_seconds: float) -> bytes:
        """Return the bytes that ask for the calls that others make, after an event's number."""
        body = {"after": after, "waitMs": round(wait_seconds * 1000)}
        return self._posted(b"/calls", json.dumps(body).encode())

    def status(self) -> bytes:
        """Return the bytes that ask what the bridge is doing."""
        return b"GET /status" + self._get

    def _posted(self, path: bytes, body: bytes) -> bytes:
        return b"POST %b%b%d\r\n\r\n%b" % (path, self._post, len(body), body)


def call_members(
    session: str,
    request: bytes,
    timeout_seconds: float | None = None,
    opening: bytes | None = None,
) -> bytes:
    """Return the members of a call's object, wherever it is sent."""
    timeout = (
        "" if timeout_seconds is None else f',"timeoutMs":{max(1, round(timeout_seconds * 1000))}'
    )
    head = f'"session":{json.dumps(session)}{timeout},"request":'
    first = b"" if opening is None else b',"opening":' + opening
    return head.encode() + request + first


def read_answer(response: HttpResponse) -> bytes:
    """Return the body of a success. Raises `BridgeFailure` for everything else."""
    status, body, _ = response
    if status == 200:
        return body
    if 300 <= status < 400:
        raise not_a_bridge("it redirects, which a bridge never does; it was not followed")
    if status >= 400:
        raise _refusal(status, body)
    raise not_a_bridge(f"it answers with HTTP status {status}")


def read_response(response: HttpResponse) -> bytes | None:
    """Return a call's JSON-RPC response on one line, None for a taken notification."""
    if response.status == 202:
        return None
    return on_one_line(read_answer(response))


def on_one_line(text: bytes) -> bytes:
    """Return a JSON text without raw line breaks."""
    if b"\n" in text or b"\r" in text:
        # They are whitespace between tokens: inside of strings they are escaped.
        return text.replace(b"\r", b" ").replace(b"\n", b" ")
    return text


def read_kept(response: HttpResponse) -> bool:
    """Return whether the page knows of a session that was to be kept."""
    try:
        value: object = json.loads(read_answer(response))
    except (ValueError, RecursionError):
        value = None
    kept = value.get("kept") if isinstance(value, dict) else None
    if not isinstance(kept, bool):
        raise not_a_bridge("it does not say whether a session is kept")
    return kept


def read_notified(response: HttpResponse) -> None:
    """Read the answer to a notification. Raises `BridgeFailure` where it was not taken."""
    if read_response(response) is not None:
        raise not_a_bridge("a notification was answered as a request is")


def _refusal(status: int, body: bytes) -> BridgeFailure:
    """Return the bridge's own error, or that it is none."""
    try:
        value: object = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    error = value.get("error") if isinstance(value, dict) else None
    if not isinstance(error, dict):
        return not_a_bridge(f"it answers with HTTP status {status} and no reason")
    code, message, hint = error.get("code"), error.get("message"), error.get("hint")
    if not isinstance(code, str) or not isinstance(message, str):
        return not_a_bridge(f"it answers with HTTP status {status} and no reason")
    return refusal(code, message, hint if isinstance(hint, str) else None, error.get("outcome"))


def refusal(code: str, message: str, hint: str | None, outcome: object) -> BridgeFailure:
    """Return the failure that an error of the bridge stands for."""
    kind = DeadlineExceeded if code == BridgeErrorCode.TIMEOUT else BridgeFailure
    return kind(code, message, hint=hint, outcome=_outcome(code, outcome))


def _outcome(code: str, told: object) -> Outcome | None:
    if isinstance(told, str) and told in set(Outcome):
        return Outcome(told)
    # Whatever leaves it open may have run.
    return None if code in _BEFORE_THE_CALL else Outcome.UNKNOWN
