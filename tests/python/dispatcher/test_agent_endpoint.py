"""At most sixteen sessions, each with protocol state of its own."""

from __future__ import annotations

import asyncio
from typing import Any

from bridge.dispatcher.agent_endpoint import AgentEndpoint, SessionEvent
from bridge.dispatcher.dispatcher import Dispatcher
from bridge.dispatcher.session_answer import Ending
from tests.python.support.dispatchers import (
    APP,
    HandRuntime,
    Notes,
    dispatcher_of,
    first_step,
    line_of,
    settled,
)

INFO = line_of("agent/info")
EXECUTE = line_of("actions/execute", {"action": "a"})


def notes() -> Dispatcher:
    dispatcher = Dispatcher(Notes(), app=APP)
    dispatcher.set_enabled(True)
    return dispatcher


def names(count: int) -> list[str]:
    return [f"s{n}" for n in range(count)]


def with_sessions(count: int) -> AgentEndpoint:
    endpoint = AgentEndpoint(notes())
    for session in names(count):
        first_step(endpoint.request(INFO, session=session))
    return endpoint


def test_the_sixteenth_session_is_kept_and_the_seventeenth_evicts_the_least_recently_used() -> None:
    endpoint = with_sessions(16)
    assert endpoint.sessions == names(16)
    first_step(endpoint.request(INFO, session="s0"))
    first_step(endpoint.request(INFO, session="new"))
    assert len(endpoint.sessions) == 16
    assert "s1" not in endpoint.sessions
    assert {"s0", "new"} <= set(endpoint.sessions)


def test_a_malformed_envelope_reserves_no_session() -> None:
    endpoint = AgentEndpoint(notes())
    for text in (
        "{",
        b"\xff",
        "[]",
        "{}",
        '{"jsonrpc":"2.0","id":null,"method":"agent/info"}',
        '{"jsonrpc":"2.0","id":1,"method":"nothing"}',
        '{"jsonrpc":"2.0","id":1,"method":"agent/info","params":[]}',
    ):
        assert first_step(endpoint.request(text, session="s")) is not None
    assert endpoint.sessions == []
    first_step(endpoint.request(INFO, session="s"))
    assert endpoint.sessions == ["s"]


async def test_sixteen_busy_sessions_give_a_correlated_error_and_one_that_ends_makes_room() -> None:
    gates = [asyncio.Event() for _ in range(16)]
    begun: list[str | None] = []

    async def wait(gate: asyncio.Event) -> None:
        await gate.wait()

    def execute(_action: str, _input: Any, context: Any) -> object:
        begun.append(context.session)
        return wait(gates[len(begun) - 1])

    dispatcher = dispatcher_of(execute, concurrent=True, runtime=HandRuntime())
    endpoint = AgentEndpoint(dispatcher)
    calls = [
        asyncio.create_task(endpoint.request(EXECUTE, session=session)) for session in names(16)
    ]
    await settled()
    assert begun == names(16)
    refused = await endpoint.request(EXECUTE, session="late")
    assert refused is not None
    assert '"id":1' in refused
    assert '"SESSION_LIMIT"' in refused
    assert await endpoint.request('{"jsonrpc":"2.0","method":"agent/info"}', session="late") is None
    assert len(begun) == 16
    gates[3].set()
    await calls[3]
    answer = await endpoint.request(INFO, session="late")
    assert answer is not None
    assert '"result"' in answer
    assert "s3" not in endpoint.sessions
    for gate in gates:
        gate.set()
    await asyncio.gather(*calls)


async def test_a_caller_who_is_cancelled_leaves_its_session_idle() -> None:
    async def wait() -> None:
        await asyncio.Event().wait()

    runtime = HandRuntime()
    dispatcher = dispatcher_of(lambda _a, _i, _c: wait(), runtime=runtime)
    endpoint = AgentEndpoint(dispatcher, max_sessions=1)
    call = asyncio.create_task(endpoint.request(EXECUTE, session="one"))
    await settled()
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    await endpoint.request(INFO, session="two")
    assert endpoint.sessions == ["two"]
    await runtime.close()


def test_closing_a_session_releases_its_place_and_an_unknown_one_is_no_error() -> None:
    endpoint = with_sessions(2)
    assert endpoint.close_session("s0")
    assert not endpoint.close_session("s0")
    assert endpoint.sessions == ["s1"]


def test_each_call_reaches_the_host_with_its_session() -> None:
    dispatcher = dispatcher_of(lambda _a, _i, context: {"session": context.session})
    endpoint = AgentEndpoint(dispatcher)
    for session in ("a", "b", "a"):
        answer = first_step(endpoint.request(EXECUTE, session=session))
        assert f'"session":"{session}"' in answer


