"""Calls of tools: gate, arguments, handler, result, and how they end when something is wrong."""

from __future__ import annotations

import asyncio
import gc
import json
from collections import UserDict
from typing import Any

import pytest

from bridge.tools import CallRefused
from bridge.tools.bounding import bound
from bridge.tools.cancel_signal import CancelSignal
from bridge.tools.handler import ToolCall
from bridge.tools.result_limits import RESULT_LIMITS, RUN_LIMITS, TIER_CEILING_SECONDS
from bridge.tools.session_context import LOCAL_SESSION, SessionContext
from bridge.tools.tool_result import ToolResult, failure_code, to_wire
from bridge.tools.tool_runner import ToolRunner
from tests.python.support.handlers import SESSION, ManualTimers, defined_tool, runnable, turns

NOBODY = SessionContext(user_id="nobody")


async def echo(arguments: dict[str, Any], session: SessionContext, call: ToolCall) -> object:
    return {"content": "done", "structuredContent": {"given": arguments, "by": session.user_id}}


def text_of(result: ToolResult) -> str:
    return "".join(block["text"] for block in result.content)


async def test_a_call_gives_what_its_handler_gives() -> None:
    result = await ToolRunner([runnable(echo)]).call("note_add", {"n": 1}, SESSION)
    assert text_of(result) == "done"
    assert result.structured_content == {"given": {"n": 1}, "by": "somebody"}
    assert not result.is_error


async def test_a_handler_is_told_of_the_call() -> None:
    seen: list[ToolCall] = []

    async def look(_arguments: object, _session: object, call: ToolCall) -> str:
        seen.append(call)
        return "seen"

    timers = ManualTimers()
    timers.now = 50.0
    runner = ToolRunner([runnable(look, 30.0)], timers.clock)
    await runner.call("note_add", {}, SESSION, request_id="r1")
    (call,) = seen
    assert (call.tool, call.request_id, call.deadline) == ("note_add", "r1", 80.0)
    assert not call.signal.cancelled


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two tools are called note_add"):
        ToolRunner([runnable(echo), runnable(echo)])


def test_every_tier_has_its_ceiling() -> None:
    assert dict(TIER_CEILING_SECONDS) == {"first-party": 300.0, "project": 30.0}


# Gates


async def test_a_tool_that_the_session_may_not_see_is_as_one_that_does_not_exist() -> None:
    gated = runnable(echo, name="notes_read", required_features=frozenset({"notes.read"}))
    runner = ToolRunner([runnable(echo), gated])
    assert [tool.name for tool in runner.tools(NOBODY)] == ["note_add"]
    assert [tool.name for tool in runner.tools(SESSION)] == ["note_add", "notes_read"]
    assert [tool.name for tool in runner.tools(LOCAL_SESSION)] == ["note_add", "notes_read"]
    hidden = await runner.call("notes_read", {"wrong": 1}, NOBODY)
    unknown = await runner.call("no_such_tool", {"wrong": 1}, NOBODY)
    assert to_wire(hidden) == to_wire(unknown)
    assert failure_code(hidden) == "UNKNOWN_TOOL"
    seen = await runner.call("notes_read", {"n": 1}, SESSION)
    assert not seen.is_error


async def test_escalations_gate_nothing() -> None:
    runner = ToolRunner([runnable(echo, escalations=("notes.admin",))])
    assert not (await runner.call("note_add", {}, NOBODY)).is_error


# Arguments


async def test_arguments_that_do_not_match_never_reach_the_handler() -> None:
    ran: list[object] = []

    async def note(*given: object) -> str:
        ran.append(given)
        return "ran"

    runner = ToolRunner([runnable(note)])
    result = await runner.call("note_add", {"n": "one", "more": 1}, SESSION)
    assert failure_code(result) == "INVALID_INPUT"
    assert "/n: " in text_of(result)
    assert "/more: " in text_of(result)
    assert ran == []
    await runner.call("note_add", {"n": 1}, SESSION)
    assert len(ran) == 1


