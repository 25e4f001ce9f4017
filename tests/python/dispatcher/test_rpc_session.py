"""Any line gives one line or silence."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.contract.error_codes import AppErrorCode
from bridge.contract.strict_json import loads
from bridge.dispatcher.action_spec import ActionSpec
from bridge.dispatcher.app_error import AppError
from bridge.dispatcher.dispatcher import Dispatcher
from bridge.dispatcher.methods import METHODS
from bridge.dispatcher.rpc_session import RpcSession
from tests.python.support.dispatchers import (
    ANY_INPUT,
    APP,
    HandRuntime,
    Notes,
    ask,
    dispatcher_of,
    first_step,
    line_of,
)


def session() -> RpcSession:
    dispatcher = Dispatcher(Notes(), app=APP)
    dispatcher.set_enabled(True)
    return RpcSession(dispatcher)


def receive(line: bytes | str) -> Any:
    answer = first_step(session().receive(line))
    return None if answer is None else json.loads(answer)


INFO = '{"jsonrpc":"2.0","id":%s,"method":"agent/info"}'


@pytest.mark.parametrize("token", ["1", "-5", "1e0", "10.0", "-0", "9" * 400, '""', '"a\\u0000"'])
def test_an_id_comes_back_with_its_type_and_token(token: str) -> None:
    answer = first_step(session().receive(INFO % token))
    assert answer.startswith(f'{{"jsonrpc":"2.0","id":{token},"result":')


@pytest.mark.parametrize(
    "token", ["null", "1.5", "true", "[]", "{}", "1e400", '"' + "x" * 257 + '"']
)
def test_what_is_no_id_makes_no_request(token: str) -> None:
    answer = receive(INFO % token)
    assert (answer["id"], answer["error"]["code"]) == (None, -32600)


def test_an_id_has_256_bytes_at_most() -> None:
    at_the_limit = "é" * 128
    assert receive(INFO % json.dumps(at_the_limit))["id"] == at_the_limit
    assert receive(INFO % json.dumps("é" * 129))["id"] is None


@pytest.mark.parametrize(
    ("line", "number", "request_id"),
    [
        (b"", -32700, None),
        (b"{", -32700, None),
        (b"\xff", -32700, None),
        (b"\xef\xbb\xbf{}", -32700, None),
        ('{"a":"\ud800"}', -32700, None),
        (b'{"id":1,"id":2}', -32700, None),
        (b"[]", -32600, None),
        (b"5", -32600, None),
        (b"{}", -32600, None),
        (b'{"jsonrpc":"2.0","id":1}', -32600, 1),
        (b'{"id":1,"method":"agent/info"}', -32600, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"agent/info","params":[]}', -32602, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"agent/info","params":null}', -32602, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"nothing","params":[]}', -32601, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":""}', -32601, 1),
        (b"[" * 33 + b"]" * 33, 1015, None),
        (b" " * 1_048_577, 1015, None),
        (" " * 1_048_577, 1015, None),
        ("é" * 600_000, 1015, None),
    ],
)
def test_what_is_wrong_with_a_line_has_its_number(
    line: bytes | str, number: int, request_id: object
) -> None:
    answer = receive(line)
    assert (answer["error"]["code"], answer["id"]) == (number, request_id)


def test_an_array_is_told_of_batches() -> None:
    assert "actions/batch" in receive("[]")["error"]["message"]


def test_a_notification_is_never_answered_and_runs_all_the_same() -> None:
    host = Notes()
    dispatcher = Dispatcher(host, app=APP)
    dispatcher.set_enabled(True)
    rpc = RpcSession(dispatcher)
    for params in ('{"action":"note.read"}', '{"action":"none"}', "5"):
        line = f'{{"jsonrpc":"2.0","method":"actions/execute","params":{params}}}'
        assert first_step(rpc.receive(line)) is None
    assert host.log == ["note.read"]


def test_protocol_version_1_may_be_named_and_any_other_is_refused() -> None:
    dispatcher = dispatcher_of(inspect=lambda query: {"query": query})
    for method in METHODS:
        for version in ("2", 1, None):
            error = ask(dispatcher, method, {"protocolVersion": version})["error"]
            assert error["data"] == {"supported": ["1"], "code": "UNSUPPORTED_PROTOCOL_VERSION"}
    answer = ask(dispatcher, "state/inspect", {"protocolVersion": "1", "a": 1})
    assert answer["result"] == {"query": {"a": 1}, "protocolVersion": "1"}


def test_agent_info_alone_is_answered_while_disabled() -> None:
    dispatcher = dispatcher_of()

    def answered() -> list[str]:
        return [
            method
            for method in METHODS
            if ask(dispatcher, method).get("error", {}).get("data", {}).get("code") != "DISABLED"
        ]

    assert answered() == list(METHODS)
    dispatcher.set_enabled(False)
    assert answered() == ["agent/info"]
    assert ask(dispatcher, "agent/info")["result"]["enabled"] is False


class BentError(AppError):
    """One of the contract's errors that an app has bent out of shape."""

    def __init__(self, **bent: Any) -> None:
        super().__init__(AppErrorCode.UNAVAILABLE, "Bent")
        for name, value in bent.items():
            setattr(self, name, value)


