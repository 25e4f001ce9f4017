"""Settings for property tests that make large values: a busy machine is no failure."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

__all__ = ["calm"]


def calm(max_examples: int = 100) -> settings:
    """Return settings without any limit of time."""
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(max_examples=max_examples, deadline=None, suppress_health_check=slow)
