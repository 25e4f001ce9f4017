"""Package tools as the actions of an app: a dispatcher's host over a runner.

Each tool is an action of its own name, a read where the tool says that it only reads. There is no
state to be numbered, so that no write needs a revision. Contract: package tools, serving.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

from bridge.contract.error_codes import AppErrorCode
from bridge.dispatcher.action_spec import ActionSpec
from bridge.dispatcher.app_error import AppError
from bridge.dispatcher.host import CallContext, Host, Unavailability
from bridge.tools.handler import CancelSignal
from bridge.tools.published_tool import published_input
from bridge.tools.session_context import LOCAL_SESSION, SessionContext
from bridge.tools.tool_definition import ToolDefinition
from bridge.tools.tool_result import ToolResult, failure_code, for_model
from bridge.tools.tool_runner import ToolRunner

__all__ = ["PackageHost", "action_of", "output_of"]

_LOOK_SECONDS: Final = 0.25
"""How often a call that goes on is asked whether it is still wanted: a dispatcher tells nobody."""
_READS: Final = "Nothing was changed: this tool only reads."
"""In place of an agent's advice to look what was done."""
_MAX_MESSAGE_CHARS: Final = 2_000
_NOTHING: Final = "nothing was run"
_CODES: Final[Mapping[str, AppErrorCode]] = {
    "UNKNOWN_TOOL": AppErrorCode.UNKNOWN_ACTION,
    "INVALID_INPUT": AppErrorCode.INVALID_INPUT,
    "INVALID_OUTPUT": AppErrorCode.INVALID_OUTPUT,
    "BUSY": AppErrorCode.UNAVAILABLE,
    "UNAVAILABLE": AppErrorCode.UNAVAILABLE,
}
"""Failures of a runner that a dispatcher has a code for. Of others `data.failure` has the name.

`BUSY` and `UNAVAILABLE` promise that nothing was run, which `HOST_ERROR` would leave open."""


class PackageHost(Host):
    """The host of one session. Its dispatcher needs a runtime for asyncio.

    `session` is who calls: whoever reaches this user's private socket is that user. Raises
    `ValueError` for a tool that no action can describe: a schema nested too deeply, say.
    """

    concurrent: ClassVar[bool] = True

    def __init__(
        self,
        runner: ToolRunner,
        session: SessionContext = LOCAL_SESSION,
        *,
        about: Mapping[str, Any] | None = None,
        look_seconds: float = _LOOK_SECONDS,
    ) -> None:
        self._runner = runner
        self._session = session
        self._look_seconds = look_seconds
        self._about: Mapping[str, Any] = {} if about is None else about
        tools = runner.tools(session)
        self._actions = tuple(map(action_of, tools))
        self._declared = {tool.name for tool in tools if tool.output_schema is not None}
        self._reads = {tool.name for tool in tools if tool.annotations.is_read_only}

    def actions(self) -> Sequence[ActionSpec]:
        """Return the tools that the session may see, in the runner's order."""
        return self._actions

    def revision(self, action: str | None = None) -> int | None:  # noqa: ARG002
        """Return None: packages keep what state they have to themselves."""
        return None

    def capabilities(self) -> int:
        """Return no bits: features are checked for each tool."""
        return 0

    def availability(self, action: str) -> Unavailability | None:
        """Say that what runs a tool has ended."""
        reason = self._runner.unavailable(action)
        return None if reason is None else Unavailability("ENDED", reason)

    def inspect(self, query: dict[str, Any]) -> Mapping[str, Any]:  # noqa: ARG002
        """Return what is served: `about`, as it was given."""
        return self._about

    async def execute(self, action: str, input: Any, context: CallContext) -> object:  # noqa: A002, ANN401
        """Run the tool, and return its output.

        Raises `AppError` with the result's own words where the result is an error. A call that
        is not wanted any more has its signal set; what that means is the tool's own promise.
        """
        signal = CancelSignal()
        running = asyncio.create_task(
            self._runner.call(action, input, self._session, signal=signal)
        )
        try:
            while not (await asyncio.wait({running}, timeout=self._look_seconds))[0]:
                if context.cancel_requested():
                    signal.cancel("the caller does not want it any more")
            return output_of(
                running.result(), declared=action in self._declared, reads=action in self._reads
            )
        finally:
            running.cancel()


def action_of(tool: ToolDefinition) -> ActionSpec:
    """Describe a tool as an action. Raises `ValueError` where that cannot be."""
    make = ActionSpec.read if tool.annotations.is_read_only else ActionSpec.write
    return make(
        tool.name,
        " ".join([tool.description, *_notes(tool)]),
        input_schema=published_input(tool),
        output_schema=tool.output_schema,
    )


def _notes(tool: ToolDefinition) -> Iterator[str]:
    """Yield what an action's description has no other member for."""
    if tool.transport != "embedded":
        yield f"[A tool of the server {tool.family}: whatever it says, it may destroy things.]"
    elif tool.annotations.category == "unknown" and tool.annotations.is_destructive:
        yield "[What it may do is not known: it may destroy things.]"
    if tool.ask_on_keys:
        yield f"[An agent host asks a person first where {' or '.join(tool.ask_on_keys)} is sent.]"


def output_of(result: ToolResult, *, declared: bool = False, reads: bool = False) -> object:
    """Return what an action gives for a tool's result; raise `AppError` for an error.

    It is `structuredContent` where the result has one and else `{content}`. Pictures and other
    blocks that are no text would be lost beside a structure: then it is
    `{content, structuredContent}`, unless the tool has `declared` a schema of what it gives. An
    error of one that only `reads` says so in `data.readOnly`: nothing may have been done. Where
    nothing was run at all it is `UNAVAILABLE`, as when an action cannot run.
    """
    wire = for_model(result)
    if result.is_error:
        known = failure_code(result)
        code = _CODES.get(known or "", AppErrorCode.HOST_ERROR)
        words = _words(result)
        why: dict[str, Any] = {} if known is None else {"failure": known}
        if code is AppErrorCode.UNAVAILABLE:
            if _NOTHING not in words.lower():
                words = f"{words.removesuffix('.')}; {_NOTHING}."
            why["availability"] = {"code": known, "reason": words}
        elif reads:
            why |= {"readOnly": True, "hint": _READS}
        raise AppError(code, words, {**why, "result": wire})
    structure = wire.get("structuredContent")
    pictures = any(block.get("type") != "text" for block in result.content)
    return wire if structure is None or (pictures and not declared) else structure


def _words(result: ToolResult) -> str:
    texts = (block["text"] for block in result.content if block.get("type") == "text")
    words = "\n".join(texts).strip() or "The tool failed."
    return words if len(words) <= _MAX_MESSAGE_CHARS else f"{words[: _MAX_MESSAGE_CHARS - 1]}…"
