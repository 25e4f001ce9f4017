"""Ordered batches: each call has its own end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bridge.dispatcher.call_checks import ExternalCall
from bridge.dispatcher.dispatcher import Dispatcher
from bridge.dispatcher.rpc_session import RpcSession
from tests.python.support.dispatchers import (
    APP,
    HandRuntime,
    Notes,
    ask,
    dispatcher_of,
    line_of,
    settled,
)


def notes() -> tuple[Dispatcher, Notes]:
    host = Notes()
    dispatcher = Dispatcher(host, app=APP)
    dispatcher.set_enabled(True)
    return dispatcher, host


def set_note(text: str, revision: int | None = None) -> dict[str, Any]:
    call: dict[str, Any] = {"action": "note.set", "input": {"text": text}}
    return call if revision is None else {**call, "expectedRevision": revision}


def test_a_call_refers_to_the_revision_at_the_time_of_its_execution() -> None:
    dispatcher, _ = notes()
    calls = [set_note("x", 7), set_note("y", 8), {"action": "note.read"}, {"action": "beep"}]
    result = ask(dispatcher, "actions/batch", {"calls": calls})["result"]
    assert result == {
        "atomic": False,
        "committed": False,
        "results": [
            {"ok": True, "output": {"text": "x"}, "revision": 8},
            {"ok": True, "output": {"text": "y"}, "revision": 9},
            {"ok": True, "output": {"text": "y"}, "revision": 9},
            {"ok": True, "output": {}},
        ],
        "revision": 9,
        "protocolVersion": "1",
    }


def test_a_batch_stops_at_the_first_error_and_says_what_it_left_out() -> None:
    dispatcher, host = notes()
    calls = [set_note("x", 7), set_note("y", 7), {"action": "note.read"}, {"action": "beep"}]
    result = ask(dispatcher, "actions/batch", {"calls": calls})["result"]
    assert [item["ok"] for item in result["results"]] == [True, False, False, False]
    stale = result["results"][1]["error"]
    assert stale["data"] == {"expected": 7, "actual": 8, "code": "STALE_REVISION"}
    assert result["results"][2:] == [{"ok": False, "skipped": True}] * 2
    assert host.log == ["note.set"]


def test_a_batch_goes_on_after_an_error_where_that_is_asked_for() -> None:
    told: list[BaseException] = []
    host = Notes()
    dispatcher = Dispatcher(host, app=APP, on_host_error=told.append)
    dispatcher.set_enabled(True)
    calls = [{"action": "none"}, {"action": "fails", "expectedRevision": 7}, set_note("y", 8)]
    params = {"calls": calls, "stopOnError": False}
    answer = ask(dispatcher, "actions/batch", params)
    results = answer["result"]["results"]
    codes = [item.get("error", {}).get("data", {}).get("code") for item in results]
    assert codes == ["UNKNOWN_ACTION", "HOST_ERROR", None]
    assert "secret" not in str(answer)
    assert [str(error) for error in told] == ["secret of the host"]


@pytest.mark.parametrize(
    ("params", "number"),
    [
        ({}, -32602),
        ({"calls": {}}, -32602),
        ({"calls": []}, -32602),
        ({"calls": [1]}, -32602),
        ({"calls": [{}]}, -32602),
        ({"calls": [{"action": 1}]}, -32602),
        ({"calls": [{"action": "note.read", "expectedRevision": "7"}]}, -32602),
        ({"calls": [{"action": "note.read"}], "atomic": 1}, -32602),
        ({"calls": [{"action": "note.read"}], "stopOnError": None}, -32602),
        ({"calls": [{"action": "note.read"}] * 129}, 1015),
    ],
)
def test_a_malformed_batch_is_refused_whole(params: Any, number: int) -> None:
    dispatcher, host = notes()
    assert ask(dispatcher, "actions/batch", params)["error"]["code"] == number
    assert host.log == []


def test_a_batch_of_128_calls_is_taken() -> None:
    dispatcher, host = notes()
    calls = [{"action": "note.read"}] * 128
    result = ask(dispatcher, "actions/batch", {"calls": calls})["result"]
    assert len(result["results"]) == len(host.log) == 128


async def test_calls_of_a_slow_host_come_one_after_the_other_and_others_between_them() -> None:
    begun: list[str] = []
    gates = [asyncio.Event() for _ in range(3)]

    async def wait(n: int) -> dict[str, Any]:
        await gates[n].wait()
        return {"n": n}

    def execute(action: str, data: Any, _context: object) -> object:
        begun.append(f"{action}{data.get('n', '')}")
        return wait(data["n"]) if action == "a" else {}

    dispatcher = dispatcher_of(execute, runtime=HandRuntime())
    calls = [ExternalCall("a", {"n": n}) for n in range(2)]
    batch: Any = dispatcher.batch(calls)
    between: Any = dispatcher.execute(ExternalCall("b"))
    for gate in gates:
        gate.set()
    done = await batch
    await between
    assert begun == ["a0", "b", "a1"]
    assert [item.executed.output for item in done.items] == [{"n": 0}, {"n": 1}]


async def test_a_deferred_call_counts_as_done_and_a_late_failure_stops_the_batch() -> None:
    runtime = HandRuntime()

    async def fail(_context: Any) -> None:
        await asyncio.sleep(0)
        raise RuntimeError("secret")

    async def wait(context: Any) -> None:
        context.defer("person", "Confirm it.")
        await asyncio.Event().wait()

    dispatcher = dispatcher_of(
        lambda action, _i, context: wait(context) if action == "a" else fail(context),
        runtime=runtime,
    )
    calls = [{"action": "a"}, {"action": "b"}, {"action": "a"}]
    answer = await RpcSession(dispatcher).receive(line_of("actions/batch", {"calls": calls}))
    assert answer is not None
    assert '"status":"deferred","task":{"id":"task-1","state":"running"' in answer
    assert '{"ok":false,"error":{"code":1018' in answer
    assert '{"ok":false,"skipped":true}' in answer
    await settled()
    await runtime.close()


async def test_nothing_is_begun_for_a_caller_who_has_gone_in_the_middle_of_a_batch() -> None:
    begun: list[str] = []
    gate = asyncio.Event()
    gone = False

    async def wait() -> dict[str, Any]:
        await gate.wait()
        return {}

    def execute(action: str, _input: Any, _context: object) -> object:
        begun.append(action)
        return wait()

    dispatcher = dispatcher_of(execute, runtime=HandRuntime())
    calls = [ExternalCall(name, expired=lambda: gone) for name in "aba"]
    batch: Any = dispatcher.batch(calls, stop_on_error=False)
    gone = True
    gate.set()
    done = await batch
    assert begun == ["a"]
    assert [item.error is None for item in done.items] == [True, False, False]


async def test_a_thousand_slow_calls_do_not_nest() -> None:
    async def answer() -> dict[str, Any]:
        await asyncio.sleep(0)
        return {}

    dispatcher = dispatcher_of(lambda _a, _i, _c: answer(), runtime=HandRuntime())
    done = await dispatcher.batch([ExternalCall("a")] * 1_000)  # type: ignore[misc]
    assert len(done.items) == 1_000
