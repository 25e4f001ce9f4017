"""A terminal's and a program's side of a bridge: finding one, and calling the app behind it.

`connect` is where to begin. What is named here is loaded when it is first used, since commands
that need less should not wait for it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bridge.client.action_error import ActionError
    from bridge.client.app_client import AppClient
    from bridge.client.async_app_client import AsyncAppClient
    from bridge.client.bridge_failure import (
        BasculeError,
        BridgeFailure,
        ClientErrorCode,
        DeadlineExceeded,
    )
    from bridge.client.connecting import connect
    from bridge.client.control_results import (
        ActionDescription,
        ActionSummary,
        AppInfo,
        CallEvent,
        CallEvents,
        CallResult,
        Task,
        Unavailability,
    )
    from bridge.contract.error_codes import Outcome

__all__ = [
    "ActionDescription",
    "ActionError",
    "ActionSummary",
    "AppClient",
    "AppInfo",
    "AsyncAppClient",
    "BasculeError",
    "BridgeFailure",
    "CallEvent",
    "CallEvents",
    "CallResult",
    "ClientErrorCode",
    "DeadlineExceeded",
    "Outcome",
    "Task",
    "Unavailability",
    "connect",
]

_HOMES = {
    "ActionError": "bridge.client.action_error",
    "AppClient": "bridge.client.app_client",
    "AsyncAppClient": "bridge.client.async_app_client",
    "Outcome": "bridge.contract.error_codes",
    "connect": "bridge.client.connecting",
} | dict.fromkeys(
    ("BasculeError", "BridgeFailure", "ClientErrorCode", "DeadlineExceeded"),
    "bridge.client.bridge_failure",
)


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES.get(name, "bridge.client.control_results")), name)
    globals()[name] = value
    return value
