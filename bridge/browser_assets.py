"""Where the browser's modules are: inside an installed package, or beside it in a checkout."""

from __future__ import annotations

from pathlib import Path

__all__ = ["browser_assets"]


def browser_assets() -> Path:
    """Return the directory of the browser's modules. Raises `FileNotFoundError` without one."""
    package = Path(__file__).parent
    for directory in (package / "browser_worker", package.parent / "browser_worker"):
        if (directory / "index.js").is_file():
            return directory
    raise FileNotFoundError("this installation has no browser modules: install it again")
