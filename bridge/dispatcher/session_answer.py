"""How one message to a session ended, whichever protocol it is of."""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["SILENCE", "Ending", "SessionAnswer"]


class Ending(NamedTuple):
    """How a request ended."""

    ok: bool
    deferred: bool = False
    code: str | None = None


class SessionAnswer(NamedTuple):
    """What there is to be sent, and how it ended."""

    line: str | None
    """None for what is not answered."""
    ending: Ending = Ending(ok=True)
    cancelled: bool = False
    """Whether the caller has said that it wants no answer any more."""


SILENCE: Final = SessionAnswer(None)
