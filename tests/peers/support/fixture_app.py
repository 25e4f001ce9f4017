"""An app for official MCP clients: a note, a task, a picture, and the resources they ask for.

A program of its own, reached in three ways: `--agent-mcp` (standard input and output), `--native
NAME` (a socket), or `--attach` (a page of a bridge, whose address it reads from standard input).
On its own pipes it writes where no app should, to standard output: the protocol has to bear that.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

from bridge.dispatcher.action_spec import ActionSpec
from bridge.dispatcher.app_error import AppError
from bridge.dispatcher.dispatcher import AppName, Dispatcher
from bridge.dispatcher.host import CallContext, Host, Resource
from bridge.dispatcher.runtime import TIMELESS, Runtime
from bridge.dispatcher.task_table import Task
from bridge.servers.agent_stdio import serve_stdio
from bridge.servers.asyncio_runtime import AsyncioRuntime
from bridge.servers.native_server import serve
from bridge.servers.tick_runtime import TickRuntime
from tests.peers.support.emulated_page import serve_page

APP: Final = AppName("Peers' app", "4.2")
TICK_SECONDS: Final = 0.02
NOISE: Final = "Noise of the app's own on standard output"
PNG: Final = b"\x89PNG\r\n\x1a\nfixture"
BIG_BYTES: Final = 300_000
BIG: Final = bytes(at % 251 for at in range(BIG_BYTES))
STATIC_TEXT: Final = "This is the content of the static text resource."
RESOURCES: Final[dict[str, tuple[str, str, bytes]]] = {
    # The first three are what the conformance suite asks for.
    "test://static-text": ("A text", "text/plain", STATIC_TEXT.encode()),
    "test://static-binary": ("A picture", "image/png", PNG),
    "test://watched-resource": ("Another text", "text/plain", b"Nobody can subscribe to it."),
    "test://umlauts": ("Letters of two bytes and of four", "text/plain", "Grüße, 🌉".encode()),
    "test://big": ("More than one answer takes", "application/octet-stream", BIG),
}
TEMPLATE: Final = ("test://template/", "/data")

_TEXT: Final = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}
_COUNT: Final = {
    "type": "object",
    "properties": {"to": {"type": "integer", "minimum": 1}},
    "required": ["to"],
    "additionalProperties": False,
}
ACTIONS: Final = (
    ActionSpec.read("note.read", "Read the note", output_schema=_TEXT),
    ActionSpec.write(
        "note.set", "Set the note", input_schema=_TEXT, output_schema=_TEXT, transaction="note"
    ),
    ActionSpec.read("note.echo", "Give back what it is given", input_schema={"type": "object"}),
    ActionSpec.read("note.refuse", "Refuses, and says why"),
    ActionSpec.read("note.fail", "Fails without a word"),
    ActionSpec.read("count", "Counts as a task, one at each tick", input_schema=_COUNT),
    ActionSpec.read("ui.render", "Draw the note"),
)


class PeersApp(Host):
    """The host. Its tasks go on by one step at each tick."""

    def __init__(self, runtime: Runtime = TIMELESS, *, noisy: bool = False) -> None:
        self.note = ""
        self.number = 7
        self.dispatcher = Dispatcher(self, app=APP, runtime=runtime)
        self.dispatcher.set_enabled(True)
        self._noisy = noisy
        self._saved = (self.note, self.number)
        self._counting: dict[Task, tuple[int, int]] = {}

    def tick(self) -> bool:
        """Count on, and say whether there is more to do."""
        for task, (done, total) in list(self._counting.items()):
            if task.checkpoint():
                del self._counting[task]
            elif done == total:
                task.complete({"counted": total})
                del self._counting[task]
            else:
                task.report({"done": done + 1, "total": total, "message": f"at {done + 1}"})
                self._counting[task] = (done + 1, total)
        return bool(self._counting)

    def actions(self) -> Sequence[ActionSpec]:
        return ACTIONS

    def revision(self, action: str | None = None) -> int | None:
        return self.number

    def capabilities(self) -> int:
        return 0

    def execute(self, action: str, input: Any, context: CallContext) -> object:  # noqa: A002
        if self._noisy:
            _make_noise()
        match action:
            case "note.set":
                self.note, self.number = input["text"], self.number + 1
            case "note.echo":
                return {"given": input}
            case "note.refuse":
                raise AppError("UNAVAILABLE", "The note is shut today.", {"day": "Monday"})
            case "note.fail":
                raise RuntimeError("a secret of the host")
            case "count":
                task = self.dispatcher.tasks.create(action)
                task.start()
                self._counting[task] = (0, input["to"])
                return task
            case "ui.render":
                kind = {"resource": "test://static-binary", "mimeType": "image/png"}
                return kind | {"width": 20, "height": 10}
        return {"text": self.note}

    def inspect(self, query: dict[str, Any]) -> dict[str, Any]:
        return {"note": self.note, "asked": query}

    def resources(self) -> Sequence[Mapping[str, Any]]:
        return [
            {"uri": uri, "name": uri.rpartition("/")[2], "description": what, "mimeType": kind}
            | {"size": len(data)}
            for uri, (what, kind, data) in RESOURCES.items()
        ]

    def resource_templates(self) -> Sequence[Mapping[str, Any]]:
        template = {"uriTemplate": "{id}".join(TEMPLATE), "name": "data", "title": "Data by id"}
        return [template | {"mimeType": "application/json"}]

    def read_resource(self, uri: str, offset: int, limit: int) -> Resource | None:
        kind, data = "", b""
        if uri in RESOURCES:
            _, kind, data = RESOURCES[uri]
        elif uri.startswith(TEMPLATE[0]) and uri.endswith(TEMPLATE[1]):
            name = uri.removeprefix(TEMPLATE[0]).removesuffix(TEMPLATE[1])
            told = {"id": name, "templateTest": True, "data": f"Data for ID: {name}"}
            kind, data = "application/json", json.dumps(told).encode()
        else:
            return None
        return Resource(kind, len(data), data[offset : offset + limit])

    def supports_transaction(self, domain: str) -> bool:
        return domain == "note"

    def begin_transaction(self, domain: str) -> None:
        self._saved = (self.note, self.number)

    def commit_transaction(self, domain: str) -> None:
        self._saved = (self.note, self.number)

    def rollback_transaction(self, domain: str) -> None:
        self.note, self.number = self._saved


def _make_noise() -> None:
    """Write to standard output, as careless apps and the programs they start do."""
    print(NOISE, flush=True)  # noqa: T201
    subprocess.run(["echo", NOISE], check=True)


def _say_ready() -> None:
    print(json.dumps({"ready": True}), flush=True)  # noqa: T201


def _serve_lines() -> None:
    runtime = TickRuntime()
    app = PeersApp(runtime, noisy=True)

    def tick() -> bool:
        runtime.tick()
        return app.tick()

    serve_stdio(app.dispatcher, tick, protocol="mcp")


def _serve_native(name: str) -> None:
    app = PeersApp()
    with serve(app.dispatcher, name) as server:
        _say_ready()
        while True:
            server.poll(TICK_SECONDS)
            app.tick()


async def _serve_page() -> None:
    app = PeersApp(AsyncioRuntime())
    loop = asyncio.get_running_loop()

    def tick() -> None:
        app.tick()
        loop.call_later(TICK_SECONDS, tick)

    tick()
    await serve_page(app.dispatcher, json.loads(sys.stdin.readline()), _say_ready)


def main() -> None:
    """Serve until whoever started this ends it."""
    match sys.argv[1:]:
        case ["--agent-mcp"]:
            _serve_lines()
        case ["--native", name]:
            _serve_native(name)
        case ["--attach"]:
            asyncio.run(_serve_page())
        case unknown:
            sys.exit(f"what is {unknown}?")


if __name__ == "__main__":
    main()
