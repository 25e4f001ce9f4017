"""Package tools as the actions of an app, down to what a dispatcher answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest

from bridge.contract.error_codes import AppErrorCode
from bridge.contract.schema import compile as compile_schema
from bridge.dispatcher.app_error import AppError
from bridge.dispatcher.dispatcher import AppName, Dispatcher
from bridge.dispatcher.host import CallContext
from bridge.dispatcher.rpc_session import RpcSession
from bridge.servers.asyncio_runtime import AsyncioRuntime
from bridge.tools.handler import CallRefused, ToolCall
from bridge.tools.package_host import PackageHost, action_of, output_of
from bridge.tools.session_context import SessionContext
from bridge.tools.tool_definition import ToolAnnotations, ToolDefinition
from bridge.tools.tool_result import FailureCode, ToolResult, error_result, read_result
from bridge.tools.tool_runner import RunnableTool, ToolRunner
from tests.python.support.handlers import Given

Run = Callable[[dict[str, Any], ToolCall], Awaitable[object]]
NOBODY = SessionContext(user_id="somebody")


async def echo(arguments: dict[str, Any], _call: ToolCall) -> object:
    return {"content": "done", "structuredContent": {"given": arguments}}


def definition(name: str = "note_add", **more: Any) -> ToolDefinition:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "additionalProperties": False,
        "properties": {"text": {"type": "string"}, "at": {"type": "integer"}},
        "required": ["text", "at"],
    }
    output = more.pop("output_schema", None)
    more.setdefault("annotations", ToolAnnotations(category="write"))
    return ToolDefinition(
        name=name,
        title=name,
        description="Adds a note.",
        input_schema=schema,
        input=compile_schema(schema),
        output_schema=output,
        output=None if output is None else compile_schema(output),
        **more,
    )


def runner_of(run: Run = echo, **more: Any) -> ToolRunner:
    handler = Given(lambda arguments, _session, call: run(arguments, call))
    return ToolRunner([RunnableTool(definition(**more), handler, 30.0)])


class App:
    """A dispatcher over a host, spoken to in control protocol 1."""

    def __init__(self, host: PackageHost) -> None:
        self.runtime = AsyncioRuntime()
        self.dispatcher = Dispatcher(host, app=AppName("notes", "1"), runtime=self.runtime)
        self.dispatcher.set_enabled(True)
        self._session = RpcSession(self.dispatcher, "test")

    async def ask(self, method: str, **params: Any) -> Any:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = await self._session.receive(json.dumps(message))
        assert answer is not None
        return json.loads(answer)

    async def execute(self, **given: Any) -> Any:
        return await self.ask("actions/execute", action="note_add", input=given)


async def test_each_tool_is_an_action_of_its_own_name() -> None:
    app = App(PackageHost(runner_of()))
    listed = (await app.ask("actions/list"))["result"]["actions"]
    assert [(each["name"], each["kind"], each["available"]) for each in listed] == [
        ("note_add", "write", True)
    ]


@pytest.mark.parametrize(("read_only", "kind"), [(True, "read"), (False, "write"), (None, "write")])
def test_only_a_tool_that_says_so_is_a_read(read_only: bool | None, kind: str) -> None:
    said = ToolAnnotations(category="read", read_only=read_only)
    assert action_of(definition(annotations=said)).kind == kind


async def test_a_call_needs_no_revision_and_gets_the_defaults() -> None:
    app = App(PackageHost(runner_of(defaults={"at": 3})))
    done = (await app.execute(text="Hello"))["result"]
    assert done["status"] == "completed"
    assert done["output"] == {"given": {"text": "Hello", "at": 3}}
    assert "revision" not in done


async def test_what_does_not_match_is_refused_before_anything_runs() -> None:
    ran = []

    async def note(arguments: dict[str, Any], _call: ToolCall) -> object:
        ran.append(arguments)
        return "done"

    app = App(PackageHost(runner_of(note)))
    error = (await app.execute(text=1, at=1))["error"]
    assert error["data"]["code"] == "INVALID_INPUT"
    assert error["data"]["errors"][0]["path"] == "/text"
    assert ran == []
    await app.execute(text="1", at=1)
    assert ran == [{"text": "1", "at": 1}]


async def test_a_tool_that_the_session_may_not_see_is_no_action() -> None:
    needed = frozenset({"notes.write"})
    app = App(PackageHost(runner_of(required_features=needed), NOBODY))
    assert (await app.ask("actions/list"))["result"]["actions"] == []
    hidden = await app.execute(text="a", at=1)
    unknown = await app.ask("actions/execute", action="no_tool", input={})
    assert hidden["error"]["data"]["code"] == "UNKNOWN_ACTION"
    assert hidden == unknown
    granted = SessionContext(user_id="a", granted_features=needed)
    app = App(PackageHost(runner_of(required_features=needed), granted))
    assert "result" in await app.execute(text="a", at=1)


async def test_a_failed_tool_is_an_error_with_its_own_words() -> None:
    async def fail(_arguments: dict[str, Any], _call: ToolCall) -> object:
        return {"content": "no room", "structuredContent": {"ok": False}, "isError": True}

    error = (await App(PackageHost(runner_of(fail))).execute(text="a", at=1))["error"]
    assert error["message"] == "no room"
    assert error["data"]["code"] == "HOST_ERROR"
    assert error["data"]["result"]["structuredContent"] == {"ok": False}


@pytest.mark.parametrize("code", ["BUSY", "UNAVAILABLE"])
async def test_where_nothing_was_run_the_action_is_unavailable(code: FailureCode) -> None:
    async def refuse(_arguments: dict[str, Any], _call: ToolCall) -> object:
        raise CallRefused(code, "The books are closed.")

    said = ToolAnnotations(category="read", read_only=True)
    app = App(PackageHost(runner_of(refuse, annotations=said)))
    error = (await app.execute(text="a", at=1))["error"]
    reason = "The books are closed; nothing was run."
    assert (error["code"], error["message"]) == (1006, reason)
    assert error["data"]["availability"] == {"code": code, "reason": reason}
    assert error["data"]["failure"] == code


async def test_a_call_that_is_stopped_before_it_begins_is_unavailable() -> None:
    runner = runner_of()
    await runner.stop()
    error = (await App(PackageHost(runner)).execute(text="a", at=1))["error"]
    assert error["data"]["code"] == "UNAVAILABLE"
    assert error["data"]["availability"]["reason"] == "The service ends; nothing was run."


async def test_nothing_of_an_exception_is_told() -> None:
    async def fail(_arguments: dict[str, Any], _call: ToolCall) -> object:
        raise ValueError("the password is hunter2")

    answer = await App(PackageHost(runner_of(fail))).execute(text="a", at=1)
    assert answer["error"]["data"]["code"] == "HOST_ERROR"
    assert answer["error"]["data"]["failure"] == "HANDLER_FAILED"
    assert "hunter2" not in json.dumps(answer)


async def test_an_output_is_checked_by_the_schema_that_is_told() -> None:
    output = {
        "type": "object",
        "properties": {"given": {"type": "object"}},
        "required": ["given"],
    }
    app = App(PackageHost(runner_of(output_schema=output)))
    described = (await app.ask("actions/describe", action="note_add"))["result"]["action"]
    assert described["outputSchema"] == output
    assert "result" in await app.execute(text="a", at=1)

    async def other(_arguments: dict[str, Any], _call: ToolCall) -> object:
        return {"structuredContent": {"given": 1}}

    app = App(PackageHost(runner_of(other, output_schema=output)))
    assert (await app.execute(text="a", at=1))["error"]["data"]["code"] == "INVALID_OUTPUT"


async def test_what_is_served_is_inspected() -> None:
    app = App(PackageHost(runner_of(), about={"packages": ["notes"]}))
    assert (await app.ask("state/inspect"))["result"]["packages"] == ["notes"]


async def test_calls_overlap() -> None:
    both = asyncio.Barrier(2)

    async def meet(_arguments: dict[str, Any], _call: ToolCall) -> object:
        await both.wait()
        return "met"

    app = App(PackageHost(runner_of(meet)))
    async with asyncio.timeout(30):
        answers = await asyncio.gather(app.execute(text="a", at=1), app.execute(text="b", at=2))
    assert all(answer["result"]["status"] == "completed" for answer in answers)


async def test_a_cancelled_call_has_its_signal_set() -> None:
    heard = asyncio.Event()

    async def wait(_arguments: dict[str, Any], call: ToolCall) -> object:
        await call.signal.wait()
        heard.set()
        return "stopped"

    said = ToolAnnotations(category="write", cancellable=True)
    host = PackageHost(runner_of(wait, annotations=said), look_seconds=0.001)
    context = Asked()
    running = asyncio.create_task(host.execute("note_add", {"text": "a", "at": 1}, context.told()))
    async with asyncio.timeout(30):
        await context.looked.wait()
        assert not heard.is_set()
        context.cancelled = True
        await heard.wait()
        assert await running == {"content": [{"type": "text", "text": "stopped"}]}


class Asked:
    """Somebody who may cancel a call."""

    def __init__(self) -> None:
        self.cancelled = False
        self.looked = asyncio.Event()

    def told(self) -> CallContext:
        return CallContext("test", self._cancel_requested, lambda _reason, _message: None)

    def _cancel_requested(self) -> bool:
        self.looked.set()
        return self.cancelled


TEXT = {"type": "text", "text": "two notes"}
PICTURE = {"type": "image", "data": "AA==", "mimeType": "image/png"}


@pytest.mark.parametrize(
    ("result", "declared", "output"),
    [
        ({"content": [TEXT]}, False, {"content": [TEXT]}),
        ({"content": [TEXT], "structuredContent": {"count": 2}}, False, {"count": 2}),
        (
            {"content": [TEXT, PICTURE], "structuredContent": {"count": 2}},
            False,
            {"content": [TEXT, PICTURE], "structuredContent": {"count": 2}},
        ),
        ({"content": [PICTURE], "structuredContent": {"count": 2}}, True, {"count": 2}),
        ({"content": "a", "structuredContent": {}, "_meta": {"cost": 1}}, False, {}),
        ({"content": [TEXT], "_meta": {"cost": 1}}, False, {"content": [TEXT]}),
    ],
)
def test_the_output_of_an_action_is_the_structure_or_else_the_content(
    result: Mapping[str, Any], declared: bool, output: object
) -> None:
    assert output_of(read_result(result), declared=declared) == output


@pytest.mark.parametrize(
    ("result", "code", "message"),
    [
        (error_result("too late"), AppErrorCode.HOST_ERROR, "too late"),
        (error_result("no", "UNKNOWN_TOOL"), AppErrorCode.UNKNOWN_ACTION, "no"),
        (error_result("no", "INVALID_INPUT"), AppErrorCode.INVALID_INPUT, "no"),
        (error_result("no", "INVALID_OUTPUT"), AppErrorCode.INVALID_OUTPUT, "no"),
        (error_result("no", "TIMED_OUT"), AppErrorCode.HOST_ERROR, "no"),
        (error_result("no", "INTERRUPTED"), AppErrorCode.HOST_ERROR, "no"),
        (error_result("no", "HANDLER_FAILED"), AppErrorCode.HOST_ERROR, "no"),
        (error_result("Shut.", "UNAVAILABLE"), AppErrorCode.UNAVAILABLE, "Shut; nothing was run."),
        (
            error_result("Full; nothing was run.", "BUSY"),
            AppErrorCode.UNAVAILABLE,
            "Full; nothing was run.",
        ),
        (ToolResult((), None, is_error=True), AppErrorCode.HOST_ERROR, "The tool failed."),
        (error_result("x" * 5_000), AppErrorCode.HOST_ERROR, "x" * 1_999 + "…"),
    ],
)
def test_a_failure_is_an_error_of_the_closed_set(
    result: ToolResult, code: AppErrorCode, message: str
) -> None:
    with pytest.raises(AppError) as raised:
        output_of(result)
    assert (raised.value.code, raised.value.message) == (code, message)
    assert "_meta" not in raised.value.data["result"]


def test_an_error_of_what_only_reads_says_that_nothing_was_changed() -> None:
    with pytest.raises(AppError) as raised:
        output_of(error_result("no such note"), reads=True)
    assert raised.value.data["readOnly"] is True
    assert raised.value.data["hint"] == "Nothing was changed: this tool only reads."
    with pytest.raises(AppError) as raised:
        output_of(error_result("no such note"))
    assert "readOnly" not in raised.value.data
    assert "hint" not in raised.value.data


@pytest.mark.parametrize(
    ("more", "note"),
    [
        ({}, ""),
        ({"transport": "mcp", "family": "notes"}, "[A tool of the server notes: "),
        (
            {"annotations": ToolAnnotations(category="unknown", destructive=True)},
            "[What it may do is not known: ",
        ),
        ({"annotations": ToolAnnotations(category="unknown", destructive=False)}, ""),
        ({"ask_on_keys": ("at",)}, "[An agent host asks a person first where at is sent.]"),
    ],
)
async def test_a_description_says_what_an_action_has_no_member_for(
    more: dict[str, Any], note: str
) -> None:
    (action,) = (await App(PackageHost(runner_of(**more))).ask("actions/list"))["result"]["actions"]
    assert ("[" in action["description"]) is (note != "")
    assert note in action["description"]
