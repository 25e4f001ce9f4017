"""The fixture host of the vectors, which `tests/vectors/fixture_host.md` describes in words."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, Final

from bridge.dispatcher.action_spec import ActionSpec
from bridge.dispatcher.app_error import AppError
from bridge.dispatcher.dispatcher import AppName, Dispatcher
from bridge.dispatcher.host import CallContext, Host, Resource, Unavailability
from bridge.dispatcher.runtime import Signal
from bridge.dispatcher.task_table import Task, TaskTable
from tests.python.support.fixture_resources import (
    find_resource,
    listed_resources,
    listed_templates,
)
from tests.python.support.manual_runtime import ManualRuntime

__all__ = ["ACTIONS", "Fixture"]

TEXT: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
}
OUT: Final[dict[str, Any]] = {"output_schema": TEXT}
SET: Final[dict[str, Any]] = {"input_schema": {**TEXT, "additionalProperties": False}} | OUT
ANY: Final[dict[str, Any]] = {"input_schema": {"type": "object"}}
BIG: Final = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
SHORT: Final = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "maxLength": 2},
        "code": {"type": "string", "pattern": r"^\d$"},
        "price": {"type": "number", "multipleOf": 0.01},
    },
}
SCALE: Final = {
    "type": "object",
    "properties": {
        "scale": {"type": "integer", "minimum": 1, "maximum": 4},
        "resource": {"type": "string"},
    },
}
SIZE: Final = {"type": "integer", "minimum": 0, "maximum": 300_000}
SIZES: Final = {
    "type": "object",
    "properties": dict.fromkeys(("bytes", "items", "depth", "members", "encoded"), SIZE),
}
BITS: Final = {"type": "integer", "minimum": 0}
STRING: Final = {"type": "string"}


def needs(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"input_schema": {"type": "object", "properties": {name: schema}, "required": [name]}}


SECRET: Final = "secret of the host"
DOMAINS: Final = {"note", "title", "broken", "crooked", "shut", "stuck", "tardy"}
"""Where a transaction can be begun, well or badly."""
WITHOUT_REVISION: Final = {"beep", "grant", "retire", "quit"}

read, write = ActionSpec.read, ActionSpec.write
ACTIONS: Final[tuple[ActionSpec, ...]] = (
    read("note.read", "Read the note", **OUT),
    write("note.set", "Set the note", **SET, undo=True, transaction="note", command_id=100),
    read("note.big", "Give the number back", **OUT, input_schema=BIG),
    write("beep", "Make a sound"),
    read("locked", "Needs a capability", capabilities=2),
    write("away", "Is away"),
    read("liar", "Breaks its promise", **OUT),
    read("fails", "Throws"),
    read("huge", "Gives too much"),
    read("later", "Takes its time", **OUT),
    read("short", "Takes little", input_schema=SHORT),
    read("doomed", "Fails in the end"),
    read("echo", "Gives back what it is given", input_schema=True),
    read("make", "Makes an output of a size", input_schema=SIZES),
    write("title.set", "Set the title", **SET, undo=True, transaction="title"),
    write("undo", "Take the last change back", **OUT),
    *(
        write(f"{domain}.set", "Set it in a bad domain", **SET, transaction=domain)
        for domain in ("broken", "crooked", "shut", "stuck", "tardy", "frail")
    ),
    write("half.fails", "Changes and throws", transaction="note"),
    write("half.lies", "Changes and lies", **OUT, transaction="note"),
    write("half.later", "Changes and promises", **OUT, transaction="note"),
    write("half.task", "Changes and goes on", **OUT, transaction="note"),
    write("half.huge", "Changes and gives too much", transaction="note"),
    write("grant", "Change the capabilities", **needs("bits", BITS), transaction="note"),
    write("retire", "Make an action unavailable", **needs("action", STRING), transaction="note"),
    write("quit", "Shut the way from outside", transaction="note"),
    write("solo.set", "Move a revision of its own"),
    read("soon", "Gives a promise", **OUT),
    read("slow", "Waits for a tick", **ANY, **OUT),
    write("slow.set", "Waits for a tick and changes the text", **SET),
    read("ask", "Asks a person", **ANY, **OUT),
    read("task.done", "Gives a task that has ended", **ANY, **OUT),
    read("task.foreign", "Gives a task of another table"),
    read("refuses", "Throws an error of the contract", **ANY),
    read("ui.render", "Draw the page", input_schema=SCALE),
)


class Texts(dict[str, str]):
    """A note and a title: a step of undo holds both."""


class Fixture(Host):
    """The host; `dispatcher` is before it."""

    def __init__(self, runtime: ManualRuntime) -> None:
        self.runtime = runtime
        self.texts = Texts(note="", title="")
        self.number: int | None = 7
        self.solo = 100
        self.held = 1
        self.listed: int | str = 0
        self.wordy = 0
        self.is_modal = False
        self.retired: set[str] = set()
        self.history: list[Texts] = []
        self.saved: tuple[Texts, int | None] | None = None
        self.log: list[str] = []
        self.unfinished: list[Task] = []
        self.waiting: list[Signal] = []
        self.dispatcher = Dispatcher(self, app=AppName("Fixture", "1"), runtime=runtime)
        self.dispatcher.set_enabled(True)

    def tick(self) -> None:
        """Let every task come to its next checkpoint, and whoever waits go on."""
        for task in self.unfinished:
            if task.action == "doomed":
                task.fail(RuntimeError(SECRET))
            elif not task.checkpoint():
                task.complete({"text": "done"})
        waiting, self.waiting = self.waiting, []
        for signal in waiting:
            signal.set()

    def finish(self) -> None:
        """Let everything that was begun come to its end."""
        while self.waiting:
            self.tick()
            self.runtime.settle()

    async def _tick_comes(self) -> None:
        signal = self.runtime.event()
        self.waiting.append(signal)
        await signal

    def actions(self) -> Sequence[ActionSpec]:
        if self.wordy == 0:
            return ACTIONS
        return (*ACTIONS, *(read(f"wordy.{n}", "n" * 12_000) for n in range(self.wordy)))

    def revision(self, action: str | None = None) -> int | None:
        if action == "solo.set":
            return self.solo
        return None if action in WITHOUT_REVISION else self.number

    def capabilities(self) -> int:
        return self.held

    def availability(self, action: str) -> Unavailability | None:
        if action == "away":
            return Unavailability("AWAY", "It is away.")
        return Unavailability("RETIRED", "It is retired.") if action in self.retired else None

    def modal(self) -> Unavailability | None:
        return Unavailability("DIALOG", "A dialog is open.") if self.is_modal else None

    def execute(self, action: str, input: Any, context: CallContext) -> object:  # noqa: A002
        self.log.append(action)
        method = getattr(self, f"_{action.replace('.', '_')}", None)
        if method is not None:
            return method(input, context)
        return self._set("note", input["text"]) if action.endswith(".set") else {}

    def _set(self, which: str, text: str) -> dict[str, Any]:
        if text != self.texts[which]:
            if self.saved is None:
                self.history.append(self.texts)
            self.texts = Texts(self.texts | {which: text})
            self._move()
        return {"text": text}

    def _move(self) -> None:
        if self.number is not None:
            self.number += 1

    def _note_read(self, _input: Any, _context: CallContext) -> object:
        return {"text": self.texts["note"]}

    def _title_set(self, given: Any, _context: CallContext) -> object:
        return self._set("title", given["text"])

    def _note_big(self, given: Any, _context: CallContext) -> object:
        return {"text": str(given["n"])}

    def _liar(self, _input: Any, _context: CallContext) -> object:
        return {"text": 1}

    def _fails(self, _input: Any, _context: CallContext) -> object:
        raise RuntimeError(SECRET)

    def _huge(self, _input: Any, _context: CallContext) -> object:
        return {"text": "x" * 300_000}

    def _later(self, _input: Any, _context: CallContext) -> object:
        task = self._task("later")
        task.start()
        task.report({"percent": 10})
        return task

    def _doomed(self, _input: Any, _context: CallContext) -> object:
        return self._task("doomed")

    def _task(self, action: str) -> Task:
        task = self.dispatcher.tasks.create(action)
        self.unfinished.append(task)
        return task

    def _echo(self, given: Any, _context: CallContext) -> object:
        return {"value": given}

    def _make(self, given: Any, _context: CallContext) -> object:
        made: dict[str, Any] = {}
        if given.get("bytes"):
            made["text"] = "x" * given["bytes"]
        if given.get("items"):
            made["items"] = [[0, 0, 0]] * given["items"]
        if given.get("depth"):
            nest: list[Any] = []
            for _ in range(given["depth"] - 1):
                nest = [nest]
            made["nest"] = nest
        if given.get("members"):
            made["all"] = {f"m{at}": 0 for at in range(given["members"])}
        if given.get("encoded"):
            made["parts"] = ["y" * given["encoded"]] * 8
        return made

    def _undo(self, _input: Any, _context: CallContext) -> object:
        if self.history:
            self.texts = self.history.pop()
            self._move()
        return {"text": self.texts["note"]}

    def _half_fails(self, _input: Any, _context: CallContext) -> object:
        self._set("note", "half")
        raise RuntimeError(SECRET)

    def _half_lies(self, _input: Any, _context: CallContext) -> object:
        self._set("note", "half")
        return {"text": 1}

    def _half_later(self, _input: Any, _context: CallContext) -> object:
        return self._kept(self._set("note", "half"))

    async def _kept(self, value: object) -> object:
        return value

    def _half_task(self, _input: Any, _context: CallContext) -> object:
        self._set("note", "half")
        return self._task("half.task")

    def _half_huge(self, _input: Any, _context: CallContext) -> object:
        self._set("note", "half")
        return {"text": "x" * 300_000}

    def _grant(self, given: Any, _context: CallContext) -> object:
        self.held = given["bits"]
        return {}

    def _retire(self, given: Any, _context: CallContext) -> object:
        self.retired.add(given["action"])
        return {}

    def _quit(self, _input: Any, _context: CallContext) -> object:
        self.dispatcher.set_enabled(False)
        return {}

    def _solo_set(self, _input: Any, _context: CallContext) -> object:
        self.solo += 1
        return {}

    def _soon(self, _input: Any, _context: CallContext) -> object:
        return self._kept({"text": "soon"})

    async def _slow(self, given: Any, _context: CallContext) -> object:
        await self._tick_comes()
        if given.get("fails"):
            raise RuntimeError(SECRET)
        return {"text": 1 if given.get("lies") else "late"}

    async def _slow_set(self, given: Any, _context: CallContext) -> object:
        await self._tick_comes()
        return self._set("note", given["text"])

    def _ask(self, given: Any, context: CallContext) -> object:
        context.defer("person", "Somebody is asked.")
        return {"text": "known"} if given.get("known") else self._asked(given, context)

    async def _asked(self, given: Any, context: CallContext) -> object:
        await self._tick_comes()
        if given.get("again"):
            context.defer("person", "Somebody is asked again.")
            await self._tick_comes()
        if context.cancel_requested():
            raise RuntimeError("stopped as it was asked to")
        return {"text": "yes"}

    def _task_done(self, given: Any, _context: CallContext) -> object:
        task = self.dispatcher.tasks.create("task.done")
        task.complete({"text": 1 if given.get("lies") else "done"})
        return task

    def _task_foreign(self, _input: Any, _context: CallContext) -> object:
        return TaskTable().create("task.foreign")

    def _refuses(self, given: Any, _context: CallContext) -> object:
        raise AppError("STALE_REVISION", "The note has changed meanwhile.", given)

    def _ui_render(self, given: Any, _context: CallContext) -> object:
        scale = given.get("scale", 1)
        uri = given.get("resource", "note:image")
        found = find_resource(uri, self.texts["note"])
        return {
            "resource": uri,
            "mimeType": "image/png" if found is None else found[0],
            "width": 10 * scale,
            "height": 5 * scale,
        }

    def inspect(self, query: dict[str, Any]) -> Mapping[str, Any] | Awaitable[Mapping[str, Any]]:
        seen = {"asked": query, "length": len(self.texts["note"])}
        if query.get("fails"):
            raise RuntimeError(SECRET)
        if query.get("lies"):
            return []  # type: ignore[return-value] # that is the lie
        return self._at_tick(seen) if query.get("slow") else seen

    async def _at_tick(self, value: Any) -> Any:
        await self._tick_comes()
        return value

    def read_resource(
        self, uri: str, offset: int, limit: int
    ) -> Resource | Awaitable[Resource | None] | None:
        if uri == "note:fails":
            raise RuntimeError(SECRET)
        if uri == "note:lies":
            return Resource("text/plain", 10, bytes(limit + 1))
        found = find_resource(uri, self.texts["note"])
        if found is None:
            return None
        mime_type, data = found
        limit = min(3, limit) if uri == "note:drips" else limit
        part = Resource(mime_type, len(data), data[offset : offset + limit])
        return self._at_tick(part) if uri == "note:slow" else part

    def resources(self) -> Any:
        return self._listed(listed_resources(self.texts["note"], self.listed))

    def resource_templates(self) -> Any:
        return self._listed(listed_templates(self.listed))

    def _listed(self, entries: Any) -> Any:
        if self.listed == "fails":
            raise RuntimeError(SECRET)
        return self._at_tick(entries) if self.listed == "slow" else entries

    def supports_transaction(self, domain: str) -> bool:
        return domain in DOMAINS

    def begin_transaction(self, domain: str) -> None:
        self.log.append(f"begin {domain}")
        if domain == "shut":
            raise RuntimeError(SECRET)
        self.saved = (self.texts, self.number)
        return self._kept(None) if domain == "tardy" else None  # type: ignore[return-value]

    def commit_transaction(self, domain: str) -> None:
        self.log.append(f"commit {domain}")
        if domain == "stuck":
            raise RuntimeError(SECRET)
        assert self.saved is not None
        before, self.saved = self.saved[0], None
        if before is not self.texts:
            self.history.append(before)

    def rollback_transaction(self, domain: str) -> None:
        self.log.append(f"roll back {domain}")
        if domain == "broken":
            raise RuntimeError(SECRET)
        if self.saved is None:
            return
        self.texts = self.saved[0]
        if domain != "crooked":
            self.number = self.saved[1]
        self.saved = None
