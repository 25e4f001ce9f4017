"""A terminal's calls to a bridge: one request, one answer, one connection each.

Dials the literal loopback address, knows no proxies, follows no redirects and bounds what it
reads, so that the token reaches one port of this machine only. Knows no discovery and no output.
Contract: HTTP.
"""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass, field
from typing import Final

from bridge.client.bridge_address import LOOPBACK, BridgeAddress
from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode
from bridge.contract.error_codes import BridgeErrorCode, Outcome
from bridge.contract.limits import BRIDGE_LIMITS

__all__ = ["BridgeConnection", "is_error_response"]

_MARGIN_SECONDS: Final = 5.0
"""The bridge knows more about a call that takes too long: its own answer should come first."""
_STATUS_SECONDS: Final = 5.0
_MAX_ANSWER_BYTES: Final = BRIDGE_LIMITS.max_body_bytes
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
    }
)
"""Refusals without an outcome, since there was no call yet."""


@dataclass(frozen=True, slots=True)
class BridgeConnection:
    """Where a bridge is and what it takes to call it. Every method raises `BridgeFailure`."""

    address: BridgeAddress
    token: str = field(repr=False)

    def call(
        self, session: str, request: bytes, timeout_seconds: float | None = None
    ) -> bytes | None:
        """Send one JSON-RPC message and return the response's bytes, on one line.

        `request` is the JSON text of an object and is sent as it is. None means that it was a
        notification, which the page has taken. `timeout_seconds` is at most the bridge's own
        longest wait, which also holds without it.
        """
        timeout = (
            "" if timeout_seconds is None else f',"timeoutMs":{_milliseconds(timeout_seconds)}'
        )
        head = f'{{"session":{json.dumps(session)}{timeout},"request":'
        longest = timeout_seconds or BRIDGE_LIMITS.max_call_seconds
        status, answer = self._exchange(
            "POST", "/rpc", head.encode() + request + b"}", longest + _MARGIN_SECONDS
        )
        if status == 202:
            return None
        if status != 200 or not isinstance(_parse(answer), dict):
            raise _not_a_bridge("a call was answered with something else than a JSON-RPC response")
        return answer.replace(b"\r", b" ").replace(b"\n", b" ")

    def close_session(self, session: str, timeout_seconds: float = _STATUS_SECONDS) -> None:
        """Release a session in the page."""
        body = json.dumps({"session": session}).encode()
        self._exchange("POST", "/session/close", body, timeout_seconds)

    def status(self, timeout_seconds: float = _STATUS_SECONDS) -> bytes:
        """Return what the bridge tells of itself: the JSON text of an object."""
        status, answer = self._exchange("GET", "/status", None, timeout_seconds)
        if status != 200 or not isinstance(_parse(answer), dict):
            raise _not_a_bridge("its status is not JSON")
        return answer

    def _exchange(
        self, method: str, path: str, body: bytes | None, timeout_seconds: float
    ) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(
            LOOPBACK, self.address.port, timeout=timeout_seconds
        )
        try:
            self._send(connection, method, path, body)
            return _receive(connection)
        except TimeoutError:
            raise _lost(f"no answer came within {timeout_seconds:g} seconds") from None
        except (ConnectionError, http.client.IncompleteRead) as error:
            raise _lost(f"the connection broke off ({type(error).__name__})") from None
        except (http.client.HTTPException, ValueError):
            raise _not_a_bridge("what answers there does not speak HTTP") from None
        except OSError as error:
            raise _lost(f"the connection failed ({error.strerror})") from None
        finally:
            connection.close()

    def _send(
        self, connection: http.client.HTTPConnection, method: str, path: str, body: bytes | None
    ) -> None:
        try:
            connection.connect()
        except OSError as error:
            reason = error.strerror or "it did not answer"
            raise _unreachable(f"No bridge answers at {self.address.url}: {reason}.") from None
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        connection.putheader("Host", f"{self.address.host}:{self.address.port}")
        connection.putheader("Authorization", f"Bearer {self.token}")
        connection.putheader("Connection", "close")
        if body is not None:
            connection.putheader("Content-Type", "application/json")
            connection.putheader("Content-Length", str(len(body)))
        try:
            connection.endheaders(body)
        except ConnectionError:
            # It was refused half-way: not all of it arrived, and perhaps there is a reason to read.
            try:
                status, answer = _receive(connection)
            except (OSError, http.client.HTTPException, ValueError):
                status, answer = 0, b""
            if status < 400:
                raise _unreachable("The bridge closed the connection before the call.") from None
            raise _refusal(status, answer) from None


def is_error_response(response: bytes) -> bool:
    """Say whether a JSON-RPC response that `call` returned carries an error."""
    value = _parse(response)
    return isinstance(value, dict) and "error" in value


def _receive(connection: http.client.HTTPConnection) -> tuple[int, bytes]:
    # Closed here: the connection lets go of a response after which it ends.
    with connection.getresponse() as response:
        if 300 <= response.status < 400:
            raise _not_a_bridge("it redirects, which a bridge never does; it was not followed")
        if response.length is None or response.length > _MAX_ANSWER_BYTES:
            raise _not_a_bridge("its answer has no length or is too large")
        expected = response.length
        answer = response.read(expected)
    if len(answer) < expected:
        raise http.client.IncompleteRead(b"")
    if response.status >= 400:
        raise _refusal(response.status, answer)
    return response.status, answer


def _refusal(status: int, answer: bytes) -> BridgeFailure:
    """Return the bridge's own error, or that it is none."""
    value = _parse(answer)
    error = value.get("error") if isinstance(value, dict) else None
    if not isinstance(error, dict):
        return _not_a_bridge(f"it answers with HTTP status {status} and no reason")
    code, message, hint = error.get("code"), error.get("message"), error.get("hint")
    if not isinstance(code, str) or not isinstance(message, str):
        return _not_a_bridge(f"it answers with HTTP status {status} and no reason")
    return BridgeFailure(
        code,
        message,
        hint=hint if isinstance(hint, str) else None,
        outcome=_outcome(code, error.get("outcome")),
    )


def _outcome(code: str, told: object) -> Outcome | None:
    if isinstance(told, str) and told in set(Outcome):
        return Outcome(told)
    # Whatever leaves it open may have run.
    return None if code in _BEFORE_THE_CALL else Outcome.UNKNOWN


def _parse(text: bytes) -> object:
    """Read JSON without converting numbers: their tokens are nobody's business here."""
    try:
        value: object = json.loads(text.decode(), parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None
    return value


def _milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1000))


def _unreachable(message: str) -> BridgeFailure:
    return BridgeFailure(
        ClientErrorCode.UNREACHABLE,
        message,
        hint="Is the bridge still running? `bascule list` tells.",
        outcome=Outcome.NOT_DELIVERED,
    )


def _lost(reason: str) -> BridgeFailure:
    return BridgeFailure(
        ClientErrorCode.CONNECTION_LOST,
        f"The bridge took the call, but {reason}.",
        outcome=Outcome.UNKNOWN,
    )


def _not_a_bridge(reason: str) -> BridgeFailure:
    return BridgeFailure(
        ClientErrorCode.NOT_A_BRIDGE,
        f"What answers there is not a bridge: {reason}.",
        hint="Check the address; `bascule list` shows the bridges that run.",
        outcome=Outcome.UNKNOWN,
    )
