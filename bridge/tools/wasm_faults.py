"""What is wrong with a WebAssembly module that is to be a WASI command, without running it.

Needs `wasmtime`, which is imported when the first module is looked at. Reads no file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bridge.tools.problems import in_ascii
from bridge.tools.result_limits import WASM_LIMITS, WasmLimits
from bridge.tools.wasm_compile import CompileError, compiled
from bridge.tools.wasm_engine import new_engine

if TYPE_CHECKING:
    import wasmtime

__all__ = ["entry_faults"]

_WASI: Final = "wasi_snapshot_preview1"
_MAX_TOLD: Final = 10
_MAX_TOLD_CHARS: Final = 300


def entry_faults(code: bytes, limits: WasmLimits = WASM_LIMITS) -> list[str]:
    """Return what would keep every call from running; none for a module that is in order.

    It is compiled, which blocks. Raises `ImportError` without wasmtime. Contract: package tools,
    WebAssembly.
    """
    import wasmtime  # noqa: PLC0415 - an extra, and slow to import

    try:
        ready = compiled(code, limits)
    except CompileError as error:
        return [str(error)]
    engine = new_engine()
    module = wasmtime.Module.deserialize(engine, ready)
    found: list[str] = []
    exports = {each.name: each.type for each in module.exports}
    start = exports.get("_start")
    if not isinstance(start, wasmtime.FuncType) or start.params or start.results:
        found.append("exports no function _start without parameters: build a WASI command")
    if not isinstance(exports.get("memory"), wasmtime.MemoryType):
        found.append("exports no memory: nothing can be read or written")
    linker, store = wasmtime.Linker(engine), wasmtime.Store(engine)
    linker.define_wasi()
    for each in module.imports:
        name = in_ascii(f"{each.module}.{each.name}"[:_MAX_TOLD_CHARS])
        if each.module != _WASI:
            found.append(f"imports {name}: there is nothing but {_WASI}")
        elif not _has(linker, store, each.name or ""):
            found.append(f"imports {name}, which WASI preview 1 does not have")
    return found[:_MAX_TOLD]


def _has(linker: wasmtime.Linker, store: wasmtime.Store, name: str) -> bool:
    import wasmtime  # noqa: PLC0415 - see above

    try:
        linker.get(store, _WASI, name)
    except wasmtime.WasmtimeError:
        return False
    return True
