"""From a request that passed the gate to the broker's event (Contract: shapes).

Checks the query, the acknowledgement and the body's JSON and shape. Unknown members are ignored.
No message repeats what the peer sent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, assert_never
from urllib.parse import parse_qsl

from bridge.broker.events import (
    Call,
    CloseSession,
    Connect,
    Disconnect,
    KeepSession,
    Opening,
    OversizeResult,
    PageState,
    Poll,
    Result,
    StateReport,
    Waiter,
    Watch,
)
from bridge.contract.error_codes import BridgeErrorCode
from bridge.contract.jsonrpc import request_id
from bridge.contract.limits import JSON_LIMITS, BridgeLimits
from bridge.contract.raw_json import RawObject, read_object
from bridge.contract.strict_json import JsonValue, StrictJsonError
from bridge.servers.bridge_gate import RequestHead
from bridge.servers.bridge_routes import RouteName
from bridge.servers.call_label import call_label
from bridge.servers.shapes import ShapeError, integer, read_result, text

__all__ = ["AskingEvent", "BodyReader", "json_refusal"]

AskingEvent = (
    Connect
    | Poll
    | Result
    | OversizeResult
    | StateReport
    | Disconnect
    | Call
    | CloseSession
    | KeepSession
    | Watch
)
"""An event by which somebody waits for an answer."""

_SESSION: Final = re.compile(r"[A-Za-z0-9._:-]+")
_ACK: Final = re.compile(rb"0|[1-9][0-9]{0,15}")


@dataclass(frozen=True, slots=True)
class BodyReader:
    """Reads requests within one bridge's limits. Every method raises `ShapeError`."""

    limits: BridgeLimits

    def poll(self, head: RequestHead, query: str, waiter: Waiter) -> Poll:
        """Read `GET /poll?client=ID` and the acknowledgement in its header."""
        try:
            pairs = parse_qsl(query, keep_blank_values=True, errors="strict", max_num_fields=16)
        except ValueError:
            raise ShapeError("The query cannot be read.") from None
        clients = [value for name, value in pairs if name == "client"]
        if len(clients) != 1 or not clients[0]:
            raise ShapeError("A poll names its client once, as ?client=ID.")
        acks = head.values(b"bascule-ack")
        if not acks:
            return Poll(waiter, clients[0], None)
        if len(acks) > 1 or not _ACK.fullmatch(acks[0]):
            raise ShapeError("Bascule-Ack is one number, the highest seq received.")
        return Poll(waiter, clients[0], int(acks[0]))

    def body(  # noqa: PLR0911 - one for each route
        self, route: RouteName, body: bytes, waiter: Waiter
    ) -> AskingEvent:
        """Read the body of a POST."""
        match route:
            case RouteName.CONNECT:
                return self._connect(self._object(body), waiter)
            case RouteName.RESULT:
                return self._result(self._object(body, "response"), waiter)
            case RouteName.STATE:
                return self._state(self._object(body), waiter)
            case RouteName.DISCONNECT:
                return Disconnect(waiter, text(self._object(body).values, "client"))
            case RouteName.RPC:
                return self.call(self._object(body, "request", "opening"), waiter)
            case RouteName.SESSION_CLOSE:
                return CloseSession(waiter, self._session(self._object(body)))
            case RouteName.SESSION_KEEP:
                return KeepSession(waiter, self._session(self._object(body)))
            case RouteName.CALLS:
                return self._watch(self._object(body), waiter)
            case (
                RouteName.POLL
                | RouteName.STATUS
                | RouteName.CHANNEL
                | RouteName.TERMINAL
                | RouteName.MCP
            ):
                raise ValueError(f"{route} has no body of this kind")
            case _:
                assert_never(route)

    def _object(self, body: bytes, *raw: str) -> RawObject:
        try:
            return read_object(
                body, raw=raw, limits=JSON_LIMITS, max_body_bytes=self.limits.max_body_bytes
            )
        except StrictJsonError as error:
            raise json_refusal(error) from None

    def _connect(self, body: RawObject, waiter: Waiter) -> Connect:
        app = text(body.values, "app")
        if len(app) > self.limits.max_app_name_chars:
            raise ShapeError(f"app has at most {self.limits.max_app_name_chars} characters.")
        return Connect(waiter, app)

    def _result(self, body: RawObject, waiter: Waiter) -> Result | OversizeResult:
        client, result = text(body.values, "client"), read_result(body)
        if result.response is None or result.response_id is None:
            return OversizeResult(waiter, client, result.item_id)
        return Result(
            waiter,
            client,
            result.item_id,
            result.response,
            result.response_id,
            result.app_error,
            result.deferred,
        )

    def _state(self, body: RawObject, waiter: Waiter) -> StateReport:
        state, taken = body.values.get("state"), integer(body.values.get("taken"))
        if not isinstance(state, str) or state not in set(PageState):
            raise ShapeError(f"state is one of {', '.join(PageState)}.")
        if taken is None or taken < 0:
            raise ShapeError("taken is the highest seq begun, an integer from 0.")
        return StateReport(waiter, text(body.values, "client"), PageState(state), taken)

    def call(self, body: RawObject, waiter: Waiter) -> Call:
        """Read a call, posted or in a frame, with its `request` and `opening` kept as bytes."""
        session, request = self._session(body), body.values.get("request")
        if not isinstance(request, dict):
            raise ShapeError("request is one JSON-RPC object.")
        timeout = self._timeout(body.values)
        return Call(
            waiter,
            session,
            body.raw("request"),
            request_id(request),
            timeout,
            call_label(request, self.limits.max_label_chars),
            self._opening(body),
        )

    @staticmethod
    def _opening(body: RawObject) -> Opening | None:
        if "opening" not in body.values:
            return None
        opening = body.values["opening"]
        if not isinstance(opening, dict):
            raise ShapeError("opening is one JSON-RPC object.")
        return Opening(body.raw("opening"), request_id(opening))

    def _watch(self, body: RawObject, waiter: Waiter) -> Watch:
        after, longest = body.values.get("after"), self.limits.max_watch_seconds
        seen = None if after is None else integer(after)
        if after is not None and (seen is None or seen < 0):
            raise ShapeError("after is the last event seen, an integer from 0, or null.")
        wait = integer(body.values.get("waitMs", 0))
        if wait is None or not 0 <= wait <= longest * 1000:
            raise ShapeError(f"waitMs is an integer from 0 to {int(longest * 1000)}.")
        return Watch(waiter, seen, wait / 1000)

    def _session(self, body: RawObject) -> str:
        session = body.values.get("session")
        longest = self.limits.max_session_chars
        if isinstance(session, str) and _SESSION.fullmatch(session) and len(session) <= longest:
            return session
        raise ShapeError(f"session is 1 to {longest} of letters, digits and . _ : -")

    def _timeout(self, values: Mapping[str, JsonValue]) -> float:
        longest = self.limits.max_call_seconds
        if "timeoutMs" not in values:
            return longest
        timeout = integer(values["timeoutMs"])
        if timeout is None or not 1 <= timeout <= longest * 1000:
            raise ShapeError(f"timeoutMs is an integer from 1 to {int(longest * 1000)}.")
        return timeout / 1000


def json_refusal(error: StrictJsonError) -> ShapeError:
    """Return what is said of a body, or of one of its members, that is not within the limits."""
    if error.kind != "limit":
        return ShapeError("The body is not an object of strict JSON.")
    where = "The body" if error.member is None else "A member"
    if error.member in {"request", "response", "opening"}:
        where = error.member
    message = f"{where} is over the limit {error.limit} of {error.maximum}."
    if error.limit == "encodedBytes":
        return ShapeError(message, BridgeErrorCode.TOO_LARGE)
    return ShapeError(message)
