"""One set of checks for the app's own buttons and for callers outside."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bridge.contract.json_numbers import NumberToken
from bridge.dispatcher.action_spec import ActionSpec
from bridge.dispatcher.app_error import AppError
from bridge.dispatcher.call_checks import ExternalCall
from bridge.dispatcher.dispatcher import Dispatcher
from bridge.dispatcher.host import Resource, Unavailability
from bridge.dispatcher.host_call import Executed
from bridge.dispatcher.rpc_session import RpcSession
from bridge.dispatcher.runtime import NoRuntimeError
from bridge.servers.asyncio_runtime import AsyncioRuntime
from tests.python.support.dispatchers import (
    ANY_INPUT,
    APP,
    HandRuntime,
    Notes,
    ask,
    dispatcher_of,
    first_step,
    settled,
)


def notes() -> tuple[Dispatcher, Notes]:
    host = Notes()
    dispatcher = Dispatcher(host, app=APP)
    dispatcher.set_enabled(True)
    return dispatcher, host


def test_a_local_call_over_a_synchronous_host_needs_no_endpoint_no_revision_and_no_loop() -> None:
    dispatcher, _ = notes()
    dispatcher.set_enabled(False)
    assert dispatcher.execute_local("note.set", {"text": "x"}) == {"text": "x"}
    assert dispatcher.execute_command(100, {"text": "y"}) == {"text": "y"}
    with pytest.raises(AppError, match="command id") as refused:
        dispatcher.execute_command(999)
    assert refused.value.code.name == "UNKNOWN_ACTION"


def test_true_is_no_command_id() -> None:
    spec = ActionSpec.read("first", "Is number one", command_id=1)
    dispatcher = dispatcher_of(actions=[spec])
    assert dispatcher.execute_command(1) == {}
    with pytest.raises(AppError, match="command id"):
        dispatcher.execute_command(True)


@pytest.mark.parametrize(
    ("action", "data", "code"),
    [
        ("note.set", {"text": 1}, "INVALID_INPUT"),
        ("note.set", None, "INVALID_INPUT"),
        ("note.set", {"text": object()}, "INVALID_INPUT"),
        ("note.set", {"text": "\ud800"}, "INVALID_INPUT"),
        ("locked", {}, "CAPABILITY_REQUIRED"),
        ("away", {}, "UNAVAILABLE"),
        ("nothing", {}, "UNKNOWN_ACTION"),
    ],
)
def test_a_local_call_runs_through_the_same_checks(action: str, data: Any, code: str) -> None:
    dispatcher, host = notes()
    with pytest.raises(AppError) as refused:
        dispatcher.execute_local(action, data)
    assert refused.value.code.name == code
    assert host.log == []


def test_an_output_that_breaks_its_schema_is_invalid_after_the_fact() -> None:
    dispatcher, host = notes()
    with pytest.raises(AppError) as refused:
        dispatcher.execute_local("liar")
    assert refused.value.code.name == "INVALID_OUTPUT"
    assert refused.value.data["errors"][0]["path"] == "/text"
    assert host.log == ["liar"]


def test_a_modal_state_makes_every_action_unavailable() -> None:
    dispatcher = dispatcher_of(modal=lambda: Unavailability("DIALOG", "Busy."))
    with pytest.raises(AppError, match="Busy"):
        dispatcher.execute_local("a")


def test_a_dispatcher_starts_disabled_and_refuses_at_once_when_it_is_disabled_again() -> None:
    host = Notes()
    dispatcher = Dispatcher(host, app=APP)
    call = ExternalCall("note.read")
    with pytest.raises(AppError, match="enable it"):
        dispatcher.execute(call)
    dispatcher.set_enabled(True)
    assert dispatcher.execute(call) == Executed({"text": ""}, revision=7)
    dispatcher.set_enabled(False)
    for refused in (lambda: dispatcher.execute(call), lambda: dispatcher.batch([call])):
        with pytest.raises(AppError) as error:
            refused()
        assert error.value.code.name == "DISABLED"
    assert host.log == ["note.read"]


def test_only_true_enables_and_observers_hear_each_change_once() -> None:
    dispatcher, _ = notes()
    seen: list[bool] = []

    def observer(enabled: bool) -> None:
        seen.append(enabled)
        raise RuntimeError("observer")

    stop = dispatcher.on_enabled_change(observer)
    dispatcher.set_enabled(True)
    dispatcher.set_enabled(1)  # type: ignore[arg-type]
    assert not dispatcher.enabled
    dispatcher.set_enabled(True)
    stop()
    dispatcher.set_enabled(False)
    assert seen == [False, True]


def test_the_first_check_in_the_contracts_order_decides() -> None:
    order = [
        "params",
        "UNKNOWN_ACTION",
        "CAPABILITY_REQUIRED",
        "INVALID_INPUT",
        "REVISION_REQUIRED",
        "STALE_REVISION",
        "UNAVAILABLE",
        "HOST_ERROR",
        "INVALID_OUTPUT",
        None,
    ]
    number = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    spec = ActionSpec.write("a", "A", capabilities=1, input_schema=number, output_schema=number)
    for at, code in enumerate(order):
        # Every check from this one on fails; those before it pass.
        failing = set(order[at:])

        def execute(_a: str, _i: Any, _c: object, failing: set[str | None] = failing) -> object:
            if "HOST_ERROR" in failing:
                raise RuntimeError("broken")
            return {} if "INVALID_OUTPUT" in failing else {"n": 1}

        dispatcher = dispatcher_of(
            execute,
            actions=(spec,),
            revision=lambda _action=None: 7,
            capabilities=lambda f=failing: 2 if "CAPABILITY_REQUIRED" in f else 3,
            availability=lambda _name, f=failing: (
                Unavailability("AWAY", "Away.") if "UNAVAILABLE" in f else None
            ),
        )
        params: dict[str, Any] = {
            "action": 1 if "params" in failing else "b" if "UNKNOWN_ACTION" in failing else "a",
            "input": {} if "INVALID_INPUT" in failing else {"n": 1},
        }
        if "REVISION_REQUIRED" not in failing:
            params["expectedRevision"] = 6 if "STALE_REVISION" in failing else 7
        answer = ask(dispatcher, "actions/execute", params)
        if code is None:
            assert answer["result"]["status"] == "completed"
        elif code == "params":
            assert answer["error"]["code"] == -32602
        else:
            assert answer["error"]["data"]["code"] == code


def test_a_handler_gets_plain_numbers_whatever_their_tokens() -> None:
    given: list[Any] = []

    def execute(_action: str, data: Any, _context: object) -> None:
        given.append(data)

    dispatcher = dispatcher_of(execute)
    line = (
        b'{"jsonrpc":"2.0","id":1,"method":"actions/execute","params":{"action":"a","input":'
        b'{"n":[1e3,10.0,-0,0.10,9007199254740993,1e400,true,null,"x"]}}}'
    )
    first_step(RpcSession(dispatcher).receive(line))
    numbers = given[0]["n"]
    assert numbers == [
        1000, 10, 0, 0.1, 9007199254740993, NumberToken("1e400"), True, None, "x",
    ]  # fmt: skip
    assert [type(number) for number in numbers[:5]] == [int, int, int, float, int]


def test_what_a_handler_returns_is_copied() -> None:
    kept: dict[str, Any] = {"list": [1]}
    dispatcher = dispatcher_of(lambda _action, _input, _context: kept)
    output = dispatcher.execute_local("a")
    kept["list"].append(2)
    assert output == {"list": [1]}


def test_nothing_is_an_empty_object_unless_null_is_an_answer() -> None:
    specs = (ActionSpec.read("a", "A"), ActionSpec.read("n", "N", output_schema={"type": "null"}))
    dispatcher = dispatcher_of(lambda _action, _input, _context: None, actions=specs)
    assert dispatcher.execute_local("a") == {}
    assert dispatcher.execute_local("n") is None


def test_observers_see_each_call_begin_and_end_and_what_they_raise_changes_nothing() -> None:
    dispatcher, _ = notes()
    events: list[Any] = []

    def observer(event: Any) -> None:
        events.append(event)
        raise RuntimeError("observer")

    stop = dispatcher.on_call(observer)
    dispatcher.execute_local("note.read")
    with pytest.raises(RuntimeError, match="secret"):
        dispatcher.execute_local("fails")
    stop()
    dispatcher.execute_local("note.read")
    assert [(e.phase, e.call, e.action, e.kind, e.ok, e.code) for e in events] == [
        ("begin", 1, "note.read", "read", None, None),
        ("end", 1, "note.read", "read", True, None),
        ("begin", 2, "fails", "write", None, None),
        ("end", 2, "fails", "write", False, "HOST_ERROR"),
    ]


async def test_what_an_observer_cancels_is_nobody_s_call() -> None:
    async def execute() -> dict[str, Any]:
        return {}

    def cancels(event: object) -> None:
        raise asyncio.CancelledError

    dispatcher = dispatcher_of(
        lambda _action, _input, _context: execute(), runtime=HandRuntime(), on_host_error=cancels
    )
    dispatcher.on_call(cancels)
    calls = [dispatcher.execute(ExternalCall("a")) for _ in range(3)]
    await settled()
    assert [await call for call in calls] == [Executed({})] * 3  # type: ignore[misc]
    dispatcher.report_host_error(RuntimeError("x"))


def test_an_inspection_that_is_answered_at_once_needs_no_loop_of_its_runtime() -> None:
    dispatcher = dispatcher_of(
        runtime=AsyncioRuntime(),
        inspect=lambda _query: {"x": 1},
        read_resource=lambda _uri, _offset, _limit: Resource("text/plain", 1, b"x"),
    )
    assert dispatcher.inspect({}) == {"x": 1}
    assert dispatcher.read_resource("a:b", 0, 9) == Resource("text/plain", 1, b"x")


async def test_host_calls_run_one_at_a_time_in_order_of_arrival() -> None:
    gates = [asyncio.Event() for _ in range(3)]
    begun: list[int] = []

    async def wait(n: int) -> dict[str, Any]:
        await gates[n].wait()
        if n == 1:
            raise RuntimeError("x")
        return {"n": n}

    def execute(_action: str, data: Any, _context: object) -> object:
        begun.append(data["n"])
        return wait(data["n"])

    dispatcher = dispatcher_of(execute, runtime=HandRuntime())
    calls = [dispatcher.execute(ExternalCall("a", {"n": n})) for n in range(3)]
    await settled()
    assert begun == [0]
    gates[0].set()
    assert await calls[0] == Executed({"n": 0})  # type: ignore[misc]
    await settled()
    assert begun == [0, 1]
    gates[1].set()
    with pytest.raises(RuntimeError, match="x"):
        await calls[1]  # type: ignore[misc]
    await settled()
    assert begun == [0, 1, 2]
    gates[2].set()
    await calls[2]  # type: ignore[misc]


async def test_a_concurrent_host_opts_out_of_turns() -> None:
    gate = asyncio.Event()
    begun: list[str] = []

    async def wait() -> dict[str, Any]:
        await gate.wait()
        return {}

    def execute(action: str, _input: Any, _context: object) -> object:
        begun.append(action)
        return wait()

    dispatcher = dispatcher_of(execute, runtime=HandRuntime(), concurrent=True)
    calls: Any = [dispatcher.execute(ExternalCall(name)) for name in "ab"]
    assert begun == ["a", "b"]
    gate.set()
    await asyncio.gather(*calls)


async def test_a_call_that_waits_is_refused_when_the_dispatcher_is_disabled_meanwhile() -> None:
    gate = asyncio.Event()
    begun: list[str] = []

    async def wait() -> dict[str, Any]:
        await gate.wait()
        return {}

    def execute(action: str, _input: Any, _context: object) -> object:
        begun.append(action)
        return wait()

    dispatcher = dispatcher_of(execute, runtime=HandRuntime())
    first: Any = dispatcher.execute(ExternalCall("a"))
    second: Any = dispatcher.execute(ExternalCall("b"))
    batch: Any = dispatcher.batch([ExternalCall("b")], atomic=True)
    dispatcher.set_enabled(False)
    gate.set()
    await first
    for refused in (second, batch):
        with pytest.raises(AppError) as error:
            await refused
        assert error.value.code.name == "DISABLED"
    assert begun == ["a"]


async def test_a_call_whose_turn_comes_after_its_caller_has_gone_is_not_begun() -> None:
    gate = asyncio.Event()
    begun: list[str] = []
    gone = False

    async def wait() -> dict[str, Any]:
        await gate.wait()
        return {}

    def execute(action: str, _input: Any, _context: object) -> object:
        begun.append(action)
        return wait()

    dispatcher = dispatcher_of(execute, runtime=HandRuntime())
    first: Any = dispatcher.execute(ExternalCall("a", expired=lambda: gone))
    second: Any = dispatcher.execute(ExternalCall("b", expired=lambda: gone))
    gone = True
    gate.set()
    await first
    with pytest.raises(AppError) as refused:
        await second
    assert refused.value.data["availability"]["code"] == "EXPIRED"
    assert begun == ["a"]


async def test_a_caller_who_goes_away_takes_neither_the_call_nor_its_turn_with_it() -> None:
    gate = asyncio.Event()
    done: list[str] = []

    async def wait(action: str) -> dict[str, Any]:
        await gate.wait()
        done.append(action)
        return {}

    dispatcher = dispatcher_of(lambda action, _i, _c: wait(action), runtime=HandRuntime())

    async def call(action: str) -> None:
        await dispatcher.execute(ExternalCall(action))  # type: ignore[misc]

    callers = [asyncio.create_task(call(name)) for name in "ab"]
    await settled()
    for caller in callers:
        caller.cancel()
    await asyncio.gather(*callers, return_exceptions=True)
    gate.set()
    await settled()
    assert done == ["a", "b"]


async def test_a_local_call_that_nobody_awaits_happens_all_the_same() -> None:
    done: list[str] = []

    async def work(action: str) -> dict[str, Any]:
        done.append(action)
        return {}

    dispatcher = dispatcher_of(lambda action, _i, _c: work(action), runtime=HandRuntime())
    dispatcher.execute_local("a")
    dispatcher.execute_local("b")
    await settled()
    assert done == ["a", "b"]


def test_a_call_from_within_a_call_is_an_error_where_nothing_can_wait() -> None:
    def execute(action: str, _input: Any, _context: object) -> object:
        return dispatcher.execute_local("b") if action == "a" else {}

    dispatcher = dispatcher_of(execute)
    with pytest.raises(NoRuntimeError):
        dispatcher.execute_local("a")
    assert dispatcher.execute_local("b") == {}


async def test_a_call_from_within_a_call_has_the_next_turn() -> None:
    inner: list[Any] = []

    def execute(action: str, _input: Any, _context: object) -> object:
        if action == "a":
            inner.append(dispatcher.execute_local("b"))
        return {"action": action}

    dispatcher = dispatcher_of(execute, runtime=HandRuntime())
    assert dispatcher.execute_local("a") == {"action": "a"}
    assert await inner[0] == {"action": "b"}


async def test_ten_thousand_calls_that_wait_for_one_turn_all_get_theirs() -> None:
    gate = asyncio.Event()
    begun = 0

    async def wait() -> dict[str, Any]:
        await gate.wait()
        return {}

    def execute(action: str, _input: Any, _context: object) -> object:
        nonlocal begun
        begun += 1
        return wait() if action == "a" else {}

    dispatcher = dispatcher_of(execute, runtime=HandRuntime())
    calls: Any = [dispatcher.execute(ExternalCall(name)) for name in ["a"] + ["b"] * 10_000]
    gate.set()
    await asyncio.gather(*(call for call in calls))
    assert begun == 10_001


async def test_actions_may_be_discovered_later() -> None:
    async def discover() -> list[ActionSpec]:
        await asyncio.sleep(0)
        return [ActionSpec.read("found", "Found", **ANY_INPUT)]

    dispatcher = dispatcher_of(runtime=HandRuntime(), actions=())
    dispatcher.host.actions = discover  # type: ignore[method-assign]
    assert await dispatcher.execute_local("found") == {}
    with pytest.raises(AppError):
        await dispatcher.execute_local("lost")


async def test_an_inspection_that_hangs_gives_up_its_turn() -> None:
    runtime = HandRuntime()

    async def hang() -> dict[str, Any]:
        await asyncio.Event().wait()
        return {}

    dispatcher = dispatcher_of(runtime=runtime, inspect=lambda _query: hang())
    dispatcher.inspect({})
    second: Any = dispatcher.execute(ExternalCall("a"))
    runtime.passes(5)
    assert await second == Executed({})
    await runtime.close()


def test_a_host_that_answers_by_a_coroutine_which_never_waits_needs_no_runtime() -> None:
    async def answer() -> dict[str, Any]:
        return {"n": 1}

    dispatcher = dispatcher_of(lambda _a, _i, _c: answer())
    answered = ask(dispatcher, "actions/execute", {"action": "a"})
    assert answered["result"]["output"] == {"n": 1}


def test_a_host_that_waits_without_a_runtime_is_an_error_that_names_it() -> None:
    told: list[BaseException] = []

    class Never:
        def __await__(self) -> Any:
            yield

    async def wait() -> None:
        await Never()

    dispatcher = dispatcher_of(lambda _a, _i, _c: wait(), on_host_error=told.append)
    for _ in range(2):
        answered = ask(dispatcher, "actions/execute", {"action": "a"})
        assert answered["error"]["data"]["code"] == "HOST_ERROR"
    assert [type(error) for error in told] == [NoRuntimeError] * 2


async def test_nothing_is_inspected_or_read_for_a_caller_who_has_gone_or_is_shut_out() -> None:
    gate = asyncio.Event()
    asked: list[str] = []

    async def wait() -> dict[str, Any]:
        await gate.wait()
        return {}

    def inspect(_query: Any) -> dict[str, Any]:
        asked.append("inspect")
        return {}

    dispatcher = dispatcher_of(
        lambda _a, _i, _c: wait(),
        runtime=HandRuntime(),
        inspect=inspect,
        read_resource=lambda uri, _offset, _limit: asked.append(uri),
    )
    first: Any = dispatcher.execute(ExternalCall("a"))
    gone: Any = dispatcher.inspect_at_revision({}, expired=lambda: True)
    shut: Any = dispatcher.read_resource_at_revision("x", 0, 1)
    own: Any = dispatcher.inspect({})
    dispatcher.set_enabled(False)
    gate.set()
    await first
    for waiting in (gone, shut):
        with pytest.raises(AppError) as refused:
            await waiting
        assert refused.value.code.name == "DISABLED"
    dispatcher.set_enabled(True)
    with pytest.raises(AppError) as late:
        dispatcher.inspect_at_revision({}, expired=lambda: True)
    assert late.value.data["availability"]["code"] == "EXPIRED"
    assert await own == {}
    assert asked == ["inspect"]


def test_a_batch_may_name_the_session_of_all_its_calls() -> None:
    dispatcher = dispatcher_of(lambda _a, _i, context: {"session": context.session})
    done: Any = dispatcher.batch([ExternalCall("a"), ExternalCall("b")], session="s")
    assert [item.executed.output for item in done.items] == [{"session": "s"}] * 2


class Counted(Notes):
    """Waits in `later`, and moves its revision by `note.set`."""

    def __init__(self, gate: asyncio.Event) -> None:
        super().__init__()
        self.gate = gate

    async def _later(self) -> dict[str, Any]:
        await self.gate.wait()
        return {}

    def inspect(self, query: dict[str, Any]) -> Any:
        return self._later()

    def read_resource(self, uri: str, offset: int, limit: int) -> Any:
        async def read() -> Resource:
            await self.gate.wait()
            return Resource("text/plain", 1, b"x")

        return read()


SLOW = [
    lambda d: d.execute(ExternalCall("later", expected_revision=7)),
    lambda d: d.inspect_at_revision({}),
    lambda d: d.read_resource_at_revision("x", 0, 1),
]


@pytest.mark.parametrize("slow", SLOW)
async def test_an_answer_has_the_revision_of_its_own_turn_not_of_what_came_after_it(
    slow: Any,
) -> None:
    gate = asyncio.Event()
    dispatcher = Dispatcher(Counted(gate), app=APP, runtime=HandRuntime())
    dispatcher.set_enabled(True)
    first = slow(dispatcher)
    read: Any = dispatcher.execute(ExternalCall("note.read"))
    write: Any = dispatcher.execute(ExternalCall("note.set", {"text": "y"}, 7))
    gate.set()
    assert (await first).revision == 7
    assert await read == Executed({"text": ""}, revision=7)
    assert await write == Executed({"text": "y"}, revision=8)


async def test_a_batch_has_the_revision_of_each_turn() -> None:
    gate = asyncio.Event()
    dispatcher = Dispatcher(Counted(gate), app=APP, runtime=HandRuntime())
    dispatcher.set_enabled(True)
    calls = [ExternalCall("later", expected_revision=7), ExternalCall("note.read")]
    batch: Any = dispatcher.batch(calls)
    write: Any = dispatcher.execute(ExternalCall("note.set", {"text": "y"}, 7))
    gate.set()
    done = await batch
    assert (await write).revision == 8
    assert [item.executed.revision for item in done.items] == [7, 8]


def test_the_app_itself_inspects_and_reads_without_an_endpoint() -> None:
    part = Resource("text/plain", 1, b"x")
    dispatcher = dispatcher_of(
        inspect=lambda query: {"asked": query},
        read_resource=lambda uri, _offset, _limit: part if uri == "x" else None,
    )
    dispatcher.set_enabled(False)
    assert dispatcher.inspect({"a": 1}) == {"asked": {"a": 1}}
    assert dispatcher.read_resource("x", 0, 1) == part
    with pytest.raises(AppError) as unknown:
        dispatcher.read_resource("y", 0, 1)
    assert unknown.value.code.name == "UNKNOWN_RESOURCE"
