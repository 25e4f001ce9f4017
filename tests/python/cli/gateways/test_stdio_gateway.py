"""One line in, at most one line out, without input or output."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.cli.gateways.stdio_gateway import StdioGateway
from bridge.client.bridge_failure import BridgeFailure
from bridge.contract.error_codes import BRIDGE_ERROR_NUMBER, Outcome
from bridge.contract.limits import JSON_LIMITS


class Page:
    """What is behind the gateway: keeps what it is sent and answers or fails."""

    def __init__(self, response: bytes | None = None, failure: BridgeFailure | None = None) -> None:
        self.response = response
        self.failure = failure
        self.sent: list[bytes] = []
        self.reported: list[BridgeFailure] = []
        self.gateway = StdioGateway(self.call, self.reported.append)

    def call(self, message: bytes) -> bytes | None:
        self.sent.append(message)
        if self.failure is not None:
            raise self.failure
        return self.response

    def error(self, line: bytes | None) -> tuple[Any, dict[str, Any]]:
        """Return id and error of the answer to a line."""
        answer = self.gateway.answer(line)
        assert answer is not None
        assert b"\n" not in answer
        value = json.loads(answer)
        assert value["jsonrpc"] == "2.0"
        return value["id"], value["error"]


def test_a_message_goes_as_it_is_and_its_response_comes_as_it_is() -> None:
    page = Page(b'{"id":1e0,"result":0.10}')
    line = b' {"jsonrpc":"2.0",\r"id":1e0,"method":"m","params":[1.0,1e400]}'
    assert page.gateway.answer(line) == b'{"id":1e0,"result":0.10}'
    assert page.sent == [line]


def test_a_notification_is_sent_and_answered_with_nothing() -> None:
    page = Page(None)
    assert page.gateway.answer(b'{"jsonrpc":"2.0","method":"m"}') is None
    assert len(page.sent) == 1


@pytest.mark.parametrize("line", [b"", b" ", b"\t\r"])
def test_a_blank_line_is_nothing(line: bytes) -> None:
    page = Page(b"{}")
    assert page.gateway.answer(line) is None
    assert page.sent == []


def test_a_line_that_was_too_long_is_told_with_its_limit() -> None:
    page = Page(b"{}")
    request, error = page.error(None)
    assert request is None
    assert error["code"] == 1015
    assert error["data"] == {
        "code": "LIMIT_EXCEEDED",
        "limit": "encodedBytes",
        "maximum": JSON_LIMITS.max_encoded_bytes,
    }


def test_a_line_over_another_limit_is_told_with_its_limit() -> None:
    page = Page(b"{}")
    good = b'{"id":1,"p":' + b"[" * 31 + b"]" * 31 + b"}"
    assert page.gateway.answer(good) == b"{}"
    _, error = page.error(b'{"id":1,"p":' + b"[" * 32 + b"]" * 32 + b"}")
    assert (error["code"], error["data"]["limit"]) == (1015, "depth")
    assert page.sent == [good]


@pytest.mark.parametrize(
    "line",
    [b"{", b'{"a":1,"a":2}', b'{"a":NaN}', b'{"a":"\\ud800"}', b"\xff", b"\xef\xbb\xbf{}", b"{}{}"],
)
def test_what_is_not_strict_json_is_a_parse_error(line: bytes) -> None:
    page = Page(b"{}")
    request, error = page.error(line)
    assert (request, error["code"]) == (None, -32700)
    assert page.sent == []


@pytest.mark.parametrize("line", [b"[]", b'[{"jsonrpc":"2.0","id":1,"method":"m"}]', b"1", b"null"])
def test_what_is_no_object_is_no_message(line: bytes) -> None:
    page = Page(b"{}")
    request, error = page.error(line)
    assert (request, error["code"]) == (None, -32600)
    assert ("actions/batch" in error["message"]) is line.startswith(b"[")
    assert page.sent == []


@pytest.mark.parametrize(
    ("sent", "echoed"),
    [
        (b"1", b"1"),
        (b"1e3", b"1e3"),
        (b"-0", b"-0"),
        (b"123456789012345678901234567890", b"123456789012345678901234567890"),
        (b'"\\u00e9"', '"é"'.encode()),
        (b'""', b'""'),
        (b"null", b"null"),
        (b"1.5", b"null"),
        (b"true", b"null"),
        (b"[]", b"null"),
        (b'"' + b"x" * 257 + b'"', b"null"),
    ],
)
def test_a_failure_is_an_error_with_the_call_s_id(sent: bytes, echoed: bytes) -> None:
    failure = BridgeFailure("TIMEOUT", "Too slow.", hint="Wait.", outcome=Outcome.UNKNOWN)
    answer = Page(failure=failure).gateway.answer(b'{"jsonrpc":"2.0","id":' + sent + b"}")
    assert answer is not None
    assert b'"id":' + echoed + b"," in answer
    error = json.loads(answer)["error"]
    assert error == {
        "code": BRIDGE_ERROR_NUMBER,
        "message": "Too slow.",
        "data": {"code": "TIMEOUT", "outcome": "unknown", "hint": "Wait."},
    }


def test_a_failure_without_outcome_or_hint_claims_neither() -> None:
    page = Page(failure=BridgeFailure("UNAUTHORIZED", "No."))
    assert page.error(b'{"id":1}')[1]["data"] == {"code": "UNAUTHORIZED"}


def test_a_notification_that_failed_is_reported_and_not_answered() -> None:
    failure = BridgeFailure("TIMEOUT", "Too slow.")
    page = Page(failure=failure)
    assert page.gateway.answer(b'{"jsonrpc":"2.0","method":"m"}') is None
    assert page.reported == [failure]


@given(st.binary(max_size=40).filter(lambda line: b"\n" not in line))
def test_any_line_is_answered_with_at_most_one_line(line: bytes) -> None:
    answer = Page(b"{}").gateway.answer(line)
    assert answer is None or (b"\n" not in answer and isinstance(json.loads(answer), dict))
