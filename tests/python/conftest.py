"""What every test of the Python side gets."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from tests.interrupts import heed_interrupts


def pytest_configure() -> None:
    heed_interrupts()


@pytest.fixture(autouse=True)
def log_as_it_was() -> Iterator[None]:
    """Undo what a command that ran in this process did to the log: other tests read it."""
    log = logging.getLogger("bridge")
    handlers, level, propagate = log.handlers[:], log.level, log.propagate
    yield
    log.handlers[:], log.propagate = handlers, propagate
    log.setLevel(level)
