"""The status of a finished call, judged by the vectors that both languages share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bridge.tools.settled_status import settled_status

VECTORS = Path(__file__).parents[2] / "vectors" / "settled_status.json"
CASES: list[dict[str, Any]] = json.loads(VECTORS.read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_status_is_what_the_vector_says(case: dict[str, Any]) -> None:
    assert settled_status(case["structured"], case.get("is_error"))._asdict() == case["expect"]


def test_the_names_of_the_vectors_are_unique() -> None:
    assert len({case["name"] for case in CASES}) == len(CASES)
