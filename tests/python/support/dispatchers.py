"""Dispatchers over hosts that a test scripts, and a runtime whose clock a test holds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, ClassVar

from bridge.dispatcher.action_spec import ActionSpec
from bridge.dispatcher.dispatcher import AppName, Dispatcher
from bridge.dispatcher.host import CallContext, Host, Resource, Unavailability
from bridge.dispatcher.rpc_session import RpcSession
from bridge.dispatcher.runtime import TIMELESS, Runtime
from bridge.servers.asyncio_runtime import AsyncioRuntime

APP = AppName("Test", "1")
ANY_INPUT: dict[str, Any] = {"input_schema": {"type": "object"}}
Execute = Callable[[str, Any, CallContext], object]


class HandRuntime(AsyncioRuntime):
    """asyncio, save that time passes only when a test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.time = 0.0
        self._timers: dict[object, tuple[float, Callable[[], None]]] = {}

    def now(self) -> float:
        return self.time

    def after(self, seconds: float, callback: Callable[[], None]) -> Callable[[], None]:
        timer = object()
        self._timers[timer] = (self.time + seconds, callback)
        return lambda: void(self._timers.pop(timer, None))

    def passes(self, seconds: float) -> None:
        """Let time pass: what is due is called, in order."""
        self.time += seconds
        for timer, (due, callback) in sorted(self._timers.items(), key=lambda item: item[1][0]):
            if due <= self.time and self._timers.pop(timer, None) is not None:
                callback()

    @property
    def timers(self) -> int:
        return len(self._timers)


def void(_value: object) -> None:
    """Take a value and give none."""


class ScriptedHost(Host):
    """A host of a test's own: what is not given has its plainest form."""

    def __init__(
        self,
        execute: Execute = lambda _action, _input, _context: {},
        actions: Sequence[ActionSpec] | None = None,
        **more: Any,
    ) -> None:
        self.script = execute
        self.specs = (
            (ActionSpec.read("a", "A", **ANY_INPUT), ActionSpec.read("b", "B", **ANY_INPUT))
            if actions is None
            else actions
        )
        for name, value in more.items():
            setattr(self, name, value)

    def actions(self) -> Sequence[ActionSpec] | Awaitable[Sequence[ActionSpec]]:
        return self.specs

    def revision(self, action: str | None = None) -> int | None:
        return None

    def capabilities(self) -> int:
        return 0

    def execute(self, action: str, input: Any, context: CallContext) -> object:  # noqa: A002
        return self.script(action, input, context)


def dispatcher_of(
    execute: Execute = lambda _action, _input, _context: {},
    *,
    runtime: Runtime = TIMELESS,
    on_host_error: Callable[[BaseException], object] | None = None,
    **more: Any,
) -> Dispatcher:
    """Return an enabled dispatcher over a scripted host."""
    host = ScriptedHost(execute, **more)
    dispatcher = Dispatcher(host, app=APP, runtime=runtime, on_host_error=on_host_error)
    dispatcher.set_enabled(True)
    return dispatcher


def first_step(awaitable: Awaitable[Any]) -> Any:
    """Run a coroutine that ends at its first step, and say what it gives."""
    steps = awaitable.__await__()
    try:
        next(steps)
    except StopIteration as end:
        return end.value
    steps.close()
    raise AssertionError("it waits for something")


def line_of(method: str, params: object = None) -> str:
    """Write a request with id 1."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method}
    return json.dumps(message if params is None else {**message, "params": params})


def ask(dispatcher: Dispatcher, method: str, params: object = None) -> Any:
    """Ask over a host that answers at once, and return the whole answer."""
    return json.loads(first_step(RpcSession(dispatcher).receive(line_of(method, params))))


async def settled() -> None:
    """Let everything happen that waits for nothing but its turn in the loop."""
    for _ in range(20):
        await asyncio.sleep(0)


class Notes(Host):
    """Two texts in a domain each, put back by transactions, with one revision for all of it."""

    TEXT: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
    }
    SPECS: ClassVar[tuple[ActionSpec, ...]] = (
        ActionSpec.read("note.read", "Read the note", output_schema=TEXT),
        ActionSpec.write(
            "note.set",
            "Set the note",
            input_schema=TEXT,
            output_schema=TEXT,
            undo=True,
            transaction="note",
            command_id=100,
        ),
        ActionSpec.write("title.set", "Set the title", input_schema=TEXT, transaction="title"),
        ActionSpec.write("beep", "Make a sound"),
        ActionSpec.read("locked", "Needs a capability", capabilities=2),
        ActionSpec.write("away", "Is away", transaction="note"),
        ActionSpec.read("liar", "Breaks its promise", output_schema=TEXT),
        ActionSpec.write("fails", "Raises", transaction="note"),
        ActionSpec.write("later", "Takes its time", transaction="note"),
        ActionSpec.write("task", "Goes on", transaction="note"),
    )

    def __init__(self) -> None:
        self.text = ""
        self.number = 7
        self.log: list[str] = []
        self.saved: tuple[str, int] | None = None
        self.tasks: Callable[[str], object] | None = None

    def actions(self) -> Sequence[ActionSpec]:
        return self.SPECS

    def revision(self, action: str | None = None) -> int | None:
        return None if action == "beep" else self.number

    def capabilities(self) -> int:
        return 1

    def availability(self, action: str) -> Unavailability | None:
        return Unavailability("AWAY", "It is away.") if action == "away" else None

    def execute(self, action: str, input: Any, context: CallContext) -> object:  # noqa: A002
        self.log.append(action)
        match action:
            case "note.set" | "title.set":
                self.number += self.text != input["text"]
                self.text = input["text"]
                return {"text": self.text}
            case "note.read":
                return {"text": self.text}
            case "liar":
                return {"text": 1}
            case "fails":
                self.text, self.number = "half done", self.number + 1
                raise RuntimeError("secret of the host")
            case "later":
                return self._later()
            case "task":
                assert self.tasks is not None
                return self.tasks(action)
        return {}

    async def _later(self) -> dict[str, Any]:
        self.text = "done late"
        return {}

    def supports_transaction(self, domain: str) -> bool:
        return domain == "note"

    def begin_transaction(self, domain: str) -> None:
        self.log.append(f"begin {domain}")
        self.saved = (self.text, self.number)

    def commit_transaction(self, domain: str) -> None:
        self.log.append(f"commit {domain}")

    def rollback_transaction(self, domain: str) -> None:
        self.log.append(f"rollback {domain}")
        assert self.saved is not None
        self.text, self.number = self.saved

    def read_resource(self, uri: str, offset: int, limit: int) -> Resource | None:
        data = {"note:text": self.text.encode(), "note:zeros": bytes(200_000)}.get(uri)
        if data is None:
            return None
        return Resource("text/plain", len(data), data[offset : offset + limit])
