"""What is known of the calls of a bridge by its events: running, ended, and by which sessions.

A model without a clock and without output; whoever shows it passes the time in.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from bridge.client.control_results import CallEvent

__all__ = ["ASKS", "GOES_ON", "CallBoard", "CallLine"]

ASKS: Final = "waits for a yes"
"""The outcome of a call for which the owner of the page is asked first."""
GOES_ON: Final = "goes on"
"""The outcome of any other call that was answered with a task."""

_MAX_RUNNING: Final = 256
_MAX_SESSIONS: Final = 64


class CallLine(NamedTuple):
    """One call, as far as its events have told."""

    call: str
    session: str
    what: str
    """The action, or the method where it runs none."""
    began_at: int | None
    """Unix milliseconds; None where only its end was seen."""
    ended_at: int | None = None
    duration_ms: float | None = None
    outcome: str = "running"
    """running, ok, that it goes on, or the error's code."""


class CallBoard:
    """Running calls, the last that ended, and how many each session has made."""

    def __init__(self, keep: int = 20) -> None:
        self.running: dict[str, CallLine] = {}
        self.ended: deque[CallLine] = deque(maxlen=keep)
        """The newest first."""
        self.sessions: dict[str, int] = {}
        """Calls of each session; the one that called last comes last."""
        self.missed = 0

    def take(self, events: Iterable[CallEvent], missed: int = 0) -> list[CallLine]:
        """Take what happened, and return the calls that ended."""
        self.missed += missed
        if missed:
            # Their ends may be among what was missed.
            self.running.clear()
        ended = []
        for event in events:
            if event.phase == "begin":
                self._begin(event)
            else:
                ended.append(self._end(event))
        return ended

    def _begin(self, event: CallEvent) -> None:
        self.running[event.call] = CallLine(event.call, event.session, event.what, event.at)
        while len(self.running) > _MAX_RUNNING:
            del self.running[next(iter(self.running))]
        self.sessions[event.session] = self.sessions.pop(event.session, 0) + 1
        while len(self.sessions) > _MAX_SESSIONS:
            del self.sessions[next(iter(self.sessions))]

    def _end(self, event: CallEvent) -> CallLine:
        began = self.running.pop(event.call, None)
        line = CallLine(
            event.call,
            event.session,
            event.what,
            began.began_at if began is not None else None,
            event.at,
            event.duration_ms,
            _outcome(event),
        )
        self.ended.appendleft(line)
        return line


def _outcome(event: CallEvent) -> str:
    if not event.ok:
        return event.code or "failed"
    if event.deferred is None:
        return "ok"
    return ASKS if event.deferred == "consent" else GOES_ON
