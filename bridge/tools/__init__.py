"""Package tools: a schema file and a handler make a tool that is checked and bounded everywhere.

Rules, normalisation, gates and bounds are pure; only the loader reads files and only handlers
run. Nothing here knows a socket, a command line or a page. Names are loaded when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bridge.tools.bounding import bound
    from bridge.tools.feature_gate import is_visible
    from bridge.tools.handler import CallRefused, CancelSignal, Handler, ToolCall
    from bridge.tools.open_bags import Change, normalise
    from bridge.tools.package import Card, LoadedPackages, Package
    from bridge.tools.package_handlers import handlers_of
    from bridge.tools.package_loader import load_package, load_packages
    from bridge.tools.problems import PackageError, Problem
    from bridge.tools.session_context import LOCAL_SESSION, RESERVED_INPUT_KEYS, SessionContext
    from bridge.tools.session_ticket import TicketKeys, TicketRefused, read_ticket, sign_ticket
    from bridge.tools.tool_definition import ToolAnnotations, ToolDefinition, ToolUi
    from bridge.tools.tool_result import ToolResult, failure_code, for_model
    from bridge.tools.tool_runner import RunnableTool, ToolRunner, runnable_tools

__all__ = [
    "LOCAL_SESSION",
    "RESERVED_INPUT_KEYS",
    "CallRefused",
    "CancelSignal",
    "Card",
    "Change",
    "Handler",
    "LoadedPackages",
    "Package",
    "PackageError",
    "Problem",
    "RunnableTool",
    "SessionContext",
    "TicketKeys",
    "TicketRefused",
    "ToolAnnotations",
    "ToolCall",
    "ToolDefinition",
    "ToolResult",
    "ToolRunner",
    "ToolUi",
    "bound",
    "failure_code",
    "for_model",
    "handlers_of",
    "is_visible",
    "load_package",
    "load_packages",
    "normalise",
    "read_ticket",
    "runnable_tools",
    "sign_ticket",
]

_HOMES = {
    "bounding": ("bound",),
    "feature_gate": ("is_visible",),
    "handler": ("CallRefused", "CancelSignal", "Handler", "ToolCall"),
    "open_bags": ("Change", "normalise"),
    "package": ("Card", "LoadedPackages", "Package"),
    "package_handlers": ("handlers_of",),
    "package_loader": ("load_package", "load_packages"),
    "problems": ("PackageError", "Problem"),
    "session_context": ("LOCAL_SESSION", "RESERVED_INPUT_KEYS", "SessionContext"),
    "session_ticket": ("TicketKeys", "TicketRefused", "read_ticket", "sign_ticket"),
    "tool_definition": ("ToolAnnotations", "ToolDefinition", "ToolUi"),
    "tool_result": ("ToolResult", "failure_code", "for_model"),
    "tool_runner": ("RunnableTool", "ToolRunner", "runnable_tools"),
}
"""Loaded when first used: a listing needs no cryptography, a ticket no schemas."""


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            value: object = getattr(import_module(f"{__name__}.{home}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
