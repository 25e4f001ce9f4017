"""The result of a call, in the one shape that all who run, show or host tools know.

Reads what handlers return and what servers outside send. Nothing is cut here: `bounding` does
that. A failure is a result as well, with words that a model can act on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from bridge.tools.content_blocks import Block, read_blocks, read_text, text_block

__all__ = [
    "OWN_META",
    "FailureCode",
    "ToolResult",
    "error_result",
    "failure_code",
    "for_model",
    "own_meta",
    "read_result",
    "to_wire",
]

FailureCode = Literal[
    "UNKNOWN_TOOL",
    "INVALID_INPUT",
    "INVALID_OUTPUT",
    "HANDLER_FAILED",
    "TIMED_OUT",
    "INTERRUPTED",
    "BUSY",
    "UNAVAILABLE",
]
"""Why a call gave no result of its handler's. Stands in `_meta.bascule.code`."""

OWN_META: Final = "bascule"
"""The member of `_meta` that is ours."""
_SHAPE: Final = "a tool gives text, a list of blocks, or {content, structuredContent, isError}"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call gave. Contract: package tools, results.

    `content` is what a model reads; `structured_content` is an object of JSON for cards and
    outside clients; `meta` is for accounting and for people's screens, never for a model.
    """

    content: tuple[Block, ...] = ()
    structured_content: Mapping[str, Any] | None = None
    is_error: bool = False
    meta: Mapping[str, Any] = field(default_factory=dict)


def to_wire(result: ToolResult) -> dict[str, Any]:
    """Return it as JSON with MCP's names. What is empty is left out, `content` never."""
    wire: dict[str, Any] = {"content": list(result.content)}
    if result.structured_content is not None:
        wire["structuredContent"] = result.structured_content
    if result.is_error:
        wire["isError"] = True
    if result.meta:
        wire["_meta"] = result.meta
    return wire


def for_model(result: ToolResult) -> dict[str, Any]:
    """Return what a model may see: never `_meta`, of the result or of a block in it.

    The product's own model is given `content` of this alone; a client outside gets all of it.
    """
    wire = to_wire(result)
    wire.pop("_meta", None)
    return wire


def error_result(text: str, code: FailureCode | None = None) -> ToolResult:
    """Return a failure, with words that say what to do and its code for programs."""
    meta = {} if code is None else {OWN_META: {"code": code}}
    return ToolResult((text_block(text),), None, True, meta)


def failure_code(result: ToolResult) -> str | None:
    """Return the code of a failure that is not the handler's own, or None."""
    code = own_meta(result.meta).get("code") if result.is_error else None
    return code if isinstance(code, str) else None


def own_meta(meta: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return what `_meta` has under our name, nothing where that is no object."""
    own = meta.get(OWN_META)
    return own if isinstance(own, Mapping) else {}


def read_result(value: object) -> ToolResult:
    """Read what a handler returned or a server sent. Contract: package tools, results.

    Text, a list of blocks, or an object with `content`, `structuredContent`, `isError` and
    `_meta`; its other members are left out, and so is a failure's code, which is not a tool's to
    say. Raises `ValueError` for anything else.
    """
    if type(value) is dict:
        return _read(value)
    if isinstance(value, ToolResult):
        return _read_again(value)
    if isinstance(value, str):
        return ToolResult(read_text(value))
    if isinstance(value, list | tuple):
        return ToolResult(read_blocks(value))
    if isinstance(value, Mapping):
        return _read(value)
    raise ValueError(f"gave {_kind(value)}: {_SHAPE}")


def _read(value: Mapping[Any, Any]) -> ToolResult:
    structured = value.get("structuredContent")
    if structured is not None and not _is_object(structured):
        raise ValueError("gave a structuredContent that is no object")
    is_error = value.get("isError", False)
    if is_error is not False and is_error is not True:
        raise ValueError("gave an isError that is neither true nor false")
    meta = value.get("_meta")
    if meta is not None and not _is_object(meta):
        raise ValueError("gave a _meta that is no object")
    return ToolResult(_content(value, structured), structured, is_error, _others_meta(meta or {}))


def _read_again(value: ToolResult) -> ToolResult:
    """Read what a handler made itself, and may have put together in any way."""
    told = {"content": value.content, "_meta": value.meta, "isError": value.is_error}
    # Nothing at all is a result where somebody says so in this shape.
    structured = {} if value.structured_content is None else value.structured_content
    read = _read({**told, "structuredContent": structured})
    return replace(read, structured_content=value.structured_content)


def _others_meta(meta: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return `_meta` without a code of ours: what a call came to is said by whoever ran it."""
    own = own_meta(meta)
    if "code" not in own:
        return meta
    return {**meta, OWN_META: {name: value for name, value in own.items() if name != "code"}}


def _content(value: Mapping[Any, Any], structured: Mapping[Any, Any] | None) -> tuple[Block, ...]:
    content = value.get("content")
    if isinstance(content, str):
        return read_text(content)
    if isinstance(content, list | tuple):
        return read_blocks(content)
    if content is not None:
        raise ValueError(f"gave a content that is {_kind(content)}: {_SHAPE}")
    if structured is None:
        raise ValueError(f"gave an object without content or structuredContent: {_SHAPE}")
    return ()


def _is_object(value: object) -> bool:
    return type(value) is dict or isinstance(value, Mapping)


def _kind(value: object) -> str:
    return "nothing" if value is None else f"a value of type {type(value).__name__[:60]}"