async def test_defaults_stand_in_for_what_is_absent_before_it_is_checked() -> None:
    defaults = {"n": 3, "text": "x"}
    runner = ToolRunner([runnable(echo, defaults=defaults)])
    result = await runner.call("note_add", {"text": "mine"}, SESSION)
    assert (result.structured_content or {})["given"] == {"text": "mine", "n": 3}
    wrong = ToolRunner([runnable(echo, defaults={"n": "three"})])
    assert failure_code(await wrong.call("note_add", {}, SESSION)) == "INVALID_INPUT"


async def test_a_handler_may_change_its_arguments_and_nobody_else_s() -> None:
    async def change(arguments: dict[str, Any], *_: object) -> str:
        arguments["n"] = 99
        return "changed"

    runner = ToolRunner([runnable(change, defaults={"n": 1})])
    given = {"text": "mine"}
    await runner.call("note_add", given, SESSION)
    assert given == {"text": "mine"}
    again = ToolRunner([runnable(echo, defaults={"n": 1})])
    result = await again.call("note_add", {}, SESSION)
    assert (result.structured_content or {})["given"] == {"n": 1}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "no object"),
        ({"n": float("nan")}, "/n is nan"),
        ({"text": "\ud800"}, "/text has half a character"),
        ({"text": {1, 2}}, "/text is a set"),
        ({"text": "x" * 300_000}, "stringBytes"),
    ],
)
async def test_arguments_that_are_no_json_are_refused(arguments: Any, words: str) -> None:
    result = await ToolRunner([runnable(echo)]).call("note_add", arguments, SESSION)
    assert failure_code(result) == "INVALID_INPUT"
    assert words in text_of(result)


async def test_any_mapping_is_read_as_an_object() -> None:
    result = await ToolRunner([runnable(echo)]).call("note_add", UserDict({"n": 1}), SESSION)
    assert (result.structured_content or {})["given"] == {"n": 1}


class Unreadable(UserDict[str, Any]):
    def __iter__(self) -> Any:
        raise OSError("secret")


async def test_arguments_that_cannot_be_read_are_refused_and_tell_no_text() -> None:
    result = await ToolRunner([runnable(echo)]).call("note_add", Unreadable(n=1), SESSION)
    assert failure_code(result) == "INVALID_INPUT"
    assert text_of(result) == "The arguments cannot be read."


@pytest.mark.parametrize(("wrong", "told"), [(8, 0), (9, 1), (40, 32)])
async def test_eight_faults_are_told_and_how_many_more_there_are(wrong: int, told: int) -> None:
    arguments = {f"k{n}": n for n in range(wrong)}
    lines = text_of(await ToolRunner([runnable(echo)]).call("note_add", arguments, SESSION))
    assert lines.count("\n/k") == min(wrong, 8)
    assert (f"and {told} more" in lines) is (told > 0)


async def test_arguments_carry_no_identity() -> None:
    runner = ToolRunner([runnable(echo)])
    forged = await runner.call("note_add", {"userId": "root", "session": {}}, SESSION)
    assert failure_code(forged) == "INVALID_INPUT"
    result = await runner.call("note_add", {}, SESSION)
    assert (result.structured_content or {})["by"] == "somebody"


# Handlers that do wrong


class Leave(BaseException):
    pass


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("secret"),
        Leave("secret"),
        SystemExit(3),
        KeyboardInterrupt(),
        asyncio.CancelledError(),
        StopAsyncIteration(),
        MemoryError(),
        RecursionError(),
    ],
)
async def test_whatever_a_handler_raises_is_a_result_and_tells_no_text(
    error: BaseException,
) -> None:
    async def fail(*_: object) -> object:
        raise error

    told: list[BaseException] = []
    runner = ToolRunner(
        [runnable(fail), runnable(echo, name="other")],
        observe_failure=lambda _name, raised: told.append(raised),
    )
    result = await runner.call("note_add", {}, SESSION)
    assert failure_code(result) == "HANDLER_FAILED"
    assert "secret" not in str(to_wire(result))
    assert told == [error]
    assert not (await runner.call("other", {}, SESSION)).is_error


