"""A scripted bridge whose page is an app with a few actions, one document and one task."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.python.support.command_line import entry_for, post_entry
from tests.python.support.fake_bridge import (
    Answer,
    Bytes,
    FakeBridge,
    Received,
    fake_bridge,
    status_of,
)

APP = "My App 2"
SLUG = "my-app-2"
INSERT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "description": "what to insert"},
        "at": {"type": "integer", "minimum": 0, "default": 0},
        "style": {"enum": ["body", "heading 1", "quote"]},
        "marks": {"type": "array", "items": {"enum": ["bold", "italic"]}},
        "loud": {"type": "boolean"},
        "where": {
            "type": "object",
            "properties": {"page": {"type": "integer"}, "column": {"$ref": "#/$defs/side"}},
        },
    },
    "required": ["text"],
    "additionalProperties": False,
    "$defs": {"side": {"enum": ["left", "right"]}},
}
ACTIONS: dict[str, dict[str, Any]] = {
    "doc.insert": {"description": "Insert a text", "kind": "write", "inputSchema": INSERT},
    "doc.read": {"description": "Read the text", "kind": "read", "inputSchema": {"type": "object"}},
    "doc.undo": {
        "description": "Undo the last edit",
        "kind": "write",
        "inputSchema": {"type": "object"},
        "unavailable": {"code": "NOTHING_TO_UNDO", "reason": "There is no edit."},
    },
    "doc.export": {"description": "Export", "kind": "read", "inputSchema": {"type": "object"}},
}
KEPT = {"Connection": "keep-alive"}
REFUSED: dict[str, Any] = {
    "code": 1006,
    "message": "The owner said no; nothing was run.",
    "data": {
        "code": "UNAVAILABLE",
        "availability": {
            "code": "OWNER_REQUIRED",
            "reason": "The owner said no; nothing was run.",
        },
        "retryAfterMs": 7_625,
    },
}
CONSENT = {"progress": {"reason": "consent", "message": "The owner is asked.\x1b[2J"}}


class FakeApp:
    """What the page's dispatcher would answer. `revision` is a token, so that it can be large."""

    def __init__(self) -> None:
        self.revision = "12345678901234567890"
        self.task_states = ["running", "completed"]
        self.asks = False
        """Whether the owner is asked for `doc.export`: a task of state `consent` waits for it."""
        self.refuses = False
        """Whether `doc.export` is refused without a question; asked about, it is by `refused`."""
        self.page_size = 2
        self.events: dict[str, Any] = {"now": 9, "next": 1, "missed": 0, "events": []}

    def answer(self, request: Received) -> Answer | Bytes:
        if request.path == "/status":
            return status_of(APP, link="channel")
        if request.path == "/calls":
            return Answer(body=json.dumps(self.events).encode(), headers=KEPT)
        if request.path == "/session/close":
            return Answer(body=b'{"closed":true}', headers=KEPT)
        message = request.json()["request"]
        if "id" not in message:
            return Answer(202, b"null", KEPT)
        body = self._respond(message["method"], message.get("params", {}))
        written = json.dumps(message["id"])
        return Answer(body=f'{{"jsonrpc":"2.0","id":{written},{body}}}'.encode(), headers=KEPT)

    def _respond(self, method: str, params: dict[str, Any]) -> str:
        known = {
            "agent/info": self._info,
            "actions/list": self._list,
            "actions/describe": self._describe,
            "actions/execute": self._execute,
            "state/inspect": self._inspect,
            "tasks/get": self._task,
            "tasks/cancel": self._cancel,
        }
        if method not in known:
            return '"error":{"code":-32601,"message":"There is no such method."}'
        return known[method](params)

    def _info(self, _: dict[str, Any]) -> str:
        return self._result({"app": {"name": APP, "version": "1"}, "enabled": True})

    def _describe(self, params: dict[str, Any]) -> str:
        name = params["action"]
        if name not in ACTIONS:
            return _error(1002, "UNKNOWN_ACTION", "The app has no action of this name.")
        return self._result({"action": _about(name) | ACTIONS[name]})

    def _inspect(self, params: dict[str, Any]) -> str:
        return self._result({"title": "A\x1b[31m\u202ename", "query": params})

    def _task(self, _: dict[str, Any]) -> str:
        state = self.task_states[0]
        if len(self.task_states) > 1:
            self.task_states.pop(0)
        return self._result({"task": _task(state)})

    def _cancel(self, _: dict[str, Any]) -> str:
        asks = self.task_states[0] == "consent"
        return self._result({"task": _task("cancelling") | (CONSENT if asks else {})})

    def _list(self, params: dict[str, Any]) -> str:
        words = params.get("query", "").lower().split()
        found = [
            _about(name)
            for name, action in ACTIONS.items()
            if all(word in f"{name} {action['description']}".lower() for word in words)
        ]
        start = int(params.get("cursor", 0))
        end = start + self.page_size
        more = {"nextCursor": str(end)} if end < len(found) else {}
        return self._result({"actions": found[start:end], **more})

    def _execute(self, params: dict[str, Any]) -> str:
        name, sent = params["action"], params.get("input", {})
        if name not in ACTIONS:
            return _error(1002, "UNKNOWN_ACTION", "The app has no action of this name.")
        if name == "doc.export":
            return f'"error":{json.dumps(REFUSED)}' if self.refuses else self._export()
        if ACTIONS[name]["kind"] == "write" and "expectedRevision" not in params:
            return _error(1007, "REVISION_REQUIRED", "A write needs expectedRevision.")
        if name == "doc.insert" and "text" not in sent:
            errors = [{"path": "/text", "message": "is missing"}]
            return _error(1003, "INVALID_INPUT", "The input does not fit.", errors=errors)
        if sent.get("text") == "boom":
            return _error(1018, "HOST_ERROR", "The app failed.")
        return self._result({"status": "completed", "output": {"sent": sent}})

    def _export(self) -> str:
        task = {"id": "t 1", "state": "running"} | (CONSENT if self.asks else {})
        return self._result({"status": "deferred", "task": task})

    def _result(self, result: dict[str, Any]) -> str:
        text = json.dumps(result)[:-1]
        return f'"result":{text},"revision":{self.revision},"n":1e3}}'


