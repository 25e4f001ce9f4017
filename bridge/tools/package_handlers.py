"""What runs a package's tools, by its tier: Python files in this process, or one WebAssembly entry.

Finds and checks them; runs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from bridge.tools.handler import Handler
from bridge.tools.handler_files import embedded_handlers
from bridge.tools.package import Package
from bridge.tools.wasm_entry import entry_handlers

__all__ = ["handlers_of"]


def handlers_of(package: Package) -> Mapping[str, Handler]:
    """Return a handler for each tool of a package.

    First-party: `handlers/NAME.py`, imported now. Project: `entry.wasm`, read now and compiled
    when it is first called. Raises `PackageError` with everything that is wrong.
    Contract: package tools, handlers.
    """
    return embedded_handlers(package) if package.tier == "first-party" else entry_handlers(package)