@pytest.mark.parametrize(("reads", "partly"), [(False, True), (True, False)])
async def test_what_only_reads_has_done_nothing_in_part(reads: bool, partly: bool) -> None:
    async def fail(*_: object) -> object:
        raise RuntimeError

    async def wait(*_: object) -> object:
        return await asyncio.Event().wait()

    failed = await ToolRunner([runnable(fail, reads=reads)]).call("note_add", {}, SESSION)
    assert ("done part of it" in text_of(failed)) is partly
    timers, signal = ManualTimers(), CancelSignal()
    runner = ToolRunner([runnable(wait, reads=reads)], timers.clock, timer=timers.after)
    calling = asyncio.create_task(runner.call("note_add", {}, SESSION, signal=signal))
    late = asyncio.create_task(runner.call("note_add", {}, SESSION))
    await turns()
    signal.cancel()
    await turns()
    timers.advance(RUN_LIMITS.grace_seconds)
    assert ("what it has done" in text_of(await calling)) is partly
    timers.advance(300.0)
    assert ("has done its work" in text_of(await late)) is partly


async def test_a_refusal_has_the_handler_s_own_words_and_code() -> None:
    async def refuse(*_: object) -> object:
        raise CallRefused("UNAVAILABLE", "The books are closed.")

    result = await ToolRunner([runnable(refuse)]).call("note_add", {}, SESSION)
    assert (failure_code(result), text_of(result)) == ("UNAVAILABLE", "The books are closed.")


class UnreadableRefusal(CallRefused):
    @property
    def message(self) -> str:
        raise SystemExit("not even this")

    @message.setter
    def message(self, value: str) -> None:
        pass


class OddText(str):
    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("refused", "code", "words"),
    [
        (CallRefused("UNAVAILABLE", "no \ud800 room"), "UNAVAILABLE", "no \ufffd room"),
        (CallRefused("UNAVAILABLE", OddText("closed")), "UNAVAILABLE", "closed"),
        (CallRefused("UNAVAILABLE", None), "HANDLER_FAILED", None),  # type: ignore[arg-type]
        (CallRefused("UNAVAILABLE", b"no"), "HANDLER_FAILED", None),  # type: ignore[arg-type]
        (CallRefused("NO_SUCH_CODE", "no"), "HANDLER_FAILED", None),  # type: ignore[arg-type]
        (CallRefused(["BUSY"], "no"), "HANDLER_FAILED", None),  # type: ignore[arg-type]
        (UnreadableRefusal("UNAVAILABLE", "no"), "HANDLER_FAILED", None),
    ],
)
async def test_a_refusal_is_read_as_guardedly_as_a_result(
    refused: CallRefused, code: str, words: str | None
) -> None:
    async def refuse(*_: object) -> object:
        raise refused

    seen: list[BaseException] = []
    runner = ToolRunner([runnable(refuse)], observe_failure=lambda _, error: seen.append(error))
    async with asyncio.timeout(30):
        result = await runner.call("note_add", {}, SESSION)
    assert failure_code(result) == code
    assert json.dumps(to_wire(result), ensure_ascii=False).encode()
    if words is None:
        assert text_of(result).startswith("The tool failed while it handled this call")
        # Whoever wrote it is told, since nobody else is.
        assert seen == [refused]
    else:
        assert text_of(result) == words
        assert seen == []


def ring() -> dict[str, Any]:
    structured: dict[str, Any] = {}
    structured["again"] = structured
    return {"structuredContent": structured}


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "cannot be read: it gave nothing"),
        (object(), "of type object"),
        ({"n": 1}, "without content"),
        (ring(), "within itself"),
        ({"structuredContent": {"n": float("nan")}}, "cannot be read: /n is nan."),
        ({"structuredContent": {"n": 10**5_000}}, "thousand digits"),
        ({"structuredContent": {"n": b"x"}}, "type bytes"),
        ({"content": "x", "_meta": {"n": {1}}}, "type set"),
    ],
)
async def test_a_result_that_cannot_be_read_is_an_error_for_its_author(
    value: object, words: str
) -> None:
    async def give(*_: object) -> object:
        return value

    result = await ToolRunner([runnable(give)]).call("note_add", {}, SESSION)
    assert failure_code(result) == "INVALID_OUTPUT"
    assert words in text_of(result)


class Odd(dict[str, Any]):
    """Raises what ends a program, a task or a thread when somebody reads it."""

    def __init__(self, error: BaseException, **members: Any) -> None:
        super().__init__(members)
        self.error = error

    def get(self, *_: Any) -> Any:
        raise self.error

    def items(self) -> Any:
        raise self.error


