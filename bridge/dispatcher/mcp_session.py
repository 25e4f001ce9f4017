"""An app's own MCP session: runs what the front lets through, and knows what is in flight.

Raises nothing; what goes wrong is an answer. Contract: MCP.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bridge.contract.strict_json import JsonValue
from bridge.dispatcher.app_error import contract_code
from bridge.dispatcher.call_checks import Expired
from bridge.dispatcher.dispatcher import Dispatcher
from bridge.dispatcher.envelope import Envelope
from bridge.dispatcher.in_flight import CallMark, InFlight
from bridge.dispatcher.mcp_answers import error_line, told_error
from bridge.dispatcher.mcp_front import AppRequest, McpFront, ServerInfo, Taken
from bridge.dispatcher.mcp_resources import ResourceRefusal, answer_resources
from bridge.dispatcher.mcp_tools import run_tool, tool_error
from bridge.dispatcher.methods import MethodContext
from bridge.dispatcher.params import Absent
from bridge.dispatcher.session_answer import Ending, SessionAnswer
from bridge.dispatcher.task_progress import TaskProgressLines
from bridge.dispatcher.task_watch import TaskWatch

__all__ = ["McpSession"]


class McpSession:
    """The MCP side of one session. `notify` sends a line that answers nothing, if that can be."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        session: str | None,
        notify: Callable[[str], None] | None,
    ) -> None:
        self._dispatcher = dispatcher
        self._session = session
        self._notify = notify
        self._front = McpFront(ServerInfo(*dispatcher.app))
        self._in_flight = InFlight()

    def take(self, envelope: Envelope) -> Taken:
        """Say what a message asks for, or answer it. Runs nothing and marks nothing."""
        return self._front.take_envelope(envelope)

    async def run(self, request: AppRequest, expired: Expired | None) -> SessionAnswer:
        """Run a request that the front let through."""
        mark = self._in_flight.begin(request.id)

        def gone() -> bool:
            return mark.cancelled or (expired is not None and expired())

        try:
            self._dispatcher.require_enabled()
            context = MethodContext(self._dispatcher, self._session, gone)
            if request.method == "tools/call":
                answer = await self._tool(request, context, mark)
            else:
                answer = await self._resources(request, context)
        except Exception as error:  # noqa: BLE001 - whatever it is becomes an answer
            self._dispatcher.report_host_error(error)
            answer = SessionAnswer(self._failure(request, error), _failed(error))
        finally:
            self._in_flight.end(request.id, mark)
        return answer._replace(cancelled=mark.cancelled)

    def cancel(self, request_id: str | int) -> None:
        """Mark what is in flight: it is not begun any more. What has begun goes on."""
        self._in_flight.cancel(request_id)

    def refuse(self, request_id: JsonValue | Absent, taken: Taken, error: Exception) -> str:
        """Return the answer of who has no place for a valid request. Nothing is run."""
        if isinstance(taken, AppRequest):
            return self._failure(taken, error)
        return _error_line(request_id, error)

    async def _tool(
        self, request: AppRequest, context: MethodContext, mark: CallMark
    ) -> SessionAnswer:
        progress = TaskProgressLines(request.progress_token)
        watch = TaskWatch(self._dispatcher, mark, progress, self._notify)
        arguments: Mapping[str, Any] = request.params.get("arguments", {})
        structured, content = await run_tool(context, request.params["name"], arguments, watch)
        line = self._front.tool_result(request, structured, content)
        return SessionAnswer(line, Ending(ok=True, deferred=structured.get("status") == "deferred"))

    async def _resources(self, request: AppRequest, context: MethodContext) -> SessionAnswer:
        told = await answer_resources(context, request)
        if isinstance(told, ResourceRefusal):
            line = self._front.error(request, *told.refusal)
            return SessionAnswer(line, Ending(ok=False, code=told.code))
        line = self._front.result(request, told.result, ttl_ms=0, or_else=told.or_else)
        return SessionAnswer(line)

    def _failure(self, request: AppRequest, error: Exception) -> str:
        """Return what a failure is answered with: of a tool, a result that says so."""
        if request.method == "tools/call":
            return self._front.tool_failure(request, tool_error(error, request.params["name"]))
        return _error_line(request.id, error)


def _error_line(request_id: JsonValue | Absent, error: Exception) -> str:
    told = told_error(error)
    return error_line(request_id, told["code"], told["message"], told.get("data"))


def _failed(error: Exception) -> Ending:
    return Ending(ok=False, code=contract_code(error) or "HOST_ERROR")
