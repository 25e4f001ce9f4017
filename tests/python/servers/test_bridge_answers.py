"""Every error has its status, its words and its next step."""

from __future__ import annotations

import json

import pytest

from bridge.broker.effects import (
    Accepted,
    CloseJob,
    Connected,
    Failure,
    NoResponse,
    PollAnswer,
    RawResponse,
    RpcItem,
    SessionClosed,
)
from bridge.contract.error_codes import BRIDGE_HTTP_STATUS, BridgeErrorCode, Outcome
from bridge.servers.bridge_answers import ERROR_TEXTS, error_answer, http_answer


@pytest.mark.parametrize("code", BridgeErrorCode)
def test_every_code_has_its_status_and_a_message(code: BridgeErrorCode) -> None:
    answer = error_answer(code)
    error = json.loads(answer.body)["error"]
    assert answer.status == BRIDGE_HTTP_STATUS[code]
    assert error["code"] == code
    assert error["message"].endswith(".")
    assert "outcome" not in error
    assert set(error) <= {"code", "message", "hint"}


def test_there_are_texts_for_codes_only() -> None:
    assert set(ERROR_TEXTS) == set(BridgeErrorCode)


def test_an_outcome_says_whether_the_call_may_have_run() -> None:
    unknown = json.loads(error_answer(BridgeErrorCode.TIMEOUT, outcome=Outcome.UNKNOWN).body)
    assert unknown["error"]["outcome"] == "unknown"
    assert "may have run" in unknown["error"]["hint"]
    safe = http_answer(Failure(BridgeErrorCode.TIMEOUT, Outcome.NOT_DELIVERED))
    assert safe.status == 504
    assert json.loads(safe.body)["error"]["outcome"] == "not_delivered"
    assert "again is safe" in json.loads(safe.body)["error"]["hint"]


def test_no_time_out_claims_that_anything_was_undone() -> None:
    for outcome in Outcome:
        text = error_answer(BridgeErrorCode.TIMEOUT, outcome=outcome).body.lower()
        for claim in (b"cancel", b"rolled", b"undone", b"did not run"):
            assert claim not in text


@pytest.mark.parametrize("code", BridgeErrorCode)
def test_whoever_does_not_know_whether_a_call_ran_is_told_to_inspect_the_state_first(
    code: BridgeErrorCode,
) -> None:
    hint = json.loads(error_answer(code, outcome=Outcome.UNKNOWN).body)["error"]["hint"]
    assert "inspect the state before trying it again" in hint


def test_busy_says_when_to_come_again() -> None:
    assert ("Retry-After", "1") in error_answer(BridgeErrorCode.BUSY).headers


def test_a_connect_answer_has_all_its_members() -> None:
    assert json.loads(http_answer(Connected("c")).body) == {
        "client": "c",
        "protocolVersion": "1",
        "maxMessageBytes": 1_048_576,
        "channel": None,
    }


def test_a_poll_answer_carries_requests_byte_for_byte() -> None:
    request = b'{"id": 1e0, "x":  "\\u0041",  "y":\xe2\x80\xa8"" }'.replace(b"\xe2\x80\xa8", b" ")
    items = (RpcItem("i", 1, "s", request, 5), CloseJob("j", 2, "s", 6))
    answer = http_answer(PollAnswer(4, items))
    assert request in answer.body
    value = json.loads(answer.body)
    assert value["now"] == 4
    first, second = value["requests"]
    assert list(first) == ["id", "seq", "session", "request", "deadline"]
    assert second == {"id": "j", "seq": 2, "session": "s", "closeSession": True, "deadline": 6}


def test_a_response_passes_byte_for_byte_and_none_is_202() -> None:
    raw = http_answer(RawResponse(b'{"id" :1.0}'))
    assert (raw.status, raw.body, raw.content_type) == (200, b'{"id" :1.0}', "application/json")
    nothing = http_answer(NoResponse())
    assert (nothing.status, nothing.body) == (202, b"null")


def test_the_short_answers() -> None:
    assert http_answer(Accepted()).body == b'{"accepted":true}'
    assert http_answer(SessionClosed()).body == b'{"closed":true}'
