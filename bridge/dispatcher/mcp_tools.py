"""The nine tools as methods of control protocol 1: arguments checked, results as they are.

Knows no message of MCP. Contract: MCP, tools.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from bridge.contract import schema
from bridge.contract.error_codes import AppErrorCode
from bridge.dispatcher.app_error import AppError, contract_code
from bridge.dispatcher.eventually import Later
from bridge.dispatcher.mcp_answers import told_error
from bridge.dispatcher.mcp_catalog import TOOLS_BY_NAME
from bridge.dispatcher.mcp_errors import HINTS, for_model, result_for_model
from bridge.dispatcher.mcp_resources import rendered_blocks
from bridge.dispatcher.methods import METHODS, MethodContext, Result
from bridge.dispatcher.task_watch import TaskWatch

__all__ = ["ToolOutput", "run_tool", "tool_error"]

_METHODS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "actions_search": "actions/list",
        "actions_describe": "actions/describe",
        "actions_execute": "actions/execute",
        "actions_batch": "actions/batch",
        "state_inspect": "state/inspect",
        "task_status": "tasks/get",
        "task_cancel": "tasks/cancel",
        "resource_read": "resources/read",
        "view_render": "view/render",
    }
)
Block = Mapping[str, Any]


class ToolOutput(NamedTuple):
    """What a tool gave."""

    structured: Result
    content: tuple[Block, ...] = ()
    """Blocks beside the text."""


async def run_tool(
    context: MethodContext, name: str, arguments: Mapping[str, Any], watch: TaskWatch
) -> ToolOutput:
    """Run a tool of the catalog. `watch` waits, where the tool is asked to.

    Raises `AppError` and `RpcError`, and what the host raises. Over a host that answers at once
    it ends at its first step, unless it waits for a task.
    """
    dispatcher = context.dispatcher
    dispatcher.require_enabled()
    violations = _arguments_of(name).errors(arguments)
    if violations:
        raise AppError(
            AppErrorCode.INVALID_INPUT,
            f"The arguments of {name} are not what it takes.",
            {
                "errors": [{"path": path, "message": message} for path, message in violations],
                "hint": HINTS["INVALID_PARAMS"],
            },
        )
    if name == "task_status":
        await watch.wait(dispatcher.tasks.get(arguments["id"]), arguments.get("waitMs", 0) / 1_000)
        # The way may have been shut meanwhile.
        dispatcher.require_enabled()
    result = METHODS[_METHODS[name]](context, arguments)
    if isinstance(result, Later):
        result = await result
    blocks = await rendered_blocks(context, result) if name == "view_render" else ()
    return ToolOutput(result_for_model(name, result), blocks)


def tool_error(error: object, name: str) -> dict[str, Any]:
    """Return anything raised by a tool as a nested error, which always has a `data.code`."""
    told = told_error(error)
    if "data" not in told:
        told = {**told, "data": {"code": contract_code(error)}}
    return for_model(told, name)


@cache
def _arguments_of(name: str) -> schema.Validator:
    return schema.compile(TOOLS_BY_NAME[name]["inputSchema"])
