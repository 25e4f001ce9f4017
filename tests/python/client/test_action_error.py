"""What an app's error says of itself: to a person in a traceback, and to the command line."""

from __future__ import annotations

from typing import Any

import pytest

from bridge.cli.app_session import result_of
from bridge.client import ActionError
from bridge.contract.error_codes import Outcome


@pytest.mark.parametrize(
    ("data", "details"),
    [
        (
            {"errors": [{"path": "/by", "message": "must be at least 1"}]},
            ["/by: must be at least 1"],
        ),
        ({"errors": [{"path": "", "message": "must be object"}]}, ["input: must be object"]),
        ({"expected": 3, "actual": 7}, ["Revision 3 was expected; it is at 7."]),
        (
            {"availability": {"code": "NOTHING_SELECTED", "reason": "Select some text."}},
            ["Select some text. [NOTHING_SELECTED]"],
        ),
        ({"limit": "maxDepth", "maximum": 32}, ["The limit maxDepth is 32."]),
        ({"retryAfterMs": 10_000}, ["Try again in 10 s."]),
        ({}, []),
        ({"errors": "none", "availability": 1, "expected": 3}, []),
        ({"errors": [1, {"path": "/a", "message": "is wrong"}]}, ["/a: is wrong"]),
    ],
)
def test_the_details_are_told_after_the_message(data: Any, details: list[str]) -> None:
    error = ActionError(1003, "It does not fit.", {"code": "INVALID_INPUT", **data})
    assert error.details() == details
    assert str(error) == " ".join(
        ["It does not fit. [INVALID_INPUT]", *(f"({line})" for line in details)]
    )


def test_a_reason_that_is_the_message_is_told_once_with_its_own_code() -> None:
    availability: Any = {"code": "OWNER_REQUIRED", "reason": "The owner said no."}
    data: Any = {"code": "UNAVAILABLE", "availability": availability, "retryAfterMs": 9_001}
    error = ActionError(1006, "The owner said no.", data)
    assert str(error) == "The owner said no. [OWNER_REQUIRED] (Try again in 10 s.)"
    assert error.code == "UNAVAILABLE"
    other = ActionError(1006, "It is not available.", data)
    assert str(other).startswith(
        "It is not available. [UNAVAILABLE] (The owner said no. [OWNER_REQUIRED])"
    )


@pytest.mark.parametrize("later", [True, "5000", 0, -1, None])
def test_what_is_no_time_to_wait_is_not_told(later: Any) -> None:
    assert ActionError(1006, "No.", {"retryAfterMs": later}).details() == []


@pytest.mark.parametrize(
    ("data", "details"),
    [
        ('{"retryAfterMs":7625}', ["Try again in 8 s."]),
        ('{"retryAfterMs":"7625"}', []),
        ('{"retryAfterMs":true}', []),
        ('{"retryAfterMs":-1}', []),
        ('{"retryAfterMs":7.5}', []),
        (f'{{"retryAfterMs":{"9" * 1_000}}}', []),
        ('{"expected":3,"actual":7}', ["Revision 3 was expected; it is at 7."]),
        ('{"limit":"maxDepth","maximum":32}', ["The limit maxDepth is 32."]),
        ('{"errors":[{"path":"/by","message":"is 0"}]}', ["/by: is 0"]),
    ],
)
def test_a_command_s_reader_which_keeps_numbers_as_text_tells_the_same(
    data: str, details: list[str]
) -> None:
    answer = f'{{"jsonrpc":"2.0","id":1,"error":{{"code":1006,"message":"No.","data":{data}}}}}'
    with pytest.raises(ActionError) as refused:
        result_of(answer.encode())
    assert refused.value.details() == details


def test_of_many_errors_the_first_are_told() -> None:
    errors: Any = [{"path": f"/{i}", "message": "is wrong"} for i in range(50)]
    error = ActionError(1003, "It does not fit.", {"errors": errors})
    assert error.details() == [f"/{i}: is wrong" for i in range(10)]


@pytest.mark.parametrize(
    ("data", "outcome"),
    [({}, Outcome.UNKNOWN), ({"readOnly": "yes"}, Outcome.UNKNOWN), ({"readOnly": True}, None)],
)
def test_what_only_reads_may_not_have_run(data: Any, outcome: Outcome | None) -> None:
    assert ActionError(1018, "It broke.", {"code": "HOST_ERROR", **data}).outcome is outcome
