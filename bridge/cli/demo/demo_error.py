"""Why the demo cannot go on."""

from __future__ import annotations

__all__ = ["DemoError"]


class DemoError(Exception):
    """The demo cannot go on. The message says why and what to do."""
