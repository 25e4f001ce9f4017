"""How another program starts this very command line, whatever its PATH and its folder are."""

from __future__ import annotations

import sys
from pathlib import Path

__all__ = ["own_command"]


def own_command() -> list[str]:
    """Return the words to begin with: the absolute path of `bascule`, as it was called or is there.

    A link that leads to it is kept, since an upgrade may put another file behind it. Where there is
    no such file, it is this Python with the module's name.
    """
    called = Path(sys.argv[0])
    beside = Path(sys.executable).with_name("bascule.exe" if sys.platform == "win32" else "bascule")
    for path in (called, beside):
        if path.stem == "bascule" and path.is_file():
            return [str(path.absolute())]
    return [sys.executable, "-m", "bridge.cli.main"]
