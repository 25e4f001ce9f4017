"""Project packages: one WebAssembly entry, which can only answer, and can always be stopped."""

from __future__ import annotations

import asyncio
import builtins
import dataclasses
import threading
from pathlib import Path
from typing import Any

import pytest

from bridge.contract.schema import compile as compile_schema
from bridge.tools import wasm_compile, wasm_entry, wasm_machine
from bridge.tools.cancel_signal import CancelSignal
from bridge.tools.handler import CallRefused
from bridge.tools.package_handlers import handlers_of
from bridge.tools.problems import PackageError
from bridge.tools.result_limits import (
    RUN_LIMITS,
    TIER_CEILING_SECONDS,
    WASM_LIMITS,
    WasmLimits,
)
from bridge.tools.tool_result import ToolResult, failure_code
from bridge.tools.tool_runner import RunnableTool, ToolRunner, runnable_tools
from bridge.tools.wasm_entry import WasmEntry
from bridge.tools.wasm_machine import WasmCode, WasmRun
from bridge.tools.wasm_pool import WasmPool
from tests.python.support.handlers import (
    SESSION,
    ManualTimers,
    defined_tool,
    package_in,
    runnable,
    turns,
)
from tests.python.support.wasm_entries import ECHO, command, made, writing

LOOP = "(loop $on (br $on))"
ANSWER = '{"content":"done"}\n'
SMALL = WASM_LIMITS._replace(fuel=3_000_000)


def text_of(result: ToolResult) -> str:
    return "".join(block["text"] for block in result.content)


async def called(
    code: bytes,
    arguments: dict[str, Any] | None = None,
    limits: WasmLimits = SMALL,
    *,
    tool: str = "note_add",
) -> ToolResult:
    entry = WasmEntry(WasmCode(code), limits=limits)
    runner = ToolRunner([RunnableTool(defined_tool(tool), entry, 30.0)])
    async with asyncio.timeout(60):
        return await runner.call(tool, arguments or {}, SESSION, request_id="r1")


async def test_an_entry_is_given_one_line_and_gives_one() -> None:
    result = await called(ECHO, {"n": 1, "text": "ä\n"})
    assert text_of(result) == "heard"
    assert result.structured_content == {
        "tool": "note_add",
        "arguments": {"n": 1, "text": "ä\n"},
        "session": {"userId": "somebody", "grantedFeatures": ["notes.read"]},
        "call": {"requestId": "r1", "seconds": 30},
    }


async def test_an_entry_runs_all_tools_of_its_package(tmp_path: Path) -> None:
    (tmp_path / "entry.wasm").write_bytes(ECHO)
    package = package_in(tmp_path, "project", "note_add", "note_list")
    runner = ToolRunner(runnable_tools(package, handlers_of(package)))
    for name in ("note_add", "note_list"):
        result = await runner.call(name, {}, SESSION)
        assert (result.structured_content or {})["tool"] == name


async def test_every_call_has_an_instance_of_its_own() -> None:
    # Counts in its memory, and says so by its exit code.
    counts = command(
        """
        (i32.store (i32.const 512) (i32.add (i32.load (i32.const 512)) (i32.const 1)))
        (call $proc_exit (i32.load (i32.const 512)))
        """
    )
    entry = WasmEntry(WasmCode(counts), limits=SMALL)
    runner = ToolRunner([RunnableTool(defined_tool(), entry, 30.0)])
    for _ in range(3):
        assert "exit code 1." in text_of(await runner.call("note_add", {}, SESSION))


async def test_a_module_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import wasmtime  # noqa: PLC0415 - to be replaced here

    compiled: list[int] = []
    module = wasmtime.Module

    class Noted(module):  # type: ignore[misc, valid-type]
        def __init__(self, engine: Any, code: Any) -> None:
            compiled.append(len(code))
            super().__init__(engine, code)

    monkeypatch.setattr(wasmtime, "Module", Noted)
    entry = WasmEntry(WasmCode(writing(ANSWER)), limits=SMALL)
    runner = ToolRunner([RunnableTool(defined_tool(), entry, 30.0)])
    results = await asyncio.gather(*(runner.call("note_add", {}, SESSION) for _ in range(12)))
    assert [text_of(result) for result in results] == ["done"] * 12
    assert len(compiled) == 1


