"""Imports point down only, and the two lowest floors have no input or output of their own."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FLOORS = {
    "contract": 0,
    "dispatcher": 1,
    "broker": 1,
    "tools": 2,
    "agent": 2,
    "servers": 3,
    "client": 3,
    "cli": 4,
}
SCRIPT_FLOORS = {
    "contract": 0,
    "dispatcher": 1,
    "link": 2,
    "kernel": 2,
    "app": 2,
    "surface": 3,
    "demo": 4,
}
"""The page's rooms: the link runs a dispatcher, and the demo composes all of them."""
NO_IO = {
    "asyncio", "concurrent", "http", "io", "multiprocessing", "os", "pathlib", "random", "secrets",
    "select", "selectors", "shutil", "signal", "socket", "socketserver", "ssl", "subprocess",
    "tempfile", "threading", "time", "urllib", "uuid",
}  # fmt: skip
PURE_LIBRARIES = {"jiter", "orjson", "jsonschema_rs"}
FROM = re.compile(
    r"""(?:^|\n)\s*import\s*["'](?P<bare>[^"']+)["']"""
    r"""|(?:^|\n)\s*(?:import|export)\b[^;"'()=]*?\bfrom\s*["'](?P<path>[^"']+)["']"""
    r"""|@import[^"']*?["'](?P<type>[^"']+)["']"""
    r"""|import\(["'](?P<inline>[^"']+)["']\)"""
)

PYTHON = sorted((ROOT / "bridge").rglob("*.py"))
JAVASCRIPT = sorted((ROOT / "browser_worker").rglob("*.js"))


def imported(path: Path) -> Iterator[str]:
    """Yield the absolute names of all modules that a Python file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""


def room_of(path: Path, base: str) -> str | None:
    parts = path.relative_to(ROOT / base).parts
    return parts[0] if len(parts) > 1 else None


def upward(room: str, name: str) -> bool:
    """Say whether a module of `room` may not import `name`."""
    parts = name.split(".")
    if parts[0] != "bridge" or len(parts) < 2 or parts[1] not in FLOORS:
        return False
    return parts[1] != room and FLOORS[parts[1]] >= FLOORS[room]


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path: Path) -> None:
    room = room_of(path, "bridge")
    if room is None:
        assert [n for n in imported(path) if n.startswith("bridge.cli")] == []
        return
    assert room in FLOORS, f"{room} has no floor"
    assert [name for name in imported(path) if upward(room, name)] == []


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(ROOT)))
def test_low_floors_have_no_input_or_output(path: Path) -> None:
    room = room_of(path, "bridge")
    if room is None or FLOORS[room] > 1:
        return
    for name in imported(path):
        top = name.partition(".")[0]
        assert top not in NO_IO, f"{name} does input or output"
        assert top == "bridge" or top in sys.stdlib_module_names or top in PURE_LIBRARIES, name


@pytest.mark.parametrize("path", JAVASCRIPT, ids=lambda path: str(path.relative_to(ROOT)))
def test_script_imports_point_down(path: Path) -> None:
    room = room_of(path, "browser_worker")
    text = path.read_text(encoding="utf-8")
    for match in FROM.finditer(text):
        target = match["bare"] or match["path"] or match["type"] or match["inline"]
        assert target.startswith("."), f"{target}: the page's modules have no dependencies"
        other = room_of((path.parent / target).resolve(), "browser_worker")
        if room is None or other is None or other == room:
            continue
        assert SCRIPT_FLOORS[other] < SCRIPT_FLOORS[room], f"{path} imports {target}"


def test_an_upward_import_would_be_found() -> None:
    assert upward("broker", "bridge.servers.bridge_service")
    assert upward("broker", "bridge.dispatcher.host")
    assert upward("servers", "bridge.client.discovery")
    assert not upward("servers", "bridge.broker.broker")
    assert not upward("contract", "bridge.contract.limits")
    assert [m["path"] for m in FROM.finditer('import { a } from "../link/attach.js";')] == [
        "../link/attach.js"
    ]