@pytest.mark.parametrize(
    "error", [SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError(), OSError()]
)
@pytest.mark.parametrize("inside", [False, True])
async def test_a_result_that_raises_when_it_is_read_is_an_error(
    error: BaseException, inside: bool
) -> None:
    odd = Odd(error, content="x")

    async def give(*_: object) -> object:
        return {"structuredContent": {"odd": odd}} if inside else odd

    seen: list[str] = []
    runner = ToolRunner([runnable(give)], observe_failure=lambda name, _: seen.append(name))
    result = await runner.call("note_add", {}, SESSION)
    assert failure_code(result) == "INVALID_OUTPUT"
    assert seen == ["note_add"]


async def test_a_log_that_cannot_be_written_keeps_no_answer() -> None:
    async def fail(*_: object) -> object:
        raise ValueError

    def broken(*_: object) -> None:
        raise BrokenPipeError

    runner = ToolRunner([runnable(fail)], observe_failure=broken)
    assert failure_code(await runner.call("note_add", {}, SESSION)) == "HANDLER_FAILED"


async def test_a_handler_that_returns_itself_is_an_error() -> None:
    async def give(*_: object) -> object:
        return give

    result = await ToolRunner([runnable(give)]).call("note_add", {}, SESSION)
    assert failure_code(result) == "INVALID_OUTPUT"


async def test_a_flood_is_bounded() -> None:
    async def flood(*_: object) -> object:
        return {
            "content": [{"type": "text", "text": "x" * 1_000_000}] * 1_000,
            "structuredContent": {"rows": list(range(1_000_000)), "total": 1_000_000},
            "_meta": {"rows": ["x" * 1_000] * 10_000},
        }

    result = await ToolRunner([runnable(flood)]).call("note_add", {}, SESSION)
    assert len(text_of(result)) <= RESULT_LIMITS.max_text_chars
    structured = result.structured_content or {}
    assert (len(structured["rows"]), structured["total"]) == (RESULT_LIMITS.max_members, 1_000_000)
    assert "truncated" in result.meta["bascule"]


# Outputs

OUTPUT = {
    "type": "object",
    "required": ["n"],
    "properties": {"n": {"type": "integer"}, "rows": {"type": "array", "minItems": 5_000}},
}


async def give_structured(structured: object) -> ToolResult:
    async def give(*_: object) -> object:
        value = {"content": "read me"}
        return value if structured is None else {**value, "structuredContent": structured}

    return await ToolRunner([runnable(give, output_schema=OUTPUT)]).call("note_add", {}, SESSION)


async def test_an_output_that_keeps_the_promise_stays() -> None:
    assert (await give_structured({"n": 1})).structured_content == {"n": 1}


@pytest.mark.parametrize(
    ("structured", "words"),
    [
        ({"n": "one"}, "/n: "),
        ({}, "all of it: "),
        (None, "there is no structuredContent"),
        ({"n": 1, "rows": [0] * 5_001}, "after it was cut"),
    ],
)
async def test_an_output_that_breaks_it_is_an_error_that_keeps_the_content(
    structured: object, words: str
) -> None:
    result = await give_structured(structured)
    assert failure_code(result) == "INVALID_OUTPUT"
    assert words in text_of(result)
    assert text_of(result).endswith("read me")
    assert result.structured_content is None


async def test_a_broken_promise_is_told_whatever_stands_where_our_own_words_do() -> None:
    async def give(*_: object) -> object:
        told = {"content": "read me", "_meta": {"bascule": 5}}
        return {**told, "structuredContent": {"n": "not a number"}}

    result = await ToolRunner([runnable(give, output_schema=OUTPUT)]).call("note_add", {}, SESSION)
    assert failure_code(result) == "INVALID_OUTPUT"
    assert text_of(result).endswith("read me")


async def test_what_is_said_of_a_broken_promise_is_within_the_limits() -> None:
    texts = [{"type": "text", "text": "x" * 10_000} for _ in range(10)]

    async def give(*_: object) -> object:
        return {"content": texts, "structuredContent": {"n": "not a number"}}

    result = await ToolRunner([runnable(give, output_schema=OUTPUT)]).call("note_add", {}, SESSION)
    assert failure_code(result) == "INVALID_OUTPUT"
    assert bound(result) == result
    assert "breaks its output schema" in result.content[0]["text"]