@pytest.mark.parametrize(
    ("output", "code", "words"),
    [
        ("", "INVALID_OUTPUT", "no line"),
        ("\n", "INVALID_OUTPUT", "no line"),
        (" \n", "INVALID_OUTPUT", "no line"),
        (ANSWER + ANSWER, "INVALID_OUTPUT", "more than one line"),
        ("\n" + ANSWER, "INVALID_OUTPUT", "more than one line"),
        ("{'content': 1}\n", "INVALID_OUTPUT", "not strict JSON"),
        ('{"content":"x","content":"y"}\n', "INVALID_OUTPUT", "duplicate key"),
        ('{"content":"x"} {}\n', "INVALID_OUTPUT", "not strict JSON"),
        ('{"structuredContent":{"n":NaN}}\n', "INVALID_OUTPUT", "not strict JSON"),
        (b'{"content":"\xff"}\n', "INVALID_OUTPUT", "not strict JSON"),
        ("[" * 100 + "]" * 100, "INVALID_OUTPUT", "depth"),
        ("42\n", "INVALID_OUTPUT", "of type int"),
        ('{"n":1}\n', "INVALID_OUTPUT", "without content"),
    ],
)
async def test_an_entry_that_does_not_write_one_line_of_json_is_told_so(
    output: str | bytes, code: str, words: str
) -> None:
    result = await called(writing(output))
    assert failure_code(result) == code
    assert words in text_of(result)


async def test_a_line_holds_so_many_values_and_no_more() -> None:
    limits = SMALL._replace(max_output_values=8)
    fits = await called(writing('{"structuredContent":{"v":[1,2,3,4,5]}}'), limits=limits)
    assert fits.structured_content == {"v": [1, 2, 3, 4, 5]}
    result = await called(writing('{"structuredContent":{"v":[1,2,3,4,5,6]}}'), limits=limits)
    assert failure_code(result) == "INVALID_OUTPUT"
    assert "values" in text_of(result)


async def test_the_largest_arguments_reach_an_entry() -> None:
    values = [[0] * 4_000] * 4
    schema = {"type": "object", "properties": {"v": {}}}
    tool = dataclasses.replace(defined_tool(), input_schema=schema, input=compile_schema(schema))
    swallows = writing(ANSWER)
    entry = WasmEntry(WasmCode(swallows), limits=SMALL)
    runner = ToolRunner([RunnableTool(tool, entry, 30.0)])
    deep: Any = 1
    for _ in range(31):
        deep = [deep]
    for given in ({"v": [*values, [0] * 375]}, {"v": deep}):
        assert text_of(await runner.call("note_add", given, SESSION)) == "done"
    over = await runner.call("note_add", {"v": [*values, [0] * 400]}, SESSION)
    assert failure_code(over) == "INVALID_INPUT"


@pytest.mark.parametrize("output", [ANSWER, ANSWER.rstrip(), ' {"content":"done"} \r\n'])
async def test_a_line_may_end_as_lines_do(output: str) -> None:
    assert text_of(await called(writing(output))) == "done"


async def test_numbers_are_read_as_they_are_written() -> None:
    wanted = '{"structuredContent":{"a":1e2,"b":10.0,"c":1e400,"d":123456789012345678901234567890}}'
    result = await called(writing(wanted))
    assert text_of(result) == '{"a":100,"b":10,"c":1e400,"d":123456789012345678901234567890}'


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (LOOP, "more work than one call may"),
        ("(unreachable)", "gave up"),
        ("(drop (i32.load (i32.const 99999999)))", "memory out of bounds"),
        ("(drop (i32.div_u (i32.const 1) (i32.const 0)))", "integer division by zero"),
        ("(call $proc_exit (i32.const 3))", "exit code 3."),
        ("(call $proc_exit (i32.const 126))", "in a way that WASI has not"),
        ("(call $deep)", "called itself too deeply"),
        ("(loop $on (drop (call $fd_read (i32.const 0) (i32.const 16) (i32.const 0)"
         " (i32.const 8))) (br $on))", "more often than one call may"),
    ],
)  # fmt: skip
async def test_an_entry_that_fails_is_stopped_and_the_service_goes_on(
    body: str, words: str
) -> None:
    limits = SMALL._replace(max_host_calls=100)
    result = await called(command(body, "(func $deep (call $deep))"), limits=limits)
    assert failure_code(result) == "HANDLER_FAILED"
    assert words in text_of(result)
    assert text_of(await called(writing(ANSWER), limits=limits)) == "done"


