"""MCP over hosts that break their promises, and what the vectors cannot show of one language."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.contract.strict_json import loads
from bridge.dispatcher.action_spec import ActionSpec
from bridge.dispatcher.app_error import AppError
from bridge.dispatcher.dispatcher import Dispatcher
from bridge.dispatcher.host import Resource
from bridge.dispatcher.mcp_catalog import TOOLS
from bridge.dispatcher.mcp_errors import HINTS
from bridge.dispatcher.rpc_session import RpcSession
from tests.python.support.dispatchers import (
    ANY_INPUT,
    APP,
    HandRuntime,
    Notes,
    dispatcher_of,
    first_step,
    settled,
)

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def mcp(dispatcher: Dispatcher) -> RpcSession:
    return RpcSession(dispatcher, "s", protocol="mcp")


def line_of(method: str, request_id: Any = 1, **params: Any) -> str:
    message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
    return json.dumps(message)


def call(tool: str, /, request_id: Any = 1, **arguments: Any) -> str:
    return line_of("tools/call", request_id, name=tool, arguments=arguments)


def result(dispatcher: Dispatcher, line: str) -> Any:
    told = json.loads(first_step(mcp(dispatcher).receive(line)))
    return told.get("result", told)


def test_a_call_reaches_the_host_with_its_session() -> None:
    dispatcher = dispatcher_of(lambda _a, _i, context: {"session": context.session})
    told = result(dispatcher, call("actions_execute", action="a"))
    assert told["structuredContent"]["output"] == {"session": "s"}


@pytest.mark.parametrize("raised", [RuntimeError("secret"), asyncio.CancelledError("secret")])
def test_what_a_host_raises_is_a_failure_without_its_words_and_the_app_is_told(
    raised: BaseException,
) -> None:
    told: list[BaseException] = []

    def execute(_action: str, _input: Any, _context: object) -> object:
        raise raised

    dispatcher = dispatcher_of(execute, on_host_error=told.append)
    answer = result(dispatcher, call("actions_execute", action="a"))
    assert answer["isError"] is True
    data = {"code": "HOST_ERROR", "hint": HINTS["HOST_ERROR"]}
    assert answer["structuredContent"]["error"]["data"] == data
    assert "secret" not in str(answer)
    assert len(told) == 1


class UnreadableError(AppError):
    @property
    def code(self) -> Any:
        raise RuntimeError("secret")

    @code.setter
    def code(self, _value: object) -> None: ...


class EvilMapping(dict[str, Any]):
    def items(self) -> Any:
        raise RuntimeError("secret")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UnreadableError("UNAVAILABLE", "secret"), "HOST_ERROR"),
        (AppError("UNAVAILABLE", "x" * 300_000), "UNAVAILABLE"),
        (AppError("UNAVAILABLE", "\ud800"), "UNAVAILABLE"),
        (AppError("UNAVAILABLE", "m", {"f": print}), "UNAVAILABLE"),
        (AppError("UNAVAILABLE", "m", {"evil": EvilMapping(a=1)}), "UNAVAILABLE"),
    ],
)
@pytest.mark.parametrize("tool", ["actions_execute", "state_inspect"])
def test_an_error_that_cannot_be_told_keeps_its_code(
    tool: str, error: Exception, code: str
) -> None:
    def fail(*_arguments: object) -> object:
        raise error

    dispatcher = dispatcher_of(fail, inspect=fail)
    told = result(dispatcher, call(tool, **({"action": "a"} if tool == "actions_execute" else {})))
    assert told["structuredContent"]["error"]["data"]["code"] == code
    assert "secret" not in str(told)


def entries(value: Any) -> Dispatcher:
    return dispatcher_of(resources=lambda: value, resource_templates=lambda: value)


@pytest.mark.parametrize(
    "listed",
    [
        None,
        "text",
        {"uri": "a:b", "name": "b"},
        [None],
        [{"uri": "a:b"}],
        [{"name": "b"}],
        [{"uri": "", "name": "b"}],
        [{"uri": "a:b", "name": ""}],
        [{"uri": "a:b", "name": "b", "title": 5}],
        [{"uri": "a:b", "name": "b", "description": None}],
        [{"uri": "a:b", "name": "b", "mimeType": b"x"}],
        [{"uri": "a:b", "name": "b", "size": -1}],
        [{"uri": "a:b", "name": "b", "size": True}],
        [{"uri": "a:b", "name": "b", "size": 1.5}],
        [{"uri": "\ud800", "name": "b"}],
    ],
)
def test_a_list_that_is_none_is_invalid_output(listed: Any) -> None:
    told = result(entries(listed), line_of("resources/list"))
    assert told["error"]["data"]["code"] == "INVALID_OUTPUT"


def test_of_what_an_app_lists_the_members_of_the_contract_are_passed_on() -> None:
    entry = {"uri": "a:b", "name": "b", "title": "B", "mimeType": "text/plain", "size": 3}
    told = result(entries(({**entry, "secret": 1},)), line_of("resources/list"))
    assert told["resources"] == [entry]
    form = {"uriTemplate": "a:{b}", "name": "b", "size": 3}
    told = result(entries([form]), line_of("resources/templates/list"))
    assert told["resourceTemplates"] == [{"uriTemplate": "a:{b}", "name": "b"}]


def test_an_app_that_lists_nothing_has_empty_lists() -> None:
    dispatcher = dispatcher_of()
    assert result(dispatcher, line_of("resources/list")) == {"resources": []}
    assert result(dispatcher, line_of("resources/templates/list")) == {"resourceTemplates": []}


@pytest.mark.parametrize(
    ("method", "uri", "member"),
    [
        ("resources/list", "uri", "resources"),
        ("resources/templates/list", "uriTemplate", "resourceTemplates"),
    ],
)
def test_a_list_that_is_too_long_for_a_line_comes_in_pages(
    method: str, uri: str, member: str
) -> None:
    long = "d" * 12_000
    listed = [{uri: f"a:{n}", "name": "b", "description": long} for n in range(100)]
    found: list[Any] = []
    cursor: dict[str, str] = {}
    while True:
        told = result(entries(listed), line_of(method, **cursor))
        found += told[member]
        if "nextCursor" not in told:
            break
        cursor = {"cursor": told["nextCursor"]}
    assert found == listed


def test_an_entry_that_fits_no_line_is_refused_there_and_keeps_no_other_from_being_listed() -> None:
    texts = ["first", "x" * 262_145, "last"]
    listed = [{"uri": "a:b", "name": text} for text in texts]
    first = result(entries(listed), line_of("resources/list"))
    assert first == {"resources": listed[:1], "nextCursor": "1"}
    told = result(entries(listed), line_of("resources/list", cursor="1"))
    assert told["error"]["data"]["code"] == "LIMIT_EXCEEDED"
    last = result(entries(listed), line_of("resources/list", cursor="2"))
    assert last == {"resources": listed[2:]}


def test_a_resource_that_grows_while_it_is_read_is_not_read_without_end() -> None:
    reads = 0

    def read_resource(_uri: str, offset: int, limit: int) -> Resource:
        nonlocal reads
        reads += 1
        return Resource("text/plain", offset + limit + 1, bytes(limit))

    dispatcher = dispatcher_of(read_resource=read_resource)
    told = result(dispatcher, line_of("resources/read", uri="a:b"))
    assert told["error"]["data"]["size"] > 196_608
    assert reads == 3


def test_a_resource_that_vanishes_while_it_is_read_is_not_there() -> None:
    def read_resource(_uri: str, offset: int, limit: int) -> Resource | None:
        return Resource("text/plain", limit + 1, bytes(limit)) if offset == 0 else None

    dispatcher = dispatcher_of(read_resource=read_resource)
    told = result(dispatcher, line_of("resources/read", uri="a:b"))
    assert told["error"]["code"] == -32002
    told = result(dispatcher, line_of("resources/read", uri="a:b", _meta=META))
    assert told["error"]["code"] == -32602


async def test_a_resource_is_read_in_one_turn_however_many_parts_it_comes_in() -> None:
    log: list[str] = []

    async def read_resource(_uri: str, offset: int, _limit: int) -> Resource:
        await asyncio.sleep(0)
        log.append(f"part {offset}")
        return Resource("text/plain", 3, b"abc"[offset : offset + 1])

    def execute(_action: str, _input: Any, _context: object) -> object:
        log.append("call")
        return {}

    dispatcher = dispatcher_of(execute, runtime=HandRuntime(), read_resource=read_resource)
    session = mcp(dispatcher)
    read, called = await asyncio.gather(
        session.receive(line_of("resources/read", 1, uri="a:b")),
        session.receive(call("actions_execute", 2, action="a")),
    )
    assert json.loads(read or "")["result"]["contents"][0]["text"] == "abc"
    assert called is not None
    assert log == ["part 0", "part 1", "part 2", "call"]


def test_a_task_is_not_waited_for_where_no_time_passes() -> None:
    dispatcher = dispatcher_of()
    task = dispatcher.tasks.create("a")
    told = result(dispatcher, call("task_status", id=task.id, waitMs=25_000))
    assert told["structuredContent"]["task"]["state"] == "queued"


async def test_who_takes_the_lines_of_progress_and_fails_changes_nothing() -> None:
    told: list[str] = []

    def broken(line: str) -> None:
        told.append(line)
        raise BrokenPipeError

    runtime = HandRuntime()
    dispatcher = dispatcher_of(runtime=runtime)
    task = dispatcher.tasks.create("a")
    session = RpcSession(dispatcher, "s", protocol="mcp", notify=broken)
    params = {"name": "task_status", "arguments": {"id": task.id, "waitMs": 25_000}}
    line = line_of("tools/call", 1, _meta={"progressToken": "t"}, **params)
    waiting = asyncio.create_task(session.receive(line))
    await settled()
    task.complete({})
    assert json.loads(await waiting or "")["result"]["structuredContent"]["task"]["output"] == {}
    assert len(told) == 1


async def test_a_caller_who_is_cancelled_leaves_nothing_behind_of_its_wait() -> None:
    runtime = HandRuntime()
    dispatcher = dispatcher_of(runtime=runtime)
    task = dispatcher.tasks.create("a")
    session = mcp(dispatcher)
    waiting = asyncio.create_task(session.receive(call("task_status", id=task.id, waitMs=25_000)))
    await settled()
    assert runtime.timers == 1
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert runtime.timers == 0
    task.complete({})


async def test_a_call_whose_caller_has_gone_is_not_begun() -> None:
    gate = asyncio.Event()
    begun: list[str] = []

    async def wait() -> object:
        await gate.wait()
        return {}

    def execute(action: str, _input: Any, _context: object) -> object:
        begun.append(action)
        return wait()

    dispatcher = dispatcher_of(execute, runtime=HandRuntime())
    session = mcp(dispatcher)
    first = asyncio.create_task(session.receive(call("actions_execute", 1, action="a")))
    await settled()
    second = asyncio.create_task(
        session.receive(call("actions_execute", 2, action="b"), expired=lambda: True)
    )
    await settled()
    gate.set()
    answers = [json.loads(await each or "")["result"] for each in (first, second)]
    assert begun == ["a"]
    assert answers[1]["structuredContent"]["error"]["data"]["availability"]["code"] == "EXPIRED"


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
ACTIONS = st.sampled_from([spec.name for spec in Notes.SPECS] + ["x"])
ARGUMENTS = JSON_VALUES | st.fixed_dictionaries(
    {},
    optional={
        "action": ACTIONS | JSON_VALUES,
        "input": JSON_VALUES | st.fixed_dictionaries({"text": st.text(max_size=8)}),
        "expectedRevision": st.integers(6, 12) | JSON_VALUES,
        "calls": st.lists(st.fixed_dictionaries({"action": ACTIONS}), max_size=3) | JSON_VALUES,
        "id": JSON_VALUES,
        "waitMs": st.integers(-1, 25_001) | JSON_VALUES,
        "uri": st.sampled_from(["note:text", "note:zeros"]) | JSON_VALUES,
        "limit": st.integers() | JSON_VALUES,
        "query": JSON_VALUES,
        "cursor": JSON_VALUES,
    },
)
PARAMS = JSON_VALUES | st.fixed_dictionaries(
    {"name": st.sampled_from([tool["name"] for tool in TOOLS]), "arguments": ARGUMENTS},
    optional={
        "_meta": st.just(META) | JSON_VALUES,
        "uri": st.just("note:text"),
        "cursor": JSON_VALUES,
    },
)
METHODS = [
    "tools/call",
    "resources/read",
    "resources/list",
    "tools/list",
    "notifications/cancelled",
]
MESSAGES = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "method": st.sampled_from(METHODS), "params": PARAMS},
    optional={"id": st.integers() | st.text(max_size=8) | JSON_VALUES},
)


@settings(max_examples=400, deadline=None)
@given(st.lists(MESSAGES.map(json.dumps), min_size=1, max_size=4))
def test_any_message_gives_one_strict_line_or_silence(lines: list[str]) -> None:
    host = Notes()
    dispatcher = Dispatcher(host, app=APP)
    host.tasks = dispatcher.tasks.create
    dispatcher.set_enabled(True)
    session = mcp(dispatcher)
    for line in lines:
        answer = first_step(session.receive(line))
        if answer is None:
            continue
        assert not set(answer) & set("\n\r\u2028\u2029")
        assert "secret" not in answer
        message: Any = loads(answer.encode())
        assert ("result" in message) is not ("error" in message)
        if message.get("result", {}).get("isError"):
            assert message["result"]["structuredContent"]["error"]["data"]["code"]


def test_a_protocol_that_is_known_beforehand_is_not_selected() -> None:
    dispatcher = dispatcher_of(actions=[ActionSpec.read("a", "A", **ANY_INPUT)])
    assert result(dispatcher, line_of("tools/list"))["tools"] == TOOLS
    control = RpcSession(dispatcher, protocol="control")
    told = json.loads(first_step(control.receive(line_of("server/discover", _meta=META))))
    assert told["error"]["code"] == -32601
