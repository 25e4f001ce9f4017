"""What the room of tools offers, what it costs, and which of its modules touch the world."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import bridge.tools
from tests.python.test_floors import NO_IO, imported

ROOM = Path(bridge.tools.__file__).parent
USES = {
    # Says where a package lies, or reads there.
    "package": "pathlib",
    "package_loader": "pathlib",
    "package_files": "os pathlib",
    "entry_file": "pathlib",
    "handler_files": "pathlib",
    "handler_names": "pathlib",
    "handler_source": "pathlib",
    # Takes a thread for what is large, and is pure beside that.
    "bounding": "asyncio",
    "call_arguments": "asyncio",
    "output_check": "asyncio",
    # Waits for calls, and stops them.
    "call_wait": "asyncio",
    "cancel_signal": "asyncio threading",
    "package_host": "asyncio",
    "package_thread": "asyncio threading",
    "tool_runner": "asyncio time",
    # Runs what is not ours.
    "embedded_handler": "time",
    "loop_watch": "threading time",
    "outside_list": "asyncio",
    "outside_server": "asyncio pathlib",
    "wasm_compile": "os signal subprocess",
    "wasm_entry": "asyncio",
    "wasm_machine": "concurrent threading",
    "wasm_pool": "concurrent threading",
    # Undoes percent signs.
    "imported_schema": "urllib",
}
"""What of the world each module needs. Every other one may be tried without any of it."""


def test_every_public_name_is_there() -> None:
    for name in bridge.tools.__all__:
        assert getattr(bridge.tools, name) is not None
    assert list(bridge.tools.__all__) == sorted(
        bridge.tools.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name)
    )
    with pytest.raises(AttributeError, match="nothing"):
        _ = bridge.tools.nothing


def test_names_are_listed_before_they_are_used() -> None:
    script = "import bridge.tools; print(*dir(bridge.tools))"
    listed = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()
    assert set(bridge.tools.__all__) <= set(listed)
    assert "__file__" in listed


def test_the_room_alone_loads_neither_cryptography_nor_a_library_of_schemas() -> None:
    script = "import sys, bridge.tools; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "bridge.tools" in loaded
    assert not {"cryptography", "jsonschema_rs", "wasmtime", "asyncio"} & set(loaded)


@pytest.mark.parametrize("path", sorted(ROOM.glob("*.py")), ids=lambda path: path.stem)
def test_a_module_touches_of_the_world_what_it_says_and_no_more(path: Path) -> None:
    used = {each.partition(".")[0] for each in imported(path)} & NO_IO
    assert used == set(USES.get(path.stem, "").split())
