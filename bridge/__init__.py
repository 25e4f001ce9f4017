"""Bascule: drive a live app from a terminal, a script or a test, by the app's own actions.

The rooms of this package, lowest floor first, are `contract`, `dispatcher` and `broker`,
`servers` and `client`, `cli` and `demo`; imports point down only. ARCHITECTURE.md has the map.
What is named here is for an app that wants to be driven, and is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bridge.dispatcher.action_spec import ActionSpec
    from bridge.dispatcher.app_error import AppError
    from bridge.dispatcher.dispatcher import AppName, Dispatcher
    from bridge.dispatcher.host import CallContext, Host, Resource, Unavailability
    from bridge.dispatcher.rpc_session import RpcSession
    from bridge.dispatcher.task_table import Task, TaskTable
    from bridge.servers.native_server import NativeError, NativeServer, serve

__all__ = [
    "ActionSpec",
    "AppError",
    "AppName",
    "CallContext",
    "Dispatcher",
    "Host",
    "NativeError",
    "NativeServer",
    "Resource",
    "RpcSession",
    "Task",
    "TaskTable",
    "Unavailability",
    "__version__",
    "serve",
]

__version__ = "0.1.0"

_HOMES = {
    "ActionSpec": "bridge.dispatcher.action_spec",
    "AppError": "bridge.dispatcher.app_error",
    "AppName": "bridge.dispatcher.dispatcher",
    "CallContext": "bridge.dispatcher.host",
    "Dispatcher": "bridge.dispatcher.dispatcher",
    "Host": "bridge.dispatcher.host",
    "NativeError": "bridge.servers.native_server",
    "NativeServer": "bridge.servers.native_server",
    "Resource": "bridge.dispatcher.host",
    "RpcSession": "bridge.dispatcher.rpc_session",
    "Task": "bridge.dispatcher.task_table",
    "TaskTable": "bridge.dispatcher.task_table",
    "Unavailability": "bridge.dispatcher.host",
    "serve": "bridge.servers.native_server",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value
