"""Bounds every wait: a call that never ends is a failed test, not a hanging one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any, Final

import pytest

_SECONDS: Final = 30


def _bounded(test: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    @wraps(test)
    async def run(*arguments: Any, **named: Any) -> None:
        async with asyncio.timeout(_SECONDS):
            await test(*arguments, **named)

    return run


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if (
            isinstance(item, pytest.Function)
            and item.path.is_relative_to(Path(__file__).parent)
            and iscoroutinefunction(item.obj)
        ):
            item.obj = _bounded(item.obj)
