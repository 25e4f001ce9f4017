"""What is said of a program that cannot be started, and what was probably meant."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Sequence
from typing import Final

__all__ = ["cannot_be_started"]

_INTERPRETERS: Final = {".py": ("python", "python3"), ".js": ("node",), ".mjs": ("node",)}


def cannot_be_started(words: Sequence[str], reason: str) -> str:
    """Say why an app's command cannot be started, and how it would be where that can be guessed."""
    told = f"{words[0]} cannot be started: {reason}"
    better = _better(words)
    return told if better is None else f"{told}. Write: bascule headless {shlex.join(better)}"


def _better(words: Sequence[str]) -> list[str] | None:
    """Return the command that was probably meant; None without a guess."""
    interpreter = _INTERPRETERS.get(os.path.splitext(words[0])[1])  # noqa: PTH122 - a text
    if interpreter is not None:
        # A script is no program without its first line, and the permission to be one.
        found = next((name for name in interpreter if shutil.which(name)), interpreter[0])
        return [found, *words]
    if "/" not in words[0] and os.access(words[0], os.X_OK) and os.path.isfile(words[0]):  # noqa: PTH113
        return [f"./{words[0]}", *words[1:]]
    return None