class UnreadableError(AppError):
    @property
    def code(self) -> Any:
        raise RuntimeError("secret")

    @code.setter
    def code(self, _value: object) -> None: ...


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (RuntimeError("secret"), "HOST_ERROR"),
        (StopIteration("secret"), "HOST_ERROR"),
        (RecursionError("secret"), "HOST_ERROR"),
        (asyncio.CancelledError("secret"), "HOST_ERROR"),
        (GeneratorExit("secret"), "HOST_ERROR"),
        (BentError(code="constructor"), "HOST_ERROR"),
        (UnreadableError(AppErrorCode.UNAVAILABLE, "secret"), "HOST_ERROR"),
        (BentError(message=5), "UNAVAILABLE"),
        (BentError(message="\ud800"), "UNAVAILABLE"),
        (BentError(message="x" * 300_000), "UNAVAILABLE"),
        (BentError(data={"f": print}), "UNAVAILABLE"),
        (BentError(data={"list": ["x" * 262_130] * 4}), "UNAVAILABLE"),
        (BentError(data={"code": "DISABLED"}), "UNAVAILABLE"),
    ],
)
@pytest.mark.parametrize("later", [False, True])
async def test_whatever_a_host_raises_the_answer_is_one_line_with_the_requests_id(
    raised: BaseException, code: str, later: bool
) -> None:
    async def fail() -> None:
        raise raised

    def execute(_action: str, _input: Any, _context: object) -> object:
        if later:
            return fail()
        raise raised

    dispatcher = dispatcher_of(execute, runtime=HandRuntime())
    dispatcher.on_call(lambda _event: None)
    answer = await RpcSession(dispatcher).receive(line_of("actions/execute", {"action": "a"}))
    assert answer is not None
    message: Any = loads(answer.encode())
    assert message["id"] == 1
    assert message["error"]["data"]["code"] == code
    assert "secret" not in answer


def test_what_a_host_raises_is_told_to_the_app_and_the_contracts_own_errors_are_not() -> None:
    thrown = RuntimeError("secret")
    told: list[BaseException] = []

    def execute(_action: str, _input: Any, _context: object) -> object:
        raise thrown

    def listen(error: BaseException) -> None:
        told.append(error)
        raise RuntimeError("listener")

    dispatcher = dispatcher_of(execute, on_host_error=listen)
    assert "secret" not in str(ask(dispatcher, "actions/execute", {"action": "a"}))
    ask(dispatcher, "nothing")
    ask(dispatcher, "tasks/get", {"id": "x"})
    assert told == [thrown]