async def test_an_exit_code_of_zero_is_an_end_like_any_other() -> None:
    code = writing(ANSWER, "(call $proc_exit (i32.const 0))")
    assert text_of(await called(code)) == "done"
    assert failure_code(await called(writing(ANSWER, "(unreachable)"))) == "HANDLER_FAILED"


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ("(call $proc_exit (i32.const 3))", "HANDLER_FAILED", "exit code 3"),
        ("(call $proc_exit (i32.const 0))", "INVALID_OUTPUT", "no line"),
        ("(unreachable)", "HANDLER_FAILED", "unreachable"),
        ("(loop (br 0))", "HANDLER_FAILED", "more work"),
    ],
)
async def test_what_runs_before_the_command_is_a_part_of_it(
    body: str, code: str, words: str
) -> None:
    before = f"(func $before {body}) (start $before)"
    limits = WASM_LIMITS._replace(fuel=1_000_000)
    result = await called(command("(unreachable)", before), limits=limits)
    assert failure_code(result) == code
    assert words in text_of(result)


async def test_memory_grows_to_its_limit_and_no_further() -> None:
    grows = command(
        """
        (block $full (loop $on
          (br_if $full (i32.eq (memory.grow (i32.const 16)) (i32.const -1)))
          (br $on)))
        (call $proc_exit (i32.div_u (memory.size) (i32.const 16)))
        """
    )
    pages = WASM_LIMITS.max_memory_bytes // 65_536
    result = await called(grows)
    found = int(text_of(result).rpartition(" ")[2].rstrip("."))
    assert found == (pages - 1) // 16
    too_large = made('(module (memory (export "memory") 2000) (func (export "_start")))')
    assert failure_code(await called(too_large)) == "UNAVAILABLE"


async def test_tables_grow_to_their_limit_and_no_further() -> None:
    grows = command(
        """
        (call $proc_exit (i32.ne (i32.const -1)
          (table.grow $t (ref.null func) (i32.const 60000))))
        """,
        "(table $t 10000 funcref)",
    )
    result = await called(grows)
    assert "exit code" not in text_of(result)
    fits = command(
        """
        (call $proc_exit (i32.ne (i32.const -1)
          (table.grow $t (ref.null func) (i32.const 100))))
        """,
        "(table $t 10 funcref)",
    )
    assert "exit code 1." in text_of(await called(fits))


async def test_output_is_stopped_at_its_limit() -> None:
    limits = SMALL._replace(max_output_bytes=65_536)
    floods = command("(loop $on (call $write (i32.const 1024) (i32.const 4096)) (br $on))")
    result = await called(floods, limits=limits)
    assert failure_code(result) == "INVALID_OUTPUT"
    assert "more than 65536 bytes" in text_of(result)
    padding = " " * (65_536 - len(ANSWER))
    assert text_of(await called(writing(padding + ANSWER), limits=limits)) == "done"


async def test_standard_error_is_for_nobody_and_takes_no_room() -> None:
    code = writing(
        ANSWER,
        """
        (i32.store (i32.const 0) (i32.const 1024))
        (i32.store (i32.const 4) (i32.const 200000))
        (drop (call $fd_write (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 8)))
        """,
    )
    result = await called(code, limits=SMALL._replace(max_output_bytes=1_000))
    assert text_of(result) == "done"