async def test_an_error_of_the_handler_s_own_promises_nothing() -> None:
    async def fail(*_: object) -> object:
        return {"content": "No such note.", "isError": True}

    runner = ToolRunner([runnable(fail, output_schema=OUTPUT)])
    result = await runner.call("note_add", {}, SESSION)
    assert (text_of(result), failure_code(result)) == ("No such note.", None)


# Stopping


class Slow:
    """A handler that ends when a test says so, and notes how it was treated."""

    def __init__(self, *, heeds: bool = True, swallows: bool = False) -> None:
        self.begun = asyncio.Event()
        self.go_on = asyncio.Event()
        self.ended: list[str] = []
        self.call: ToolCall | None = None
        self._heeds = heeds
        self._swallows = swallows

    async def run(self, _arguments: object, _session: object, call: ToolCall) -> object:
        self.call = call
        self.begun.set()
        try:
            if self._heeds and call.signal is not None:
                await self._until_told(call)
            while not self.go_on.is_set():
                try:
                    await self.go_on.wait()
                except asyncio.CancelledError:
                    if not self._swallows:
                        raise
                    self.ended.append("swallowed")
        except asyncio.CancelledError:
            self.ended.append("cancelled")
            raise
        self.ended.append("whole")
        return "whole"

    async def _until_told(self, call: ToolCall) -> None:
        told = asyncio.create_task(call.signal.wait())
        going = asyncio.create_task(self.go_on.wait())
        await asyncio.wait({told, going}, return_when=asyncio.FIRST_COMPLETED)
        going.cancel()
        if told.done():
            self.ended.append(f"told: {told.result()}")
            self.go_on.set()
        told.cancel()


class Bench:
    """A runner with one slow tool beside a quick one, and a call of the slow one that goes on."""

    def __init__(self, slow: Slow, *, cancellable: bool) -> None:
        self.timers = ManualTimers()
        self.slow = slow
        self.signal = CancelSignal()
        tools = [runnable(slow.run, cancellable=cancellable), runnable(echo, name="other")]
        self.runner = ToolRunner(tools, self.timers.clock, timer=self.timers.after)

    async def begin(self) -> asyncio.Task[ToolResult]:
        self.slow.begun.clear()
        calling = asyncio.create_task(self.runner.call("note_add", {}, SESSION, signal=self.signal))
        await self.slow.begun.wait()
        await turns()
        return calling

    async def finish(self) -> None:
        self.slow.go_on.set()
        await turns()


async def test_a_call_that_was_stopped_before_never_begins() -> None:
    bench = Bench(Slow(), cancellable=True)
    bench.signal.cancel()
    result = await bench.runner.call("note_add", {}, SESSION, signal=bench.signal)
    assert failure_code(result) == "UNAVAILABLE"
    assert "nothing was run" in text_of(result)
    assert bench.slow.call is None


async def test_a_cancellable_handler_is_told_and_awaited() -> None:
    bench = Bench(Slow(), cancellable=True)
    calling = await bench.begin()
    bench.signal.cancel("the turn was stopped")
    result = await calling
    assert bench.slow.ended == ["told: the turn was stopped", "whole"]
    assert text_of(result) == "whole"
    assert bench.timers.waiting == []


async def test_a_cancellable_handler_that_takes_its_time_is_awaited_past_the_grace() -> None:
    bench = Bench(Slow(heeds=False), cancellable=True)
    calling = await bench.begin()
    bench.signal.cancel()
    await turns()
    bench.timers.advance(RUN_LIMITS.grace_seconds + 100)
    await turns()
    assert not calling.done()
    assert bench.slow.call is not None
    assert bench.slow.call.signal.cancelled
    await bench.finish()
    assert text_of(await calling) == "whole"