def test_an_observer_sees_a_session_come_what_it_asks_and_how_that_ends_and_it_go() -> None:
    dispatcher = notes()
    endpoint = AgentEndpoint(dispatcher)
    events: list[SessionEvent] = []
    stop = endpoint.on_session(events.append)
    first_step(endpoint.request(INFO, session="s"))
    unknown = line_of("actions/execute", {"action": "no.such"})
    first_step(endpoint.request(unknown, session="s"))
    dispatcher.set_enabled(False)
    first_step(endpoint.request('{"jsonrpc":"2.0","method":"state/inspect"}', session="s"))
    endpoint.close_session("s")
    endpoint.close_session("s")
    refused = Ending(ok=False, code="UNKNOWN_ACTION")
    assert events == [
        SessionEvent("open", "s"),
        SessionEvent("begin", "s", 1, "agent/info"),
        SessionEvent("end", "s", 1, "agent/info", None, Ending(ok=True)),
        SessionEvent("begin", "s", 2, "actions/execute", "no.such"),
        SessionEvent("end", "s", 2, "actions/execute", "no.such", refused),
        SessionEvent("begin", "s", 3, "state/inspect"),
        SessionEvent("end", "s", 3, "state/inspect", None, Ending(ok=False, code="DISABLED")),
        SessionEvent("close", "s"),
    ]
    stop()
    first_step(endpoint.request(INFO, session="s"))
    assert len(events) == 8


def test_an_observer_sees_the_session_that_was_evicted_and_what_it_raises_changes_nothing() -> None:
    endpoint = with_sessions(16)
    events: list[SessionEvent] = []

    def observer(event: SessionEvent) -> None:
        events.append(event)
        raise RuntimeError("not the caller's business")

    endpoint.on_session(observer)
    first_step(endpoint.request("[]", session="bad"))
    assert events == []
    assert '"result"' in first_step(endpoint.request(INFO, session="new"))
    assert events[:2] == [SessionEvent("close", "s0"), SessionEvent("open", "new")]


MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
HELLO = line_of(
    "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}
)


def tool(name: str, **arguments: Any) -> str:
    params = {"_meta": MODERN, "name": name, "arguments": arguments}
    return line_of("tools/call", params)


def test_an_observer_sees_which_tool_of_mcp_runs_which_action_and_how_that_ends() -> None:
    endpoint = AgentEndpoint(notes())
    events: list[SessionEvent] = []
    endpoint.on_session(events.append)
    for line in (
        tool("actions_execute", action="note.read"),
        tool("actions_execute", action="no.such"),
        tool("actions_execute"),
        tool("actions_describe", action="note.read"),
        line_of("resources/read", {"uri": "no:such", "_meta": MODERN}),
        line_of("tools/list"),
    ):
        first_step(endpoint.request(line, session="s"))
    told = [
        (event.method, event.tool, event.action, event.ending and event.ending.code)
        for event in events
        if event.phase == "end"
    ]
    assert told == [
        ("tools/call", "actions_execute", "note.read", None),
        ("tools/call", "actions_execute", "no.such", "UNKNOWN_ACTION"),
        ("tools/call", "actions_execute", None, "INVALID_INPUT"),
        ("tools/call", "actions_describe", None, None),
        ("resources/read", None, None, "UNKNOWN_RESOURCE"),
        ("tools/list", None, None, None),
    ]
    assert [event.ending.ok for event in events if event.ending] == [
        True, False, False, True, False, True,
    ]  # fmt: skip


def test_what_is_no_valid_request_of_mcp_reserves_no_session_and_is_not_told() -> None:
    endpoint = AgentEndpoint(notes())
    events: list[SessionEvent] = []
    endpoint.on_session(events.append)
    for line in (
        line_of("server/discover"),
        tool("no_such_tool"),
        line_of("ping", {"_meta": MODERN}),
        line_of("initialize", {"protocolVersion": 1}),
        '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
        '{"jsonrpc":"2.0","id":1,"result":{}}',
    ):
        first_step(endpoint.request(line, session="s"))
    assert endpoint.sessions == []
    assert events == []
    first_step(endpoint.request(tool("actions_search"), session="s"))
    assert endpoint.sessions == ["s"]


def test_an_initialised_session_stays_until_it_is_closed_or_the_app_was_disabled() -> None:
    dispatcher = notes()
    endpoint = AgentEndpoint(dispatcher, max_sessions=2)

    def ask(line: str, session: str) -> str:
        answer: str = first_step(endpoint.request(line, session=session))
        return answer

    ask(HELLO, "one")
    ask(HELLO, "two")
    assert '"SESSION_LIMIT"' in ask(INFO, "three")
    assert '"SESSION_LIMIT"' in ask(HELLO, "three")
    refused = ask(tool("actions_search"), "three")
    assert '"isError":true' in refused
    assert '"SESSION_LIMIT"' in refused
    assert '"result"' in ask(line_of("tools/list"), "one")
    endpoint.close_session("one")
    ask(INFO, "three")
    ask(INFO, "four")
    assert endpoint.sessions == ["two", "four"]
    dispatcher.set_enabled(False)
    dispatcher.set_enabled(True)
    ask(INFO, "five")
    assert endpoint.sessions == ["four", "five"]
    ask(HELLO, "two")
    ask(INFO, "six")
    assert endpoint.sessions == ["two", "six"]


def test_of_initialised_sessions_that_made_room_a_bounded_number_is_remembered() -> None:
    dispatcher = notes()
    endpoint = AgentEndpoint(dispatcher, max_sessions=1)

    def ask(line: str, session: str) -> str:
        answer: str = first_step(endpoint.request(line, session=session))
        return answer

    count = 4 * 16
    for number in range(count + 1):
        ask(HELLO, f"s{number}")
        dispatcher.set_enabled(False)
        dispatcher.set_enabled(True)
    ask(INFO, "other")
    for number in range(1, count + 1):
        assert '"result"' in ask(line_of("tools/list"), f"s{number}")
    assert "-32601" in ask(line_of("tools/list"), "s0")
