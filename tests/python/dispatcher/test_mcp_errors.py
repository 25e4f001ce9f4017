"""What a model is told of an error, beside what the vectors say."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from bridge.contract.error_codes import AppErrorCode
from bridge.dispatcher.app_error import AppError
from bridge.dispatcher.mcp_catalog import INSTRUCTIONS, TOOLS, TOOLS_BY_NAME
from bridge.dispatcher.mcp_errors import HINTS, error_text, for_model, result_for_model
from bridge.dispatcher.mcp_tools import tool_error
from bridge.dispatcher.methods import METHODS
from tests.python.support.vectors import ROOT

CATALOG = json.loads((ROOT / "tests/vectors/mcp_catalog.json").read_text(encoding="utf-8"))


def error(code: str, message: str = "No.", **data: Any) -> dict[str, Any]:
    return {"code": 1, "message": message, "data": {**data, "code": code}}


def test_hints_are_the_catalogs_word_for_word() -> None:
    assert json.dumps(dict(HINTS)) == json.dumps(CATALOG["hints"])


def test_every_application_error_has_a_hint_in_words_of_the_tools() -> None:
    assert set(HINTS) == {*AppErrorCode.__members__, "INVALID_PARAMS"}
    for hint in HINTS.values():
        assert set(re.findall(r"[a-z]+_[a-z]+", hint)) <= set(TOOLS_BY_NAME)


def test_nothing_that_a_model_reads_names_a_method_of_control_protocol_1() -> None:
    read = json.dumps([TOOLS, INSTRUCTIONS, dict(HINTS)])
    assert "actions_search" in read
    assert [name for name in METHODS if name in read] == []


def test_an_app_that_draws_nothing_is_told_as_such_by_view_render_alone() -> None:
    raised = AppError("UNKNOWN_ACTION", "The app has no action of this name.")
    drawn = tool_error(raised, "view_render")
    assert drawn["message"] == "This app draws no pictures of itself: it has no action ui.render."
    assert drawn["data"]["hint"] == "Nothing was run. Look with state_inspect instead."
    called = tool_error(raised, "actions_execute")
    assert called["message"] == raised.message
    assert called["data"]["hint"] == HINTS["UNKNOWN_ACTION"]


def test_an_app_without_inspection_is_not_to_be_asked_again() -> None:
    told = for_model(error("UNAVAILABLE", availability={"code": "NO_INSPECTION", "reason": "No."}))
    assert told["data"]["hint"].startswith("Nothing was read. Find actions of kind read")


def test_a_hint_of_the_apps_own_stays_whatever_it_is() -> None:
    for hint in ("Ask Ada.", 1, None):
        assert for_model(error("UNAVAILABLE", hint=hint))["data"]["hint"] == hint


@pytest.mark.parametrize(
    "foreign",
    [
        {"code": 1, "message": "No."},
        {"code": 1, "message": "No.", "data": {"code": "ODD"}},
        {"code": 1, "message": "No.", "data": {"code": ["ODD"]}},
    ],
)
def test_an_error_that_is_not_known_stays_as_it_is(foreign: dict[str, Any]) -> None:
    assert for_model(foreign) is foreign


def test_the_text_has_the_first_three_violations_and_skips_what_is_none() -> None:
    errors: list[Any] = [{"path": f"/{n}", "message": "bad"} for n in range(5)]
    told = error_text(for_model(error("INVALID_INPUT", errors=errors)))
    assert told == f"No.\n/0: bad\n/1: bad\n/2: bad\n{HINTS['INVALID_INPUT']}"
    odd: list[Any] = [{"path": "", "message": "no object"}, 1, {"path": 1, "message": "x"}]
    assert error_text(error("INVALID_INPUT", errors=odd)) == "No.\nno object"
    assert error_text(error("INVALID_INPUT", errors="none", hint=1)) == "No."


def test_data_that_cannot_be_read_leaves_the_error_as_it_is() -> None:
    class Unreadable(Mapping[str, Any]):
        def __getitem__(self, _name: str) -> Any:
            raise RuntimeError("secret")

        def __iter__(self) -> Any:
            raise RuntimeError("secret")

        def __len__(self) -> int:
            raise RuntimeError("secret")

    told = error("UNAVAILABLE", availability=Unreadable())
    assert for_model(told) is told
    assert "hint" in for_model(error("UNAVAILABLE"))["data"]


def test_a_result_without_errors_is_the_same() -> None:
    batch = {"results": [{"ok": True, "output": {"error": error("DISABLED")}}], "atomic": False}
    assert result_for_model("actions_batch", batch) == batch
    task = {"task": {"id": "1", "state": "completed", "output": {"error": 1}}}
    assert result_for_model("task_status", task) == task
    seen = {"task": {"error": error("DISABLED")}, "results": 1}
    assert result_for_model("state_inspect", seen) == seen
