"""Probes of the methods that look: what they answer, and how they refuse. They run no write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from bridge.cli.conformance.probe import (
    Broken,
    NotAsked,
    Probe,
    ProbePeer,
    error_of,
    expect,
    is_number,
    is_text,
    objects,
)
from bridge.cli.input.action_example import example_input
from bridge.cli.output.json_text import NumberText, compact
from bridge.contract.control_methods import CONTROL_METHODS
from bridge.contract.limits import PROTOCOL_LIMITS
from bridge.contract.schema import SchemaError, compile  # noqa: A004 - the room's own word
from bridge.contract.strict_json import StrictJsonError, loads

__all__ = ["PROBES", "available_actions"]

_NAME_CHARS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
_NOWHERE: Final = "bascule.check.no-such-thing"
_MAX_DESCRIBED: Final = 200


def available_actions(peer: ProbePeer, kind: str) -> Iterator[dict[str, Any]]:
    """Yield the descriptions of actions of a kind that can be called now."""
    for action in peer.actions()[:_MAX_DESCRIBED]:
        if action.get("kind") == kind and action.get("available") is True:
            yield _described(peer, action)["action"]


def _info(peer: ProbePeer) -> None:
    result = peer.result("agent/info")
    app = result.get("app")
    named = isinstance(app, dict) and all(is_text(app.get(k)) for k in ("name", "version"))
    expect(named, "app has a name and a version")
    expect(result.get("enabled") is True, "it is enabled")
    bits = result.get("capabilities")
    expect(isinstance(bits, NumberText) and bits.isdecimal(), "capabilities are integer bits")
    expect(isinstance(result.get("limits"), dict), "limits is an object")
    methods = result.get("methods")
    missing = sorted(CONTROL_METHODS.difference(methods if isinstance(methods, list) else []))
    expect(not missing, f"methods has no {', '.join(missing)}")


def _list(peer: ProbePeer) -> None:
    names = []
    for action in peer.actions():
        name = action.get("name")
        if type(name) is not str:
            raise Broken("each action has a name")
        names.append(name)
        fits = 0 < len(name) <= PROTOCOL_LIMITS.max_action_name_chars and _NAME_CHARS.issuperset(
            name
        )
        expect(fits, f"{name!r} is no name of 1 to 128 letters, digits and . _ -")
        expect(is_text(action.get("description")), f"{name} has a description")
        expect(action.get("kind") in {"read", "write"}, f"{name} is a read or a write")
        available, why = action.get("available"), action.get("unavailable")
        expect(isinstance(available, bool), f"{name} says whether it is available")
        if available is False:
            told = isinstance(why, dict) and all(is_text(why.get(k)) for k in ("code", "reason"))
            expect(told, f"{name} says by a code and a reason why it is not available")
    expect(len(set(names)) == len(names), "no two actions have the same name")


def _pages(peer: ProbePeer) -> None:
    names = [action.get("name") for action in peer.actions()]
    if len(names) < 2:
        raise NotAsked("there are fewer than two actions")
    first = peer.result("actions/list", {"limit": NumberText(1)})
    cursor = first.get("nextCursor")
    expect(is_text(cursor), "a page that is not the last has a nextCursor")
    second = peer.result("actions/list", {"limit": NumberText(1), "cursor": cursor})
    found = [a.get("name") for page in (first, second) for a in objects(page, "actions")]
    expect(found == names[:2], "pages go on where the one before ended, in the same order")


def _query(peer: ProbePeer) -> None:
    if not peer.actions():
        raise NotAsked("there are no actions")
    action = peer.actions()[-1]
    words = f"{str(action.get('name'))[:40].upper()}"
    params = {"query": words, "limit": NumberText(PROTOCOL_LIMITS.max_list_limit)}
    found = [a.get("name") for a in objects(peer.result("actions/list", params), "actions")]
    expect(action.get("name") in found, "a query finds a name in whatever case it is written")
    nothing = peer.result("actions/list", {"query": f"{words} {_NOWHERE}"})
    expect(objects(nothing, "actions") == [], "every word of a query has to occur")


def _list_limit(peer: ProbePeer) -> None:
    most = PROTOCOL_LIMITS.max_list_limit
    data = peer.refusal(1015, "LIMIT_EXCEEDED", "actions/list", {"limit": NumberText(most + 1)})
    expect(is_number(data.get("maximum"), most), f"data.maximum is {most}")


def _describe(peer: ProbePeer) -> None:
    commands: set[object] = set()
    for action in peer.actions()[:_MAX_DESCRIBED]:
        described = _described(peer, action)["action"]
        name = action.get("name")
        for member in ("name", "description", "kind"):
            same = described.get(member) == action.get(member)
            expect(same, f"{name} has the same {member} where it is listed")
        for member in ("inputSchema", "outputSchema"):
            expect(member in described, f"{name} has an {member}")
            try:
                compile(loads(compact(described[member]).encode()))
            except (SchemaError, StrictJsonError) as error:
                raise Broken(f"the {member} of {name} is no schema: {error}") from None
        bits = described.get("capabilities")
        expect(isinstance(bits, NumberText) and bits.isdecimal(), f"{name} has capability bits")
        expect(isinstance(described.get("undo"), bool), f"{name} says whether it can be undone")
        command = described.get("commandId")
        expect(command is None or command not in commands, f"{name} shares its commandId")
        commands.add(command)


def _unknown_action(peer: ProbePeer) -> None:
    peer.refusal(1002, "UNKNOWN_ACTION", "actions/describe", {"action": _NOWHERE})
    peer.refusal(1002, "UNKNOWN_ACTION", "actions/execute", {"action": _NOWHERE})


def _invalid_input(peer: ProbePeer) -> None:
    for action in available_actions(peer, "read"):
        schema = action.get("inputSchema")
        closed = isinstance(schema, Mapping) and schema.get("additionalProperties") is False
        asks = isinstance(schema, Mapping) and bool(schema.get("required"))
        if closed or asks:
            given = {} if asks else {_NOWHERE: True}
            params = {"action": action["name"], "input": given}
            data = peer.refusal(1003, "INVALID_INPUT", "actions/execute", params)
            errors = objects(data, "errors")
            told = errors and all(
                is_text(e.get("path")) and is_text(e.get("message")) for e in errors
            )
            expect(bool(told), "data.errors have a path and a message each")
            return
    raise NotAsked("no read that can be called now asks for a key, or refuses one")


def _stale_read(peer: ProbePeer) -> None:
    for action in available_actions(peer, "read"):
        given = example_input(action)
        at = _described(peer, action).get("revision")
        if given is None or not isinstance(at, NumberText):
            continue
        other = NumberText(int(at) + 1_000_003)
        params = {"action": action["name"], "input": given, "expectedRevision": other}
        data = peer.refusal(1008, "STALE_REVISION", "actions/execute", params)
        expect(data.get("expected") == other, "data.expected is what was given")
        return
    raise NotAsked("no read that can be called now has a revision and an input to make up")


def _batch(peer: ProbePeer) -> None:
    calls = [{"action": _NOWHERE}, {"action": _NOWHERE}]
    stopped = peer.result("actions/batch", {"calls": calls})
    first, second = _two(stopped)
    error_of(first, 1002, "UNKNOWN_ACTION")
    expect(second == {"ok": False, "skipped": True}, "what follows a failed call is skipped")
    expect(stopped.get("atomic") is False, "atomic is false")
    went_on = peer.result("actions/batch", {"calls": calls, "stopOnError": False})
    for item in _two(went_on):
        expect(item.get("ok") is False, "a failed call is not ok")
        error_of(item, 1002, "UNKNOWN_ACTION")


def _atomic(peer: ProbePeer) -> None:
    calls = [{"action": _NOWHERE}]
    params = {"calls": calls, "atomic": True}
    data = peer.refusal(1002, "UNKNOWN_ACTION", "actions/batch", params)
    expect(is_number(data.get("index"), 0), "data.index says which call it was")


def _batch_limit(peer: ProbePeer) -> None:
    peer.refusal(-32602, None, "actions/batch", {"calls": []})
    most = PROTOCOL_LIMITS.max_batch_calls
    calls = [{"action": _NOWHERE}] * (most + 1)
    data = peer.refusal(1015, "LIMIT_EXCEEDED", "actions/batch", {"calls": calls})
    expect(is_number(data.get("maximum"), most), f"data.maximum is {most}")


def _inspect(peer: ProbePeer) -> None:
    peer.result("state/inspect", {})


def _unknown_task(peer: ProbePeer) -> None:
    peer.refusal(1013, "UNKNOWN_TASK", "tasks/get", {"id": _NOWHERE})
    peer.refusal(1013, "UNKNOWN_TASK", "tasks/cancel", {"id": _NOWHERE})


def _unknown_resource(peer: ProbePeer) -> None:
    peer.refusal(1014, "UNKNOWN_RESOURCE", "resources/read", {"uri": _NOWHERE})


def _resource_limit(peer: ProbePeer) -> None:
    most = PROTOCOL_LIMITS.max_resource_chunk_bytes
    params = {"uri": _NOWHERE, "limit": NumberText(most + 1)}
    peer.refusal(1015, "LIMIT_EXCEEDED", "resources/read", params)
    peer.refusal(-32602, None, "resources/read", {"uri": _NOWHERE, "limit": NumberText(0)})


def _render(peer: ProbePeer) -> None:
    listed = [action for action in peer.actions() if action.get("name") == "ui.render"]
    if not listed:
        peer.refusal(1002, "UNKNOWN_ACTION", "view/render", {})
        return
    if listed[0].get("kind") != "read" or listed[0].get("available") is not True:
        raise NotAsked("ui.render is a write, or cannot be called now")
    given = example_input(_described(peer, listed[0])["action"])
    if given is None:
        raise NotAsked("no input of ui.render can be made up")
    result = peer.result("view/render", given)
    texts = all(is_text(result.get(name)) for name in ("resource", "mimeType"))
    sizes = all(isinstance(result.get(name), NumberText) for name in ("width", "height"))
    expect(texts and sizes, "a picture has resource, mimeType, width and height")
    part = peer.result("resources/read", {"uri": result["resource"], "limit": NumberText(16)})
    expect(part.get("uri") == result["resource"], "a part of a resource names it")
    expect(is_number(part.get("offset"), 0), "a part of a resource has its offset")
    expect(isinstance(part.get("size"), NumberText), "a part of a resource tells the whole size")
    expect(is_text(part.get("data")), "a part of a resource has data")


def _described(peer: ProbePeer, action: Mapping[str, Any]) -> dict[str, Any]:
    result = peer.result("actions/describe", {"action": action.get("name")})
    expect(isinstance(result.get("action"), dict), "a description is an object")
    return result


def _two(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    results = objects(result, "results")
    expect(len(results) == 2, "there are as many results as calls")
    return results


PROBES: Final = (
    Probe("info", "agent/info tells the app, capabilities, limits and methods.", _info),
    Probe("list.shape", "Listed actions have name, description, kind and availability.", _list),
    Probe("list.pages", "actions/list goes on at nextCursor.", _pages),
    Probe("list.query", "A query is by words, in names and descriptions, in any case.", _query),
    Probe("list.limit", "A page of more than 100 actions is 1015.", _list_limit),
    Probe("describe", "Every action is described, with schemas that are schemas.", _describe),
    Probe("action.unknown", "An unknown action is 1002.", _unknown_action),
    Probe("input.invalid", "An input that breaks its schema is 1003, with errors.", _invalid_input),
    Probe("revision.read", "A read's expectedRevision is checked where it is given.", _stale_read),
    Probe("batch.order", "A batch stops at an error, or goes on where that is asked.", _batch),
    Probe("batch.atomic", "An atomic batch that cannot begin is the call's error.", _atomic),
    Probe("batch.limit", "A batch has 1 to 128 calls.", _batch_limit),
    Probe("inspect", "state/inspect answers.", _inspect),
    Probe("task.unknown", "An unknown task is 1013.", _unknown_task),
    Probe("resource.unknown", "An unknown resource is 1014.", _unknown_resource),
    Probe("resource.limit", "A part of a resource has 1 to 65,536 bytes.", _resource_limit),
    Probe("render", "view/render gives a picture whose resource can be read.", _render),
)
