"""Whatever a host does, it gets one typed answer for each line and spoils none that comes later."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.contract.error_codes import AppErrorCode
from bridge.contract.strict_json import loads
from bridge.dispatcher.app_error import AppError
from bridge.dispatcher.dispatcher import Dispatcher
from bridge.dispatcher.rpc_session import RpcSession
from tests.python.support.dispatchers import APP, HandRuntime, Notes, line_of

METHODS = (
    "actions",
    "revision",
    "capabilities",
    "availability",
    "modal",
    "inspect",
    "execute",
    "supports_transaction",
    "begin_transaction",
    "commit_transaction",
    "rollback_transaction",
    "read_resource",
)
LINES = (
    line_of("agent/info"),
    line_of("actions/list"),
    line_of("actions/describe", {"action": "note.set"}),
    line_of("actions/execute", {"action": "note.read"}),
    line_of(
        "actions/execute", {"action": "note.set", "input": {"text": "x"}, "expectedRevision": 7}
    ),
    line_of("actions/batch", {"calls": [{"action": "note.read"}, {"action": "none"}]}),
    line_of(
        "actions/batch",
        {
            "atomic": True,
            "calls": [
                {"action": "note.set", "input": {"text": text}, "expectedRevision": 7}
                for text in "xy"
            ],
        },
    ),
    line_of("state/inspect", {"sinceRevision": 3}),
    line_of("resources/read", {"uri": "note:text"}),
    line_of("view/render"),
    line_of("tasks/get", {"id": "task-1"}),
)


class StubbornError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("secret")

    __repr__ = __str__


RAISED: list[Callable[[], BaseException]] = [
    lambda: RuntimeError("secret"),
    lambda: StopIteration("secret"),
    lambda: asyncio.CancelledError("secret"),
    lambda: GeneratorExit("secret"),
    lambda: MemoryError("secret"),
    StubbornError,
    lambda: AppError(AppErrorCode.UNAVAILABLE, "told"),
    lambda: AppError(AppErrorCode.STALE_REVISION, "\ud800", {"actual": object()}),
]
GIVEN = st.sampled_from(
    [
        None,
        True,
        0,
        -1,
        1.5,
        "secret",
        "",
        b"x",
        [],
        (),
        {},
        {"a": float("nan")},
        object(),
        int,
        {1},
    ]
) | st.builds(lambda: ["x" * 262_145])


class Awaited:
    """What is to be awaited, and may be left unawaited without a warning."""

    def __init__(self, end: Callable[[], object], *, hang: bool = False) -> None:
        self._end = end
        self._hang = hang

    def __await__(self) -> Any:
        yield from asyncio.sleep(3_600 if self._hang else 0).__await__()
        return self._end()


def fail(error: BaseException) -> Any:
    raise error


Behaviour = tuple[str, Any]
BEHAVIOURS: st.SearchStrategy[Behaviour] = (
    st.tuples(st.just("give"), GIVEN)
    | st.tuples(st.just("give later"), GIVEN)
    | st.tuples(st.just("raise"), st.sampled_from(RAISED))
    | st.tuples(st.just("raise later"), st.sampled_from(RAISED))
    | st.just(("hang", None))
)


def acting(behaviour: Behaviour) -> Callable[..., object]:
    how, what = behaviour

    def act(*_arguments: object, **_named: object) -> object:
        match how:
            case "give":
                return what
            case "give later":
                return Awaited(lambda: what)
            case "raise":
                raise what()
            case "raise later":
                return Awaited(lambda: fail(what()))
        return Awaited(lambda: None, hang=True)

    return act


@settings(max_examples=250, deadline=None)
@given(
    st.dictionaries(st.sampled_from(METHODS), BEHAVIOURS, min_size=1, max_size=4),
    st.lists(st.sampled_from(LINES), min_size=1, max_size=5),
)
def test_a_host_that_does_anything_gets_one_typed_answer_and_spoils_none_that_follows(
    behaviours: dict[str, Behaviour], lines: list[str]
) -> None:
    asyncio.run(converse(behaviours, lines))


async def converse(behaviours: dict[str, Behaviour], lines: list[str]) -> None:
    host, runtime = Notes(), HandRuntime()
    dispatcher = Dispatcher(host, app=APP, runtime=runtime)
    dispatcher.set_enabled(True)
    for name, behaviour in behaviours.items():
        setattr(host, name, acting(behaviour))
    session = RpcSession(dispatcher)
    hangs = any(how == "hang" for how, _ in behaviours.values())
    for line in lines:
        asked = asyncio.create_task(session.receive(line))
        for _ in range(40):
            await asyncio.sleep(0)
        runtime.passes(5)
        for _ in range(10):
            await asyncio.sleep(0)
        if not asked.done():
            # What hangs keeps its caller waiting, and nobody else.
            assert hangs
            asked.cancel()
            continue
        answer = asked.result()
        assert answer is not None
        assert "secret" not in answer.replace('{"text":"secret"}', "")
        message: Any = loads(answer.encode())
        assert message["id"] == 1
        if "error" in message:
            assert message["error"]["code"] < 0 or message["error"]["data"]["code"] in {
                code.name for code in AppErrorCode
            }
    well = Notes()
    for name in behaviours:
        setattr(host, name, getattr(well, name))
    dispatcher.set_enabled(True)
    runtime.passes(5)
    async with asyncio.timeout(30):
        answer = await session.receive(line_of("actions/execute", {"action": "note.read"}))
    assert answer is not None
    assert '"status":"completed"' in answer
    await runtime.close()
