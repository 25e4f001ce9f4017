"""What every official client says to the fixture app, whichever way, and what it was answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.peers.support.official_client import (
    ClientKind,
    OfficialClient,
    Outcome,
    running_client,
)
from tests.peers.support.record import Connection, connection_of_exchange, read_connections
from tests.peers.support.ways import Way
from tests.peers.support.wire_rules import faults

__all__ = ["CALLS_TOGETHER", "MISSING", "SHORT_TASK", "STRANGE", "Conversation", "hold"]

CALLS_TOGETHER: Final = 12
SHORT_TASK: Final = 25
"""Ticks of a task that is waited for: long enough for several looks at it."""
LONG_TASK: Final = 100_000
"""Ticks of a task that only ends when it is cancelled."""
WAIT_MS: Final = 20_000
MISSING: Final = "test://nowhere"
STRANGE: Final = 'Grüße 🌉 "quoted"\n\u2028 and 9007199254740993'


@dataclass
class Conversation:
    """One client's run."""

    kind: ClientKind
    way: Way
    told: dict[str, Any]
    outcomes: dict[str, Outcome]
    connections: list[Connection] = field(default_factory=list)
    complaints: str = ""
    """What the client and the server wrote to standard error."""

    def result(self, step: str) -> Any:
        """Return the result of a step that has to have one."""
        outcome = self.outcomes[step]
        assert "result" in outcome, (step, outcome)
        return outcome["result"]

    def structured(self, step: str) -> Any:
        result = self.result(step)
        assert not result.get("isError"), (step, result)
        return result["structuredContent"]

    def error(self, step: str) -> Any:
        """Return the JSON-RPC error of a step that has to have one."""
        outcome = self.outcomes[step]
        assert "error" in outcome, (step, outcome)
        return outcome["error"]

    def faults(self) -> list[str]:
        """Return all that is wrong with what the server sent."""
        # A probe's copy is killed while it answers, and over HTTP a call is given up by hanging
        # up: only the last of several processes has to have answered everything.
        last = len(self.connections) - 1
        is_http = self.way.forwarder is not None
        return [
            fault
            for at, connection in enumerate(self.connections)
            for fault in faults(connection, cut_off=is_http or at < last)
        ]


def hold(kind: ClientKind, way: Way, folder: Path) -> Conversation:
    """Let a client say everything, and keep what comes of it."""
    record = folder / "record"
    record.mkdir()
    errors = folder / "errors.txt"
    exchanges_before = len(way.forwarder.exchanges) if way.forwarder else 0
    with running_client(kind, way, record, errors) as client:
        outcomes = _say_everything(client)
        told = client.told
    if way.forwarder is None:
        connections = read_connections(record)
    else:
        exchanges = way.forwarder.exchanges[exchanges_before:]
        # An answer to a GET, which we refuse, is no message.
        connections = [connection_of_exchange(ex) for ex in exchanges if ex.method == "POST"]
    return Conversation(kind, way, told, outcomes, connections, errors.read_text())


def _say_everything(client: OfficialClient) -> dict[str, Outcome]:
    said = dict(zip(_LISTS, client.together(*_LISTS.values()), strict=True))
    said |= _say_calls(client)
    said |= _say_errors(client)
    said |= _say_tasks(client)
    said |= _say_resources(client)
    said["ping"] = client.do("ping")
    together: Sequence[dict[str, Any]] = [
        _calling("actions_execute", {"action": "note.echo", "input": {"number": number}})
        for number in range(CALLS_TOGETHER)
    ]
    for number, outcome in enumerate(client.together(*together)):
        said[f"together {number}"] = outcome
    return said


_LISTS: Final[dict[str, dict[str, Any]]] = {
    "tools": {"do": "listTools"},
    "resources": {"do": "listResources"},
    "templates": {"do": "listTemplates"},
}


def _calling(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"do": "callTool", "name": tool, "arguments": arguments}


def _say_calls(client: OfficialClient) -> dict[str, Outcome]:
    said = {
        "search": client.call("actions_search", {"query": "the note"}),
        "search all": client.call("actions_search"),
        "describe": client.call("actions_describe", {"action": "note.set"}),
        "inspect": client.call("state_inspect", {"about": "the note"}),
    }
    revision = said["describe"]["result"]["structuredContent"]["revision"]
    write = {"action": "note.set", "expectedRevision": revision}
    said["execute"] = client.call("actions_execute", {**write, "input": {"text": STRANGE}})
    said["stale"] = client.call("actions_execute", {**write, "input": {"text": "late"}})
    calls = [
        {**write, "input": {"text": "a"}, "expectedRevision": revision + 1},
        {**write, "input": {"text": "b"}, "expectedRevision": revision + 1},
    ]
    said["batch"] = client.call("actions_batch", {"calls": calls, "atomic": True})
    said["read"] = client.call("actions_execute", {"action": "note.read"})
    said["render"] = client.call("view_render")
    said["part"] = client.call(
        "resource_read", {"uri": "test://big", "offset": 250_000, "limit": 10}
    )
    return said


def _say_errors(client: OfficialClient) -> dict[str, Outcome]:
    return {
        "unknown tool": client.call("no_such_tool", {}),
        "unknown action": client.call("actions_execute", {"action": "nothing"}),
        "bad arguments": client.call("actions_describe", {"action": 7}),
        "bad input": client.call("actions_execute", {"action": "count", "input": {"to": 0}}),
        "refused": client.call("actions_execute", {"action": "note.refuse"}),
        "failed": client.call("actions_execute", {"action": "note.fail"}),
        "no task": client.call("task_status", {"id": "nothing"}),
    }


def _say_tasks(client: OfficialClient) -> dict[str, Outcome]:
    def count(to: int) -> tuple[Outcome, str]:
        outcome = client.call("actions_execute", {"action": "count", "input": {"to": to}})
        return outcome, outcome["result"]["structuredContent"]["task"]["id"]

    said: dict[str, Outcome] = {}
    _, long = count(LONG_TASK)
    waiting = {"id": long, "waitMs": WAIT_MS}
    said["given up"] = client.call("task_status", waiting, giveUp=True)
    said["after it was given up"] = client.call("task_status", {"id": long})
    # At its end a wait that went on would be answered, which the record would show.
    said["cancel"] = client.call("task_cancel", {"id": long})
    said["cancelled"] = client.call("task_status", waiting)
    said["deferred"], short = count(SHORT_TASK)
    waiting = {"id": short, "waitMs": WAIT_MS}
    said["waited"] = client.call("task_status", waiting, progress=True)
    return said


def _say_resources(client: OfficialClient) -> dict[str, Outcome]:
    uris = {
        "text": "test://static-text",
        "binary": "test://static-binary",
        "umlauts": "test://umlauts",
        "from template": "test://template/123/data",
        "large": "test://big",
        "missing": MISSING,
    }
    return {step: client.do("readResource", uri=uri) for step, uri in uris.items()}
