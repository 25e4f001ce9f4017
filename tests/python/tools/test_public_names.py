"""What the room of tools offers, what it costs, and which of its modules touch the world."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import bridge.tools
from tests.python.test_floors import NO_IO, imported

ROOM = Path(bridge.tools.__file__).parent
PURE = [
    *("draft07_rules", "extension_rules", "feature_gate", "loading_limits", "manifest_rules"),
    *("open_bags", "problem_report", "problems", "reference_rules", "root_rules"),
    *("schema_places", "session_context", "session_ticket", "tool_definition", "tool_reader"),
]
"""What may be tried without a disk, a clock or a loop."""


def test_every_public_name_is_there() -> None:
    for name in bridge.tools.__all__:
        assert getattr(bridge.tools, name) is not None
    assert list(bridge.tools.__all__) == sorted(
        bridge.tools.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name)
    )
    with pytest.raises(AttributeError, match="nothing"):
        _ = bridge.tools.nothing


def test_the_room_alone_loads_neither_cryptography_nor_a_library_of_schemas() -> None:
    script = "import sys, bridge.tools; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "bridge.tools" in loaded
    assert not {"cryptography", "jsonschema_rs", "wasmtime", "asyncio"} & set(loaded)


@pytest.mark.parametrize("name", PURE)
def test_rules_and_gates_have_no_input_or_output(name: str) -> None:
    assert [each for each in imported(ROOM / f"{name}.py") if each.partition(".")[0] in NO_IO] == []


def test_input_or_output_would_be_found() -> None:
    assert "os" in set(imported(ROOM / "package_files.py")) & NO_IO
