"""Runs a WASI command: bytes in on standard input, bytes out on standard output, nothing else.

No files, environment, arguments or network; fuel, memory and the number of host calls are
limited, and anybody may stop a run from any thread. Needs `wasmtime`, which is imported when the
first entry runs. Reads no JSON: `wasm_entry` does.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Final

from bridge.tools.handler import CallRefused
from bridge.tools.result_limits import WASM_LIMITS, WasmLimits
from bridge.tools.wasm_compile import CompileError, compiled, told_error
from bridge.tools.wasm_engine import new_engine

if TYPE_CHECKING:
    import wasmtime

__all__ = ["WasmCode", "WasmRun"]

_MISSING: Final = (
    "This package is WebAssembly, and wasmtime is not installed: pip install 'bascule[tools]', or"
    " pip install -e '.[tools]' in a checkout."
)
_WASI: Final = "wasi_snapshot_preview1"
_SUCCESS, _BADF, _IO, _NOTSUP = 0, 8, 29, 58
"""WASI numbers errors so."""
_STDIN, _STDOUT, _STDERR = 0, 1, 2
_MAX_PARTS: Final = 1_024
"""Buffers of one read or write."""
_WORDS: Final = {
    "OUT_OF_FUEL": "did more work than one call may",
    "STACK_OVERFLOW": "called itself too deeply",
    "UNREACHABLE": "gave up (it reached what it says is unreachable)",
}


class WasmRun:
    """One run: what goes in, what came out, and why it was stopped, if it was."""

    def __init__(self, stdin: bytes, limits: WasmLimits = WASM_LIMITS) -> None:
        self.limits = limits
        self.stdin = memoryview(stdin)
        """What is left of it: a view, since a piece may be a byte and the rest megabytes."""
        self.stdout = bytearray()
        self.stderr = b""
        """The end of it."""
        self.host_calls = 0
        self.refusal: CallRefused | None = None
        self.begun = False
        """Whether anything of it has run."""
        self._engine: wasmtime.Engine | None = None
        self._lock = threading.Lock()

    def stop(self, refusal: CallRefused) -> None:
        """Stop it where it is. The first reason counts. May be called from any thread."""
        with self._lock:
            if self.refusal is None:
                self.refusal = refusal
            if self._engine is not None:
                self._engine.increment_epoch()

    def begin(self, engine: wasmtime.Engine) -> bool:
        """Say that it runs on an engine now. Returns false where it was stopped before."""
        with self._lock:
            self._engine = engine
            self.begun = self.refusal is None
            return self.begun

    def end(self) -> None:
        """Say that its engine may be another run's."""
        with self._lock:
            self._engine = None


class WasmCode:
    """A module that was read; compiled once, before it first runs. For any number of threads."""

    def __init__(self, code: bytes, limits: WasmLimits = WASM_LIMITS) -> None:
        self._code = code
        self._limits = limits
        self._lock = threading.Lock()
        self._compiled: bytes | None = None
        self._fault: str | None = None
        """Why it can never be compiled: it is not tried again, which would hold others up."""
        self._idle: list[_Machine] = []
        self._preparing: Future[str | None] | None = None
        self._preparing_lock = threading.Lock()

    def prepared(self) -> Future[str | None]:
        """Have it compiled, in a thread of its own. Gives None, or why it cannot be run.

        A module can be made so that compiling takes a minute, and the threads of runs are for the
        calls of all packages. Any number of callers may wait, and none of them can end it.
        """
        with self._preparing_lock:
            known = self._preparing
            again = known is not None and known.done() and known.result() and self._fault is None
            if known is not None and not again:
                return known
            future: Future[str | None] = Future()
            future.set_running_or_notify_cancel()
            self._preparing = future
        threading.Thread(
            target=self._prepare, args=(future,), name="wasm compiling", daemon=True
        ).start()
        return future

    def _prepare(self, future: Future[str | None]) -> None:
        try:
            self._compiled_once()
        except CallRefused as refused:
            future.set_result(str(refused))
        except BaseException as error:  # noqa: BLE001 - whoever waits would wait for good
            future.set_exception(error)
        else:
            future.set_result(None)

    def run(self, run: WasmRun) -> int:
        """Run it to its end, in the calling thread. Returns its exit code.

        Raises `CallRefused` where it was stopped, ran out of something, or cannot be run.
        """
        machine = self._machine()
        try:
            return machine.run(run)
        finally:
            self._idle.append(machine)

    def _machine(self) -> _Machine:
        try:
            return self._idle.pop()
        except IndexError:
            pass
        compiled = self._compiled_once()
        import wasmtime  # noqa: PLC0415 - an extra, and slow to import

        try:
            return _Machine(compiled)
        except wasmtime.WasmtimeError as error:
            raise _unusable(told_error(error)) from None

    def _compiled_once(self) -> bytes:
        with self._lock:
            if self._compiled is None and self._fault is None:
                try:
                    self._compiled = compiled(self._code, self._limits)
                except ImportError:
                    raise CallRefused("UNAVAILABLE", _MISSING) from None
                except CompileError as error:
                    if not error.lasting:
                        raise _unusable(str(error)) from None
                    self._fault = str(error)
        if self._compiled is None:
            raise _unusable(self._fault or "")
        return self._compiled


