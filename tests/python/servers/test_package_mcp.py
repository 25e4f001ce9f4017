"""Package tools over MCP: listed, called, cancelled and refused, in both revisions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from bridge.contract.limits import JSON_LIMITS
from bridge.contract.mcp_messages import LEGACY, MODERN
from bridge.contract.schema import compile as compile_schema
from bridge.dispatcher.mcp_front import ServerInfo
from bridge.servers.package_mcp import PackageMcp, catalog_of
from bridge.tools.handler import ToolCall
from bridge.tools.session_context import LOCAL_SESSION, SessionContext
from bridge.tools.tool_definition import ToolAnnotations, ToolDefinition
from bridge.tools.tool_runner import RunnableTool, ToolRunner
from tests.python.support.handlers import Given

P = "io.modelcontextprotocol/"
META = {P + "protocolVersion": MODERN, P + "clientCapabilities": {}}
TAKES = {"type": "object", "properties": {"text": {"type": "string"}}}
Run = Callable[[dict[str, Any], ToolCall], Awaitable[object]]


async def echo(arguments: dict[str, Any], _call: ToolCall) -> object:
    return {"content": "done", "structuredContent": arguments, "_meta": {"cost": 1}}


def definition(name: str, **more: Any) -> ToolDefinition:
    more.setdefault("annotations", ToolAnnotations(category="read"))
    schema = more.pop("schema", TAKES)
    return ToolDefinition(
        name=name,
        title=name,
        description=f"Does {name}.",
        input_schema=schema,
        input=compile_schema(schema),
        **more,
    )


def host_of(
    run: Run = echo, *definitions: ToolDefinition, session: SessionContext = LOCAL_SESSION
) -> PackageMcp:
    tools = definitions or (definition("note_add"),)
    handler = Given(lambda arguments, _session, call: run(arguments, call))
    runner = ToolRunner([RunnableTool(tool, handler, 30.0) for tool in tools])
    return PackageMcp(runner, ServerInfo("notes", "1"), session=session, instructions="Notes.")


def line(method: str, params: dict[str, Any] | None = None, request_id: Any = 1) -> bytes:
    more = {} if params is None else {"params": params}
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "method": method, **more}).encode()


def call_line(name: str, arguments: Any = None, *, modern: bool = False, **more: Any) -> bytes:
    given = {} if arguments is None else {"arguments": arguments}
    meta = {"_meta": META} if modern else {}
    return line("tools/call", {"name": name, **given, **meta}, **more)


async def ask(host: PackageMcp, message: bytes) -> Any:
    answer = await host.receive(message)
    assert answer is not None
    return json.loads(answer)


async def test_a_client_of_either_revision_is_told_who_serves() -> None:
    hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "a"}}
    told = (await ask(host_of(), line("initialize", hello)))["result"]
    assert told["serverInfo"] == {"name": "notes", "version": "1"}
    assert told["capabilities"] == {"tools": {}}
    assert told["instructions"] == "Notes."
    told = (await ask(host_of(), line("server/discover", {"_meta": META})))["result"]
    assert told["capabilities"] == {"tools": {}}


async def test_each_tool_is_listed_under_its_own_name() -> None:
    host = host_of(echo, definition("note_add"), definition("note_read"))
    listed = (await ask(host, line("tools/list")))["result"]["tools"]
    assert [tool["name"] for tool in listed] == ["note_add", "note_read"]
    assert listed[0]["inputSchema"] == TAKES


@pytest.mark.parametrize("modern", [True, False])
async def test_a_result_has_content_and_structure_and_no_meta_of_the_tool(modern: bool) -> None:
    answer = await ask(host_of(), call_line("note_add", {"text": "a"}, modern=modern))
    result = answer["result"]
    assert result["content"] == [{"type": "text", "text": "done"}]
    assert result["structuredContent"] == {"text": "a"}
    assert "isError" not in result
    assert "cost" not in json.dumps(answer)
    assert ("resultType" in result) is modern


async def test_arguments_that_do_not_match_are_a_result_that_says_so() -> None:
    result = (await ask(host_of(), call_line("note_add", {"text": 1})))["result"]
    assert result["isError"] is True
    assert "text" in result["content"][0]["text"]


async def test_a_tool_that_the_session_may_not_see_is_the_same_as_none() -> None:
    gated = definition("note_add", required_features=frozenset({"notes.write"}))
    host = host_of(echo, gated, session=SessionContext(user_id="a"))
    assert (await ask(host, line("tools/list")))["result"]["tools"] == []
    hidden = await host.receive(call_line("note_add"))
    assert hidden is not None
    assert hidden == await host.receive(call_line("no_such_tool"))
    assert json.loads(hidden)["error"]["code"] == -32602
    granted = SessionContext(user_id="a", granted_features=frozenset({"notes.write"}))
    assert "result" in await ask(host_of(echo, gated, session=granted), call_line("note_add"))


class Slow:
    """A handler that ends when it is told to."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.go_on = asyncio.Event()
        self.stopped = asyncio.Event()

    async def run(self, _arguments: dict[str, Any], call: ToolCall) -> object:
        self.begun.set()
        stopped = asyncio.create_task(call.signal.wait())
        going = asyncio.create_task(self.go_on.wait())
        await asyncio.wait({stopped, going}, return_when=asyncio.FIRST_COMPLETED)
        for each in (stopped, going):
            each.cancel()
        if call.signal.cancelled:
            self.stopped.set()
        return "done"


