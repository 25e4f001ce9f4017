"""What an app's error says of itself: to a person in a traceback, and to the command line."""

from __future__ import annotations

from typing import Any

import pytest

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