async def test_any_other_handler_is_never_told_and_its_caller_goes_on_after_a_grace() -> None:
    bench = Bench(Slow(), cancellable=False)
    calling = await bench.begin()
    bench.signal.cancel()
    await turns()
    bench.timers.advance(RUN_LIMITS.grace_seconds - 0.01)
    await turns()
    assert not calling.done()
    bench.timers.advance(0.01)
    result = await calling
    assert failure_code(result) == "INTERRUPTED"
    assert "interrupted" in text_of(result)
    assert bench.slow.call is not None
    assert not bench.slow.call.signal.cancelled
    assert bench.slow.ended == []
    gc.collect()
    await bench.finish()
    assert bench.slow.ended == ["whole"]


async def test_a_handler_that_ends_within_the_grace_gives_its_result() -> None:
    bench = Bench(Slow(), cancellable=False)
    calling = await bench.begin()
    bench.signal.cancel()
    await turns()
    await bench.finish()
    assert text_of(await calling) == "whole"
    assert bench.timers.waiting == []


@pytest.mark.parametrize("cancellable", [True, False])
async def test_a_handler_that_is_past_its_ceiling_is_not_waited_for(cancellable: bool) -> None:
    bench = Bench(Slow(heeds=False), cancellable=cancellable)
    calling = await bench.begin()
    bench.timers.advance(299.99)
    await turns()
    assert not calling.done()
    bench.timers.advance(0.01)
    assert failure_code(await calling) == "TIMED_OUT"
    await turns()
    assert bench.slow.ended == (["cancelled"] if cancellable else [])
    await bench.finish()
    assert bench.slow.ended == (["cancelled"] if cancellable else ["whole"])


async def test_a_handler_that_swallows_its_cancellation_is_not_waited_for_either() -> None:
    bench = Bench(Slow(heeds=False, swallows=True), cancellable=True)
    calling = await bench.begin()
    bench.timers.advance(300.0)
    assert failure_code(await calling) == "TIMED_OUT"
    await turns()
    assert bench.slow.ended == ["swallowed"]
    assert not (await bench.runner.call("other", {}, SESSION)).is_error
    await bench.finish()


@pytest.mark.parametrize("cancellable", [True, False])
async def test_a_caller_that_is_cancelled_leaves_the_handler_as_a_stop_does(
    cancellable: bool,
) -> None:
    bench = Bench(Slow(), cancellable=cancellable)
    calling = await bench.begin()
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    await turns()
    assert bench.slow.ended == (["told: whoever called has gone", "whole"] if cancellable else [])
    await bench.finish()
    assert bench.slow.ended[-1] == "whole"
    assert bench.timers.waiting == []


@pytest.mark.parametrize("cancellable", [True, False])
async def test_a_caller_that_is_cancelled_as_its_handler_begins_leaves_it_in_the_same_way(
    cancellable: bool,
) -> None:
    bench = Bench(Slow(), cancellable=cancellable)
    calling = asyncio.create_task(bench.runner.call("note_add", {}, SESSION))
    # Only so far that the handler is about to take its first step.
    await asyncio.sleep(0)
    assert not bench.slow.begun.is_set()
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    await turns()
    assert bench.slow.begun.is_set()
    assert bench.slow.ended == (["told: whoever called has gone", "whole"] if cancellable else [])
    gc.collect()
    await bench.finish()
    assert bench.slow.ended[-1] == "whole"
    assert bench.timers.waiting == []


async def test_callers_cancelled_as_their_handlers_begin_count_among_those_left() -> None:
    bench = Bench(Slow(), cancellable=False)
    for _ in range(RUN_LIMITS.max_left_running):
        calling = asyncio.create_task(bench.runner.call("note_add", {}, SESSION))
        await asyncio.sleep(0)
        calling.cancel()
        await turns()
    refused = await bench.runner.call("note_add", {}, SESSION)
    assert failure_code(refused) == "BUSY"
    assert "nothing was run" in text_of(refused)
    await bench.finish()


async def test_a_cancellable_handler_that_nobody_awaits_ends_at_its_ceiling() -> None:
    bench = Bench(Slow(heeds=False), cancellable=True)
    calling = await bench.begin()
    calling.cancel()
    await turns()
    assert bench.slow.ended == []
    bench.timers.advance(300.0)
    await turns()
    assert bench.slow.ended == ["cancelled"]