def _about(name: str) -> dict[str, Any]:
    action = ACTIONS[name]
    unavailable = action.get("unavailable")
    return {
        "name": name,
        "description": action["description"],
        "kind": action["kind"],
        "available": unavailable is None,
        **({} if unavailable is None else {"unavailable": unavailable}),
    }


def _task(state: str) -> dict[str, Any]:
    if state == "consent":
        return _task("running") | CONSENT
    if state == "refused":
        return _task("failed") | {"error": REFUSED}
    task = {"id": "t 1", "state": state, "action": "doc.export"}
    if state == "completed":
        return task | {"output": {"bytes": 7}}
    if state == "failed":
        error = {"code": 1018, "message": "It failed.", "data": {"code": "HOST_ERROR"}}
        return task | {"error": error}
    return task


def _error(number: int, code: str, message: str, **data: Any) -> str:
    error = {"code": number, "message": message, "data": {"code": code, **data}}
    return f'"error":{json.dumps(error)}'


@contextmanager
def fake_app(runtime: Path) -> Iterator[tuple[FakeApp, FakeBridge]]:
    """Run a bridge with the app attached, and post its entry."""
    app = FakeApp()
    with fake_bridge(app.answer) as bridge:
        post_entry(runtime, entry_for(bridge))
        yield app, bridge


def sent(bridge: FakeBridge, method: str) -> list[Any]:
    """Return the parameters of all requests of a method."""
    requests = [received.json()["request"] for received in bridge.of("/rpc")]
    return [request.get("params") for request in requests if request["method"] == method]
