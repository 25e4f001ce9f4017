"""Standard output for the lines of a protocol alone: whatever else is printed goes to stderr."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["own_stdout"]


@contextmanager
def own_stdout() -> Iterator[int]:
    """Give a descriptor of what was standard output, which is standard error in the meantime."""
    own = os.dup(1)
    os.dup2(2, 1)
    try:
        yield own
    finally:
        os.dup2(own, 1)
        os.close(own)
