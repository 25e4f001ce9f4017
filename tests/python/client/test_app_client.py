"""What the clients send, what they give, and how they fail: one suite for both."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bridge.client as bridge_client
from bridge.client import (
    ActionError,
    ActionSummary,
    AppClient,
    AppInfo,
    AsyncAppClient,
    BasculeError,
    BridgeFailure,
    CallResult,
    DeadlineExceeded,
    Outcome,
    Task,
    Unavailability,
    connect,
    control_calls,
)
from bridge.client.bridge_address import parse_address
from bridge.client.bridge_choice import ChosenBridge
from bridge.contract.strict_json import NumberToken, StrictJsonError, number_token
from tests.python.support.app_callers import FakeApp, both_clients
from tests.python.support.bridge_fixture import running_bridge
from tests.python.support.command_line import ended_process, entry_for
from tests.python.support.fake_bridge import (
    PATIENCE_SECONDS,
    Answer,
    Bytes,
    FakeBridge,
    error,
    fake_bridge,
    status_of,
)
from tests.python.support.scripted_page import ScriptedPage

COMPLETED = {"status": "completed", "output": {"n": 1}, "revision": 4, "protocolVersion": "1"}
ACTION = {
    "name": "a.b",
    "description": "Does b",
    "kind": "write",
    "available": True,
    "inputSchema": {"type": "object"},
    "outputSchema": True,
    "capabilities": 0,
    "undo": False,
}


@pytest.fixture
def bridge() -> Iterator[FakeBridge]:
    with fake_bridge() as running:
        yield running


def to(bridge: FakeBridge, **more: Any) -> AppClient:
    return connect(bridge.url, token=bridge.token, **more)


async def failed(awaited: Any) -> BasculeError:
    with pytest.raises(BasculeError) as caught:
        await awaited
    return caught.value


@both_clients
async def test_a_call_gives_output_and_revision(using: Any, bridge: FakeBridge) -> None:
    app = FakeApp(bridge, actions_execute=COMPLETED)
    async with using(to(bridge)) as client:
        given = await client.call("a.b", {"x": 1}, expected_revision=3)
    assert given == CallResult("completed", {"n": 1}, None, 4)
    params = {"action": "a.b", "input": {"x": 1}, "expectedRevision": 3}
    assert app.requests == [
        {"jsonrpc": "2.0", "id": 1, "method": "actions/execute", "params": params}
    ]


@both_clients
async def test_what_is_not_given_is_not_sent(using: Any, bridge: FakeBridge) -> None:
    app = FakeApp(bridge, actions_execute={"status": "completed", "output": {}}, state_inspect={})
    async with using(to(bridge)) as client:
        assert await client.call("a.b") == CallResult("completed", {}, None, None)
        assert await client.call("a.b", {}, expected_revision=0)
        await client.inspect()
    assert app.sent == [
        ("actions/execute", {"action": "a.b"}),
        ("actions/execute", {"action": "a.b", "input": {}, "expectedRevision": 0}),
        ("state/inspect", None),
    ]
    assert "timeoutMs" not in bridge.of("/rpc")[0].json()


@both_clients
async def test_the_latest_revision_is_the_action_s_own(using: Any, bridge: FakeBridge) -> None:
    app = FakeApp(
        bridge,
        actions_describe={"action": ACTION, "revision": 12},
        actions_execute=COMPLETED,
    )
    async with using(to(bridge)) as client:
        await client.call("a.b", expected_revision="latest")
    assert app.sent == [
        ("actions/describe", {"action": "a.b"}),
        ("actions/execute", {"action": "a.b", "expectedRevision": 12}),
    ]


@both_clients
async def test_an_action_without_a_revision_is_called_without_one(
    using: Any, bridge: FakeBridge
) -> None:
    app = FakeApp(bridge, actions_describe={"action": ACTION}, actions_execute=COMPLETED)
    async with using(to(bridge)) as client:
        await client.call("a.b", expected_revision="latest")
    assert app.sent[1] == ("actions/execute", {"action": "a.b"})


@both_clients
@pytest.mark.parametrize("code", ["TIMEOUT", "BROWSER_GONE"])
async def test_what_fails_before_the_call_itself_has_done_nothing(
    using: Any, bridge: FakeBridge, code: str
) -> None:
    app = FakeApp(bridge, actions_describe=error(code, Outcome.UNKNOWN))
    async with using(to(bridge)) as client:
        failure = await failed(client.call("a.b", expected_revision="latest"))
    assert (failure.code, failure.outcome) == (code, Outcome.NOT_DELIVERED)
    assert len(app.sent) == 1


@both_clients
async def test_a_deferred_call_has_a_task_to_wait_for(using: Any, bridge: FakeBridge) -> None:
    states = iter(["queued", "running", "running", "completed"])

    def get(_: Any) -> Any:
        state = next(states)
        told: dict[str, Any] = {"id": "t1", "action": "a.b", "state": state}
        if state == "completed":
            told["output"] = {"done": True}
        return {"task": told}

    app = FakeApp(
        bridge,
        actions_execute={
            "status": "deferred",
            "task": {"id": "t1", "state": "queued", "progress": {"reason": "PERSON"}},
            "revision": 7,
        },
        tasks_get=get,
        tasks_cancel={"task": {"id": "t1", "action": "a.b", "state": "cancelling"}},
    )
    async with using(to(bridge)) as client:
        given = await client.call("a.b")
        task = Task("t1", "queued", None, {"reason": "PERSON"}, None, None)
        assert given == CallResult("deferred", None, task, 7)
        assert not task.ended
        assert (await client.task("t1")).state == "queued"
        done = await client.wait_task(task, timeout=PATIENCE_SECONDS)
        assert (done.state, done.output, done.action) == ("completed", {"done": True}, "a.b")
        assert done.ended
        assert (await client.cancel_task("t1")).state == "cancelling"
    assert [params for method, params in app.sent if method.startswith("tasks/")] == [
        {"id": "t1"}
    ] * 5


@both_clients
async def test_a_task_that_failed_says_why(using: Any, bridge: FakeBridge) -> None:
    wire = {"code": 1018, "message": "It broke.", "data": {"code": "HOST_ERROR"}}
    FakeApp(bridge, tasks_get={"task": {"id": "t", "state": "failed", "error": wire}})
    async with using(to(bridge)) as client:
        task = await client.wait_task("t")
    assert task.error is not None
    assert (task.error.code, task.error.outcome) == ("HOST_ERROR", Outcome.UNKNOWN)


@both_clients
async def test_a_task_that_goes_on_is_waited_for_until_the_deadline(
    using: Any, bridge: FakeBridge
) -> None:
    FakeApp(bridge, tasks_get={"task": {"id": "t", "state": "running"}})
    async with using(to(bridge)) as client:
        failure = await failed(client.wait_task("t", timeout=0.1))
    assert isinstance(failure, DeadlineExceeded)
    assert failure.outcome is Outcome.UNKNOWN
    assert "goes on" in failure.message


@both_clients
async def test_an_app_tells_of_itself(using: Any, bridge: FakeBridge) -> None:
    FakeApp(
        bridge,
        agent_info={
            "app": {"name": "Text", "version": "2"},
            "enabled": True,
            "capabilities": 5,
            "limits": {"maxDepth": 32},
            "methods": ["agent/info"],
            "revision": 3,
        },
    )
    async with using(to(bridge)) as client:
        info = await client.info()
    assert info == AppInfo("Text", "2", True, 5, {"maxDepth": 32}, ("agent/info",), 3)


@both_clients
async def test_a_list_of_actions_is_read_to_its_end(using: Any, bridge: FakeBridge) -> None:
    def page(params: Any) -> Any:
        start = int(params.get("cursor", 0))
        names = [f"a{n}" for n in range(start, min(start + 100, 250))]
        told = [
            {"name": n, "description": "", "kind": "read", "available": False,
             "unavailable": {"code": "LATER", "reason": "Not now."}}
            for n in names
        ]  # fmt: skip
        more = {"nextCursor": str(start + 100)} if start < 200 else {}
        return {"actions": told, **more}

    app = FakeApp(bridge, actions_list=page)
    async with using(to(bridge)) as client:
        actions = await client.actions("text insert")
    assert [action.name for action in actions] == [f"a{n}" for n in range(250)]
    why = Unavailability("LATER", "Not now.")
    assert actions[0] == ActionSummary("a0", "", "read", False, why)
    assert [params["query"] for _, params in app.sent] == ["text insert"] * 3


@both_clients
async def test_an_action_is_described(using: Any, bridge: FakeBridge) -> None:
    more = {"transaction": "doc", "commandId": 9, "undo": True}
    FakeApp(bridge, actions_describe={"action": ACTION | more, "revision": 8})
    async with using(to(bridge)) as client:
        told = await client.describe("a.b")
    assert (told.name, told.kind, told.unavailable) == ("a.b", "write", None)
    assert (told.input_schema, told.output_schema) == ({"type": "object"}, True)
    assert (told.transaction, told.command_id, told.undo) == ("doc", 9, True)
    assert told.revision == 8


@both_clients
async def test_any_method_can_be_sent(using: Any, bridge: FakeBridge) -> None:
    app = FakeApp(bridge, new_method={"a": 1, "protocolVersion": "1"})
    async with using(to(bridge)) as client:
        given = await client.request("new/method", {"b": [1]})
    assert given == {"a": 1, "protocolVersion": "1"}
    assert app.sent == [("new/method", {"b": [1]})]


@both_clients
async def test_numbers_keep_their_tokens_both_ways(using: Any, bridge: FakeBridge) -> None:
    written = b'{"status":"completed","output":[1e3,10.0,-0,0.10,9007199254740993,1e400]}'
    FakeApp(bridge, actions_execute=written)
    async with using(to(bridge)) as client:
        output = (await client.call("a")).output
        assert isinstance(output, list)
        assert output[:5] == [1_000, 10, 0, 0.1, 9_007_199_254_740_993]
        assert output[5] == NumberToken("1e400")
        await client.call("a", output)
    assert b'"input":[1e3,10.0,-0,0.10,9007199254740993,1e400]' in bridge.of("/rpc")[1].body
    assert [number_token(number) for number in output[:2]] == ["1e3", "10.0"]


@both_clients
async def test_a_value_that_cannot_be_written_sends_nothing(using: Any, bridge: FakeBridge) -> None:
    async with using(to(bridge)) as client:
        for value in (float("nan"), "\ud800", object(), {1: 2}):
            with pytest.raises(StrictJsonError):
                await client.call("a", value)
    assert bridge.received == []


@both_clients
@pytest.mark.parametrize(
    ("code", "number", "outcome"),
    [
        ("STALE_REVISION", 1008, None),
        ("UNKNOWN_ACTION", 1002, None),
        ("HOST_ERROR", 1018, Outcome.UNKNOWN),
        ("INVALID_OUTPUT", 1004, Outcome.UNKNOWN),
        ("LIMIT_EXCEEDED", 1015, Outcome.UNKNOWN),
    ],
)
async def test_an_app_s_error_says_whether_it_may_have_run(
    using: Any, bridge: FakeBridge, code: str, number: int, outcome: Outcome | None
) -> None:
    data = {"code": code, "expected": 1, "actual": 2}
    FakeApp(
        bridge,
        actions_execute={"error": {"code": number, "message": "No.", "data": data}},
    )
    async with using(to(bridge)) as client:
        failure = await failed(client.call("a"))
    assert isinstance(failure, ActionError)
    assert (failure.code, failure.number, failure.message) == (code, number, "No.")
    assert failure.data == data
    assert failure.outcome is outcome
    assert code in str(failure)


@both_clients
async def test_json_rpc_s_own_errors_have_a_name(using: Any, bridge: FakeBridge) -> None:
    FakeApp(bridge, no_method={"error": {"code": -32601, "message": "No such method."}})
    async with using(to(bridge)) as client:
        failure = await failed(client.request("no/method"))
    assert isinstance(failure, ActionError)
    assert (failure.code, failure.data, failure.outcome) == ("METHOD_NOT_FOUND", {}, None)


@both_clients
async def test_a_failure_of_the_bridge_is_one(using: Any, bridge: FakeBridge) -> None:
    FakeApp(bridge)
    async with using(to(bridge)) as client:
        failure = await failed(client.info())
    assert isinstance(failure, BridgeFailure)
    assert failure.code == "NOT_ATTACHED"
    assert bridge.token not in repr(failure) + str(failure)


@both_clients
async def test_a_deadline_is_passed_on_and_bounds_the_call(using: Any, bridge: FakeBridge) -> None:
    done = threading.Event()

    def wait(_: Any) -> Answer:
        done.wait(PATIENCE_SECONDS)
        return Answer()

    FakeApp(bridge, actions_execute=COMPLETED, agent_info=wait)
    async with using(to(bridge, timeout=10, session="s")) as client:
        await client.call("a")
        await client.call("a", timeout=2)
        await client.call("a", timeout=500)
        failure = await failed(client.info(timeout=0.1))
        assert (await failed(client.info(timeout=0))).outcome is Outcome.NOT_DELIVERED
        done.set()
    assert isinstance(failure, DeadlineExceeded)
    assert failure.outcome is Outcome.UNKNOWN
    sent = [received.json()["timeoutMs"] for received in bridge.of("/rpc")]
    assert len(sent) == 4
    # A little less than the call has, so that the bridge's own answer comes first.
    for milliseconds, seconds in zip(sent, (10, 2, 30, 0.1), strict=True):
        assert seconds * 800 <= milliseconds <= seconds * 1_000


@both_clients
async def test_the_bridge_s_own_timeout_is_a_deadline_too(using: Any, bridge: FakeBridge) -> None:
    FakeApp(bridge, agent_info=error("TIMEOUT", Outcome.NOT_DELIVERED))
    async with using(to(bridge)) as client:
        failure = await failed(client.info(timeout=5))
    assert isinstance(failure, DeadlineExceeded)
    assert (failure.code, failure.outcome) == ("TIMEOUT", Outcome.NOT_DELIVERED)


BAD_RESPONSES = {
    "no object": b"[]",
    "another id": b'{"jsonrpc":"2.0","id":2,"result":{}}',
    "a list as id": b'{"jsonrpc":"2.0","id":[],"result":{}}',
    "no result": b'{"jsonrpc":"2.0","id":1}',
    "a bare result": b'{"jsonrpc":"2.0","id":1,"result":7}',
    "duplicate keys": b'{"jsonrpc":"2.0","id":1,"result":{},"result":{}}',
    "NaN": b'{"jsonrpc":"2.0","id":1,"result":{"a":NaN}}',
    "a bare error": b'{"jsonrpc":"2.0","id":1,"error":"x"}',
    "an error without a code": b'{"jsonrpc":"2.0","id":1,"error":{"message":"x"}}',
}


@both_clients
@pytest.mark.parametrize("body", BAD_RESPONSES.values(), ids=BAD_RESPONSES.keys())
async def test_a_response_that_is_none_may_have_run(
    using: Any, bridge: FakeBridge, body: bytes
) -> None:
    FakeApp(bridge, actions_execute=Answer(body=body))
    async with using(to(bridge)) as client:
        failure = await failed(client.call("a"))
    assert (failure.code, failure.outcome) == ("BAD_ANSWER", Outcome.UNKNOWN)


@both_clients
@pytest.mark.parametrize(
    "result",
    [
        {},
        {"status": "done"},
        {"status": "deferred"},
        {"status": "deferred", "task": {"id": 7, "state": "queued"}},
        {"status": "completed", "output": 1, "revision": "4"},
        {"status": "completed", "output": 1, "revision": True},
        {"status": "completed", "output": 1, "revision": 1.5},
    ],
    ids=str,
)
async def test_a_result_of_another_shape_is_told(
    using: Any, bridge: FakeBridge, result: Any
) -> None:
    FakeApp(bridge, actions_execute=result)
    async with using(to(bridge)) as client:
        assert (await failed(client.call("a"))).code == "BAD_ANSWER"


@both_clients
async def test_a_list_that_never_ends_is_given_up(using: Any, bridge: FakeBridge) -> None:
    app = FakeApp(bridge, actions_list={"actions": [], "nextCursor": "1"})
    async with using(to(bridge)) as client:
        assert (await failed(client.actions())).code == "BAD_ANSWER"
    assert len(app.sent) == 1


@both_clients
@pytest.mark.parametrize("repeats", [True, False])
async def test_a_list_with_a_page_after_every_page_is_given_up(
    using: Any, bridge: FakeBridge, *, repeats: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_calls, "_MAX_PAGES", 20)

    def page(params: Any) -> Any:
        number = "1" if repeats else f"{params.get('cursor', '')}1"
        return {"actions": [ACTION], "nextCursor": number}

    app = FakeApp(bridge, actions_list=page)
    async with using(to(bridge)) as client:
        assert (await failed(client.actions())).code == "BAD_ANSWER"
    assert len(app.sent) == (2 if repeats else 20)


@both_clients
async def test_a_session_of_its_own_is_released_and_a_named_one_is_left(
    using: Any, bridge: FakeBridge
) -> None:
    FakeApp(bridge, actions_execute=COMPLETED)
    async with using(to(bridge)) as client:
        own = client.session
        await client.call("a")
    assert [received.json() for received in bridge.of("/session/close")] == [{"session": own}]
    async with using(to(bridge, session="shared")) as client:
        await client.call("a")
    async with using(to(bridge)):
        pass
    assert len(bridge.of("/session/close")) == 1
    assert [received.json()["session"] for received in bridge.of("/rpc")] == [own, "shared"]


@both_clients
async def test_two_clients_have_two_sessions(using: Any, bridge: FakeBridge) -> None:
    async with using(to(bridge)) as one, using(to(bridge)) as other:
        assert one.session != other.session


@both_clients
async def test_calls_of_others_are_seen(using: Any, bridge: FakeBridge) -> None:
    begin = {"seq": 4, "phase": "begin", "call": 7, "session": "s", "method": "actions/execute",
             "action": "a.b", "at": 5}  # fmt: skip
    end = begin | {"seq": 5, "phase": "end", "ok": False, "code": "TIMEOUT", "durationMs": 1.5}
    told = {"now": 9, "next": 6, "missed": 2, "events": [begin, end]}
    bridge.script = lambda _: Answer(body=json.dumps(told).encode())
    async with using(to(bridge)) as client:
        seen = await client.calls(3, 1.5)
        await client.calls(None)
    assert [received.json() for received in bridge.of("/calls")] == [
        {"after": 3, "waitMs": 1_500},
        {"after": None, "waitMs": 0},
    ]
    assert (seen.now, seen.next, seen.missed) == (9, 6, 2)
    assert (seen.events[0].phase, seen.events[0].ok, seen.events[0].action) == (
        "begin", None, "a.b"
    )  # fmt: skip
    assert (seen.events[1].code, seen.events[1].duration_ms) == ("TIMEOUT", 1.5)


@both_clients
async def test_a_call_that_names_no_method_is_seen_as_well(using: Any, bridge: FakeBridge) -> None:
    begin = {"seq": 1, "phase": "begin", "call": 1, "session": "s", "at": 5}
    told = {"now": 9, "next": 1, "missed": 0, "events": [begin]}
    bridge.script = lambda _: Answer(body=json.dumps(told).encode())
    async with using(to(bridge)) as client:
        (event,) = (await client.calls(0)).events
    assert (event.method, event.what) == (None, "(no method)")


@both_clients
async def test_the_status_is_an_object(using: Any, bridge: FakeBridge) -> None:
    bridge.script = lambda _: status_of("App")
    async with using(to(bridge)) as client:
        assert (await client.status())["app"] == "App"


@both_clients
async def test_calls_share_a_connection(using: Any, bridge: FakeBridge) -> None:
    kept = {"Connection": "keep-alive"}
    body = b'{"jsonrpc":"2.0","id":1,"result":{"status":"completed"}}'
    bridge.script = lambda _: Answer(200, body, kept)
    async with using(to(bridge, session="s")) as client:
        for _ in range(5):
            await client.call("a")
    assert (bridge.connections, len(bridge.received)) == (1, 5)


@both_clients
async def test_an_interrupted_call_leaves_the_client_of_use(using: Any, bridge: FakeBridge) -> None:
    bridge.script = lambda _: Bytes()
    async with using(to(bridge)) as client:
        failure = await failed(client.call("a"))
        assert (failure.code, failure.outcome) == ("CONNECTION_LOST", Outcome.UNKNOWN)
        FakeApp(bridge, actions_execute=COMPLETED)
        assert (await client.call("a")).revision == 4


@both_clients
async def test_an_ended_bridge_s_entry_is_sent_nothing(using: Any, bridge: FakeBridge) -> None:
    FakeApp(bridge, actions_execute=COMPLETED)
    ended = entry_for(bridge, pid=ended_process(), process_start=1)
    async with using(connect(ended)) as client:
        failure = await failed(client.call("a"))
    assert (failure.code, failure.outcome) == ("NO_BRIDGE", Outcome.NOT_DELIVERED)
    assert bridge.received == []
    async with using(connect(entry_for(bridge))) as client:
        assert (await client.call("a")).revision == 4


@both_clients
async def test_no_bridge_is_said_when_the_block_is_entered(
    using: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with pytest.raises(BridgeFailure) as caught:
        async with using(connect()):
            pass
    assert (caught.value.code, caught.value.outcome) == ("NO_BRIDGE", Outcome.NOT_DELIVERED)


async def test_a_cancelled_call_frees_its_place() -> None:
    async with running_bridge() as bridge:
        page = await ScriptedPage(bridge).attach()
        async with connect(bridge.endpoint.url, token=bridge.token, session="s") as app:
            call = asyncio.create_task(app.call("a"))
            await bridge.until(lambda status: status["queue"]["queued"] == 1)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await bridge.until(lambda status: status["queue"]["queued"] == 0)
            assert page.begun == []


async def test_more_calls_at_once_than_a_bridge_takes_wait_for_their_turn() -> None:
    async with running_bridge() as bridge:
        page = await ScriptedPage(bridge).attach()
        serving = asyncio.create_task(page.run())
        async with connect(bridge.endpoint.url, token=bridge.token, session="s") as app:
            calls = [app.request("m", {"n": n}) for n in range(200)]
            assert len(await asyncio.gather(*calls)) == 200
        serving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await serving


async def test_a_call_that_waits_for_its_turn_until_its_deadline_was_not_delivered() -> None:
    async with running_bridge() as bridge:
        await ScriptedPage(bridge).attach()
        async with connect(bridge.endpoint.url, token=bridge.token, session="s") as app:
            others = [asyncio.create_task(app.request("m")) for _ in range(32)]
            await bridge.until(lambda status: status["queue"]["queued"] == 32)
            error = await failed(app.request("m", timeout=0.05))
            assert isinstance(error, DeadlineExceeded)
            assert error.outcome is Outcome.NOT_DELIVERED
            assert (await bridge.status())["queue"]["queued"] == 32
            for other in others:
                other.cancel()
            await asyncio.wait(others)


@both_clients
async def test_a_socket_too_many_was_no_call(using: Any, bridge: FakeBridge) -> None:
    bridge.script = lambda _: error("BUSY")
    async with using(to(bridge)) as client:
        assert (await failed(client.call("a"))).outcome is None


def test_a_forked_process_leaves_the_session_to_its_parent(
    bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    FakeApp(bridge, actions_execute=COMPLETED)
    client = to(bridge)
    client.call("a")
    with monkeypatch.context() as child:
        child.setattr(os, "getpid", lambda: 1)
        client.close()
    assert bridge.of("/session/close") == []
    client.call("a")
    client.close()
    assert len(bridge.of("/session/close")) == 1


async def test_calls_of_one_asynchronous_client_overlap() -> None:
    met = asyncio.Barrier(5)

    async def answer(item: dict[str, Any]) -> Any:
        if "request" not in item:
            return None
        await met.wait()
        return {"jsonrpc": "2.0", "id": 1, "result": item["request"]["params"]}

    async with running_bridge() as bridge:
        page = await ScriptedPage(bridge, answer).attach()
        serving = asyncio.create_task(page.run())
        async with connect(bridge.endpoint.url, token=bridge.token, session="s") as app:
            calls = [app.request("m", {"n": n}) for n in range(5)]
            assert await asyncio.gather(*calls) == [{"n": n} for n in range(5)]
        serving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await serving


@both_clients
async def test_it_works_with_the_real_bridge(using: Any) -> None:
    async with running_bridge() as bridge:
        page = await ScriptedPage(bridge).attach()
        serving = asyncio.create_task(page.run())
        async with using(connect(bridge.endpoint.url, token=bridge.token)) as app:
            for n in range(20):
                assert await app.request("m", {"n": n}) == {"n": n}
            assert (await app.status())["sessions"] == 1
        await bridge.until(lambda status: status["sessions"] == 0)
        serving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await serving


@pytest.mark.parametrize(
    "given",
    [
        {"token": "t" * 43},
        {"endpoint": "http://evil.example:80"},
        {"endpoint": "http://127.0.0.1:80", "app": "A"},
        {"endpoint": "http://127.0.0.1:80", "origin": "http://a"},
    ],
    ids=str,
)
def test_a_choice_that_makes_no_sense_is_a_value_error(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r".+"):
        connect(**given)


def test_neither_client_shows_the_token(bridge: FakeBridge) -> None:
    chosen = ChosenBridge(parse_address(bridge.url), bridge.token, None)
    assert bridge.token not in repr(chosen) + repr(chosen.connection) + repr(to(bridge))


def test_both_clients_have_the_same_methods() -> None:
    def methods(kind: type) -> set[str]:
        return {name for name in vars(kind) if not name.startswith("_")}

    assert methods(AppClient) == methods(AsyncAppClient)


def test_a_blocking_client_imports_no_event_loop(bridge: FakeBridge, tmp_path: Path) -> None:
    program = (
        "import sys; from bridge.client import connect\n"
        f"with connect({bridge.url!r}, token={bridge.token!r}) as app: app.request('m', {{}})\n"
        "print(sorted({'asyncio', 'aiohttp', 'http.client', 'email', 'ssl'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=False
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_every_public_name_is_there_and_has_a_docstring() -> None:
    assert len(bridge_client.__all__) == len(set(bridge_client.__all__)) == 17
    for name in bridge_client.__all__:
        assert getattr(bridge_client, name).__doc__
    with pytest.raises(AttributeError, match="no_such_name"):
        bridge_client.no_such_name  # noqa: B018
