"""JSON-RPC 2.0 messages, as far as a bridge has to understand them.

The bridge passes messages through unread, but it has to know which answer belongs to which
request: `request_id` and `response_id` read the `id` of a parsed message, and
`response_answers` says whether the two belong together (Contract: delivery). Strings compare
decoded, integers by their token; where the request had no valid id, a null id or an error
without one answers it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from bridge.contract.limits import PROTOCOL_LIMITS
from bridge.contract.strict_json import JsonValue, number_token

__all__ = [
    "IntegerId",
    "InvalidId",
    "NoId",
    "NullResponse",
    "RequestId",
    "ResponseId",
    "StringId",
    "request_id",
    "response_answers",
    "response_id",
]


@dataclass(frozen=True, slots=True)
class StringId:
    """A string id, decoded."""

    value: str


@dataclass(frozen=True, slots=True)
class IntegerId:
    """An integer id by its token: `1` and `1.0` are different ids."""

    token: str


@dataclass(frozen=True, slots=True)
class NoId:
    """No `id` member: a notification, or an answer that names no request."""

    is_error: bool = False


@dataclass(frozen=True, slots=True)
class InvalidId:
    """An `id` that is neither a short string nor an integer; `null` among them."""

    is_null: bool = False


@dataclass(frozen=True, slots=True)
class NullResponse:
    """The page's `response: null`: it took the message and there is nothing to answer."""


RequestId: TypeAlias = StringId | IntegerId | NoId | InvalidId
ResponseId: TypeAlias = RequestId | NullResponse


def request_id(message: Mapping[str, JsonValue]) -> RequestId:
    """Read the `id` of a request or of an answer."""
    if "id" not in message:
        return NoId(is_error="error" in message)
    value = message["id"]
    if value is None:
        return InvalidId(is_null=True)
    if isinstance(value, str):
        if len(value.encode()) <= PROTOCOL_LIMITS.max_id_bytes:
            return StringId(value)
        return InvalidId()
    if isinstance(value, int) and not isinstance(value, bool):
        return IntegerId(number_token(value))
    return InvalidId()


def response_id(response: JsonValue) -> ResponseId:
    """Read what the page posted as `response`: an object with an `id`, or null."""
    if response is None:
        return NullResponse()
    if isinstance(response, dict):
        return request_id(response)
    return InvalidId()


def response_answers(request: RequestId, response: ResponseId) -> bool:
    """Say whether an answer belongs to the request that was delivered."""
    match request, response:
        case (StringId() | IntegerId(), _):
            return request == response
        case (NoId(), NullResponse()):
            return True
        case (_, InvalidId(is_null=True)) | (_, NoId(is_error=True)):
            return True
        case _:
            return False
