"""Entries that would run no call, told before anybody calls."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest

from bridge.tools.entry_file import entry_problems
from bridge.tools.wasm_faults import entry_faults
from tests.python.support.wasm_entries import ECHO, command, made

WASI = "wasi_snapshot_preview1"
MEMORY = '(memory (export "memory") 1)'
START = '(func (export "_start"))'


def importing(module: str, name: str) -> bytes:
    return made(f'(module (import "{module}" "{name}" (func)) {MEMORY} {START})')


@pytest.mark.parametrize("code", [ECHO, command(""), made(f"(module {MEMORY} {START})")])
def test_a_command_has_no_fault(code: bytes) -> None:
    assert entry_faults(code) == []


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (made(f"(module {MEMORY})"), "exports no function _start"),
        (made(f'(module {MEMORY} (global (export "_start") i32 (i32.const 0)))'), "_start"),
        (made(f'(module {MEMORY} (func (export "_start") (param i32)))'), "without parameters"),
        (made(f"(module {START})"), "exports no memory"),
        (importing("env", "emscripten_sleep"), "imports env.emscripten_sleep: there is nothing"),
        (importing(WASI, "fd_dance"), f"imports {WASI}.fd_dance, which WASI preview 1"),
        (b"\0asm\x01\0\0\0\xff", "cannot be compiled: "),
    ],
)
def test_what_keeps_an_entry_from_running_is_told(code: bytes, words: str) -> None:
    (fault,) = entry_faults(code)
    assert words in fault
    assert fault.isascii()


def test_all_faults_are_told_and_no_more_than_ten() -> None:
    assert len(entry_faults(made("(module)"))) == 2
    many = "".join(f'(import "env" "f{index}" (func))' for index in range(40))
    assert len(entry_faults(made(f"(module {many} {MEMORY} {START})"))) == 10


def test_without_wasmtime_a_warning_says_that_nothing_was_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "entry.wasm").write_bytes(made(f"(module {START})"))
    (problem,) = entry_problems(tmp_path)
    assert (problem.rule, problem.severity) == ("entry-shape", "error")
    known = builtins.__import__

    def without(name: str, *more: Any) -> Any:
        if name == "wasmtime":
            raise ImportError(name)
        return known(name, *more)

    monkeypatch.setattr(builtins, "__import__", without)
    (problem,) = entry_problems(tmp_path)
    assert (problem.rule, problem.severity) == ("entry-unchecked", "warning")
