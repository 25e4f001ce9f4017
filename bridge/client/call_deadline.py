"""How long a call may take: the caller's deadline, and what of it the bridge is given.

Contract: delivery.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from bridge.contract.limits import BRIDGE_LIMITS

__all__ = ["CallDeadline"]

_WITHOUT_SECONDS: Final = 5.0
"""How much later than the bridge itself a caller without a deadline gives up on its answer."""
_HEAD_START: Final = 0.1
_MAX_HEAD_START_SECONDS: Final = 0.25
"""The bridge's own time-out comes so much earlier: it knows whether the call was delivered."""


class CallDeadline(NamedTuple):
    """A moment on the caller's clock by which everything is over; None where there is none."""

    at: float | None

    @classmethod
    def after(cls, seconds: float | None, now: float) -> CallDeadline:
        """Return the deadline that is `seconds` from now."""
        return cls(None if seconds is None else now + seconds)

    def for_exchange(self, now: float, longest: float = BRIDGE_LIMITS.max_call_seconds) -> float:
        """Return by when one exchange that the bridge answers within `longest` must be over."""
        return now + longest + _WITHOUT_SECONDS if self.at is None else self.at

    def for_bridge(self, now: float) -> float | None:
        """Return how many seconds the bridge may take; None for its own longest wait.

        Zero or less where no time is left.
        """
        if self.at is None:
            return None
        left = self.at - now
        head_start = min(left * _HEAD_START, _MAX_HEAD_START_SECONDS)
        return min(left - head_start, BRIDGE_LIMITS.max_call_seconds)

    def bounded(self, seconds: float, now: float) -> float:
        """Return a pause of so many seconds, or what is left where that is less."""
        return seconds if self.at is None else max(0.0, min(seconds, self.at - now))
