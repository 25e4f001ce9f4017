"""A terminal's calls to a bridge, bytes in and bytes out, over one keep-alive connection.

Knows no discovery, no output and nothing of what the messages mean. Contract: HTTP.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

from bridge.client.bridge_address import BridgeAddress
from bridge.client.bridge_requests import (
    BridgeRequests,
    read_answer,
    read_kept,
    read_notified,
    read_response,
)
from bridge.client.connection_failures import not_a_bridge
from bridge.client.http_connection import HttpConnection, always
from bridge.contract.limits import BRIDGE_LIMITS

__all__ = ["BridgeConnection", "is_error_response"]

_MARGIN_SECONDS: Final = 5.0
"""The bridge knows more about a call that takes too long: its own answer should come first."""
_STATUS_SECONDS: Final = 5.0


class BridgeConnection:
    """Where a bridge is and what it takes to call it. Every method raises `BridgeFailure`.

    `runs` is asked before the token is sent over a new connection; see `HttpConnection`. Several
    threads take turns. Also a context manager, which hangs up in the end.
    """

    def __init__(
        self, address: BridgeAddress, token: str, runs: Callable[[], bool] = always
    ) -> None:
        self.address = address
        self.token = token
        self.requests = BridgeRequests(address, token)
        self.http = HttpConnection(address, runs)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.address.url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Hang up. The connection can be used again, and then opens anew."""
        self.http.close()

    def call(
        self,
        session: str,
        request: bytes,
        timeout_seconds: float | None = None,
        opening: bytes | None = None,
    ) -> bytes | None:
        """Send one JSON-RPC message and return the response's bytes, on one line.

        `request` is the JSON text of an object and is sent as it is. None means that it was a
        notification, which the page has taken. `timeout_seconds` is at most the bridge's own
        longest wait, which also holds without it. `opening` is a request that the page gets first
        where it has had nothing in this session yet; nobody gets its answer.
        """
        data = self.requests.call(session, request, timeout_seconds, opening)
        longest = timeout_seconds or BRIDGE_LIMITS.max_call_seconds
        response = self.http.exchange(data, time.monotonic() + longest + _MARGIN_SECONDS)
        answer = read_response(response)
        if answer is not None and not isinstance(_parse(answer), dict):
            raise not_a_bridge("a call was answered with something else than a JSON-RPC response")
        return answer

    def respond(
        self,
        session: str,
        request: bytes,
        seconds: float | None,
        deadline: float,
        *,
        opening: bytes | None = None,
    ) -> bytes:
        """Send a JSON-RPC request and return its response, by `deadline` on the monotonic clock.

        `seconds` is what the bridge is given; None for its own longest wait. `opening` as in
        `call`.
        """
        data = self.requests.call(session, request, seconds, opening)
        response = read_response(self.http.exchange(data, deadline))
        if response is None:
            raise not_a_bridge("a request was answered as a notification is")
        return response

    def notify(
        self,
        session: str,
        notification: bytes,
        seconds: float | None,
        deadline: float,
        *,
        opening: bytes | None = None,
    ) -> None:
        """Send a JSON-RPC notification; returns when the page has taken it."""
        data = self.requests.call(session, notification, seconds, opening)
        read_notified(self.http.exchange(data, deadline))

    def calls(self, after: int | None, wait_seconds: float, deadline: float) -> bytes:
        """Return the calls of others after an event's number."""
        request = self.requests.calls(after, wait_seconds)
        return read_answer(self.http.exchange(request, deadline, repeatable=True))

    def close_session(self, session: str, timeout_seconds: float = _STATUS_SECONDS) -> None:
        """Release a session in the page."""
        self._ask(self.requests.close_session(session), timeout_seconds)

    def keep_session(self, session: str, timeout_seconds: float = _STATUS_SECONDS) -> bool:
        """Say that a session is still needed; False where the attached page knows of none."""
        deadline = time.monotonic() + timeout_seconds
        request = self.requests.keep_session(session)
        return read_kept(self.http.exchange(request, deadline, repeatable=True))

    def status(self, timeout_seconds: float = _STATUS_SECONDS) -> bytes:
        """Return what the bridge tells of itself: the JSON text of an object."""
        answer = self._ask(self.requests.status(), timeout_seconds)
        if not isinstance(_parse(answer), dict):
            raise not_a_bridge("its status is not JSON")
        return answer

    def _ask(self, request: bytes, timeout_seconds: float) -> bytes:
        """Do what may be done twice."""
        deadline = time.monotonic() + timeout_seconds
        return read_answer(self.http.exchange(request, deadline, repeatable=True))


def is_error_response(response: bytes) -> bool:
    """Say whether a JSON-RPC response that `call` returned carries an error."""
    value = _parse(response)
    return isinstance(value, dict) and "error" in value


def _parse(text: bytes) -> object:
    """Read JSON without converting numbers: their tokens are nobody's business here."""
    try:
        value: object = json.loads(text.decode(), parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None
    return value
