"""Somebody else's MCP server: small, of the legacy revision, and badly behaved where it is asked.

A program; it answers lines on standard input and output. Imports nothing of ours.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

_ANY = {"type": "object", "properties": {"a": {"type": "integer"}}}
_NAMES = (
    "echo",
    "link",
    "flood",
    "fail",
    "refuse",
    "reject",
    "stumble",
    "murmur",
    "nonsense",
    "newer",
    "bare",
    "noise",
    "die",
    "environment",
    "readNote",
    "change",
    "huge",
    "silent",
    "cancelled",
    "no_list",
    "die_listing",
)
_MISSHAPEN: list[Any] = [
    {"name": "no_schema"},
    {"name": "odd_hint", "inputSchema": _ANY, "annotations": {"readOnlyHint": "perhaps"}},
    {"name": "odd_words", "inputSchema": _ANY, "description": 7, "title": ["x"], "icons": 3},
    {"inputSchema": _ANY},
    17,
]
_listed = dict.fromkeys(_NAMES, _ANY)
"""By name, what a tool takes: `change` makes it another list."""


_ignored: list[object] = []
_cancelled: list[object] = []
_called: list[str] = []


def main() -> None:
    """Answer until the input ends."""
    for line in sys.stdin:
        message = json.loads(line)
        if message["method"] == "notifications/cancelled":
            _cancelled.append(message["params"]["requestId"])
        unlisted = message["method"] == "tools/list" and "no_list" in _called
        if unlisted or message.get("params", {}).get("name") == "silent":
            _ignored.append(message["id"])
        elif "id" in message:
            told = _answer(message["method"], message.get("params", {}))
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **told}), flush=True)  # noqa: T201


def _answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        version = "\x1b[2J" * 99 if "--odd-version" in sys.argv else "3"
        server = {"name": "outside", "version": version}
        able = {"tools": {"listChanged": True} if "--says-it-tells" in sys.argv else {}}
        return _result(protocolVersion="2025-11-25", capabilities=able, serverInfo=server)
    if method == "tools/list" and "die_listing" in _called:
        os._exit(3)
    if method == "tools/list" and "--lists-nothing" not in sys.argv:
        tools = [{"name": name, "inputSchema": takes} for name, takes in _listed.items()]
        return _result(tools=[*_MISSHAPEN, *tools] if "--lists-nonsense" in sys.argv else tools)
    if method == "tools/call":
        return _call(params["name"], params.get("arguments", {}))
    return {"error": {"code": -32601, "message": "no such method"}}


def _call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    _called.append(name)
    if name == "die":
        os._exit(3)
    if name == "noise":
        # No UTF-8, no JSON, and a line that is longer than any message.
        os.write(1, b"\xff\xfe\nlistening\n\n[1]\n")
        for _ in range(9):
            sys.stdout.write("x" * 1_000_000)
        print(flush=True)  # noqa: T201
        return _result(content=[{"type": "text", "text": "heard"}])
    if name in {"echo", "readNote"}:
        text = [{"type": "text", "text": json.dumps(arguments)}]
        return _result(content=text, structuredContent=arguments, _meta={"secret": 1})
    if name in {"environment", "cancelled"}:
        told = {
            "names": sorted(os.environ),
            "ignored": _ignored,
            "cancelled": _cancelled,
            "called": _called,
        }
        return _result(content=[], structuredContent=told)
    if name in {"no_list", "die_listing"}:
        # Whether the list is asked for again is the client's business, and is not answered.
        _tell("notifications/tools/list_changed")
        return _result(content=[{"type": "text", "text": name}])
    if name == "change":
        # What is called after this is another list: one gone, one changed, one new.
        _listed.pop("link", None)
        _listed.update(echo={"type": "object"}, brand_new=_ANY)
        _tell("notifications/tools/list_changed")
        return _result(content=[{"type": "text", "text": "changed"}])
    return _ANSWERS[name]


def _tell(method: str) -> None:
    print(json.dumps({"jsonrpc": "2.0", "method": method}), flush=True)  # noqa: T201


def _result(**members: Any) -> dict[str, Any]:
    return {"result": members}


_ANSWERS = {
    "link": _result(content=[{"type": "resource_link", "uri": "file:///note", "name": "n"}]),
    "huge": _result(content=[{"type": "text", "text": "x" * 5_000_000}]),
    "flood": _result(content=[{"type": "text", "text": "x" * 3_000_000}]),
    "fail": _result(content=[{"type": "text", "text": "no such note"}], isError=True),
    "refuse": {"error": {"code": -32600, "message": "not today"}},
    # What kits say of arguments, and of a result that is not as its tool promised.
    "reject": {"error": {"code": -32602, "message": "wrong"}},
    "stumble": {"error": {"code": -32603, "message": "half of it"}},
    # What some servers say of anything, and the client of a connection that was closed.
    "murmur": {"error": {"code": -32000, "message": "hm"}},
    "nonsense": _result(content=3),
    "newer": _result(
        content=[
            {"type": "hologram", "data": "AA=="},
            {"type": "text", "text": "before"},
            {"type": "video", "data": "AA==", "mimeType": "video/mp4"},
            {"type": "image"},
            17,
            {"type": "resource_link", "uri": "file:///note"},
            {"type": "text", "text": "after", "annotations": {"priority": "high"}},
        ]
    ),
    "bare": _result(structuredContent={"n": 1}),
}


if __name__ == "__main__":
    main()
