"""Compiles a WebAssembly module so that no module can harm or hold whoever asks.

A tiny one here, where the worst takes less than a second; any other in a program of its own,
which ends when it needs more time or memory than it may. Runs nothing of the module.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Final

from bridge.tools import wasm_compiler
from bridge.tools.problems import in_ascii
from bridge.tools.result_limits import WASM_LIMITS, WasmLimits
from bridge.tools.wasm_engine import new_engine

__all__ = ["CompileError", "compiled", "told_error"]

_PROGRAM: Final = wasm_compiler.__name__
_MAX_TOLD_CHARS: Final = 300
_KILLED: Final = -getattr(signal, "SIGKILL", 9)
"""Not by its own limits: it ends by those with another signal, or aborts."""
_ENVIRONMENT: Final = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "PYTHONHOME")
"""What an interpreter may need to start; the rest may hold secrets."""


class CompileError(Exception):
    """A module that is not compiled. The message says why, printable anywhere.

    `lasting` says that another try would end in the same way.
    """

    def __init__(self, words: str, *, lasting: bool = True) -> None:
        super().__init__(words)
        self.lasting = lasting


def compiled(code: bytes, limits: WasmLimits = WASM_LIMITS) -> bytes:
    """Return the module for an engine of `new_engine` to deserialise. Blocks.

    Raises `CompileError`, also for one that takes more than `limits` allow, and `ImportError`
    without wasmtime.
    """
    import wasmtime  # noqa: PLC0415 - an extra, and slow to import

    if len(code) > limits.max_compiled_here_bytes:
        return _elsewhere(code, limits)
    try:
        return bytes(wasmtime.Module(new_engine(), code).serialize())
    except wasmtime.WasmtimeError as error:
        raise CompileError(f"cannot be compiled: {told_error(error)}") from None


def told_error(error: object) -> str:
    """Return the first line of what wasmtime says, whose words may be the module's own."""
    lines = str(error).splitlines() or [type(error).__name__]
    return in_ascii(lines[0][:_MAX_TOLD_CHARS])


def _elsewhere(code: bytes, limits: WasmLimits) -> bytes:
    seconds, memory = limits.compile_seconds, limits.max_compile_memory_bytes
    numbers = (seconds, memory, limits.max_compiled_bytes)
    # Not from where this program was started: anything may lie there.
    words = [sys.executable, "-P", "-m", _PROGRAM, *map(str, numbers)]
    try:
        ended = subprocess.run(  # noqa: S603 - this very interpreter, and no shell
            words,
            input=code,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            # A machine that is busy gets twice the time by the clock.
            timeout=2 * seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        # The processor's time was not up: the machine is busy, and may be less so the next time.
        raise _too_much(limits, lasting=False) from None
    except OSError as error:
        raise _not_started(error.strerror or type(error).__name__) from None
    match ended.returncode:
        case 0:
            return ended.stdout
        case wasm_compiler.REFUSED:
            said = ended.stdout.decode("utf-8", "replace")
            raise CompileError(f"cannot be compiled: {told_error(said)}")
        case wasm_compiler.FAILED:
            raise _not_started("its program failed")
        case status if status == _KILLED:
            raise _not_started("the system has ended it")
        case _:
            raise _too_much(limits)


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def _not_started(reason: str) -> CompileError:
    words = f"cannot be compiled: no compiler starts ({reason})"
    return CompileError(words, lasting=False)


def _too_much(limits: WasmLimits, *, lasting: bool = True) -> CompileError:
    words = (
        f"takes more than {limits.compile_seconds} s or"
        f" {limits.max_compile_memory_bytes // 1_048_576} MiB to be compiled: make it smaller"
    )
    return CompileError(words, lasting=lasting)
