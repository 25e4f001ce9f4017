"""A native app of a few actions, whole enough for every command: a note, an export, a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from bridge.dispatcher.action_spec import ActionSpec
from bridge.dispatcher.dispatcher import AppName, Dispatcher
from bridge.dispatcher.host import CallContext, Host, Resource
from bridge.dispatcher.task_table import Task
from bridge.servers.native_server import NativeServer
from tests.python.support.native_app import running_app, short_directory

APP: Final = "Nötes, all of them"
SLUG: Final = "notes-all-of-them"
BIG: Final = bytes(place % 251 for place in range(150_000))
PICTURES: Final = {
    "png": ("image/png", b"\x89PNG\r\n\x1a\n"),
    "svg": ("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
}
_TEXT: Final = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}
_FORMAT: Final = {
    "type": "object",
    "properties": {"format": {"enum": ["png", "svg"]}, "scale": {"type": "integer", "minimum": 1}},
    "additionalProperties": False,
}
ACTIONS: Final = (
    ActionSpec.read("note.read", "Read the note", input_schema={"type": "object"}),
    ActionSpec.read("note.find", "Find a text", input_schema=_TEXT),
    ActionSpec.write("note.set", "Set the note", input_schema=_TEXT, transaction="note", undo=True),
    ActionSpec.read("note.export", "Export the note"),
    ActionSpec.read("ui.render", "Draw the note", input_schema=_FORMAT),
)


class NoteApp(Host):
    """The host; its tasks go on by one step each time that they are asked for."""

    def __init__(self) -> None:
        self.note = ""
        self.at = 7
        self.ran: list[str] = []
        self.task: Task | None = None
        self.asks = False
        """Whether an export waits for a yes."""
        self.steps = ["start", "half", "end"]
        self.big = BIG
        self.dispatcher = Dispatcher(self, app=AppName(APP, "1"))
        self.dispatcher.set_enabled(True)
        self._saved = (self.note, self.at)

    def actions(self) -> Sequence[ActionSpec]:
        return ACTIONS

    def revision(self, action: str | None = None) -> int | None:
        # Every look at the app is one tick of its work.
        self._work()
        return self.at

    def capabilities(self) -> int:
        return 0

    def execute(self, action: str, input: Any, context: CallContext) -> object:  # noqa: A002
        self.ran.append(action)
        match action:
            case "note.set":
                self.note, self.at = input["text"], self.at + 1
            case "note.export":
                self.task = self.dispatcher.tasks.create(action)
                self.task.start()
                if self.asks:
                    self.task.report({"reason": "consent"})
                return self.task
            case "ui.render":
                kind = input.get("format", "png")
                size = 10 * input.get("scale", 1)
                return {
                    "resource": f"note:{kind}",
                    "mimeType": PICTURES[kind][0],
                    "width": size,
                    "height": size,
                }
        return {"text": self.note}

    def inspect(self, query: dict[str, Any]) -> dict[str, Any]:
        return {"length": len(self.note), "asked": query}

    def read_resource(self, uri: str, offset: int, limit: int) -> Resource | None:
        known = {f"note:{kind}": told for kind, told in PICTURES.items()}
        known["note:big"] = ("application/octet-stream", self.big)
        known["note:text"] = ("text/plain", self.note.encode())
        if uri not in known:
            return None
        mime_type, data = known[uri]
        return Resource(mime_type, len(data), data[offset : offset + limit])

    def supports_transaction(self, domain: str) -> bool:
        return domain == "note"

    def begin_transaction(self, domain: str) -> None:
        self._saved = (self.note, self.at)

    def commit_transaction(self, domain: str) -> None:
        self._saved = (self.note, self.at)

    def rollback_transaction(self, domain: str) -> None:
        self.note, self.at = self._saved

    def _work(self) -> None:
        task = self.task
        if task is None or self.asks or task.ended or task.checkpoint():
            return
        step = self.steps.pop(0) if self.steps else "end"
        if step == "end":
            task.complete({"resource": "note:big"})
        else:
            task.report({"done": 1, "total": 2, "message": step})


@contextmanager
def note_app(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[NoteApp, NativeServer, Path]]:
    """Serve it in a runtime directory of the test's own."""
    with short_directory() as directory:
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(directory))
        app = NoteApp()
        with running_app(None, app.dispatcher) as server:
            yield app, server, directory