async def test_runs_that_nobody_waits_for_do_not_pile_up() -> None:
    bench = Bench(Slow(), cancellable=False)
    for _ in range(RUN_LIMITS.max_left_running):
        bench.signal = CancelSignal()
        calling = await bench.begin()
        bench.signal.cancel()
        await turns()
        bench.timers.advance(RUN_LIMITS.grace_seconds)
        assert failure_code(await calling) == "INTERRUPTED"
    refused = await bench.runner.call("note_add", {}, SESSION)
    assert failure_code(refused) == "BUSY"
    assert not (await bench.runner.call("other", {}, SESSION)).is_error
    await bench.finish()
    assert text_of(await bench.runner.call("note_add", {}, SESSION)) == "whole"


def test_a_definition_without_an_output_schema_promises_nothing() -> None:
    assert defined_tool().output is None


# The end of a service


async def until_told(_arguments: object, _session: object, call: ToolCall) -> object:
    return await call.signal.wait()


async def for_ever(*_: object) -> object:
    return await asyncio.Event().wait()


async def test_when_the_service_ends_a_cancellable_handler_is_told_and_its_answer_awaited() -> None:
    timers = ManualTimers()
    runner = ToolRunner([runnable(until_told, cancellable=True)], timers.clock, timer=timers.after)
    calling = asyncio.create_task(runner.call("note_add", {}, SESSION))
    await turns()
    await runner.stop()
    assert text_of(await calling) == "the service ends"
    # Nobody had to wait for the grace, and no timer is left.
    assert timers.waiting == []


@pytest.mark.parametrize("cancellable", [True, False])
async def test_when_the_service_ends_what_goes_on_is_interrupted_after_the_grace(
    cancellable: bool,
) -> None:
    timers, ran_on = ManualTimers(), asyncio.Event()

    async def late(_arguments: object, _session: object, call: ToolCall) -> object:
        assert await ran_on.wait()
        return call.signal.cancelled

    tool = runnable(late, cancellable=cancellable)
    runner = ToolRunner([tool], timers.clock, timer=timers.after)
    calling = asyncio.create_task(runner.call("note_add", {}, SESSION))
    await turns()
    stopping = asyncio.create_task(runner.stop())
    await turns()
    assert not calling.done()
    assert not stopping.done()
    timers.advance(RUN_LIMITS.grace_seconds)
    result = await calling
    assert failure_code(result) == "INTERRUPTED"
    assert text_of(result).startswith("The service ends")
    await stopping
    ran_on.set()


async def test_when_the_service_ends_handlers_are_awaited_whose_callers_have_gone() -> None:
    timers, may_end = ManualTimers(), asyncio.Event()

    async def tidy(_arguments: object, _session: object, call: ToolCall) -> object:
        await call.signal.wait()
        return await may_end.wait()

    runner = ToolRunner([runnable(tidy, cancellable=True)], timers.clock, timer=timers.after)
    calling = asyncio.create_task(runner.call("note_add", {}, SESSION))
    await turns()
    calling.cancel()
    await turns()
    stopping = asyncio.create_task(runner.stop())
    await turns()
    assert not stopping.done()
    may_end.set()
    await stopping


async def test_a_handler_whose_caller_has_gone_keeps_no_service_longer_than_the_grace() -> None:
    timers = ManualTimers()
    tools = [
        runnable(for_ever, cancellable=True),
        runnable(for_ever, name="other"),
    ]
    runner = ToolRunner(tools, timers.clock, timer=timers.after)
    for name in ("note_add", "other"):
        calling = asyncio.create_task(runner.call(name, {}, SESSION))
        await turns()
        calling.cancel()
    await turns()
    stopping = asyncio.create_task(runner.stop())
    await turns()
    assert not stopping.done()
    timers.advance(RUN_LIMITS.grace_seconds)
    await stopping


async def test_a_service_that_ends_takes_no_call_and_an_idle_one_ends_at_once() -> None:
    timers = ManualTimers()
    runner = ToolRunner([runnable(echo)], timers.clock, timer=timers.after)
    assert not (await runner.call("note_add", {}, SESSION)).is_error
    await runner.stop()
    assert failure_code(await runner.call("note_add", {}, SESSION)) == "UNAVAILABLE"
    assert failure_code(await runner.call("no_tool", {}, SESSION)) == "UNKNOWN_TOOL"