CANCELLABLE = definition("wait", annotations=ToolAnnotations(category="read", cancellable=True))


@pytest.mark.parametrize(("request_id", "told"), [(7, "7"), ("call-7", "call-7")])
async def test_a_handler_is_told_the_id_of_its_request(request_id: Any, told: str) -> None:
    seen: list[str | None] = []

    async def look(_arguments: dict[str, Any], call: ToolCall) -> object:
        seen.append(call.request_id)
        return "seen"

    await ask(host_of(look), call_line("note_add", {}, request_id=request_id))
    assert seen == [told]


async def test_a_cancelled_call_is_stopped_and_not_answered() -> None:
    slow = Slow()
    host = host_of(slow.run, CANCELLABLE)
    running = asyncio.create_task(host.receive(call_line("wait", request_id="r")))
    async with asyncio.timeout(30):
        await slow.begun.wait()
        other = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
        for wanted in ("another", "r"):
            assert not slow.stopped.is_set()
            cancel = {**other, "params": {"requestId": wanted}}
            assert await host.receive(json.dumps(cancel).encode()) is None
        await slow.stopped.wait()
        assert await running is None


async def test_a_call_that_nobody_cancels_is_answered() -> None:
    slow = Slow()
    host = host_of(slow.run, CANCELLABLE)
    running = asyncio.create_task(host.receive(call_line("wait")))
    async with asyncio.timeout(30):
        await slow.begun.wait()
        # Others are answered meanwhile.
        assert (await ask(host, line("ping", request_id=2)))["result"] == {}
        slow.go_on.set()
        assert await running is not None
    assert not slow.stopped.is_set()


async def test_two_calls_at_once_cannot_have_one_id_and_later_ones_can() -> None:
    slow = Slow()
    host = host_of(slow.run, CANCELLABLE)
    running = asyncio.create_task(host.receive(call_line("wait", request_id=7)))
    async with asyncio.timeout(30):
        await slow.begun.wait()
        assert (await ask(host, call_line("wait", request_id=7)))["error"]["code"] == -32600
        slow.go_on.set()
        await running
        assert "result" in await ask(host, call_line("wait", request_id=7))


async def test_the_id_of_a_cancelled_call_is_refused_by_name_until_the_call_has_stopped() -> None:
    slow = Slow()
    # It does not stop for being asked.
    host = host_of(slow.run, definition("wait"))
    running = asyncio.create_task(host.receive(call_line("wait", request_id=7)))
    async with asyncio.timeout(30):
        await slow.begun.wait()
        params = {"requestId": 7}
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        assert await host.receive(json.dumps(cancel).encode()) is None
        refused = await ask(host, call_line("wait", request_id=7))
        assert (refused["id"], refused["error"]["code"]) == (7, -32600)
        assert "this id" in refused["error"]["message"]
        slow.go_on.set()
        assert await running is None
        assert "result" in await ask(host, call_line("wait", request_id=7))


async def test_calls_without_number_are_refused_and_those_that_run_are_answered() -> None:
    slow = Slow()
    host = host_of(slow.run, CANCELLABLE)
    running = [
        asyncio.create_task(host.receive(call_line("wait", request_id=n))) for n in range(64)
    ]
    async with asyncio.timeout(30):
        await slow.begun.wait()
        await asyncio.sleep(0)
        assert (await ask(host, call_line("wait", request_id=64)))["error"]["code"] == -32600
        slow.go_on.set()
        answers = await asyncio.gather(*running)
    assert all(answer is not None and '"result"' in answer for answer in answers)


@pytest.mark.parametrize("method", ["resources/list", "resources/templates/list"])
async def test_there_are_no_resources(method: str) -> None:
    assert (await ask(host_of(), line(method)))["error"]["code"] == -32601


@pytest.mark.parametrize("message", [b"", b"{", b"[]", b"\xff", bytes(1_048_577)])
async def test_what_is_no_message_is_refused(message: bytes) -> None:
    assert (await ask(host_of(), message))["error"]["code"] in {-32700, -32600, 1015}


async def test_many_tools_are_listed_in_pages_each_of_which_can_be_sent() -> None:
    wide = {
        "type": "object",
        "properties": {f"p{n}": {"type": "string", "description": "x" * 50} for n in range(60)},
    }
    tools = [definition(f"tool_{n}", schema=wide) for n in range(500)]
    host = host_of(echo, *tools)
    found: list[str] = []
    params: dict[str, Any] = {}
    while True:
        answer = await host.receive(line("tools/list", params))
        assert answer is not None
        assert len(answer) < JSON_LIMITS.max_encoded_bytes
        page = json.loads(answer)["result"]
        found += [tool["name"] for tool in page["tools"]]
        if "nextCursor" not in page:
            break
        params = {"cursor": page["nextCursor"]}
    assert found == [tool.name for tool in tools]


def test_no_tools_are_one_empty_page() -> None:
    assert catalog_of([]).pages == [[]]
