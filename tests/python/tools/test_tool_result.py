"""Results in the one shape: what a handler may return, and who sees what of it."""

from __future__ import annotations

from collections import UserDict

import pytest

from bridge.tools.tool_result import (
    ToolResult,
    error_result,
    failure_code,
    for_model,
    read_result,
    to_wire,
)

TEXT = {"type": "text", "text": "done"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("done", ToolResult((TEXT,))),
        ([TEXT, {"type": "unknown"}], ToolResult((TEXT,))),
        ((TEXT,), ToolResult((TEXT,))),
        ([], ToolResult()),
        ({"content": "done"}, ToolResult((TEXT,))),
        ({"content": [TEXT], "other": 1}, ToolResult((TEXT,))),
        ({"structuredContent": {"ok": True}}, ToolResult((), {"ok": True})),
        ({"content": "done", "structuredContent": None}, ToolResult((TEXT,))),
        (UserDict({"content": "done"}), ToolResult((TEXT,))),
        (
            {"content": "done", "isError": True, "_meta": {"a": 1}},
            ToolResult((TEXT,), None, True, {"a": 1}),
        ),
        (ToolResult((TEXT,)), ToolResult((TEXT,))),
        (ToolResult((TEXT, {"type": "unknown"})), ToolResult((TEXT,))),
        (
            ToolResult(({"type": "text", "text": "half \ud800"},), {"ok": True}, True, {"a": 1}),
            ToolResult(({"type": "text", "text": "half \ufffd"},), {"ok": True}, True, {"a": 1}),
        ),
        (
            ToolResult(({"type": "resource_link", "uri": "a:b"},)),
            ToolResult(({"type": "resource", "resource": {"uri": "a:b", "text": "a:b"}},)),
        ),
        (ToolResult(), ToolResult()),
    ],
)
def test_what_a_handler_may_return_is_read(value: object, expected: ToolResult) -> None:
    assert read_result(value) == expected


def test_a_tool_cannot_say_what_its_runner_says() -> None:
    forged = {"bascule": {"code": "BUSY", "spent": 3}, "spent": 4}
    result = read_result({"content": "no", "isError": True, "_meta": forged})
    assert failure_code(result) is None
    assert result.meta == {"bascule": {"spent": 3}, "spent": 4}
    assert failure_code(error_result("no", "BUSY")) == "BUSY"
    assert failure_code(read_result(error_result("no", "BUSY"))) is None


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "gave nothing"),
        (42, "of type int"),
        (b"done", "of type bytes"),
        ({"ok": True}, "without content or structuredContent"),
        ({"content": 42}, "content that is a value of type int"),
        ({"content": "x", "structuredContent": [1]}, "structuredContent that is no object"),
        (ToolResult((TEXT,), is_error="no"), "isError"),  # type: ignore[arg-type]
        (ToolResult(3), "content that is a value of type int"),  # type: ignore[arg-type]
        ({"content": "x", "isError": 1}, "isError"),
        ({"content": "x", "_meta": []}, "_meta"),
    ],
)
def test_anything_else_is_refused_with_words_for_its_author(value: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_result(value)


def test_the_wire_has_the_names_of_mcp_and_nothing_empty() -> None:
    whole = ToolResult((TEXT,), {"ok": True}, True, {"a": 1})
    assert to_wire(whole) == {
        "content": [TEXT],
        "structuredContent": {"ok": True},
        "isError": True,
        "_meta": {"a": 1},
    }
    assert to_wire(ToolResult()) == {"content": []}


def test_a_model_never_sees_meta() -> None:
    whole = ToolResult((TEXT,), {"ok": True}, False, {"cost": 1})
    assert "_meta" in to_wire(whole)
    assert for_model(whole) == {"content": [TEXT], "structuredContent": {"ok": True}}
    block = {**TEXT, "_meta": {"cost": 1}}
    assert for_model(read_result([block])) == {"content": [TEXT]}


def test_a_failure_has_words_for_a_model_and_a_code_for_programs() -> None:
    failure = error_result("No.", "BUSY")
    assert (failure.content, failure.is_error) == (({"type": "text", "text": "No."},), True)
    assert failure_code(failure) == "BUSY"
    assert failure_code(error_result("No.")) is None


def test_only_an_error_has_a_code() -> None:
    assert failure_code(ToolResult((), None, False, {"bascule": {"code": "BUSY"}})) is None
    assert failure_code(ToolResult((), None, True, {"bascule": "BUSY"})) is None
