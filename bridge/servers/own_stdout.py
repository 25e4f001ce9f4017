"""Standard output for the lines of a protocol alone: whatever else is printed goes to stderr.

For the first line of a program whose other imports may print. Imports nothing but the system.
"""

from __future__ import annotations

import os

__all__ = ["own_stdout"]


def own_stdout() -> int:
    """Return a descriptor of what was standard output, which is standard error from now on.

    Children inherit standard error in its place, and not the descriptor.
    """
    own = os.dup(1)
    os.dup2(2, 1)
    return own