class _Machine:
    """An engine with the module in it: for one run at a time, so that it can be stopped alone."""

    def __init__(self, compiled: bytes) -> None:
        import wasmtime  # noqa: PLC0415 - see above

        self._engine = new_engine()
        # What was compiled by this very code a moment ago.
        self._module = wasmtime.Module.deserialize(self._engine, compiled)
        self._linker = wasmtime.Linker(self._engine)
        self._linker.allow_shadowing = True
        self._linker.define_wasi()
        self._run: WasmRun | None = None
        i32 = wasmtime.ValType.i32
        for name, function in (("fd_read", self._read), ("fd_write", self._write)):
            kind = wasmtime.FuncType([i32()] * 4, [i32()])
            self._linker.define_func(_WASI, name, kind, function, access_caller=True)
        # Waiting for a clock would hold the thread where nothing can interrupt it.
        kind = wasmtime.FuncType([i32()] * 4, [i32()])
        self._linker.define_func(_WASI, "poll_oneoff", kind, _refuse)

    def run(self, run: WasmRun) -> int:
        import wasmtime  # noqa: PLC0415 - see above

        limits = run.limits
        store = wasmtime.Store(self._engine)
        store.set_limits(
            memory_size=limits.max_memory_bytes,
            table_elements=limits.max_table_elements,
            instances=1,
            tables=1,
            memories=1,
        )
        store.set_fuel(limits.fuel)
        store.set_epoch_deadline(1)
        store.set_wasi(wasmtime.WasiConfig())
        self._run = run
        try:
            if run.begin(self._engine):
                return self._start(store)
        except wasmtime.ExitTrap as ended:
            if run.refusal is None:
                return ended.code
        except (wasmtime.WasmtimeError, wasmtime.Trap) as error:
            if run.refusal is None:
                raise _failed(error) from None
        finally:
            run.end()
            self._run = None
            store.close()
        raise run.refusal or CallRefused("HANDLER_FAILED", "The tool's entry did not run.")

    def _start(self, store: wasmtime.Store) -> int:
        import wasmtime  # noqa: PLC0415 - see above

        try:
            instance = self._linker.instantiate(store, self._module)
        except wasmtime.ExitTrap:
            # A module may have a function that runs before the command does, and end in it.
            raise
        except wasmtime.WasmtimeError as error:
            raise _unusable(told_error(error)) from None
        start = instance.exports(store).get("_start")
        if not isinstance(start, wasmtime.Func):
            raise CallRefused("UNAVAILABLE", "The package's entry.wasm exports no _start function.")
        start(store)
        return 0

    # What is raised inside of a host call can come out in another thread's run: nothing is.

    def _read(self, caller: Any, fd: int, parts: int, count: int, told: int) -> int:  # noqa: ANN401
        try:
            return self._reading(caller, fd, parts & 0xFFFFFFFF, count & 0xFFFFFFFF, told)
        except Exception:  # noqa: BLE001 - see above
            return _IO

    def _write(self, caller: Any, fd: int, parts: int, count: int, told: int) -> int:  # noqa: ANN401
        try:
            return self._writing(caller, fd, parts & 0xFFFFFFFF, count & 0xFFFFFFFF, told)
        except Exception:  # noqa: BLE001 - see above
            return _IO

    def _reading(self, caller: Any, fd: int, parts: int, count: int, told: int) -> int:  # noqa: ANN401
        memory, run = self._called(caller)
        if fd != _STDIN:
            return _BADF
        taken = 0
        for start, size in _parts(memory, caller, parts, count):
            piece = bytes(run.stdin[:size])
            if piece:
                memory.write(caller, piece, start)
                run.stdin = run.stdin[len(piece) :]
                taken += len(piece)
        memory.write(caller, taken.to_bytes(4, "little"), told & 0xFFFFFFFF)
        return _SUCCESS

    def _writing(self, caller: Any, fd: int, parts: int, count: int, told: int) -> int:  # noqa: ANN401
        memory, run = self._called(caller)
        if fd not in (_STDOUT, _STDERR):
            return _BADF
        written = 0
        for start, size in _parts(memory, caller, parts, count):
            written += size
            if fd == _STDERR:
                kept = run.limits.kept_error_bytes
                tail = memory.read(caller, start + max(0, size - kept), start + size)
                run.stderr = (run.stderr + bytes(tail))[-kept:]
                continue
            if len(run.stdout) + size > run.limits.max_output_bytes:
                maximum = run.limits.max_output_bytes
                words = f"The tool's entry wrote more than {maximum} bytes."
                run.stop(CallRefused("INVALID_OUTPUT", words))
                return _IO
            run.stdout += memory.read(caller, start, start + size)
        memory.write(caller, (written & 0xFFFFFFFF).to_bytes(4, "little"), told & 0xFFFFFFFF)
        return _SUCCESS

    def _called(self, caller: Any) -> tuple[Any, WasmRun]:  # noqa: ANN401
        run = self._run
        memory = caller.get("memory")
        if run is None or memory is None:
            raise ValueError("no memory")
        run.host_calls += 1
        if run.host_calls > run.limits.max_host_calls:
            words = "The tool's entry read and wrote more often than one call may."
            run.stop(CallRefused("HANDLER_FAILED", words))
        return memory, run


