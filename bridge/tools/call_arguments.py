"""The arguments of a call as its handler gets them: copied, with defaults, and checked.

Arguments carry no identity: a schema that could name one does not load. Runs nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from bridge.contract.strict_json import StrictJsonError
from bridge.dispatcher.json_copy import json_copy
from bridge.dispatcher.not_json import first_not_json
from bridge.dispatcher.plain_json import quick_copy
from bridge.tools.tool_definition import ToolDefinition

__all__ = ["ArgumentsError", "checked_arguments", "large_arguments_checked"]

_MAX_TOLD: Final = 8


class ArgumentsError(ValueError):
    """Arguments that do not match, with words that say where and what to change."""


def checked_arguments(tool: ToolDefinition, arguments: object) -> dict[str, Any] | None:
    """Return arguments as a handler may have them, its own to change; None for large ones.

    The extension's `defaults` stand in for members that are absent; a `default` of the schema is
    only a description, as everywhere in JSON Schema. Large ones are for
    `large_arguments_checked`. Raises `ArgumentsError`. Contract: package tools, arguments.
    """
    if type(arguments) is not dict and not isinstance(arguments, Mapping):
        raise ArgumentsError("The arguments are no object.")
    copied = quick_copy(arguments)
    return None if copied is None else _checked(tool, copied)


async def large_arguments_checked(
    tool: ToolDefinition, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the same of any arguments, checked in a thread. Raises `ArgumentsError`."""
    return await asyncio.to_thread(_slowly, tool, arguments)


def _slowly(tool: ToolDefinition, arguments: Mapping[str, Any]) -> dict[str, Any]:
    try:
        copied = json_copy(arguments)
    except StrictJsonError as error:
        found = first_not_json(arguments)
        where = str(error) if found is None else f"{found.path or 'all of it'} {found.message}"
        raise ArgumentsError(f"The arguments are not JSON within the limits: {where}.") from None
    except Exception:  # noqa: BLE001 - a caller's own objects may do anything when they are read
        raise ArgumentsError("The arguments cannot be read.") from None
    return _checked(tool, copied)


def _checked(tool: ToolDefinition, arguments: dict[str, Any]) -> dict[str, Any]:
    for key, value in tool.defaults.items():
        if key not in arguments:
            arguments[key] = json_copy(value)
    errors = tool.input.errors(arguments)
    if errors:
        lines = [f"{path or 'the arguments'}: {words}" for path, words in errors[:_MAX_TOLD]]
        if len(errors) > _MAX_TOLD:
            lines.append(f"and {len(errors) - _MAX_TOLD} more")
        raise ArgumentsError("\n".join(["The arguments do not match the tool's schema:", *lines]))
    return arguments
