"""Who watches calls begin and end: a panel, say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from bridge.dispatcher.app_error import contract_code
from bridge.dispatcher.observers import Observers

__all__ = ["CallEnd", "CallEvent", "CallObservers"]


@dataclass(frozen=True, slots=True)
class CallEvent:
    """What an observer is told."""

    phase: Literal["begin", "end"]
    call: int
    """Counts calls; the same for begin and end."""
    action: str
    kind: Literal["read", "write"]
    session: str | None
    """None for a local call."""
    ok: bool | None = None
    """At the end."""
    code: str | None = None
    """At the end of one that failed: the error's code."""
    deferred: bool | None = None
    """At the end: whether it goes on as a task."""
    duration_seconds: float | None = None
    """At the end."""


class CallEnd(NamedTuple):
    """How the end of a call is told."""

    done: Callable[[bool], None]
    """Is passed whether it goes on as a task."""
    failed: Callable[[BaseException], None]


_UNWATCHED = CallEnd(lambda _deferred: None, lambda _error: None)


class CallObservers:
    """The observers of one dispatcher's calls. `now` gives seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._calls = 0
        self._observers: Observers[CallEvent] = Observers()

    def add(self, observer: Callable[[CallEvent], object]) -> Callable[[], None]:
        """Begin to tell an observer; the result ends that."""
        return self._observers.add(observer)

    @property
    def watched(self) -> bool:
        """Whether anybody watches."""
        return len(self._observers) > 0

    def begin(self, action: str, kind: Literal["read", "write"], session: str | None) -> CallEnd:
        """Tell that a call begins; the result tells its end."""
        if not self._observers:
            return _UNWATCHED
        self._calls += 1
        call = self._calls
        start = self._now()
        self._observers.notify(CallEvent("begin", call, action, kind, session))

        def end(code: str | None, deferred: bool) -> None:
            seconds = self._now() - start
            self._observers.notify(
                CallEvent("end", call, action, kind, session, code is None, code, deferred, seconds)
            )

        return CallEnd(
            lambda deferred: end(None, deferred),
            lambda error: end(contract_code(error) or "HOST_ERROR", False),
        )
