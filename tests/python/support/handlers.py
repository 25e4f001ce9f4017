"""Tools, handlers and a hand-held clock, for the tests of running tools."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from bridge.contract.schema import compile as compile_schema
from bridge.tools.handler import ToolCall
from bridge.tools.package import Package, Tier
from bridge.tools.session_context import SessionContext
from bridge.tools.tool_definition import ToolAnnotations, ToolDefinition
from bridge.tools.tool_runner import RunnableTool

__all__ = [
    "SESSION",
    "Given",
    "ManualTimers",
    "defined_tool",
    "package_in",
    "runnable",
    "turns",
]

SESSION = SessionContext(user_id="somebody", granted_features=frozenset({"notes.read"}))
DRAFT_07 = "http://json-schema.org/draft-07/schema#"
INPUT = {
    "$schema": DRAFT_07,
    "type": "object",
    "additionalProperties": False,
    "properties": {"n": {"type": "integer"}, "text": {"type": "string"}},
}

Run = Callable[[dict[str, Any], SessionContext, ToolCall], Awaitable[object]]


class Given:
    """A handler of one function."""

    def __init__(self, run: Run) -> None:
        self._run = run

    async def run(
        self, arguments: dict[str, Any], session: SessionContext, call: ToolCall
    ) -> object:
        return await self._run(arguments, session, call)


def defined_tool(
    name: str = "note_add", *, cancellable: bool = False, reads: bool = False, **more: Any
) -> ToolDefinition:
    """Return a tool that takes a number and a text, both optional."""
    output = more.get("output_schema")
    return ToolDefinition(
        name=name,
        title=name,
        description="Adds a note.",
        input_schema=INPUT,
        input=compile_schema(INPUT),
        output=None if output is None else compile_schema(output),
        annotations=ToolAnnotations(
            category="read" if reads else "write", read_only=reads, cancellable=cancellable
        ),
        **more,
    )


def package_in(directory: Path, tier: Tier, *tools: str) -> Package:
    """Return a package of such tools, whose files a test writes or leaves out."""
    return Package(
        name="notes",
        version="1.0.0",
        tier=tier,
        directory=directory,
        cards=(),
        tools={name: defined_tool(name) for name in tools},
    )


def runnable(run: Run, ceiling_seconds: float = 300.0, **more: Any) -> RunnableTool:
    """Return such a tool with its handler."""
    return RunnableTool(defined_tool(**more), Given(run), ceiling_seconds)


class ManualTimers:
    """Time that passes when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0
        self._timers: dict[object, tuple[float, Callable[[], None]]] = {}

    def clock(self) -> float:
        return self.now

    def after(self, seconds: float, callback: Callable[[], None]) -> Callable[[], None]:
        """Be the timer of a runner."""
        key = object()
        self._timers[key] = (self.now + seconds, callback)

        def cancel() -> None:
            self._timers.pop(key, None)

        return cancel

    @property
    def waiting(self) -> list[float]:
        """When timers will end, in order."""
        return sorted(at for at, _ in self._timers.values())

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds
        for key, (at, callback) in list(self._timers.items()):
            if at <= self.now and self._timers.pop(key, None) is not None:
                callback()


async def turns(count: int = 10) -> None:
    """Let the event loop go around a few times, without any time passing."""
    for _ in range(count):
        await asyncio.sleep(0)
