"""Where the browser's files are: inside an installed package, or beside it in a checkout."""

from __future__ import annotations

from pathlib import Path

__all__ = ["browser_assets", "browser_bundle"]


def browser_assets() -> Path:
    """Return the directory of the browser's modules. Raises `FileNotFoundError` without one."""
    package = Path(__file__).parent
    for directory in (package / "browser_worker", package.parent / "browser_worker"):
        if (directory / "index.js").is_file():
            return directory
    raise FileNotFoundError("this installation has no browser modules: install it again")


def browser_bundle() -> Path:
    """Return the directory of the one-file bundle. Raises `FileNotFoundError` without one.

    A checkout has one after `scripts/build`, an installation when its package was built with one.
    """
    package = Path(__file__).parent
    for directory in (package / "browser_bundle", package.parent / "build" / "bundle"):
        if (directory / "bascule.js").is_file():
            return directory
    raise FileNotFoundError(
        "there is no bundle here: build it with scripts/build, "
        "or write the modules out, without --bundle"
    )