@pytest.mark.parametrize(
    ("reached", "refused_with"),
    [
        # Waiting for a clock; another stream; buffers outside of the memory; too many buffers.
        ("(call $poll_oneoff (i32.const 0) (i32.const 64) (i32.const 1) (i32.const 8))", 58),
        ("(call $fd_write (i32.const 5) (i32.const 0) (i32.const 1) (i32.const 8))", 8),
        ("(call $fd_read (i32.const 5) (i32.const 0) (i32.const 1) (i32.const 8))", 8),
        ("(call $fd_write (i32.const 1) (i32.const -8) (i32.const 1) (i32.const 8))", 29),
        ("(call $fd_read (i32.const 0) (i32.const -8) (i32.const 1) (i32.const 8))", 29),
        ("(call $fd_write (i32.const 1) (i32.const 0) (i32.const -1) (i32.const 8))", 29),
        ("(call $fd_write (i32.const 1) (i32.const 0) (i32.const 0) (i32.const -1))", 29),
        ("(block (result i32) (i32.store (i32.const 0) (i32.const -16))"
         " (i32.store (i32.const 4) (i32.const 64))"
         " (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))", 29),
        ("(call $fd_write (i32.const 1) (i32.const 16) (i32.const 1025) (i32.const 8))", 29),
        ("(call $fd_write (i32.const 1) (i32.const 16) (i32.const 1024) (i32.const 8))", 0),
        # No directory that was opened before, no file, no socket.
        ("(call $fd_prestat_get (i32.const 3) (i32.const 64))", 8),
        ("(call $path_open (i32.const 3) (i32.const 0) (i32.const 64) (i32.const 1) (i32.const 0)"
         " (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 128))", 8),
        ("(call $sock_send (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 0)"
         " (i32.const 8))", 8),
        # Nothing in the environment and no arguments: the counts.
        ("(call $environ_sizes_get (i32.const 64) (i32.const 68)) (i32.load (i32.const 64))"
         " (i32.add)", 0),
        ("(call $args_sizes_get (i32.const 64) (i32.const 68)) (i32.load (i32.const 64))"
         " (i32.add)", 0),
    ],
)  # fmt: skip
async def test_what_an_entry_reaches_for_is_not_there(reached: str, refused_with: int) -> None:
    # Exits with 10 and more, so that a call that was never made would be seen.
    code = command(f"(call $proc_exit (i32.add (i32.const 10) {reached}))")
    assert f"exit code {10 + refused_with}." in text_of(await called(code))


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (b"\0asm\x01\0\0\0 and what is no module", "cannot be run"),
        (made('(module (import "env" "secret" (func)) (func (export "_start")))'), "cannot be run"),
        (made('(module (memory (export "memory") 1))'), "no _start"),
        (made('(module (memory 1) (memory 1) (func (export "_start")))'), "cannot be run"),
        (made('(module (memory (export "_start") 1))'), "no _start"),
    ],
)
async def test_a_module_that_is_no_command_is_told_of(code: bytes, words: str) -> None:
    result = await called(code)
    assert failure_code(result) == "UNAVAILABLE"
    assert words in text_of(result)


# Time


class Loops:
    """An entry that loops for ever, with fuel for a very long time, and its hand-held clock."""

    def __init__(self, *, cancellable: bool = False) -> None:
        self.timers = ManualTimers()
        self.begun = threading.Event()
        self.code = WasmCode(command(LOOP))
        self.limits = WASM_LIMITS._replace(fuel=10**15)
        entry = WasmEntry(self.code, limits=self.limits, seconds=29.0, timer=self.timers.after)
        tool = RunnableTool(defined_tool(cancellable=cancellable), entry, 30.0)
        self.runner = ToolRunner([tool], self.timers.clock, timer=self.timers.after)

    async def begin(
        self, monkeypatch: pytest.MonkeyPatch, signal: CancelSignal | None = None
    ) -> asyncio.Task[ToolResult]:
        begin = WasmRun.begin

        def noted(run: WasmRun, engine: Any) -> bool:
            self.begun.set()
            return begin(run, engine)

        monkeypatch.setattr(WasmRun, "begin", noted)
        calling = asyncio.create_task(self.runner.call("note_add", {}, SESSION, signal=signal))
        assert await asyncio.to_thread(self.begun.wait, 30)
        await turns()
        assert not calling.done()
        return calling


