"""An app's resources as MCP has them: lists in pages, small ones whole, and pictures to be shown.

Large ones are read in parts by a tool. Contract: MCP, resources.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from bridge.contract.error_codes import AppErrorCode, JsonRpcErrorNumber
from bridge.contract.limits import MCP_LIMITS
from bridge.contract.mcp_messages import Era, McpErrorNumber, Refusal
from bridge.dispatcher.app_error import AppError, RpcError
from bridge.dispatcher.eventually import Eventually, Later
from bridge.dispatcher.host import Resource
from bridge.dispatcher.host_reading import AsOf
from bridge.dispatcher.list_page import fitting
from bridge.dispatcher.mcp_front import AppRequest
from bridge.dispatcher.methods import MethodContext, Result

__all__ = ["ResourceRefusal", "ResourceResult", "answer_resources", "rendered_blocks"]

_CURSOR: Final = re.compile(r"[1-9][0-9]{0,8}")
_TEXTS: Final = frozenset(
    {"application/json", "application/xml", "application/javascript", "application/x-ndjson"}
)
"""What is text beside `text/*`, `+json` and `+xml`."""
_PICTURES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""What models are shown. Of others, SVG above all, a client may make a failure of the whole."""


class ResourceResult(NamedTuple):
    """A result, and what to give where it is too much for a line."""

    result: Result
    or_else: Result | None = None


class ResourceRefusal(NamedTuple):
    """An error that MCP words in its own way, and the application's code for it."""

    refusal: Refusal
    code: str


async def answer_resources(
    context: MethodContext, request: AppRequest
) -> ResourceResult | ResourceRefusal:
    """Answer one of the methods `resources/*`.

    Raises `AppError`, `RpcError` for a bad cursor, and what the host raises.
    """
    params = request.params
    reading = context.dispatcher.reading
    match request.method:
        case "resources/list":
            listed = await _value(reading.resources(expired=context.expired))
            return _page("resources", listed, params.get("cursor"))
        case "resources/templates/list":
            listed = await _value(reading.resource_templates(expired=context.expired))
            return _page("resourceTemplates", listed, params.get("cursor"))
        case _:
            return await _small(context, params["uri"], request.era)


async def rendered_blocks(
    context: MethodContext, rendered: Result
) -> tuple[Mapping[str, Any], ...]:
    """Return the picture that a rendering names where models can be shown it, else a link.

    Raises nothing of the host's: the rendering itself is there.
    """
    uri, told = rendered.get("resource"), rendered.get("mimeType")
    if not isinstance(uri, str):
        return ()
    mime_type = {"mimeType": told} if isinstance(told, str) else {}
    link = {"type": "resource_link", "uri": uri, "name": uri, **mime_type}
    try:
        found = await _whole(context, uri)
    except Exception as error:  # noqa: BLE001 - whatever it is, the link is all there is
        context.dispatcher.report_host_error(error)
        return (link,)
    if _is_large(found) or _media_type(found.mime_type) not in _PICTURES:
        return (link,)
    data = b64encode(found.data).decode()
    return ({"type": "image", "data": data, "mimeType": found.mime_type},)


def _page(name: str, listed: Any, cursor: str | None) -> ResourceResult:  # noqa: ANN401 - checked
    start = 0
    if cursor is not None:
        start = int(cursor) if _CURSOR.fullmatch(cursor) else len(listed)
        if start >= len(listed):
            raise RpcError(
                JsonRpcErrorNumber.INVALID_PARAMS,
                "params.cursor must be a nextCursor of an earlier answer",
            )
    page = fitting(listed[start : start + MCP_LIMITS.resources_per_page])
    end = start + len(page)
    more = {"nextCursor": str(end)} if end < len(listed) else {}
    return ResourceResult({name: page, **more})


async def _small(context: MethodContext, uri: str, era: Era) -> ResourceResult | ResourceRefusal:
    try:
        found = await _whole(context, uri)
    except AppError as error:
        if error.code is not AppErrorCode.UNKNOWN_RESOURCE:
            raise
        number = (
            McpErrorNumber.RESOURCE_NOT_FOUND
            if era is Era.LEGACY
            else JsonRpcErrorNumber.INVALID_PARAMS
        )
        missing = Refusal(number, "The app has no such resource.", {"uri": uri})
        return ResourceRefusal(missing, error.code.name)
    if _is_large(found):
        message = (
            f"This resource has {found.size} bytes, too many for one answer:"
            " read it in parts with the tool resource_read."
        )
        data = {"uri": uri, "size": found.size}
        number = JsonRpcErrorNumber.INVALID_PARAMS
        return ResourceRefusal(Refusal(number, message, data), "INVALID_PARAMS")
    named = {"uri": uri, "mimeType": found.mime_type}
    blob: Result = {"contents": [{**named, "blob": b64encode(found.data).decode()}]}
    text = _text(found)
    if text is None:
        return ResourceResult(blob)
    # Text that is all escapes may be too long for a line, and is never so as base64.
    return ResourceResult({"contents": [{**named, "text": text}]}, or_else=blob)


async def _whole(context: MethodContext, uri: str) -> Resource:
    reading = context.dispatcher.reading
    most = MCP_LIMITS.max_small_resource_bytes
    found: Resource = await _value(reading.whole_resource(uri, most, expired=context.expired))
    return found


async def _value(read: Eventually[AsOf[Any]]) -> Any:  # noqa: ANN401 - as it was read
    return (await read if isinstance(read, Later) else read).value


def _is_large(found: Resource) -> bool:
    return found.size > MCP_LIMITS.max_small_resource_bytes


def _text(found: Resource) -> str | None:
    """Return a resource's text, where it is one."""
    kind = _media_type(found.mime_type)
    if not (kind.startswith("text/") or kind.endswith(("+json", "+xml")) or kind in _TEXTS):
        return None
    try:
        return found.data.decode()
    except UnicodeDecodeError:
        return None


def _media_type(mime_type: str) -> str:
    return mime_type.partition(";")[0].strip().lower()