def broken(name: str) -> Any:
    def fail(*_arguments: object) -> object:
        raise RuntimeError("secret")

    async def later(*_arguments: object) -> object:
        return None

    spec = ActionSpec.read("a", "A", **ANY_INPUT)
    needing = ActionSpec.read("a", "A", capabilities=1)
    return {
        "actions raises": {"actions": fail},
        "actions is no list": {"actions": lambda: 5},
        "actions is nothing": {"actions": lambda: None},
        "an action is no spec": {"actions": lambda: [{"name": "a"}]},
        "an action twice": {"actions": lambda: [spec, spec]},
        "a command twice": {
            "actions": lambda: [
                ActionSpec.read("a", "A", command_id=1),
                ActionSpec.read("b", "B", command_id=1),
            ]
        },
        "revision is text": {"revision": lambda _action=None: "7"},
        "revision is a fraction": {"revision": lambda _action=None: 1.5},
        "revision is true": {"revision": lambda _action=None: True},
        "revision raises": {"revision": fail},
        "capabilities are text": {"actions": lambda: [needing], "capabilities": lambda: "1"},
        "availability raises": {"availability": fail},
        "availability is no pair": {"availability": lambda _action: 5},
        "availability is no text": {"availability": lambda _action: (1, 2)},
        "modal raises": {"modal": fail},
        "revision is awaited": {"revision": later},
        "availability is awaited": {"availability": later},
        "capabilities are awaited": {"actions": lambda: [needing], "capabilities": later},
    }[name]


BROKEN = [
    "actions raises",
    "actions is no list",
    "actions is nothing",
    "an action is no spec",
    "an action twice",
    "a command twice",
    "revision is text",
    "revision is a fraction",
    "revision is true",
    "revision raises",
    "capabilities are text",
    "availability raises",
    "availability is no pair",
    "availability is no text",
    "modal raises",
    "revision is awaited",
    "availability is awaited",
    "capabilities are awaited",
]


@pytest.mark.parametrize("name", BROKEN)
def test_a_host_that_breaks_its_promises_gives_host_error_and_nothing_else(name: str) -> None:
    dispatcher = dispatcher_of()
    for method, value in broken(name).items():
        setattr(dispatcher.host, method, value)
    answer = ask(dispatcher, "actions/execute", {"action": "a"})
    assert answer["error"]["data"] == {"code": "HOST_ERROR"}
    assert "secret" not in str(answer)


class EvilMapping(dict[str, Any]):
    def items(self) -> Any:
        raise RuntimeError("secret")


@pytest.mark.parametrize(
    ("output", "code"),
    [
        (print, "INVALID_OUTPUT"),
        ({"a": {1, 2}}, "INVALID_OUTPUT"),
        ({"a": float("nan")}, "INVALID_OUTPUT"),
        ({"a": float("inf")}, "INVALID_OUTPUT"),
        ({"a": b"x"}, "INVALID_OUTPUT"),
        ({"a": "\ud800"}, "INVALID_OUTPUT"),
        ({1: "a"}, "INVALID_OUTPUT"),
        ("text", "INVALID_OUTPUT"),
        ([], "INVALID_OUTPUT"),
        ({"a": "x" * 300_000}, "LIMIT_EXCEEDED"),
        ({"a": [[]] * 5_000}, "LIMIT_EXCEEDED"),
        ({"a": 10**1_100}, "LIMIT_EXCEEDED"),
        ({"a": ["x" * 262_130] * 4}, "LIMIT_EXCEEDED"),
        (EvilMapping(a=1), "HOST_ERROR"),
    ],
)
def test_what_cannot_be_sent_is_an_error_with_the_requests_id(output: object, code: str) -> None:
    dispatcher = dispatcher_of(lambda _a, _i, _c: output)
    answer = ask(dispatcher, "actions/execute", {"action": "a"})
    assert (answer["id"], answer["error"]["data"]["code"]) == (1, code)
    assert "secret" not in str(answer)