async def test_an_entry_that_loops_is_stopped_when_its_time_is_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loops = Loops()
    calling = await loops.begin(monkeypatch)
    loops.timers.advance(29.0)
    async with asyncio.timeout(30):
        result = await calling
    assert failure_code(result) == "TIMED_OUT"
    assert "was stopped" in text_of(result)


async def test_an_entry_says_in_its_own_words_that_its_time_is_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    loops = Loops()
    own = WasmEntry(loops.code, limits=loops.limits, timer=loops.timers.after)
    tools = runnable_tools(package_in(tmp_path, "project", "note_add"), {"note_add": own})
    loops.runner = ToolRunner(tools, loops.timers.clock, timer=loops.timers.after)
    calling = await loops.begin(monkeypatch)
    loops.timers.advance(TIER_CEILING_SECONDS["project"])
    async with asyncio.timeout(30):
        result = await calling
    assert failure_code(result) == "TIMED_OUT"
    assert text_of(result) == "The tool's entry took longer than it may, and was stopped."


async def test_an_entry_that_does_not_stop_is_not_waited_for_much_longer(tmp_path: Path) -> None:
    class Stuck(WasmEntry):
        async def run(self, *_: object) -> object:
            return await asyncio.Event().wait()

    loops = Loops()
    own = Stuck(loops.code, timer=loops.timers.after)
    tools = runnable_tools(package_in(tmp_path, "project", "note_add"), {"note_add": own})
    runner = ToolRunner(tools, loops.timers.clock, timer=loops.timers.after)
    calling = asyncio.create_task(runner.call("note_add", {}, SESSION))
    await turns()
    loops.timers.advance(TIER_CEILING_SECONDS["project"])
    await turns()
    assert not calling.done()
    loops.timers.advance(RUN_LIMITS.stopping_seconds)
    assert failure_code(await calling) == "TIMED_OUT"


async def test_the_loop_goes_on_while_an_entry_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    loops = Loops()
    calling = await loops.begin(monkeypatch)

    async def echo(*_: object) -> str:
        return "still here"

    other = ToolRunner([runnable(echo)])
    for _ in range(20):
        assert text_of(await other.call("note_add", {}, SESSION)) == "still here"
    loops.timers.advance(29.0)
    await calling


async def test_a_cancellable_entry_is_stopped_by_its_signal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loops = Loops(cancellable=True)
    signal = CancelSignal()
    calling = await loops.begin(monkeypatch, signal)
    signal.cancel()
    async with asyncio.timeout(30):
        assert failure_code(await calling) == "INTERRUPTED"


