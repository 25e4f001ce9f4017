"""What a deadline leaves to the bridge, and to one exchange with it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bridge.client.call_deadline import CallDeadline
from bridge.contract.limits import BRIDGE_LIMITS

LONGEST = BRIDGE_LIMITS.max_call_seconds


def test_without_a_deadline_the_bridge_s_own_wait_holds_and_is_outlasted() -> None:
    deadline = CallDeadline.after(None, 100.0)
    assert deadline.for_bridge(100.0) is None
    assert deadline.for_exchange(100.0) > 100.0 + LONGEST
    assert deadline.bounded(3.0, 100.0) == 3.0


@given(st.floats(0.001, 1e6), st.floats(0, 1e6))
def test_the_bridge_gives_up_before_its_caller_and_within_its_limit(
    seconds: float, passed: float
) -> None:
    deadline = CallDeadline.after(seconds, 0.0)
    assert deadline.for_exchange(passed) == seconds
    given_to_bridge = deadline.for_bridge(passed)
    assert given_to_bridge is not None
    assert given_to_bridge <= LONGEST
    left = seconds - passed
    if left > 0:
        assert 0 < given_to_bridge < left
        assert left - given_to_bridge <= 0.25 or given_to_bridge == LONGEST
    else:
        assert given_to_bridge <= 0
    assert 0 <= deadline.bounded(2.0, passed) <= max(left, 0)
