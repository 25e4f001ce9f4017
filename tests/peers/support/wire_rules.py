"""What every line that Bascule sends has to obey: the official schemas, and what clients overlook.

Independent of the product: eras, ids and progress are told apart here anew.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any, Final

import jsonschema_rs
import pytest

from tests.peers.support.record import Connection, Line

__all__ = ["LEGACY", "MODERN", "era_of_request", "faults", "schema_faults"]

MODERN: Final = "2026-07-28"
LEGACY: Final = "2025-11-25"
_META: Final = "io.modelcontextprotocol/"
_RESULTS: Final = {
    "server/discover": "DiscoverResult",
    "initialize": "InitializeResult",
    "ping": "EmptyResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
}
_CACHEABLE: Final = frozenset(_RESULTS) - {"initialize", "ping", "tools/call"}
_MODERN_MEMBERS: Final = frozenset({"resultType", "ttlMs", "cacheScope"})
_ROOT: Final = Path(__file__).parents[3]


@cache
def _document(revision: str) -> dict[str, Any]:
    """Read an official schema, or skip the test that asks for it."""
    shared = Path(os.environ.get("BASCULE_SHARED", _ROOT.parent / "shared"))
    path = shared / "mcp" / f"mcp-schema-{revision}.json"
    if not path.is_file():
        pytest.skip(f"the official schema of MCP {revision} is not on this machine")
    document = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(document, dict)
    return document


@cache
def _validator(revision: str, name: str) -> jsonschema_rs.Draft202012Validator:
    definitions = _document(revision)["$defs"]
    assert name in definitions, f"{revision} has no {name}"
    return jsonschema_rs.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": definitions})


def schema_faults(revision: str, name: str, value: object) -> list[str]:
    """Say where a value does not match a definition of the official schema."""
    return [
        f"{name} of {revision} at {error.instance_path}: {error.message[:300]}"
        for error in _validator(revision, name).iter_errors(value)
    ]


def era_of_request(message: dict[str, Any]) -> str:
    """Tell by which revision a request is to be answered."""
    meta = _params(message).get("_meta")
    keys = {f"{_META}protocolVersion", f"{_META}clientCapabilities"}
    if message.get("method") == "server/discover" or (isinstance(meta, dict) and keys & set(meta)):
        return MODERN
    return LEGACY


class _Check:
    """Reads one connection from its beginning to its end."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._open: dict[str, dict[str, Any]] = {}
        """Requests that are not answered, by id."""
        self._cancelled: set[str] = set()
        self._progress: dict[str, float] = {}
        """Tokens of open requests, and how far each has come."""

    def client_line(self, line: Line) -> None:
        try:
            message = line.message()
        except ValueError:
            return
        if not isinstance(message, dict):
            return
        params = _params(message)
        if "id" in message and "method" in message:
            key = _key(message["id"])
            self._open[key] = message
            self._cancelled.discard(key)
            token = _token(message)
            if token is not None:
                self._progress[_key(token)] = float("-inf")
        elif message.get("method") == "notifications/cancelled":
            key = _key(params.get("requestId"))
            if key in self._open:
                self._cancelled.add(key)

    def server_line(self, line: Line) -> None:
        if not line.whole:
            self.found.append(f"a line without an end: {line.data[:200]!r}")
            return
        if line.data.endswith(b"\r"):
            self.found.append(f"a line ends with a carriage return: {line.data[-40:]!r}")
        try:
            message = line.message()
        except ValueError:
            self.found.append(f"a line that is no JSON: {line.data[:200]!r}")
            return
        if not isinstance(message, dict):
            self.found.append(f"a line that is no message: {line.data[:200]!r}")
        elif "method" in message:
            self._notification(message)
        else:
            self._answer(message)

    def _notification(self, message: dict[str, Any]) -> None:
        if "id" in message:
            self.found.append(f"a request of the server's: {message}")
        elif message["method"] != "notifications/progress":
            self.found.append(f"a notification that nobody asked for: {message}")
        else:
            self.found += schema_faults(MODERN, "ProgressNotification", message)
            self.found += schema_faults(LEGACY, "ProgressNotification", message)
            params = message.get("params", {})
            token, progress = _key(params.get("progressToken")), params.get("progress")
            if token not in self._progress:
                self.found.append(f"progress of no call that is open: {message}")
            elif not progress > self._progress[token]:
                self.found.append(f"progress that does not rise: {message}")
            else:
                self._progress[token] = progress

    def _answer(self, message: dict[str, Any]) -> None:
        if "id" not in message:
            self.found += schema_faults(MODERN, "JSONRPCErrorResponse", message)
            self.found += schema_faults(LEGACY, "JSONRPCErrorResponse", message)
            return
        key = _key(message["id"])
        request = self._open.pop(key, None)
        if request is None:
            self.found.append(f"an answer to nothing, or a second one: {str(message)[:300]}")
            return
        if key in self._cancelled:
            self.found.append(f"an answer to what was cancelled: {str(message)[:300]}")
        token = _token(request)
        if token is not None:
            self._progress.pop(_key(token), None)
        era = era_of_request(request)
        if "error" in message:
            self.found += schema_faults(era, "JSONRPCErrorResponse", message)
        else:
            self.found += schema_faults(era, "JSONRPCResultResponse", message)
            self._result(era, request["method"], message.get("result"))

    def _result(self, era: str, method: str, result: Any) -> None:
        if method not in _RESULTS:
            self.found.append(f"a result of {method}, which is not ours")
            return
        self.found += schema_faults(era, _RESULTS[method], result)
        meta = result.get("_meta", {})
        if era == LEGACY:
            strange = sorted(_MODERN_MEMBERS & set(result)) + sorted(meta)
            if strange:
                self.found.append(f"a legacy result of {method} with {strange}")
            return
        if result.get("resultType") != "complete":
            self.found.append(f"a modern result of {method} without resultType complete")
        if f"{_META}serverInfo" not in meta:
            self.found.append(f"a modern result of {method} that names no server")
        if {"ttlMs", "cacheScope"} & set(result) and method not in _CACHEABLE:
            self.found.append(f"a result of {method} with members of cacheable ones")

    def end(self) -> None:
        for key, request in self._open.items():
            if key not in self._cancelled:
                self.found.append(f"no answer to {str(request)[:300]}")


def faults(connection: Connection, *, cut_off: bool = False) -> list[str]:
    """Say all that is wrong with what the server sent on one connection.

    `cut_off` says that the client ended it, or may have, with requests still open.
    """
    check = _Check()
    for line in connection.lines:
        if line.sender == "client":
            check.client_line(line)
        else:
            check.server_line(line)
    if not cut_off:
        check.end()
    return check.found


def _params(message: dict[str, Any]) -> dict[str, Any]:
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def _token(request: dict[str, Any]) -> Any:
    meta = _params(request).get("_meta")
    return meta.get("progressToken") if isinstance(meta, dict) else None


def _key(value: Any) -> str:
    """Return what tells ids and tokens apart: "1" is not 1, and clients send what is neither."""
    return json.dumps(value)
