"""What a card in its own frame is sent: five members, within 131,072 bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.contract.strict_json import dumps
from bridge.tools.card_payload import card_payload
from bridge.tools.json_cost import NotJsonError
from bridge.tools.result_limits import CARD_LIMITS
from bridge.tools.tool_result import ToolResult
from tests.python.support.calm import calm

TEXT = {"type": "text", "text": "two rows"}


def test_a_card_is_sent_what_it_draws_and_no_meta() -> None:
    result = ToolResult((TEXT,), {"count": 2}, False, {"cost": 1})
    assert card_payload("rows_list", {"days": 3}, "success", result) == {
        "name": "rows_list",
        "input": {"days": 3},
        "status": "success",
        "result": [TEXT],
        "structuredContent": {"count": 2},
    }


def test_a_running_call_has_no_result_yet() -> None:
    payload = card_payload("rows_list", {}, "running")
    assert (payload["result"], payload["structuredContent"]) == (None, None)


@pytest.mark.parametrize(("length", "is_cut"), [(16_384, False), (16_385, True)])
def test_a_text_at_the_limit_stays_and_one_longer_says_that_it_was_cut(
    length: int, is_cut: bool
) -> None:
    payload = card_payload("t", {}, "success", ToolResult((), {"text": "x" * length}))
    text = payload["structuredContent"]["text"]
    assert len(text) == 16_384
    assert text.endswith("kept]") is is_cut
    assert ("truncated" in payload) is is_cut


def test_the_headline_stays_when_the_rest_is_too_much() -> None:
    result = ToolResult(
        tuple({"type": "text", "text": "x" * 20_000} for _ in range(5)),
        {"rows": [{"text": "y" * 1_000}] * 200, "count": 200, "ok": True},
    )
    payload = card_payload("t", {"q": "z" * 20_000}, "success", result)
    structured = payload["structuredContent"]
    assert (structured["count"], structured["ok"]) == (200, True)
    assert 10 < len(structured["rows"]) < 200
    assert {"/structuredContent/rows"} <= {each["path"] for each in payload["truncated"]}
    assert len(dumps(payload)) <= CARD_LIMITS.max_bytes


@given(st.lists(st.text("x\0ä", max_size=3_000), max_size=100), st.integers(1, 90))
@calm()
def test_a_payload_is_within_its_budget(texts: list[str], times: int) -> None:
    result = ToolResult((), {f"k{n}/{texts[:1]}"[:90]: texts for n in range(times)})
    payload = card_payload("t", {}, "success", result)
    assert len(dumps(payload)) <= CARD_LIMITS.max_bytes


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(NotJsonError):
        card_payload("t", {"a": {1}}, "running")