class SlowCompiler:
    """Compiles when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.go_on, self.asked = threading.Event(), threading.Event()
        real = wasm_compile.compiled

        def slow(code: bytes, limits: WasmLimits) -> bytes:
            self.asked.set()
            assert self.go_on.wait(60)
            return real(code, limits)

        monkeypatch.setattr(wasm_machine, "compiled", slow)

    async def wait(self) -> None:
        assert await asyncio.to_thread(self.asked.wait, 30)


async def test_an_entry_that_is_being_compiled_holds_no_other_package_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = WasmEntry(WasmCode(writing(ANSWER)), limits=SMALL)
    runs = ToolRunner([RunnableTool(defined_tool(), other, 30.0)])
    assert text_of(await runs.call("note_add", {}, SESSION)) == "done"
    compiler = SlowCompiler(monkeypatch)
    slow = WasmEntry(WasmCode(writing(ANSWER)), limits=SMALL)
    runner = ToolRunner([RunnableTool(defined_tool(), slow, 30.0)])
    calls = [asyncio.create_task(runner.call("note_add", {}, SESSION)) for _ in range(12)]
    await compiler.wait()
    async with asyncio.timeout(30):
        assert text_of(await runs.call("note_add", {}, SESSION)) == "done"
    assert not any(call.done() for call in calls)
    compiler.go_on.set()
    assert [text_of(result) for result in await asyncio.gather(*calls)] == ["done"] * 12


async def test_a_call_that_ends_while_its_entry_is_compiled_is_told_that_nothing_ran(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiler = SlowCompiler(monkeypatch)
    timers, signal = ManualTimers(), CancelSignal()
    entry = WasmEntry(WasmCode(writing(ANSWER)), limits=SMALL, seconds=29.0, timer=timers.after)
    tool = RunnableTool(defined_tool(cancellable=True), entry, 30.0)
    runner = ToolRunner([tool], timers.clock, timer=timers.after)
    stopped = asyncio.create_task(runner.call("note_add", {}, SESSION, signal=signal))
    late = asyncio.create_task(runner.call("note_add", {}, SESSION))
    await compiler.wait()
    signal.cancel()
    async with asyncio.timeout(30):
        result = await stopped
    assert failure_code(result) == "UNAVAILABLE"
    assert "nothing was run" in text_of(result)
    timers.advance(29.0)
    async with asyncio.timeout(30):
        result = await late
    assert failure_code(result) == "UNAVAILABLE"
    assert "nothing was run" in text_of(result)
    # It is compiled all the same, and the next call has it.
    compiler.go_on.set()
    async with asyncio.timeout(30):
        assert text_of(await runner.call("note_add", {}, SESSION)) == "done"


async def test_so_many_calls_wait_for_an_entry_to_be_compiled_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiler = SlowCompiler(monkeypatch)
    limits = SMALL._replace(max_waiting=2)
    entry = WasmEntry(WasmCode(writing(ANSWER)), limits=limits)
    runner = ToolRunner([RunnableTool(defined_tool(), entry, 30.0)])
    calls = [asyncio.create_task(runner.call("note_add", {}, SESSION)) for _ in range(2)]
    await compiler.wait()
    over = await runner.call("note_add", {}, SESSION)
    assert failure_code(over) == "BUSY"
    compiler.go_on.set()
    assert [text_of(result) for result in await asyncio.gather(*calls)] == ["done"] * 2


async def test_an_entry_that_was_stopped_before_it_ran_never_runs() -> None:
    run = WasmRun(b"", SMALL)
    refusal = CallRefused("INTERRUPTED", "stopped")
    run.stop(refusal)
    with pytest.raises(CallRefused) as raised:
        WasmCode(writing(ANSWER)).run(run)
    assert raised.value is refusal
    assert run.stdout == b""


async def test_a_stopped_run_leaves_the_next_one_on_its_engine_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loops = Loops(cancellable=True)
    signal = CancelSignal()
    calling = await loops.begin(monkeypatch, signal)
    signal.cancel()
    await calling
    again = asyncio.create_task(loops.runner.call("note_add", {}, SESSION))
    loops.begun.clear()
    assert await asyncio.to_thread(loops.begun.wait, 30)
    await turns(50)
    assert not again.done()
    loops.timers.advance(29.0)
    assert failure_code(await again) == "TIMED_OUT"


async def test_calls_past_those_that_may_wait_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        wasm_entry, "_POOL", WasmPool(WASM_LIMITS._replace(max_runs=1, max_waiting=1))
    )
    loops = Loops()
    first = await loops.begin(monkeypatch)
    second = asyncio.create_task(loops.runner.call("note_add", {}, SESSION))
    await turns()
    assert failure_code(await loops.runner.call("note_add", {}, SESSION)) == "BUSY"
    loops.timers.advance(29.0)
    assert failure_code(await first) == "TIMED_OUT"
    # It was stopped as well, before its turn came.
    never = await second
    assert failure_code(never) == "UNAVAILABLE"
    assert "nothing was run" in text_of(never)
    assert text_of(await called(writing(ANSWER))) == "done"


async def test_a_package_that_loops_holds_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    loops = Loops()
    first = await loops.begin(monkeypatch)
    others = [
        asyncio.create_task(loops.runner.call("note_add", {}, SESSION))
        for _ in range(2 * WASM_LIMITS.max_runs)
    ]
    await turns()
    async with asyncio.timeout(30):
        assert text_of(await called(writing(ANSWER))) == "done"
    assert not first.done(), "it loops still"
    loops.timers.advance(29.0)
    await asyncio.gather(first, *others)


# Files


def rule_of(directory: Path, limits: WasmLimits = WASM_LIMITS) -> str:
    with pytest.raises(PackageError) as raised:
        wasm_entry.entry_handlers(package_in(directory, "project", "note_add"), limits)
    (problem,) = raised.value.problems
    assert problem.file == "entry.wasm"
    return problem.rule


def test_an_entry_that_could_not_run_is_a_problem(tmp_path: Path) -> None:
    entry = tmp_path / "entry.wasm"
    assert rule_of(tmp_path) == "missing-file"
    entry.write_bytes(b"#!/bin/sh\n")
    assert rule_of(tmp_path) == "entry-shape"
    entry.write_bytes(ECHO)
    assert rule_of(tmp_path, WASM_LIMITS._replace(max_entry_bytes=len(ECHO) - 1)) == "file-size"
    exact = WASM_LIMITS._replace(max_entry_bytes=len(ECHO))
    assert list(wasm_entry.entry_handlers(package_in(tmp_path, "project", "note_add"), exact)) == [
        "note_add"
    ]


def test_a_link_is_not_followed_wherever_it_leads(tmp_path: Path) -> None:
    outside = tmp_path / "outside.wasm"
    outside.write_bytes(ECHO)
    package = tmp_path / "package"
    package.mkdir()
    (package / "inside.wasm").write_bytes(ECHO)
    entry = package / "entry.wasm"
    for target in (outside, package / "inside.wasm"):
        entry.symlink_to(target)
        assert rule_of(package) == "symlink"
        entry.unlink()
    entry.write_bytes(ECHO)
    assert list(wasm_entry.entry_handlers(package_in(package, "project", "note_add"))) == [
        "note_add"
    ]


async def test_without_wasmtime_a_call_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    code = writing(ANSWER)
    importing = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "wasmtime":
            raise ImportError(name)
        return importing(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    result = await called(code)
    assert failure_code(result) == "UNAVAILABLE"
    assert "pip install 'bascule[tools]'" in text_of(result)
    monkeypatch.undo()
    assert text_of(await called(code)) == "done"


COMPLAINS = """
  (i32.store (i32.const 0) (i32.const 1024)) (i32.store (i32.const 4) (i32.const {size}))
  (drop (call $fd_write (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 8)))
  (i32.store (i32.const 0) (i32.const 9000)) (i32.store (i32.const 4) (i32.const 3))
  (drop (call $fd_write (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 8)))
