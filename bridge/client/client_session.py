"""What both clients of an app share: a session's own name, and how long ends may take."""

from __future__ import annotations

import os
from typing import Final

__all__ = ["LOOK_SECONDS", "RELEASE_SECONDS", "session_of_its_own"]

LOOK_SECONDS: Final = 5.0
"""How long the bridge may take to tell of itself."""
RELEASE_SECONDS: Final = 2.0
"""How long a client that ends waits for its session to be closed."""


def session_of_its_own() -> str:
    """Return a protocol session's name that nobody else has."""
    return f"py-{os.urandom(8).hex()}"
