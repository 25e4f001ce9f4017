"""What is shown of a task's progress, whatever an app reports."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.cli.output.json_text import read
from bridge.cli.output.task_progress import task_progress


@pytest.mark.parametrize(
    ("progress", "fraction", "text"),
    [
        ({"done": 1, "total": 4}, 0.25, "running"),
        ({"completed": 1, "total": 4, "phase": "indexing"}, 0.25, "indexing"),
        ({"done": 1, "completed": 3, "total": 4}, 0.25, "running"),
        ({"completed": 1}, None, "running"),
        ({"percent": 10}, 0.1, "running"),
        ({"fraction": 0.5, "percent": 10}, 0.5, "running"),
        ({"done": 9, "total": 4}, 1.0, "running"),
        ({"done": -9, "total": 4}, 0.0, "running"),
        ({"done": 1, "total": 0}, None, "running"),
        ({"reason": "person", "message": "Somebody is asked."}, None, "Somebody is asked."),
        ({"reason": "consent", "message": "Long."}, None, "waits for a yes in the page"),
        ({"message": "\x1b[31m"}, None, "\\x1b[31m"),
        ({"message": 7, "percent": "10"}, None, "running"),
        ([1], None, "running"),
        (None, None, "running"),
    ],
)
def test_a_fraction_and_a_text_are_found(
    progress: object, fraction: float | None, text: str
) -> None:
    task = read(json.dumps({"state": "running", "progress": progress}))
    assert task_progress(task) == (fraction, text)


def test_numbers_past_any_float_are_no_fraction() -> None:
    assert task_progress(read('{"progress":{"percent":1e400}}')).fraction is None
    assert task_progress(read('{"progress":{"done":1e400,"total":1e400}}')).fraction is None


@given(
    st.dictionaries(
        st.sampled_from(["done", "total", "fraction", "percent", "message", "stage"]),
        st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text() | st.none(),
    )
)
def test_anything_can_be_shown(progress: dict[str, Any]) -> None:
    told = task_progress(read(json.dumps({"progress": progress})))
    assert told.text.isprintable()
    assert told.fraction is None or 0 <= told.fraction <= 1
