"""Bounds results, so that no call can flood a conversation: for handlers, runners and importers.

What fits comes back as it is; bounding twice is bounding once. Legitimate data stays what it is
and becomes less of it: `json_fit` says how. Schemas are not looked at: what was valid stays
valid unless its schema asks for a least length or number, for a pattern, for one of some texts
longer than the limit, or for members past the limit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

import orjson

from bridge.contract.strict_json import dumps
from bridge.dispatcher.plain_json import quick_copy
from bridge.tools.content_blocks import text_block
from bridge.tools.content_fit import fit_content
from bridge.tools.json_cost import FitLimits, NotJsonError
from bridge.tools.json_fit import Cut, fit
from bridge.tools.result_limits import RESULT_LIMITS, ResultLimits
from bridge.tools.tool_result import OWN_META, ToolResult, own_meta

__all__ = ["NotJsonError", "bound", "bound_async", "bound_quickly"]

_QUICK_BYTES: Final = 32_768
"""So short, what was copied quickly cannot cost more than any limit."""
_QUICK_TEXT_CHARS: Final = 4_096
_QUICK_META_BYTES: Final = 2_048
_TEXT_KEYS: Final = frozenset({"type", "text"})
_NOTE_BYTES: Final = 12_288
"""Of `_meta`, kept for saying what was cut."""


def bound(result: ToolResult, limits: ResultLimits = RESULT_LIMITS) -> ToolResult:
    """Return a result within the limits, which shares nothing that can change with the given one.

    Takes work in proportion to the limits, not to the result. What was cut from the structure
    stands in `_meta.bascule.truncated`; texts say so themselves. Structure without content is
    told as text as well, because a model reads nothing else. Raises `NotJsonError` for a
    structure that JSON cannot tell. Contract: package tools, bounds.
    """
    if limits is RESULT_LIMITS:
        quick = bound_quickly(result)
        if quick is not None:
            return quick
    structured: dict[str, Any] | None = None
    cuts: tuple[Cut, ...] = ()
    if result.structured_content is not None:
        structured, cuts = _fitted(result.structured_content, limits.max_structured_bytes, limits)
    content = fit_content(result.content, limits)
    if not content and structured is not None:
        content = fit_content((text_block(_as_text(structured)),), limits)
    return ToolResult(content, structured, result.is_error, _meta(result.meta, cuts, limits))


async def bound_async(result: ToolResult, limits: ResultLimits = RESULT_LIMITS) -> ToolResult:
    """Return the same; a large result is bounded in a thread, so that the loop goes on.

    Being cancelled leaves nothing behind. Contract: package tools, bounds.
    """
    if limits is RESULT_LIMITS:
        quick = bound_quickly(result)
        if quick is not None:
            return quick
    return await asyncio.to_thread(bound, result, limits)


def bound_quickly(result: ToolResult) -> ToolResult | None:
    """Copy a result that is certainly within all of `RESULT_LIMITS`, or return None.

    Takes microseconds: most results are small.
    """
    structured = written = None
    if result.structured_content is not None:
        structured, written = _quick_object(result.structured_content, _QUICK_BYTES)
        if structured is None:
            return None
    meta = _quick_object(result.meta, _QUICK_META_BYTES)[0] if result.meta else {}
    content = result.content
    if meta is None:
        return None
    if not content:
        content = () if written is None else (text_block(written.decode()),)
    elif len(content) == 1 and content[0].keys() == _TEXT_KEYS:
        if len(content[0]["text"]) > _QUICK_TEXT_CHARS:
            return None
        content = (text_block(content[0]["text"]),)
    else:
        return None
    return ToolResult(content, structured, result.is_error, meta)


def _quick_object(
    value: Mapping[str, Any], max_bytes: int
) -> tuple[dict[str, Any] | None, bytes | None]:
    copied: dict[str, Any] | None = quick_copy(value)
    if copied is None:
        return None, None
    written = orjson.dumps(copied)
    return (copied, written) if len(written) <= max_bytes else (None, None)


def _fitted(
    value: Mapping[str, Any], max_bytes: int, limits: ResultLimits
) -> tuple[dict[str, Any], tuple[Cut, ...]]:
    fitted = fit(
        value,
        FitLimits(max_bytes, limits.max_string_chars, limits.max_members, limits.max_depth),
    )
    return fitted.value, fitted.cuts


def _as_text(structured: dict[str, Any]) -> str:
    return dumps(structured).decode()


def _meta(
    meta: Mapping[str, Any], cuts: tuple[Cut, ...], limits: ResultLimits
) -> Mapping[str, Any]:
    if not meta and not cuts:
        return {}
    if not cuts:
        return _fitted(meta, limits.max_meta_bytes, limits)[0]
    told, _ = _fitted(meta, limits.max_meta_bytes - _NOTE_BYTES, limits)
    note = {"truncated": [each._asdict() for each in cuts]}
    told[OWN_META] = {**own_meta(told), **note}
    return _fitted(told, limits.max_meta_bytes, limits)[0]
