"""What one event brings about: the moment, the effects so far, and the counters that outlast it."""

from __future__ import annotations

from collections import Counter

from bridge.broker.effects import Answer, Effect, Failure, Reply
from bridge.broker.events import Instant, Waiter
from bridge.contract.error_codes import BridgeErrorCode, Outcome

__all__ = ["Turn"]


class Turn:
    """Collects effects, in order. Shared by the parts of one broker."""

    def __init__(self) -> None:
        self.now = Instant(0.0, 0)
        self.counters: Counter[str] = Counter()
        self._effects: list[Effect] = []

    def begin(self) -> list[Effect]:
        """Start afresh and return the list into which everything goes from now on."""
        self._effects = []
        return self._effects

    def reply(self, waiter: Waiter | None, answer: Answer) -> None:
        """Answer somebody who waits; None stands for nobody."""
        if waiter is not None:
            self._effects.append(Reply(waiter, answer))

    def fail(
        self, waiter: Waiter | None, code: BridgeErrorCode, outcome: Outcome | None = None
    ) -> None:
        """Answer somebody who waits with an error."""
        self.reply(waiter, Failure(code, outcome))

    def add(self, effect: Effect) -> None:
        """Add any other effect."""
        self._effects.append(effect)
