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
    "demo": 4,
}
SCRIPT_FLOORS = {
    "contract": 0,
    "dispatcher": 1,
    "webmcp": 2,
    "kernel": 2,
    "app": 2,
    "link": 3,
    "surface": 3,
    "testing": 3,
    "node": 4,
    "demo": 4,
}
"""The page's rooms: the link runs a dispatcher, and the demo composes all of them."""
NO_IO = {
    "asyncio", "concurrent", "http", "io", "multiprocessing", "os", "pathlib", "random", "secrets",
    "select", "selectors", "shutil", "signal", "socket", "socketserver", "ssl", "subprocess",
    "tempfile", "threading", "time", "urllib", "uuid",
}  # fmt: skip
PURE_LIBRARIES = {"jiter", "orjson", "jsonschema_rs", "msgspec"}
POWERS = {
    "builtins", "ctypes", "io", "multiprocessing", "pathlib", "pickle", "pty", "runpy", "shutil",
    "sqlite3", "subprocess", "tempfile", "webbrowser",
}  # fmt: skip
"""Modules by which a program reads and writes files or starts other programs."""
POWERFUL_NAMES = {
    "open", "eval", "exec", "compile", "__import__", "create_subprocess_exec",
    "create_subprocess_shell",
}  # fmt: skip
FROM = re.compile(
    r"""(?:^|\n)\s*import\s*["'](?P<bare>[^"']+)["']"""
    r"""|(?:^|\n)\s*(?:import|export)\b[^;"'()=]*?\bfrom\s*["'](?P<path>[^"']+)["']"""
    r"""|@import[^"']*?["'](?P<type>[^"']+)["']"""
    r"""|import\(["'](?P<inline>[^"']+)["']\)"""
)

PACKAGES = ROOT / "bridge" / "demo" / "packages"
"""Sample packages of tools: data of ours, whose handlers are modules of none of the rooms."""
PYTHON = sorted(
    path for path in (ROOT / "bridge").rglob("*.py") if not path.is_relative_to(PACKAGES)
)
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
        if room == "node" and target.startswith("node:"):
            continue
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


def reached(name: str) -> set[Path]:
    """Return the files of ours that importing a module brings in."""
    found: set[Path] = set()
    waiting = [name]
    while waiting:
        base = ROOT.joinpath(*waiting.pop().split("."))
        path = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
        if path.exists() and path not in found:
            found.add(path)
            waiting += [module for module in imported(path) if module.startswith("bridge.")]
    return found


def powers(path: Path) -> set[str]:
    """Return by what a file could run a program or use a file: modules, names, parts of `os`."""
    used = {name.partition(".")[0] for name in imported(path)} & POWERS
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            used |= {node.attr} & POWERFUL_NAMES - {"compile"}
            if node.value.id == "os":
                used.add(f"os.{node.attr}")
        elif isinstance(node, ast.Name):
            used |= {node.id} & POWERFUL_NAMES
    return used


def test_a_running_bridge_has_no_shell_and_no_file() -> None:
    files = reached("bridge.servers.bridge_process")
    assert {"broker.py", "bridge_service.py", "bridge_gate.py"} <= {path.name for path in files}
    # All that it does with the system is to look whether its owner still runs.
    assert set().union(*map(powers, files)) <= {"os.pidfd_open", "os.close", "os.kill"}


def test_a_shell_or_a_file_would_be_found() -> None:
    files = reached("bridge.cli.browser_bridge")
    assert {"webbrowser", "pathlib", "os.open"} <= set().union(*map(powers, files))
