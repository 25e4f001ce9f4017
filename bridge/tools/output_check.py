"""What a tool gave, held against the output schema that it declares.

After bounding: what is checked is what is sent. An error promises nothing and is not checked.
"""

from __future__ import annotations

import asyncio
from typing import Final

from bridge.tools.content_fit import fit_content
from bridge.tools.result_limits import RESULT_LIMITS
from bridge.tools.tool_definition import ToolDefinition
from bridge.tools.tool_result import ToolResult, error_result, own_meta

__all__ = ["checked_output", "large_output_checked"]

_MAX_TOLD: Final = 8


def checked_output(tool: ToolDefinition, result: ToolResult) -> ToolResult:
    """Return the result, or an error with its content where it breaks the tool's promise.

    Contract: package tools, outputs.
    """
    if tool.output is None or result.is_error:
        return result
    if result.structured_content is None:
        return _broken(result, ["there is no structuredContent"])
    errors = tool.output.errors(result.structured_content)
    if not errors:
        return result
    return _broken(result, [f"{path or 'all of it'}: {words}" for path, words in errors])


async def large_output_checked(tool: ToolDefinition, result: ToolResult) -> ToolResult:
    """Return the same, checked in a thread: a large result takes its time."""
    if tool.output is None or result.is_error:
        return result
    return await asyncio.to_thread(checked_output, tool, result)


def _broken(result: ToolResult, lines: list[str]) -> ToolResult:
    words = "The tool ran, but what it gave breaks its output schema"
    if "truncated" in own_meta(result.meta):
        words += " after it was cut to the limits; ask for less at once"
    failure = error_result("\n".join([f"{words}:", *lines[:_MAX_TOLD]]), "INVALID_OUTPUT")
    # What a model can read stays: the work was done.
    content = (*failure.content, *result.content[: RESULT_LIMITS.max_blocks - 1])
    return ToolResult(fit_content(content, RESULT_LIMITS), None, True, failure.meta)