def test_a_container_within_itself_is_over_a_limit() -> None:
    loop: list[Any] = []
    loop.append(loop)
    dispatcher = dispatcher_of(lambda _a, _i, _c: {"loop": loop})
    answer = ask(dispatcher, "actions/execute", {"action": "a"})
    assert answer["error"]["data"] == {"limit": "depth", "maximum": 32, "code": "LIMIT_EXCEEDED"}


def test_an_answer_is_one_line_whatever_it_holds() -> None:
    dispatcher = dispatcher_of(lambda _a, _i, _c: {"a": "\n\r\u2028\u2029"})
    line = line_of("actions/execute", {"action": "a"})
    answer = first_step(RpcSession(dispatcher).receive(line))
    assert not set(answer) & set("\n\r\u2028\u2029")
    assert json.loads(answer)["result"]["output"] == {"a": "\n\r\u2028\u2029"}


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
CALLS = st.fixed_dictionaries(
    {},
    optional={
        "action": st.sampled_from([spec.name for spec in Notes.SPECS] + ["x", ""]) | JSON_VALUES,
        "input": JSON_VALUES | st.fixed_dictionaries({"text": st.text(max_size=8)}),
        "expectedRevision": st.integers(6, 12) | JSON_VALUES,
    },
)
PARAMS = JSON_VALUES | st.fixed_dictionaries(
    {},
    optional={
        "action": st.sampled_from([spec.name for spec in Notes.SPECS]) | JSON_VALUES,
        "input": JSON_VALUES | st.fixed_dictionaries({"text": st.text(max_size=8)}),
        "expectedRevision": st.integers(6, 12) | JSON_VALUES,
        "calls": st.lists(CALLS, max_size=4) | JSON_VALUES,
        "atomic": st.booleans() | JSON_VALUES,
        "stopOnError": st.booleans() | JSON_VALUES,
        "query": st.text(max_size=8) | JSON_VALUES,
        "cursor": st.text(max_size=8) | JSON_VALUES,
        "limit": st.integers() | JSON_VALUES,
        "offset": st.integers() | JSON_VALUES,
        "uri": st.sampled_from(["note:text", "note:zeros"]) | JSON_VALUES,
        "id": JSON_VALUES,
        "protocolVersion": JSON_VALUES | st.just("1"),
    },
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.sampled_from(["2.0", "1.0"]),
        "id": st.integers() | st.text(max_size=8) | JSON_VALUES,
        "method": st.sampled_from([*METHODS, "x"]) | JSON_VALUES,
        "params": PARAMS,
    },
)
LINES = (
    st.binary(max_size=64)
    | st.text(max_size=64)
    | JSON_VALUES.map(json.dumps)
    | MESSAGES.map(json.dumps)
    | st.tuples(
        MESSAGES.map(lambda m: json.dumps(m).encode()), st.binary(max_size=3), st.integers(0, 80)
    ).map(lambda parts: parts[0][: parts[2]] + parts[1] + parts[0][parts[2] :])
)


@settings(max_examples=600, deadline=None)
@given(lines=st.lists(LINES, min_size=1, max_size=4))
def test_any_line_gives_one_strict_line_or_silence(lines: list[bytes | str]) -> None:
    host = Notes()
    dispatcher = Dispatcher(host, app=APP)
    host.tasks = dispatcher.tasks.create
    dispatcher.set_enabled(True)
    rpc = RpcSession(dispatcher, "s")
    for line in lines:
        answer = first_step_or_silence(rpc, line)
        if answer is None:
            continue
        assert not set(answer) & set("\n\r\u2028\u2029")
        assert "secret" not in answer
        message: Any = loads(answer.encode())
        assert message["jsonrpc"] == "2.0"
        assert ("result" in message) is not ("error" in message)


def first_step_or_silence(rpc: RpcSession, line: bytes | str) -> str | None:
    answer = first_step(rpc.receive(line))
    assert answer is None or isinstance(answer, str)
    return answer
