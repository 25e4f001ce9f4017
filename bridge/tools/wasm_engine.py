"""The one way in which modules are compiled and run, so that what one engine compiles others load.

Imports `wasmtime` when the first engine is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import wasmtime

__all__ = ["new_engine"]


def new_engine() -> wasmtime.Engine:
    """Return an engine whose runs have fuel and can be interrupted.

    Raises `ImportError` without wasmtime.
    """
    import wasmtime  # noqa: PLC0415 - an extra, and slow to import

    config = wasmtime.Config()
    config.consume_fuel = True
    config.epoch_interruption = True
    # A core is left for the service.
    config.parallel_compilation = False
    return wasmtime.Engine(config)
