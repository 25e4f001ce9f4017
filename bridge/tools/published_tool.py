"""A tool as it is told to callers outside: by an action's description, or in a listing of MCP.

What runs is the definition itself; nothing here checks or runs anything. Contract: package tools,
serving.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from bridge.tools.tool_definition import ToolDefinition

__all__ = ["TOOL_META_KEY", "mcp_tool", "published_input"]

TOOL_META_KEY: Final = "bascule/tool"
"""The member of a listed tool's `_meta` that has what MCP has no word for."""

_OF_THE_WHOLE: Final = ("const", "enum")
"""Keywords that an object meets only with its defaults."""


def published_input(tool: ToolDefinition) -> dict[str, Any]:
    """Return the schema that a caller has to meet: what has a default may be left out.

    The definition's own schema is checked after the defaults are applied, and asks for more.
    """
    defaults = tool.defaults
    schema = dict(tool.input_schema)
    if not defaults:
        return schema
    properties = schema.get("properties", {})
    schema["properties"] = {
        name: _with_default(part, defaults[name]) if name in defaults else part
        for name, part in properties.items()
    }
    asked = [*schema.get("required", ()), *_brought_in(schema.get("dependencies", {}), defaults)]
    if asked:
        schema["required"] = list(dict.fromkeys(asked))
    for keyword in ("required", "minProperties", "dependencies", *_OF_THE_WHOLE):
        if keyword in schema:
            told = _before_defaults(keyword, schema.pop(keyword), defaults)
            if told:
                schema[keyword] = told
    return schema


def mcp_tool(tool: ToolDefinition) -> dict[str, Any]:
    """Return a tool as `tools/list` of MCP gives it, in either revision."""
    told: dict[str, Any] = {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": published_input(tool),
    }
    # Clients refuse a root that is not plainly an object.
    if tool.output_schema is not None and tool.output_schema.get("type") == "object":
        told["outputSchema"] = dict(tool.output_schema)
    told["annotations"] = _annotations(tool)
    told["_meta"] = {TOOL_META_KEY: _meta(tool)}
    return told


def _brought_in(dependencies: Mapping[str, Any], defaults: Mapping[str, object]) -> Iterator[str]:
    """Yield what every call has to have, because a default that it gets depends on it."""
    for name in defaults:
        part = dependencies.get(name)
        if isinstance(part, list):
            yield from part


def _before_defaults(keyword: str, said: Any, defaults: Mapping[str, object]) -> Any:  # noqa: ANN401 - a JSON Schema
    """Return what a keyword asks of an object without its defaults; nothing where it may be met."""
    match keyword:
        case "required":
            return [name for name in said if name not in defaults]
        case "minProperties":
            return max(0, said - len(defaults))
        case "dependencies":
            # A schema of it sees the whole object.
            listed = {name: part for name, part in said.items() if isinstance(part, list)}
            left = {
                name: [other for other in part if other not in defaults]
                for name, part in listed.items()
            }
            return {name: part for name, part in left.items() if part}
        case _:
            return None


def _with_default(schema: Any, value: object) -> Any:  # noqa: ANN401 - a JSON Schema
    if not isinstance(schema, Mapping):
        return schema
    # Beside a reference, draft-07 reads nothing.
    return dict(schema) if "$ref" in schema else {**schema, "default": value}


def _annotations(tool: ToolDefinition) -> dict[str, Any]:
    said = tool.annotations
    hints = {
        "title": tool.title,
        "readOnlyHint": said.read_only,
        "destructiveHint": said.destructive,
        "idempotentHint": said.idempotent,
        "openWorldHint": said.open_world,
    }
    return {name: value for name, value in hints.items() if value is not None}


def _meta(tool: ToolDefinition) -> dict[str, Any]:
    said = tool.annotations
    more = {
        "family": tool.family,
        "operation": tool.operation,
        "estimatedDurationMs": said.estimated_duration_ms,
        "cancellable": said.cancellable or None,
        "askOnKeys": list(tool.ask_on_keys) or None,
        "features": sorted(tool.required_features) or None,
        "escalations": list(tool.escalations) or None,
        "presentation": tool.presentation,
        "cardType": tool.ui.card_type,
        "icon": tool.ui.icon,
    }
    known = {name: value for name, value in more.items() if value is not None}
    return {"category": said.category, **known}
