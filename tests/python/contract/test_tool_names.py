"""Names of package tools, judged by the vectors that both languages share."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import pytest

from bridge.contract.tool_names import TOOL_NAME_PATTERN, is_wire_safe_tool_name
from tests.python.support.vectors import ROOT, load_vectors


@pytest.mark.parametrize("case", load_vectors("tool_names.json"), ids=lambda case: case["name"])
def test_a_value_is_a_name_or_is_none(case: dict[str, Any]) -> None:
    assert is_wire_safe_tool_name(case["value"]) is case["valid"]


def test_the_pattern_is_the_same_text_in_both_languages() -> None:
    twin = (ROOT / "browser_worker" / "contract" / "tool_names.js").read_text(encoding="utf-8")
    assert json.dumps(TOOL_NAME_PATTERN) in twin
    assert re.compile(TOOL_NAME_PATTERN).match("weather_forecast")


def test_the_module_brings_in_nothing_of_ours() -> None:
    script = (
        "import sys, bridge.contract.tool_names; print(*(n for n in sys.modules if 'bridge' in n))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.split()
    assert loaded == ["bridge", "bridge.contract", "bridge.contract.tool_names"]
