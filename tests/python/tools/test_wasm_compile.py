"""Modules that are made to harm or hold their compiler: it ends alone, and says why."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bridge.contract.strict_json import loads
from bridge.tools import wasm_machine
from bridge.tools.entry_file import entry_problems
from bridge.tools.handler import CallRefused
from bridge.tools.result_limits import WASM_LIMITS, WasmLimits
from bridge.tools.wasm_compile import CompileError, compiled
from bridge.tools.wasm_machine import WasmCode, WasmRun
from tests.python.support.wasm_entries import (
    ECHO,
    loops_of_values,
    many_functions,
    one_long_function,
)

ELSEWHERE = WASM_LIMITS._replace(max_compiled_here_bytes=0)
BROKEN = b"\0asm\x01\0\0\0\xff"


def ran(code: WasmCode) -> object:
    run = WasmRun(b'{"a":1}\n')
    assert code.run(run) == 0
    return loads(bytes(run.stdout))


def refused(code: bytes, limits: WasmLimits) -> str:
    with pytest.raises(CompileError) as caught:
        compiled(code, limits)
    assert str(caught.value).isprintable()
    return str(caught.value)


def test_a_module_that_is_compiled_elsewhere_runs_as_one_that_is_compiled_here() -> None:
    here, elsewhere = WasmCode(ECHO), WasmCode(ECHO, ELSEWHERE)
    assert ran(elsewhere) == ran(here) == {"content": "heard", "structuredContent": {"a": 1}}


def test_only_a_small_module_is_compiled_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbid(*_: Any, **__: Any) -> None:
        raise OSError(2, "No such file")

    monkeypatch.setattr(subprocess, "run", forbid)
    exact = WASM_LIMITS._replace(max_compiled_here_bytes=len(ECHO))
    assert compiled(ECHO, exact)
    below = exact._replace(max_compiled_here_bytes=len(ECHO) - 1)
    assert refused(ECHO, below) == "cannot be compiled: no compiler starts (No such file)"


def test_what_is_wrong_with_a_module_is_told_wherever_it_is_compiled() -> None:
    words = refused(BROKEN, WASM_LIMITS)
    assert words.startswith("cannot be compiled: ")
    assert refused(BROKEN, ELSEWHERE) == words


def test_a_module_that_takes_too_long_is_given_up() -> None:
    limits = ELSEWHERE._replace(compile_seconds=1)
    assert "takes more than 1 s or" in refused(one_long_function(500_000), limits)
    # The time is enough for one that is not made to take long.
    assert compiled(one_long_function(5), limits)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory is not bounded like this")
def test_not_even_a_module_of_two_thousand_bytes_takes_memory_from_who_asks() -> None:
    tiny = loops_of_values(270)
    assert len(tiny) < 2_048
    # The limits are those that hold, but for the memory: the rest of it would only be slow to fill.
    limits = WASM_LIMITS._replace(max_compile_memory_bytes=400 * 1_048_576)
    assert "400 MiB to be compiled" in refused(tiny, limits)
    assert compiled(ECHO, limits)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory is not bounded like this")
def test_a_module_that_takes_too_much_memory_ends_its_compiler_alone() -> None:
    limits = ELSEWHERE._replace(max_compile_memory_bytes=120 * 1_048_576)
    many = many_functions(20_000)
    assert "120 MiB to be compiled" in refused(many, limits)
    assert compiled(many, ELSEWHERE)
    assert compiled(many_functions(5), limits)


def test_a_module_that_becomes_too_large_is_refused() -> None:
    size = len(compiled(ECHO, ELSEWHERE))
    assert compiled(ECHO, ELSEWHERE._replace(max_compiled_bytes=size))
    assert "make it smaller" in refused(ECHO, ELSEWHERE._replace(max_compiled_bytes=size - 1))


def test_a_compiler_that_does_not_end_is_ended_by_the_clock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[float] = []

    def hang(*_: Any, timeout: float, **__: Any) -> None:
        asked.append(timeout)
        raise subprocess.TimeoutExpired("compiler", timeout)

    monkeypatch.setattr(subprocess, "run", hang)
    assert "takes more than 30 s" in refused(ECHO, ELSEWHERE)
    assert asked == [60]


def test_a_module_that_cannot_be_compiled_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[bytes] = []

    def counting(code: bytes, limits: WasmLimits) -> bytes:
        tried.append(code)
        return compiled(code, limits)

    monkeypatch.setattr(wasm_machine, "compiled", counting)
    code = WasmCode(BROKEN)
    for _ in range(3):
        with pytest.raises(CallRefused, match="cannot be run: cannot be compiled") as caught:
            code.run(WasmRun(b""))
        assert caught.value.code == "UNAVAILABLE"
    assert tried == [BROKEN]


def test_a_compiler_that_did_not_start_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbid(*_: Any, **__: Any) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    code = WasmCode(ECHO, ELSEWHERE)
    with monkeypatch.context() as patched:
        patched.setattr(subprocess, "run", forbid)
        with pytest.raises(CallRefused, match="no compiler starts"):
            code.run(WasmRun(b""))
    assert ran(code) == {"content": "heard", "structuredContent": {"a": 1}}


def test_a_compiler_that_fails_by_itself_is_no_fault_of_the_module(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # So does Python where it finds a part of the program no more.
    failed = [sys.executable, "-c", "import no_such_module_of_ours"]
    run = subprocess.run
    monkeypatch.setattr(subprocess, "run", lambda _words, **more: run(failed, **more))
    assert refused(ECHO, ELSEWHERE) == (
        "cannot be compiled: no compiler starts (its program failed)"
    )


def test_the_compiler_is_given_no_secrets_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[dict[str, str]] = []
    run: Any = subprocess.run

    def watching(*words: Any, env: dict[str, str], **more: Any) -> Any:
        given.append(env)
        return run(*words, env=env, **more)

    monkeypatch.setattr(subprocess, "run", watching)
    monkeypatch.setenv("SOME_API_KEY", "canary")
    # By this an interpreter would go on reading its input after the program.
    monkeypatch.setenv("PYTHONINSPECT", "1")
    assert compiled(ECHO, ELSEWHERE)
    assert len(given) == 1
    assert set(given[0]) <= {
        *("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "PYTHONHOME"),
        "PYTHONPATH",
    }


def test_checking_a_package_is_held_no_longer_either(tmp_path: Path) -> None:
    (tmp_path / "entry.wasm").write_bytes(one_long_function(500_000))
    (problem,) = entry_problems(tmp_path, ELSEWHERE._replace(compile_seconds=1))
    assert (problem.file, problem.rule) == ("entry.wasm", "entry-shape")
    assert "make it smaller" in problem.message


@pytest.mark.skipif(sys.platform == "win32", reason="processes have no signals there")
@pytest.mark.parametrize(
    ("how", "lasting"), [("SIGKILL", False), ("SIGXCPU", True), ("SIGABRT", True)]
)
def test_a_compiler_that_the_system_ended_is_no_fault_of_the_module(
    how: str, lasting: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = f"import os, signal; os.kill(os.getpid(), signal.{how})"
    run = subprocess.run
    monkeypatch.setattr(
        subprocess, "run", lambda _words, **more: run([sys.executable, "-c", ends], **more)
    )
    with pytest.raises(CompileError) as caught:
        compiled(ECHO, ELSEWHERE)
    assert caught.value.lasting is lasting


def test_a_module_that_was_given_up_by_the_clock_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def hang(*_: Any, timeout: float, **__: Any) -> None:
        raise subprocess.TimeoutExpired("compiler", timeout)

    code = WasmCode(ECHO, ELSEWHERE)
    with monkeypatch.context() as patched:
        patched.setattr(subprocess, "run", hang)
        reason = code.prepared().result(30)
    assert reason is not None
    assert "takes more than 30 s" in reason
    assert code.prepared().result(60) is None
    assert ran(code) == {"content": "heard", "structuredContent": {"a": 1}}
