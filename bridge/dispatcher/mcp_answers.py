"""The lines that answer requests of MCP: results in each era's form, results of tools, errors.

Each function gives one line within the limits of strict JSON, whatever it is passed. Contract:
MCP.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from bridge.contract.error_codes import AppErrorCode
from bridge.contract.limits import JSON_LIMITS, MCP_LIMITS
from bridge.contract.mcp_messages import META_SERVER_INFO, Era
from bridge.contract.strict_json import JsonValue, StrictJsonError, dumps
from bridge.dispatcher.app_error import sendable_error, to_wire_error
from bridge.dispatcher.json_copy import output_error
from bridge.dispatcher.mcp_errors import HINTS, error_text, for_model, short_error_text
from bridge.dispatcher.params import ABSENT, Absent
from bridge.dispatcher.plain_json import quick_dumps

__all__ = ["McpAnswers", "ServerInfo", "error_line", "result_line", "told_error"]

_RESULT_ELSEWHERE: Final = "The result is in structuredContent."
_ERROR_ELSEWHERE: Final = "The error is in structuredContent."
_LINE_BREAK_BYTES: Final = 2
"""As JSON."""
_TOO_MUCH: Final = (
    "An action that was called has run: do not repeat it. Look with state_inspect what it did, and"
    " ask for less at once."
)
_OUR_HINTS: Final = frozenset({*HINTS.values(), _TOO_MUCH})
_CUT_MESSAGE: Final = "The error cannot be told in full."


class ServerInfo(NamedTuple):
    """What a server calls itself. For display only."""

    name: str
    version: str
    title: str | None = None

    def as_json(self) -> dict[str, str]:
        """Return it as it is sent."""
        title = {} if self.title is None else {"title": self.title}
        return {"name": self.name, **title, "version": self.version}


class McpAnswers:
    """Writes the answers of one server."""

    def __init__(self, server: ServerInfo) -> None:
        self._meta = {META_SERVER_INFO: server.as_json()}

    def in_era(
        self, era: Era, result: Mapping[str, Any], ttl_ms: int | None = None
    ) -> dict[str, Any]:
        """Add to a result what every result of its era has.

        `ttl_ms` says for how many milliseconds it may be kept, where its method says so at all.
        """
        if era is Era.LEGACY:
            return dict(result)
        kept = {} if ttl_ms is None else {"ttlMs": ttl_ms, "cacheScope": "private"}
        return {"resultType": "complete", **result, **kept, "_meta": self._meta}

    def result(
        self,
        request_id: JsonValue,
        era: Era,
        result: Mapping[str, Any],
        ttl_ms: int | None = None,
        or_else: Mapping[str, Any] | None = None,
    ) -> str:
        """Return the line of a result; where it is over a limit, of `or_else`, or of an error."""
        whole = {"jsonrpc": "2.0", "id": request_id, "result": self.in_era(era, result, ttl_ms)}
        try:
            return _written(whole).decode()
        except Exception as error:  # noqa: BLE001 - what it holds may do anything when it is read
            if or_else is not None:
                return self.result(request_id, era, or_else, ttl_ms)
            wire = told_error(output_error(error, result))
            return error_line(request_id, wire["code"], wire["message"], wire.get("data"))

    def tool_result(
        self,
        request_id: JsonValue,
        era: Era,
        structured: Mapping[str, Any],
        content: Sequence[Mapping[str, Any]] = (),
    ) -> str:
        """Return the line of a tool's result: the same as structure and as text.

        `content` are blocks to follow the text. Where the line would be over a limit the text
        only points at the structure; where that is so, too, the line is a failure's.
        """
        try:
            blocks = [*_text_blocks(_written(structured)), *content]
            return self._tool_line(request_id, era, blocks, structured)
        except Exception:  # noqa: BLE001, S110 - as above
            pass
        try:
            return self._tool_line(request_id, era, [_text(_RESULT_ELSEWHERE)], structured)
        except Exception as error:  # noqa: BLE001 - as above
            told = for_model(_unsendable(error, structured))
            return self.tool_failure(request_id, era, told)

    def tool_failure(self, request_id: JsonValue, era: Era, error: Mapping[str, Any]) -> str:
        """Return the line of a tool that failed: the whole error as structure and as text.

        `error` is a nested error as `for_model` tells it. The text begins with what matters most,
        and is short where the line has no room for both: some clients show a model nothing else.
        """
        structured = {"error": error}
        try:
            text = f"{error_text(error)}\n{dumps(structured).decode()}"
            blocks = list(_text_blocks(text.encode()))
            return self._tool_line(request_id, era, blocks, structured, failed=True)
        except Exception:  # noqa: BLE001, S110 - as above
            pass
        try:
            blocks = [_text(_ERROR_ELSEWHERE)]
            line = self._tool_line(request_id, era, blocks, structured, failed=True)
            room = JSON_LIMITS.max_encoded_bytes - len(line.encode()) - _LINE_BREAK_BYTES
            short = short_error_text(error, room)
            if not short:
                return line
            blocks = [_text(f"{short}\n{_ERROR_ELSEWHERE}")]
            return self._tool_line(request_id, era, blocks, structured, failed=True)
        except Exception:  # noqa: BLE001 - as above
            cut = {"code": error["code"], "message": _CUT_MESSAGE, **_code_alone(error.get("data"))}
            return self.tool_failure(request_id, era, cut)

    def _tool_line(
        self,
        request_id: JsonValue,
        era: Era,
        content: Sequence[Mapping[str, Any]],
        structured: Mapping[str, Any],
        *,
        failed: bool = False,
    ) -> str:
        flag = {"isError": True} if failed else {}
        result = {"content": content, "structuredContent": structured, **flag}
        whole = {"jsonrpc": "2.0", "id": request_id, "result": self.in_era(era, result)}
        return _written(whole).decode()


def told_error(error: object) -> dict[str, Any]:
    """Make of anything raised what may be told. It may still be too much for a line."""
    try:
        return to_wire_error(error)
    except Exception:  # noqa: BLE001 - an exception of the app's may do anything when it is read
        return sendable_error(error)


def result_line(request_id: JsonValue, result: bytes) -> str:
    """Return the line of a result that is written already."""
    line = b'{"jsonrpc":"2.0","id":' + dumps(request_id) + b',"result":' + result + b"}"
    return line.decode()


def error_line(
    request_id: JsonValue | Absent,
    number: int,
    message: str,
    data: Mapping[str, Any] | None = None,
) -> str:
    """Return the line of a JSON-RPC error. An id that is unknown (None, too) is left out."""
    known = {} if request_id is ABSENT or request_id is None else {"id": request_id}
    more = {} if data is None else {"data": data}
    error: dict[str, Any] = {"code": int(number), "message": message, **more}
    try:
        line = dumps({"jsonrpc": "2.0", **known, "error": error})
    except Exception:  # noqa: BLE001 - what it holds may do anything when it is read
        error = {"code": int(number), "message": _CUT_MESSAGE, **_code_alone(data)}
        line = dumps({"jsonrpc": "2.0", **known, "error": error})
    return line.decode()


def _written(value: Mapping[str, Any]) -> bytes:
    return quick_dumps(value) or dumps(value)


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def _text_blocks(text: bytes) -> Iterator[dict[str, str]]:
    """Cut a text at the bounds of characters."""
    start = 0
    most = MCP_LIMITS.max_text_block_bytes
    while len(text) - start > most:
        end = start + most
        # Bytes that go on with a character begin with the bits 10.
        while text[end] & 0xC0 == 0x80:
            end -= 1
        yield _text(text[start:end].decode())
        start = end
    yield _text(text[start:].decode())


def _unsendable(error: Exception, structured: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(error, StrictJsonError) or error.kind != "limit":
        return told_error(output_error(error, structured))
    code = AppErrorCode.LIMIT_EXCEEDED
    return {
        "code": int(code),
        "message": "The action has run, but its result is over the limit"
        f" {error.limit} of {error.maximum}.",
        "data": {
            "limit": error.limit,
            "maximum": error.maximum,
            "code": code.name,
            "hint": _TOO_MUCH,
        },
    }


def _code_alone(data: object) -> dict[str, Any]:
    code = data.get("code") if isinstance(data, Mapping) else None
    if not isinstance(code, str):
        return {}
    hint = data.get("hint") if isinstance(data, Mapping) else None
    # One of ours is short; what an app says may be what does not fit.
    kept = {"hint": hint} if isinstance(hint, str) and hint in _OUR_HINTS else {}
    return {"data": {"code": code, **kept}}
