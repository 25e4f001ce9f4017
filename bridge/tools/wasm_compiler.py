"""A program: compiles the WebAssembly module on its standard input to its standard output.

A program of its own, since a module of a few thousand bytes can be made so that its compiler takes
minutes or gigabytes, cannot be interrupted, and aborts where there is no more memory. Ends with 0;
with `REFUSED` and what is wrong with the module; with `FAILED` where the fault is not the module's;
in any other way where it needs more than it may.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Final

from bridge.tools.wasm_engine import new_engine

__all__ = ["FAILED", "REFUSED"]

FAILED: Final = 1
"""As Python ends by itself."""
REFUSED: Final = 3
_TOO_MUCH: Final = 4
_MAX_WORDS: Final = 2_000


def main() -> int:
    """Compile within so many seconds of the processor, and bytes of memory and of output."""
    import wasmtime  # noqa: PLC0415 - an extra

    seconds, memory, output = map(int, sys.argv[1:])
    _confine(seconds, memory)
    try:
        code = sys.stdin.buffer.read()
        compiled = bytes(wasmtime.Module(new_engine(), code).serialize())
    except wasmtime.WasmtimeError as error:
        sys.stdout.buffer.write(str(error)[:_MAX_WORDS].encode("utf-8", "replace"))
        return REFUSED
    except MemoryError:
        return _TOO_MUCH
    if len(compiled) > output:
        return _TOO_MUCH
    sys.stdout.buffer.write(compiled)
    return 0


def _confine(seconds: int, memory: int) -> None:
    try:
        import resource  # noqa: PLC0415 - not on Windows, where whoever waits has a clock
    except ImportError:
        return
    # Where a system knows one of them not, the clock is left.
    for what, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, memory),
    ):
        # One more before it is killed: by SIGXCPU it is known that the time was up.
        most = value + 1 if what == resource.RLIMIT_CPU else value
        with suppress(OSError, ValueError):
            resource.setrlimit(what, (value, most))


if __name__ == "__main__":
    sys.exit(main())
