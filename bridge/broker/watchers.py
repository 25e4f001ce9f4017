"""Who watches the calls: a few terminals that wait for the journal's next event."""

from __future__ import annotations

from bridge.broker.call_journal import CallJournal
from bridge.broker.effects import CallsSeen
from bridge.broker.events import Waiter, Watch
from bridge.broker.turn import Turn
from bridge.contract.error_codes import BridgeErrorCode

__all__ = ["Watchers"]


class Watchers:
    """The watchers that wait, each until something happens or its time is up."""

    def __init__(self, journal: CallJournal, turn: Turn, maximum: int) -> None:
        self._journal = journal
        self._turn = turn
        self._maximum = maximum
        self._waiting: dict[Waiter, tuple[int, float]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def watch(self, event: Watch) -> None:
        """Answer at once where there is something to tell, else let it wait."""
        # Who names a number that is yet to come, as of a bridge that was here before, starts where
        # the journal stands: waiting for that number would hide all that comes until then.
        last = self._journal.last_seq
        after = last if event.after is None else min(event.after, last)
        if after < last or event.wait_seconds <= 0:
            self._answer(event.waiter, after)
        elif len(self._waiting) >= self._maximum:
            self._turn.fail(event.waiter, BridgeErrorCode.BUSY)
        else:
            until = self._turn.now.monotonic + event.wait_seconds
            self._waiting[event.waiter] = (after, until)

    def forget(self, waiter: Waiter) -> None:
        """Let go of a watcher that hung up."""
        self._waiting.pop(waiter, None)

    def tell(self) -> None:
        """Answer everyone for whom something has happened."""
        if self._waiting:
            for waiter, (after, _) in list(self._waiting.items()):
                if after < self._journal.last_seq:
                    self._release(waiter)

    def due(self) -> float | None:
        """Return when the first has waited long enough."""
        return min((until for _, until in self._waiting.values()), default=None)

    def expire(self) -> None:
        """Answer those who have waited long enough with nothing."""
        for waiter, (_, until) in list(self._waiting.items()):
            if until <= self._turn.now.monotonic:
                self._release(waiter)

    def shut_down(self) -> None:
        """Answer everyone."""
        for waiter in list(self._waiting):
            del self._waiting[waiter]
            self._turn.fail(waiter, BridgeErrorCode.CLOSING)

    def _release(self, waiter: Waiter) -> None:
        after, _ = self._waiting.pop(waiter)
        self._answer(waiter, after)

    def _answer(self, waiter: Waiter, after: int) -> None:
        missed, events = self._journal.after(after)
        self._turn.reply(
            waiter,
            CallsSeen(self._turn.now.unix_ms, self._journal.last_seq, missed, tuple(events)),
        )