"""
END = '(data (i32.const 9000) "end")'


@pytest.mark.parametrize(
    ("size", "kept"), [(0, 0), (1, 1), (4_093, 4_093), (4_094, 4_093), (70_000, 4_093)]
)
async def test_the_end_of_what_a_failing_entry_wrote_is_for_its_author_alone(
    size: int, kept: int
) -> None:
    told: list[BaseException] = []
    code = command(COMPLAINS.format(size=size) + "unreachable", END)
    entry = WasmEntry(WasmCode(code), limits=SMALL)
    runner = ToolRunner(
        [RunnableTool(defined_tool(), entry, 30.0)],
        observe_failure=lambda _name, error: told.append(error),
    )
    result = await runner.call("note_add", {}, SESSION)
    assert failure_code(result) == "HANDLER_FAILED"
    assert "end" not in text_of(result)
    (refused,) = told
    assert isinstance(refused, CallRefused)
    assert len(refused.log) == kept + 3
    assert refused.log.endswith("end")


async def test_of_an_entry_that_wrote_nothing_or_answered_its_author_is_told_nothing() -> None:
    told: list[BaseException] = []
    answers = writing(ANSWER, COMPLAINS.format(size=4))
    for code in (answers, command("unreachable")):
        entry = WasmEntry(WasmCode(code), limits=SMALL)
        runner = ToolRunner(
            [RunnableTool(defined_tool(), entry, 30.0)],
            observe_failure=lambda _name, error: told.append(error),
        )
        await runner.call("note_add", {}, SESSION)
    assert told == []
