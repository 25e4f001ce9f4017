"""A project package's `entry.wasm` as a file: whether it is there, and whether it could run.

Compiles it where that is asked for, and runs nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from bridge.tools.package_files import ENTRY_FILE, PackageFileError, read_package_file
from bridge.tools.problems import PackageError, Problem
from bridge.tools.result_limits import WASM_LIMITS, WasmLimits
from bridge.tools.wasm_faults import entry_faults

__all__ = ["entry_problems", "read_entry"]

_MAGIC: Final = b"\0asm\x01\0\0\0"


def read_entry(root: Path, limits: WasmLimits = WASM_LIMITS) -> bytes:
    """Return the bytes of a package's entry. Raises `PackageError` where it is none."""
    try:
        code = read_package_file(root, ENTRY_FILE, limits.max_entry_bytes)
    except PackageFileError as error:
        missing = "is not there: a project package needs one, a WASI command"
        words = missing if error.rule == "missing-file" else str(error)
        raise PackageError([Problem(ENTRY_FILE, "", error.rule, words)]) from None
    if not code.startswith(_MAGIC):
        words = "is no WebAssembly module, nor is a component one: build a WASI command"
        raise PackageError([Problem(ENTRY_FILE, "", "entry-shape", words)])
    return code


def entry_problems(
    root: Path, limits: WasmLimits = WASM_LIMITS, *, compiled: bool = True
) -> list[Problem]:
    """Return what keeps a package's entry from running; without `compiled` by a glance at it.

    Compiling takes about a second for each 2 MiB, and blocks. Without wasmtime one warning says
    that nothing was compiled.
    """
    try:
        code = read_entry(root, limits)
    except PackageError as error:
        return list(error.problems)
    if not compiled:
        return []
    try:
        faults = entry_faults(code, limits)
    except ImportError:
        words = "was not checked, since wasmtime is not installed: the extra `tools` brings it"
        return [Problem(ENTRY_FILE, "", "entry-unchecked", words, "warning")]
    return [Problem(ENTRY_FILE, "", "entry-shape", words) for words in faults]