def _parts(memory: Any, caller: Any, start: int, count: int) -> list[tuple[int, int]]:  # noqa: ANN401
    """Return the buffers of a read or a write. Raises where they are outside of the memory."""
    if count > _MAX_PARTS:
        raise ValueError("too many buffers")
    table = bytes(memory.read(caller, start, start + 8 * count))
    size = memory.data_len(caller)
    parts = []
    for at in range(0, 8 * count, 8):
        where = int.from_bytes(table[at : at + 4], "little")
        length = int.from_bytes(table[at + 4 : at + 8], "little")
        if len(table) < 8 * count or where + length > size:
            raise ValueError("a buffer outside of the memory")
        parts.append((where, length))
    return parts


def _refuse(*_: int) -> int:
    return _NOTSUP


def _unusable(words: str) -> CallRefused:
    return CallRefused("UNAVAILABLE", f"The package's entry.wasm cannot be run: {words}.")


def _failed(error: Exception) -> CallRefused:
    code = getattr(getattr(error, "trap_code", None), "name", None)
    if code is None:
        # An exit code that is none, from 126 on, comes out as such an error.
        return CallRefused("HANDLER_FAILED", "The tool's entry ended in a way that WASI has not.")
    words = _WORDS.get(code, f"was stopped by a trap ({code.lower().replace('_', ' ')})")
    return CallRefused("HANDLER_FAILED", f"The tool's entry {words}.")
