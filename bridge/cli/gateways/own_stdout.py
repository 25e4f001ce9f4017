"""Standard output for the lines of a protocol alone, for a part of this command's life."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from bridge.servers.own_stdout import own_stdout

__all__ = ["borrowed_stdout"]


@contextmanager
def borrowed_stdout() -> Iterator[int]:
    """Give a descriptor of what was standard output, which is standard error in the meantime."""
    own = own_stdout()
    try:
        yield own
    finally:
        with suppress(OSError):
            # What was printed and not written yet would follow the lines.
            sys.stdout.flush()
        os.dup2(own, 1)
        os.close(own)
